/*
 * Bytes as text of 93 characters, for pages that have data in them: what can be seen of ASCII, but
 * for <, which could end a block of a page. 13 or 14 bits make two characters (docs/report.md), so
 * the text is 22 percent longer than the bytes, where base64 is 33 percent longer.
 */
#ifndef TV_BASE_BYTES_BASE93_H
#define TV_BASE_BYTES_BASE93_H

#include <stddef.h>
#include <stdint.h>

#include "base/text/out.h"

/* Writes bytes as text, in one line. */
void tv_base93_put(struct tv_out *out, const uint8_t *bytes, size_t len);

#endif
