/*
 * SHA-256 (FIPS 180-4), and the same with a key: HMAC (RFC 2104). Names that may not leave are
 * replaced by parts of such sums, so that nobody computes a name from its replacement.
 */
#ifndef TV_BASE_BYTES_SHA256_H
#define TV_BASE_BYTES_SHA256_H

#include <stdint.h>

#include "base/str.h"

#define TV_SHA256_LEN 32u

/* The sum of a text. */
void tv_sha256(struct tv_str text, uint8_t digest[TV_SHA256_LEN]);
/* The sum of a text under a key, which may be empty. */
void tv_hmac_sha256(struct tv_str key, struct tv_str text, uint8_t digest[TV_SHA256_LEN]);

#endif
