/*
 * Adding the calls of a selection to the sums of their nodes, rows at the same time. Used by
 * analysis/selection/sums.c, sums_filter.c, sums_runs.c and sums_set.c only.
 *
 * An adder cuts the rows of the selected threads into tasks and counts the calls inside the range;
 * by these counts, sums.c chooses what to do next: mark the nodes that are met, add the calls
 * inside, or subtract the calls outside.
 */
#ifndef TV_ANALYSIS_SELECTION_SUMS_ADD_H
#define TV_ANALYSIS_SELECTION_SUMS_ADD_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/selection/range.h"
#include "analysis/selection/sums.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/pool.h"
#include "index/index.h"

/* The columns of listed nodes: what the nodes are, in one piece of memory, each as long as there
 * are nodes. Flags take a byte of their 4. */
enum tv_sum_column {
    TV_SUM_INDEX_NODE,
    TV_SUM_METHOD,
    TV_SUM_PARENT,
    TV_SUM_DEPTH,
    TV_SUM_FLAGS,
    TV_SUM_COLUMN_COUNT
};

TV_INLINE uint32_t *tv_sums_column(uint32_t *columns, uint32_t node_count,
                                   enum tv_sum_column column)
{
    return columns + (size_t)column * node_count;
}

/* Writes the depth of a listed node below its root, after that of its parent. A root of a set may
 * be at any depth of the trace. */
TV_INLINE void tv_sums_set_depth(uint32_t *columns, uint32_t node_count, uint32_t node)
{
    const uint32_t parent = tv_sums_column(columns, node_count, TV_SUM_PARENT)[node];
    uint32_t *depth = tv_sums_column(columns, node_count, TV_SUM_DEPTH);
    depth[node] = parent == TV_NONE ? 0 : depth[parent] + 1;
}

/* Makes the nodes of the sums those that are listed in its `columns`. */
void tv_sums_use_columns(struct tv_sums *sums, uint32_t node_count);

/* Allocates sums for all nodes of the sums, not cleared. */
enum tv_code tv_sums_alloc(const struct tv_sums *sums, uint64_t **slots, size_t *cap,
                           struct tv_error *err) TV_MUST_CHECK;

/* Some neighbouring rows of a thread, for one task of the pool. */
struct tv_sums_adder_task {
    uint32_t thread;    /* ordinal among the selected threads */
    uint32_t row_first; /* rows [row_first, row_end), as ordinals over the whole trace */
    uint32_t row_end;
    uint64_t calls_inside; /* calls of these rows that the range meets */
};

struct tv_sums_adder {
    const struct tv_alloc *alloc;
    const struct tv_pool *pool;
    const struct tv_index *index;
    const struct tv_selection *selection;
    /* One per selected thread: the selection's range on its clocks. */
    struct tv_thread_range *ranges;
    uint32_t thread_count;
    struct tv_sums_adder_task *tasks;
    size_t task_count;
    size_t task_cap;
    /* Calls that the range meets, and the other calls of the selected threads. */
    uint64_t calls_inside;
    uint64_t calls_outside;
    uint8_t *marks; /* per node of the index: 1 if the range meets a call of it; zeros before
                       tv_sums_adder_mark */
    const uint32_t *slot_of; /* per node of the index: its number in the sums; NULL: the same */
    uint64_t *sums;          /* the sums that are added to, TV_SUM_SLOT_COUNT words per node */
};

void tv_sums_adder_init(struct tv_sums_adder *adder, const struct tv_alloc *alloc);
void tv_sums_adder_release(struct tv_sums_adder *adder);
/* Cuts the rows of the selected threads into tasks, and counts calls. */
enum tv_code tv_sums_adder_prepare(struct tv_sums_adder *adder, const struct tv_index *index,
                                   const struct tv_selection *selection, const struct tv_pool *pool,
                                   struct tv_error *err) TV_MUST_CHECK;
/* Sets `marks` of the nodes of all calls that the range meets. */
void tv_sums_adder_mark(struct tv_sums_adder *adder);
/* Adds the calls inside to the calls and inclusive times of their nodes. */
void tv_sums_adder_add(struct tv_sums_adder *adder);
/* Subtracts from sums of whole threads what lies outside the range. */
void tv_sums_adder_subtract(struct tv_sums_adder *adder);
/* Adds calls [first, end) of a row as a whole; `index`, `sums` and `slot_of` of the adder are
 * set. */
void tv_sums_adder_add_calls(const struct tv_sums_adder *adder,
                             const struct tv_index_thread *thread, uint64_t first, uint64_t end);
/* Adds what of a call is inside the range. */
void tv_sums_adder_add_cut(const struct tv_sums_adder *adder, const struct tv_index_thread *thread,
                           const struct tv_thread_range *range, uint64_t call, bool is_counted);

/* Computes exclusive times of nodes, and adds roots to the total: the total is 0 before. */
void tv_sums_derive_exclusive(struct tv_sums *sums, struct tv_node_range nodes);
/* Marks recursive nodes by the callers that the sums have. */
enum tv_code tv_sums_find_recursive(struct tv_sums *sums, struct tv_error *err) TV_MUST_CHECK;
/* Sums of a selection with a set of calls that has runs. */
enum tv_code tv_sums_of_runs(struct tv_sums *sums, struct tv_error *err) TV_MUST_CHECK;

#endif
