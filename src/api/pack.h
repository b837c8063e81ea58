/*
 * Packed answers: little-endian numbers, columns that start at multiples of 8 bytes (docs/api.md).
 *
 * Room for the whole answer is taken at once, so that putting cannot fail.
 */
#ifndef TV_API_PACK_H
#define TV_API_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/compiler.h"
#include "base/error.h"

#define TV_PACK_HEAD_LEN 64u
/* Of every packed answer: where its flags stand, and the flag that nothing is left out. */
#define TV_PACK_FLAGS_AT 4u
#define TV_PACK_COMPLETE 1u

struct tv_pack {
    uint8_t *at;
    size_t pos;
};

/* `len` zero bytes at the start of `body`, to be filled; the buffer must not grow meanwhile. */
enum tv_code tv_pack_init(struct tv_pack *pack, struct tv_buffer *body, size_t len,
                          struct tv_error *err) TV_MUST_CHECK;
void tv_pack_u8(struct tv_pack *pack, uint8_t value);
void tv_pack_u32(struct tv_pack *pack, uint32_t value);
/* Bytes that an entry of a column needs whose largest value is `most`: 1, 2 or 4. */
unsigned tv_pack_width(uint32_t most);
/* Times and sums of times as a double: exact below 2^53. */
void tv_pack_f64(struct tv_pack *pack, double value);
/* Moves on to a multiple of 8. */
void tv_pack_align(struct tv_pack *pack);
/* Length of a column with what aligns the next one. */
size_t tv_pack_column_len(size_t count, size_t elem_len);

#endif
