/* See support/colliding_keys.h. */
#include "support/colliding_keys.h"

#define FIRST_FACTOR 0xbf58476d1ce4e5b9u
#define SECOND_FACTOR 0x94d049bb133111ebu

uint64_t colliding_mixed(uint64_t key)
{
    key = (key ^ key >> 30) * FIRST_FACTOR;
    key = (key ^ key >> 27) * SECOND_FACTOR;
    return key ^ key >> 31;
}

/* The product of an odd number with its inverse is 1. */
static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd;
    for (int i = 0; i < 6; i++)
        x *= 2 - odd * x;
    return x;
}

static uint64_t undo_xor_shift(uint64_t mixed, unsigned shift)
{
    uint64_t key = mixed;
    for (unsigned done = shift; done < 64; done += shift)
        key = mixed ^ key >> shift;
    return key;
}

uint64_t colliding_key(uint32_t i)
{
    uint64_t key = undo_xor_shift((uint64_t)i << 32, 31) * inverse(SECOND_FACTOR);
    key = undo_xor_shift(key, 27) * inverse(FIRST_FACTOR);
    return undo_xor_shift(key, 30);
}
