/* Standard base64 (RFC 4648, section 4), with line breaks anywhere, as it is cut out of logs. */
#ifndef TV_FORMAT_BASE64_H
#define TV_FORMAT_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether nothing else stands in the bytes, and how many bytes they make. */
bool tv_base64_measure(const uint8_t *text, size_t len, size_t *decoded_len);
/* The first bytes, up to `most`, of text that measure accepts; returns how many. */
size_t tv_base64_decode(const uint8_t *text, size_t len, uint8_t *bytes, size_t most);

#endif
