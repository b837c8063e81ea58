/*
 * The parts of tv_saved_check (index/saved/saved.h): whether the sections of a block fit together
 * as a builder would have made them, for a block that came from a file and may be forged.
 *
 * What is checked is what whoever reads an index takes for granted: ordinals and offsets lie where
 * they point into; threads, rows, nodes, calls, mipmaps and segment groups stand one behind the
 * other without a gap; calls of a row do not overlap, and each lies in a call of its caller's node;
 * levels and sums are those of the calls; times in nanoseconds fit 63 bits. Not checked is what
 * only changes what is shown: names, counts of records, findings.
 *
 * Memory: some words for each row, node and method.
 */
#ifndef TV_INDEX_SAVED_SAVED_CHECK_H
#define TV_INDEX_SAVED_SAVED_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/memory/pool.h"
#include "index/index.h"

/* The largest time in units whose nanoseconds fit 63 bits. */
TV_INLINE uint64_t tv_saved_largest_time(const struct tv_index *index)
{
    return (uint64_t)INT64_MAX / index->info->unit_ns;
}

/* A node while its calls are compared with it: half a line of the processor's cache holds it. */
struct tv_saved_node {
    uint32_t row; /* the only one with calls of this node */
    uint32_t parent;
    uint64_t calls; /* and times in units: found so far */
    uint64_t inclusive[TV_CLOCK_COUNT];
};

/*
 * The part that looks at calls, mipmaps and segment groups; info, threads, rows and nodes have been
 * checked. Adds what it finds to the nodes. False when something does not fit.
 */
struct tv_saved_calls {
    const struct tv_index *index;
    uint32_t *thread_of_row;
    uint8_t *row_fits;
    uint8_t *thread_fits;
    struct tv_saved_node *nodes;
};
bool tv_saved_calls_fit(struct tv_saved_calls *calls, const struct tv_pool *pool);

#endif
