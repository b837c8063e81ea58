/*
 * A fast checksum against damage: torn files, flipped bits, the wrong file. Not against an enemy,
 * who can make a sum fit.
 *
 * Eight lanes of 64 bits take the words of a stripe side by side, so that the processor can overlap
 * their multiplications; each step can be turned back, so that one changed word always shows. The
 * value is that of this machine's order of bytes and of this version of the program: it may be
 * stored only where both are.
 */
#ifndef TV_BASE_CHECKSUM_H
#define TV_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* Takes a word into a sum; for joining sums and few numbers. */
TV_INLINE uint64_t tv_checksum_mix(uint64_t sum, uint64_t word)
{
    sum ^= word;
    return (sum << 29 | sum >> 35) * UINT64_C(0x9e3779b97f4a7c15);
}

/* The sum of some bytes, of any length and alignment. */
uint64_t tv_checksum(const void *bytes, size_t len);

#endif
