/*
 * Packing bits; see export/tables/bit_pack.h.
 *
 * Numbers are shifted into a 64-bit word from its low end, and whole bytes leave it at once, so at
 * most 7 bits wait before the next number. The rest of the last unit of `multiple` bytes is zero.
 */
#include "export/tables/bit_pack.h"

#include "base/alloc.h"
#include "base/bytes.h"

unsigned tv_bit_width(uint32_t most)
{
    unsigned width = 1;
    while (width < 32 && most >> width)
        width++;
    return width;
}

/* Bits wait in `pending` until eight of them make a byte. */
enum tv_code tv_bit_pack(struct tv_buffer *out, const uint8_t *words, size_t word_len, size_t count,
                         unsigned width, size_t multiple, struct tv_error *err)
{
    size_t bits, len;
    uint8_t *at;
    if (!tv_size_mul(count, width, &bits) || !tv_size_add(bits, 8 * multiple - 1, &len))
        return tv_fail_memory(err, UINT64_MAX);
    len = len / (8 * multiple) * multiple;
    TV_TRY(tv_buffer_extend(out, len, &at, err));
    const uint8_t *end = at + len;
    uint64_t pending = 0;
    unsigned pending_len = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t value = word_len == 1 ? words[i] : tv_load_le32(words + i * word_len);
        pending |= value << pending_len;
        for (pending_len += width; pending_len >= 8; pending_len -= 8) {
            *at++ = (uint8_t)pending;
            pending >>= 8;
        }
    }
    for (; at < end; pending >>= 8)
        *at++ = (uint8_t)pending;
    return TV_OK;
}
