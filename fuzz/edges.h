/*
 * Mutants of traces whose ids and times are at the edges of their ranges: 0, 1, 2^31 - 1, the last
 * values, and those with one of the flag bits. A value that some code keeps free for a meaning of
 * its own is found there, if it is found at all.
 */
#ifndef TV_FUZZ_EDGES_H
#define TV_FUZZ_EDGES_H

#include <stddef.h>
#include <stdint.h>

/* Changes a trace of any family in 1 to 4 places, as `seed` says, and returns its new length. There
 * is room for `cap` bytes. Bytes that are no trace are changed, too. */
size_t fuzz_put_edges(uint8_t *bytes, size_t len, size_t cap, uint64_t seed);

#endif
