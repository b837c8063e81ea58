/*
 * Records of packed blocks by pattern: which of the next eight bytes end a number says where each
 * number of a record is in them, and so how its bits are gathered (base/bytes/gather.h).
 *
 * The ends of 64 bytes are found at once. Where a record ends is then known from bits in a register
 * and not from bytes, for which the processor would have to wait.
 */
#ifndef TV_FORMAT_PACKED_PATTERNS_H
#define TV_FORMAT_PACKED_PATTERNS_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes/gather.h"
#include "base/compiler.h"
#include "format/packed_steps.h"

/* Where the numbers of a record are in eight bytes. */
struct tv_packed_pattern {
    uint64_t bits[TV_STEPS_MOST]; /* of each number; 0 for one that the record does not have */
    /* How far a number goes to the left and back to the right, to take the sign of its highest bit.
     */
    uint8_t shift[TV_STEPS_MOST];
    uint8_t len; /* bytes of the record; 0 where it is longer than eight */
};

/* Patterns by the ends of eight bytes: bit i is set where the i-th ends a number. */
struct tv_packed_patterns {
    struct tv_packed_pattern of_ends[256];
};

/* Makes the patterns of records that have `numbers` numbers, at most TV_STEPS_MOST. */
void tv_packed_patterns_make(struct tv_packed_patterns *patterns, unsigned numbers);

/* The value of number i of a record with the pattern, without a sign or with one. */

TV_INLINE uint64_t tv_packed_pattern_number(const struct tv_packed_pattern *pattern, unsigned i,
                                            uint64_t bytes)
{
    return tv_gather_bits(bytes, pattern->bits[i]);
}

TV_INLINE uint64_t tv_packed_pattern_signed(const struct tv_packed_pattern *pattern, unsigned i,
                                            uint64_t bytes)
{
    const uint64_t number = tv_gather_bits(bytes, pattern->bits[i]) << pattern->shift[i];
    return (uint64_t)((int64_t)number >> pattern->shift[i]);
}

/* Records are read from a stretch of 64 bytes, whose ends are found at once (tv_gather_bits_of_64),
 * as long as the eight bytes of a record are within it. */
#define TV_PACKED_STRETCH 64u
#define TV_PACKED_STRETCH_LAST (TV_PACKED_STRETCH - 8u)

#endif
