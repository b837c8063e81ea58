/* Standard base64 (RFC 4648, section 4). */
#ifndef TV_BASE_BYTES_BASE64_H
#define TV_BASE_BYTES_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text/out.h"

/* Text may have line breaks anywhere, as it is cut out of logs.
 * Whether nothing else stands in it, and how many bytes it makes. */
bool tv_base64_measure(const uint8_t *text, size_t len, size_t *decoded_len);
/* The first bytes, up to `most`, of text that measure accepts; returns how many. */
size_t tv_base64_decode(const uint8_t *text, size_t len, uint8_t *bytes, size_t most);

/* Writes bytes as text with its padding, without line breaks. */
void tv_base64_put(struct tv_out *out, const uint8_t *bytes, size_t len);

#endif
