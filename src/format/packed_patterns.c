/*
 * Makes the table of patterns; see format/packed_patterns.h.
 *
 * A pattern is made byte by byte: each byte gives its number seven bits, and the byte that ends a
 * number begins the next one.
 */
#include "format/packed_patterns.h"

#define BYTES 8u
#define BYTE_BITS UINT64_C(0x7f)

static struct tv_packed_pattern make_pattern(unsigned ends, unsigned numbers)
{
    struct tv_packed_pattern pattern = {.shift = {64, 64, 64}};
    unsigned number = 0;
    for (unsigned i = 0; i < BYTES && number < numbers; i++) {
        pattern.bits[number] |= BYTE_BITS << (8 * i);
        pattern.shift[number] = (uint8_t)(pattern.shift[number] - 7);
        number += ends >> i & 1;
        pattern.len = (uint8_t)(i + 1);
    }
    if (number < numbers)
        pattern.len = 0;
    return pattern;
}

void tv_packed_patterns_make(struct tv_packed_patterns *patterns, unsigned numbers)
{
    for (unsigned ends = 0; ends < TV_COUNT_OF(patterns->of_ends); ends++)
        patterns->of_ends[ends] = make_pattern(ends, numbers);
}
