/*
 * Bytes as text of 93 characters; see base/bytes/base93.h.
 *
 * Bits wait in a word, the first in the lowest place. Two digits hold 13 bits, and a fourteenth
 * where the low 13 bits are so small that the pair still has a value for it; a reader sees from the
 * value which it is.
 */
#include "base/bytes/base93.h"

#define DIGITS 93u

/* Two digits have 93 * 93 - 2^13 values to spare: where the low 13 bits are below that, one bit
 * more fits. */
#define BITS 13u
#define SPARE (DIGITS * DIGITS - (1u << BITS))

static char digit(uint32_t value)
{
    char c = (char)('!' + value);
    return c < '<' ? c : (char)(c + 1);
}

static void put_pair(struct tv_out *out, uint32_t value)
{
    const char pair[] = {digit(value % DIGITS), digit(value / DIGITS)};
    tv_out_bytes(out, pair, sizeof(pair));
}

/* What is left of the bits in the end: up to 13. */
static void put_rest(struct tv_out *out, uint32_t bits, unsigned bit_count)
{
    if (bit_count > 7 || bits >= DIGITS) {
        put_pair(out, bits);
    } else if (bit_count) {
        const char c = digit(bits);
        tv_out_bytes(out, &c, 1);
    }
}

void tv_base93_put(struct tv_out *out, const uint8_t *bytes, size_t len)
{
    uint32_t bits = 0;
    unsigned bit_count = 0;
    for (size_t i = 0; i < len; i++) {
        bits |= (uint32_t)bytes[i] << bit_count;
        bit_count += 8;
        if (bit_count <= BITS)
            continue;
        unsigned taken = (bits & ((1u << BITS) - 1)) < SPARE ? BITS + 1 : BITS;
        put_pair(out, bits & ((1u << taken) - 1));
        bits >>= taken;
        bit_count -= taken;
    }
    put_rest(out, bits, bit_count);
}
