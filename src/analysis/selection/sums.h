/*
 * Calls and times per node for a selection: what profile, relations, call trees and flame graphs
 * are made of.
 *
 * For whole threads the sums are the index's own columns and cost nothing. For a range of time
 * there are two ways. Either the calls inside the range are added to their nodes; or, when fewer
 * calls are outside than inside, the calls outside are subtracted from the sums of whole threads.
 * Each row is cut at its two ends only. Exclusive time is then a node's inclusive time less that of
 * its children. Rows are added at the same time by the pool: each node belongs to one row, so no
 * two tasks write to the same node.
 *
 * A range with few calls meets few nodes. Then the sums have those nodes only, numbered anew in the
 * same order, so that later steps cost the nodes that were met and not all nodes of the trace. A
 * node of the sums is therefore not a node of the index: what it is stands in the columns of the
 * sums.
 *
 * Finished sums may be read by any number of threads.
 */
#ifndef TV_ANALYSIS_SELECTION_SUMS_H
#define TV_ANALYSIS_SELECTION_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/selection/range.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/pool.h"
#include "index/index.h"

/* The numbers of one node, one 64-bit word each. Times are nanoseconds. */
enum tv_sum_slot {
    TV_SUM_CALLS,
    TV_SUM_INCLUSIVE, /* one per clock; 0 where the trace lacks the clock */
    TV_SUM_EXCLUSIVE = TV_SUM_INCLUSIVE + TV_CLOCK_COUNT,
    TV_SUM_SLOT_COUNT = TV_SUM_EXCLUSIVE + TV_CLOCK_COUNT
};

/* What the last tv_sums_filter says of a node. */
enum tv_sums_match {
    TV_SUMS_UNMATCHED,
    TV_SUMS_MATCHED, /* it is at or below a match */
    TV_SUMS_PARTLY,  /* it is above a match, and less than its time is left */
    TV_SUMS_LEFT_OUT /* left out, and below a node that is above a match */
};

/* Sums per node. Of nodes of threads that are not selected, nothing is said. */
struct tv_sums {
    const struct tv_alloc *alloc;
    const struct tv_index *index;
    struct tv_selection selection; /* of the question; its threads are borrowed */
    /* What the nodes are: columns of the index, or of the listed nodes in `columns`. */
    const uint32_t *method;
    const uint32_t *parent; /* TV_NONE for a root; else a node with a smaller number */
    const uint32_t *depth;  /* 0 for a root, wherever it stands in the trace */
    const uint8_t *flags;   /* TV_NODE_... */
    /* The node's ordinal in the index, ascending; NULL: it is the same. */
    const uint32_t *index_node;
    uint32_t node_count; /* entries of each column: nodes of threads that are not selected too */
    uint64_t *owned;     /* TV_SUM_SLOT_COUNT words per node; NULL: the sums are the index's own */
    size_t owned_count;
    uint8_t *matched;  /* TV_SUMS_MATCHED and such, one per node; NULL before tv_sums_filter */
    uint32_t *columns; /* memory of the columns of listed nodes, one after the other */
    size_t columns_count;
    uint32_t *shown_parents; /* memory of `parent` after tv_sums_hide: one per node */
    size_t shown_parent_count;
    /* Calls of hidden nodes whose time is a node's own after tv_sums_hide, one per node; NULL
     * before. */
    uint64_t *hidden_calls;
    uint64_t total_ns[TV_CLOCK_COUNT]; /* time of the selection's root calls: what 100 % is */
    /* Of it, exclusive time of hidden methods that no other method called, directly or through
     * hidden ones: nobody has it. 0 before tv_sums_hide. */
    uint64_t hidden_ns[TV_CLOCK_COUNT];
    /* The pool's flag that the work is not wanted any more (base/memory/pool.h); every loop over
     * many nodes looks at it. */
    const atomic_bool *is_unwanted;
    uint64_t deep_calls; /* calls that tv_sums_hide took out for their level alone */
    /* Calls inside others that stay, which tv_sums_filter and tv_sums_hide took out. */
    uint64_t left_out_calls;
};

/* Nodes of one thread: [first, end). */
struct tv_node_range {
    uint32_t first;
    uint32_t end;
};

