/* Text in addresses and forms: %41 for the byte 0x41, and + for a space (URL standard,
 * section 5.1). */
#ifndef TV_BASE_TEXT_PERCENT_H
#define TV_BASE_TEXT_PERCENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "base/text/out.h"

/* Reads the byte that stands at *at, and moves on. False: a % without two hexadecimal digits behind
 * it; then the byte is the % itself. *at < raw.len. */
bool tv_percent_next(struct tv_str raw, size_t *at, char *byte);

/* Writes text so that every address and form takes it: letters, digits and -._~ as they are. */
void tv_percent_put(struct tv_out *out, struct tv_str text);

#endif
