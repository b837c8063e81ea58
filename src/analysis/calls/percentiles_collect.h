/* A batch of methods whose percentiles are computed together: what collecting durations
 * (percentiles_methods.c) and counting them in bins (percentiles_counts.c) share. Used by these two
 * files only. */
#ifndef TV_ANALYSIS_CALLS_PERCENTILES_COLLECT_H
#define TV_ANALYSIS_CALLS_PERCENTILES_COLLECT_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/calls/percentiles.h"
#include "analysis/selection/call_set.h"
#include "analysis/selection/range.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/pool.h"

/* A row that has nodes of the batch's methods. */
struct tv_percentiles_row {
    uint32_t thread; /* ordinal among the selected threads */
    uint32_t row_ix;
};

/* The state of a batch. Collected durations stand method by method, and within a method node
 * by node, so that a node's durations have a place of their own and rows can be scanned at
 * the same time. */
struct tv_percentiles_batch {
    const struct tv_profile *profile;
    const struct tv_sums *sums;
    const struct tv_selection *selection; /* that of `sums` */
    const struct tv_pool *pool;
    const uint32_t *methods;
    size_t count;
    const uint32_t *first_of; /* as in the question */
    struct tv_method_percentiles *percentiles;
    struct tv_thread_range *ranges; /* one per selected thread */
    uint32_t thread_count;
    uint32_t *slot_of_method; /* per method: its position in `methods`; TV_NONE: not in the batch */
    /* Per node of the index; TV_NONE for nodes of other methods. First how many calls of the node
     * are in the selection; then, while durations are collected, where its next duration goes; or,
     * while they are counted, the position of its method in `methods`. */
    uint32_t *per_node;
    uint64_t *node_bits; /* a bit per node: per_node has something. They stay in a cache, where
                            numbers of a million nodes do not */
    struct tv_percentiles_row *rows;
    size_t row_count;
    size_t row_cap;
    size_t *ends;                        /* per method: where its durations end */
    size_t calls;                        /* durations of the batch */
    uint64_t *durations[TV_CLOCK_COUNT]; /* units; NULL: the trace lacks the clock */
};

/* The nearest rank of a percentile among count > 0 values, from 0. */
size_t tv_percentile_rank(size_t count, unsigned percent);
/* How many calls a method has in the selection. */
size_t tv_percentiles_batch_calls(const struct tv_percentiles_batch *batch, uint32_t method_ix);
/* The calls of a row that overlap the selection: `first` includes a call that spans its start. */
struct tv_slice tv_percentiles_batch_slice(const struct tv_percentiles_batch *batch,
                                           const struct tv_percentiles_row *row);
/* The i-th selected thread. */
const struct tv_index_thread *tv_percentiles_batch_thread(const struct tv_percentiles_batch *batch,
                                                          uint32_t thread);

/* Computes the percentiles of a batch by counting. The batch's nodes must be marked, its rows
 * listed, and per_node be the position of each node's method. */
enum tv_code tv_percentiles_count(struct tv_percentiles_batch *batch,
                                  struct tv_error *err) TV_MUST_CHECK;

#endif
