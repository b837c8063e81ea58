/* Going over the calls of a selection, rows at once. Inside of analysis/selection/sums.c and
 * analysis/selection/sums_filter.c only. */
#ifndef TV_ANALYSIS_SELECTION_SUMS_ADD_H
#define TV_ANALYSIS_SELECTION_SUMS_ADD_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/selection/range.h"
#include "analysis/selection/sums.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/pool.h"
#include "index/index.h"

/* Room for the sums of all nodes, not cleared. */
enum tv_code tv_sums_alloc(const struct tv_sums *sums, uint64_t **slots, size_t *cap,
                           struct tv_error *err) TV_MUST_CHECK;

/* Some rows of a thread. */
struct tv_sums_adder_task {
    uint32_t thread; /* position among the selected threads */
    uint32_t row_first;
    uint32_t row_end;
    uint64_t calls_inside; /* calls that the range meets */
};

struct tv_sums_adder {
    const struct tv_alloc *alloc;
    const struct tv_pool *pool;
    const struct tv_index *index;
    const struct tv_selection *selection;
    struct tv_thread_range *ranges; /* one per selected thread */
    uint32_t thread_count;
    struct tv_sums_adder_task *tasks;
    size_t task_count;
    size_t task_cap;
    uint64_t calls_inside; /* calls that the range meets, and the others of the selected threads */
    uint64_t calls_outside;
    uint8_t *marks;          /* per node of the index */
    const uint32_t *slot_of; /* per node of the index, its place in the sums; NULL: itself */
    uint64_t *sums;          /* TV_SUM_SLOT_COUNT a node */
};

void tv_sums_adder_init(struct tv_sums_adder *adder, const struct tv_alloc *alloc);
void tv_sums_adder_release(struct tv_sums_adder *adder);
/* Cuts the selected threads into tasks, and counts calls. */
enum tv_code tv_sums_adder_prepare(struct tv_sums_adder *adder, const struct tv_index *index,
                                   const struct tv_selection *selection, const struct tv_pool *pool,
                                   struct tv_error *err) TV_MUST_CHECK;
/* Marks the nodes of all calls inside with 1. */
void tv_sums_adder_mark(struct tv_sums_adder *adder);
/* Adds the calls inside to their nodes' calls and inclusive times. */
void tv_sums_adder_add(struct tv_sums_adder *adder);
/* Takes what is outside off sums of whole threads. */
void tv_sums_adder_subtract(struct tv_sums_adder *adder);

#endif
