/* What collecting durations and counting them share. Inside of analysis/calls/percentiles_methods.c
 * and analysis/calls/percentiles_counts.c only. */
#ifndef TV_ANALYSIS_CALLS_PERCENTILES_COLLECT_H
#define TV_ANALYSIS_CALLS_PERCENTILES_COLLECT_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/calls/percentiles.h"
#include "analysis/selection/range.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/pool.h"

/* A row that has nodes of the methods asked about. */
struct tv_percentiles_row {
    uint32_t thread; /* position among the selected threads */
    uint32_t row_ix;
};

/* Durations of several methods, one method's after the other's, in that a node's. */
struct tv_percentiles_batch {
    const struct tv_profile *profile;
    const struct tv_sums *sums;
    const struct tv_selection *selection; /* theirs */
    const struct tv_pool *pool;
    const uint32_t *methods;
    size_t count;
    struct tv_method_percentiles *percentiles;
    struct tv_thread_range *ranges; /* of the selected threads */
    uint32_t thread_count;
    uint32_t *slot_of_method; /* TV_NONE: not asked about */
    uint32_t *per_node; /* per node: where its next duration goes; TV_NONE: nowhere. Before that
                       how many it has */
    struct tv_percentiles_row *rows;
    size_t row_count;
    size_t row_cap;
    size_t *ends;                        /* per method */
    size_t calls;                        /* of all of them */
    uint64_t *durations[TV_CLOCK_COUNT]; /* NULL: the trace lacks the clock */
};

/* The nearest rank of a percentile among count > 0 values, from 0. */
size_t tv_percentile_rank(size_t count, unsigned percent);
/* All calls of the method in the selection. */
size_t tv_percentiles_batch_calls(const struct tv_percentiles_batch *batch, uint32_t method_ix);
/* The calls of a row that the selection meets: one that spans its start, and those behind. */
struct tv_slice tv_percentiles_batch_slice(const struct tv_percentiles_batch *batch,
                                           const struct tv_percentiles_row *row);
const struct tv_index_thread *tv_percentiles_batch_thread(const struct tv_percentiles_batch *batch,
                                                          uint32_t thread);

/*
 * Fills in the spreads of the methods, whose nodes are marked and whose rows are listed: `next` is
 * then each node's method, by its place among them. Durations are counted and not kept.
 */
enum tv_code tv_percentiles_count(struct tv_percentiles_batch *batch,
                                  struct tv_error *err) TV_MUST_CHECK;

#endif