/* Numbers of one node, method or edge between methods. */
struct tv_numbers {
    uint64_t calls;
    uint64_t inclusive_ns[TV_CLOCK_COUNT]; /* 0 on a clock that the trace lacks */
    uint64_t exclusive_ns[TV_CLOCK_COUNT];
    /* Rows of a profile alone: the inclusive and the exclusive wall time that came after the last
     * record of its thread, in calls that were open at the end (docs/numbers.md, "Numbers of single
     * calls"). Any part of it may be CPU time. */
    uint64_t unrecorded_ns[2];
    uint64_t open_calls;     /* rows of a profile alone: calls that were open at the end */
    uint64_t adopting_calls; /* the same: calls that began before the trace */
};

void tv_sums_init(struct tv_sums *sums, const struct tv_alloc *alloc);
void tv_sums_release(struct tv_sums *sums);
/* Computes the sums of a selection, and keeps what is of its set. The index and the selection's
 * threads are borrowed for as long as the sums live, and so is what tells whether they are wanted.
 * pool may be NULL: one thread. */
enum tv_code tv_sums_compute(struct tv_sums *sums, const struct tv_index *index,
                             const struct tv_selection *selection, const struct tv_pool *pool,
                             struct tv_error *err) TV_MUST_CHECK;

/* The nodes of the i-th selected thread, in the numbering of the sums. */
struct tv_node_range tv_sums_nodes(const struct tv_sums *sums, uint32_t i);

/* Replaces the sums by those of the calls of a set and of what they made. Their outermost nodes are
 * roots then, whose times are the total; a node is recursive by what is of the set. */
enum tv_code tv_sums_keep(struct tv_sums *sums, const struct tv_call_set *set,
                          struct tv_error *err) TV_MUST_CHECK;
/* Replaces the sums by those of the stacks that have a matching method somewhere; matches[method]
 * is 1 or 0. A node at or below a matching method keeps its numbers. A node above one keeps its
 * calls, and the inclusive time of what is left below it. All other nodes have zeros. */
enum tv_code tv_sums_filter(struct tv_sums *sums, const uint8_t *matches,
                            struct tv_error *err) TV_MUST_CHECK;
/* tv_sums_compute, followed by tv_sums_filter unless `matches` is NULL. */
enum tv_code tv_sums_compute_matching(struct tv_sums *sums, const struct tv_index *index,
                                      const struct tv_selection *selection, const uint8_t *matches,
                                      const struct tv_pool *pool,
                                      struct tv_error *err) TV_MUST_CHECK;

/* Takes hidden methods (hidden[method] is 1; NULL: none) out of all stacks, and then what is at
 * level `levels` or deeper (a root is at level 0; 0 levels are all). Their nodes have zeros, their
 * exclusive time is that of the nearest caller that stays, which counts their calls as hidden, and
 * `parent` skips them. */
enum tv_code tv_sums_hide(struct tv_sums *sums, const uint8_t *hidden, uint32_t levels,
                          struct tv_error *err) TV_MUST_CHECK;

/* The node of the index that a node is. */
TV_INLINE uint32_t tv_sums_index_node(const struct tv_sums *sums, uint32_t node)
{
    return sums->index_node ? sums->index_node[node] : node;
}

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

/* What tv_sums_filter says of a node; without it all are matched. */
TV_INLINE enum tv_sums_match tv_sums_match_of(const struct tv_sums *sums, uint32_t node)
{
    return sums->matched ? (enum tv_sums_match)sums->matched[node] : TV_SUMS_MATCHED;
}

/* How many calls are in a node's own time, since tv_sums_hide took them out of stacks. */
TV_INLINE uint64_t tv_sums_hidden_calls(const struct tv_sums *sums, uint32_t node)
{
    return sums->hidden_calls ? sums->hidden_calls[node] : 0;
}

/* Whether the selection touches a node: it has calls or time. */
TV_INLINE bool tv_sums_is_touched(const struct tv_sums *sums, uint32_t node)
{
    return tv_sums_calls(sums, node) || tv_sums_inclusive(sums, TV_CLOCK_WALL, node) ||
           tv_sums_inclusive(sums, TV_CLOCK_CPU, node);
}

struct tv_numbers tv_sums_numbers(const struct tv_sums *sums, uint32_t node);
/* Adds up; a time stays at INT64_MAX, which only the sum of recursive calls of a damaged file can
 * reach. */
void tv_numbers_add(struct tv_numbers *to, const struct tv_numbers *more);

#endif
