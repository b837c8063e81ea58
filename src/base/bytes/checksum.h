/*
 * A fast checksum against damage: torn files, flipped bits, the wrong file. It is no help against
 * an enemy, who can make any sum fit.
 *
 * The words of a stripe of 64 bytes go into eight sums side by side, so that the processor can
 * overlap their multiplications. Each step can be undone, so two inputs that differ in one word
 * never have the same sum. The value depends on this machine's byte order and this version of the
 * program: it may be stored only where both are known to be the same.
 */
#ifndef TV_BASE_BYTES_CHECKSUM_H
#define TV_BASE_BYTES_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* Adds a word to a sum; also for joining sums, and for a few numbers. */
TV_INLINE uint64_t tv_checksum_mix(uint64_t sum, uint64_t word)
{
    sum ^= word;
    return (sum << 29 | sum >> 35) * UINT64_C(0x9e3779b97f4a7c15);
}

/* The checksum of some bytes, of any length and alignment. */
uint64_t tv_checksum(const void *bytes, size_t len);

#endif
