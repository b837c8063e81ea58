/*
 * Calls and times per node for a selection: what profile, relations, trees and flame graphs are
 * made of.
 *
 * For whole threads these are the index's own columns and cost nothing. For a range of time the
 * calls inside it are added to their nodes, cut only at the two ends of each row; or, where those
 * outside are fewer, they are taken off the index's sums. Exclusive time is then a node's inclusive
 * time less that of its children. Rows are swept at once: each node belongs to one row, so no two
 * tasks write to the same node.
 *
 * A range of few calls meets few nodes. Then the sums have those alone, numbered anew, in the same
 * order: a node of the sums is not one of the index, and what it is stands in the columns here.
 *
 * The result may be read by any number of threads.
 */
#ifndef TV_ANALYSIS_SELECTION_SUMS_H
#define TV_ANALYSIS_SELECTION_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/selection/range.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/pool.h"
#include "index/index.h"

/* What one node has. */
enum tv_sum_slot {
    TV_SUM_CALLS,
    TV_SUM_INCLUSIVE, /* on each clock; 0 where the trace lacks it */
    TV_SUM_EXCLUSIVE = TV_SUM_INCLUSIVE + TV_CLOCK_COUNT,
    TV_SUM_SLOT_COUNT = TV_SUM_EXCLUSIVE + TV_CLOCK_COUNT
};

/* Sums of nodes; of nodes of other threads than the selected ones nothing is said. */
struct tv_sums {
    const struct tv_alloc *alloc;
    const struct tv_index *index;
    struct tv_selection selection; /* as asked; its threads are borrowed */
    /* What the nodes are: the index's columns, or those of the nodes that have something. */
    const uint32_t *method;
    const uint32_t *parent; /* TV_NONE for a root, else a node before this one */
    const uint32_t *depth;
    const uint8_t *flags;
    const uint32_t *index_node; /* NULL: they are those of the index */
    uint32_t node_count;        /* all nodes that the columns have */
    uint64_t *owned; /* nanoseconds, TV_SUM_SLOT_COUNT a node; NULL: the sums are the index's */
    size_t owned_count;
    uint32_t *columns; /* that are owned, one behind the other */
    size_t columns_count;
    uint64_t total_ns[TV_CLOCK_COUNT]; /* root calls of the selection */
};

/* Nodes of one thread: [first, end). */
struct tv_node_range {
    uint32_t first;
    uint32_t end;
};

/* Numbers of one node, method or edge. Exclusive may be more than 2^63 only where the times are. */
struct tv_numbers {
    uint64_t calls;
    uint64_t inclusive_ns[TV_CLOCK_COUNT]; /* 0 for a clock that the trace lacks */
    uint64_t exclusive_ns[TV_CLOCK_COUNT];
};

void tv_sums_init(struct tv_sums *sums, const struct tv_alloc *alloc);
void tv_sums_release(struct tv_sums *sums);
/* The index and the selection's threads are borrowed for as long as the sums live. pool may be
 * NULL. */
enum tv_code tv_sums_compute(struct tv_sums *sums, const struct tv_index *index,
                             const struct tv_selection *selection, const struct tv_pool *pool,
                             struct tv_error *err) TV_MUST_CHECK;

/* The nodes of the i-th selected thread. */
struct tv_node_range tv_sums_nodes(const struct tv_sums *sums, uint32_t i);

/*
 * Replaces the sums by those of the stacks that have a method with matches[method] set, somewhere:
 * a node at or below such a method stays whole, one above keeps the inclusive time of those below,
 * all others become nothing.
 */
enum tv_code tv_sums_filter(struct tv_sums *sums, const uint8_t *matches,
                            struct tv_error *err) TV_MUST_CHECK;
/* The sums of a selection, and then, where matches are given, of the stacks that have one. */
enum tv_code tv_sums_compute_matching(struct tv_sums *sums, const struct tv_index *index,
                                      const struct tv_selection *selection, const uint8_t *matches,
                                      const struct tv_pool *pool,
                                      struct tv_error *err) TV_MUST_CHECK;

TV_INLINE uint64_t tv_sums_owned(const struct tv_sums *sums, uint32_t node, unsigned slot)
{
    return sums->owned[(size_t)node * TV_SUM_SLOT_COUNT + slot];
}

TV_INLINE uint64_t tv_sums_calls(const struct tv_sums *sums, uint32_t node)
{
    return sums->owned ? tv_sums_owned(sums, node, TV_SUM_CALLS)
                       : tv_index_node_calls(sums->index, node);
}

TV_INLINE uint64_t tv_sums_inclusive(const struct tv_sums *sums, unsigned clock, uint32_t node)
{
    return sums->owned
               ? tv_sums_owned(sums, node, TV_SUM_INCLUSIVE + clock)
               : tv_index_node_inclusive(sums->index, clock, node) * sums->index->info->unit_ns;
}

TV_INLINE uint64_t tv_sums_exclusive(const struct tv_sums *sums, unsigned clock, uint32_t node)
{
    return sums->owned
               ? tv_sums_owned(sums, node, TV_SUM_EXCLUSIVE + clock)
               : tv_index_node_exclusive(sums->index, clock, node) * sums->index->info->unit_ns;
}

/* False for a node that the selection does not touch: no calls and no time. */
TV_INLINE bool tv_sums_is_touched(const struct tv_sums *sums, uint32_t node)
{
    return tv_sums_calls(sums, node) || tv_sums_inclusive(sums, TV_CLOCK_WALL, node) ||
           tv_sums_inclusive(sums, TV_CLOCK_CPU, node);
}

struct tv_numbers tv_sums_numbers(const struct tv_sums *sums, uint32_t node);
void tv_numbers_add(struct tv_numbers *to, const struct tv_numbers *more);

#endif
