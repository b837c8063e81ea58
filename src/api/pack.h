/*
 * Packed answers (docs/api.md): a head of 64 bytes, then columns of little-endian numbers.
 *
 * Each column starts at a multiple of 8 bytes, so that a browser may lay a typed array over it.
 * Room for the whole answer is taken at once, so putting a number cannot fail: the caller adds up
 * the length first, and asserts at the end that the last number reached it.
 */
#ifndef TV_API_PACK_H
#define TV_API_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"

#define TV_PACK_HEAD_LEN 64u
/* Where the flags of every packed answer stand, and the flag that nothing is left out. */
#define TV_PACK_FLAGS_AT 4u
#define TV_PACK_COMPLETE 1u

struct tv_pack {
    uint8_t *at; /* of the body; borrowed */
    size_t pos;  /* where the next number goes */
};

/* Takes `len` zero bytes in place of what `body` holds. The buffer must not grow while they are
 * filled, since growing may move them. */
enum tv_code tv_pack_init(struct tv_pack *pack, struct tv_buffer *body, size_t len,
                          struct tv_error *err) TV_MUST_CHECK;
void tv_pack_u8(struct tv_pack *pack, uint8_t value);
void tv_pack_u32(struct tv_pack *pack, uint32_t value);
void tv_pack_bytes(struct tv_pack *pack, const void *bytes, size_t len);
/* Bytes of an entry in a column whose largest value is `most`: 1, 2 or 4. */
unsigned tv_pack_width(uint32_t most);
/* A time or a sum of times as a double, which is exact below 2^53 ns, or 104 days. */
void tv_pack_f64(struct tv_pack *pack, double value);
/* Moves on to where the next column starts. */
void tv_pack_align(struct tv_pack *pack);
/* Length of a column, with the bytes that align the next one. */
size_t tv_pack_column_len(size_t count, size_t elem_len);

#endif
