/*
 * Percentiles of many methods at once; see analysis/calls/percentiles.h.
 *
 * How many calls each node has in the selection is known from the sums. So each node has a place
 * for its durations before any is collected: rows are scanned at the same time, and nothing is
 * sorted by method. Methods are collected in batches, so that memory has a bound. Methods with very
 * many calls are counted in bins instead (percentiles_counts.c), so that neither memory nor the
 * number of scans grows with them.
 */
#include "analysis/calls/percentiles.h"

#include <string.h>

#include "analysis/calls/percentiles_collect.h"
#include "base/alloc.h"
#include "base/error.h"

/* Where collecting would take more batches than this, methods with at least this many calls are
 * counted in bins. */
#define MOST_BATCHES ((size_t)3)
#define MANY_CALLS ((size_t)64 * 1024)

/* Methods of one batch that is counted. */
#define BATCH_COUNTED ((size_t)256)

/* Calls of one batch that is collected: 64 MiB of durations on two clocks. A method with more calls
 * is a batch of its own. */
#define BATCH_CALLS ((size_t)4 << 20)

size_t tv_percentiles_batch_calls(const struct tv_percentiles_batch *batch, uint32_t method_ix)
{
    const struct tv_method_row *row = &batch->profile->rows[method_ix];
    return (size_t)(row->numbers.calls + row->recursive_calls);
}

const struct tv_index_thread *tv_percentiles_batch_thread(const struct tv_percentiles_batch *batch,
                                                          uint32_t thread)
{
    return &batch->profile->index->threads[tv_selection_thread(batch->selection, thread)];
}

struct tv_slice tv_percentiles_batch_slice(const struct tv_percentiles_batch *batch,
                                           const struct tv_percentiles_row *row)
{
    struct tv_slice slice =
        tv_slice_of(batch->profile->index, tv_selection_thread(batch->selection, row->thread),
                    row->row_ix, &batch->ranges[row->thread]);
    if (slice.spanning_overlaps)
        slice.first = slice.spanning;
    return slice;
}

/* Notes the durations of a call, if its node is one of the batch. */
TV_INLINE void collect_call(const struct tv_percentiles_batch *batch, const struct tv_call_set *set,
                            const struct tv_index_thread *thread, uint64_t call)
{
    const struct tv_index *index = batch->profile->index;
    const uint32_t node = index->call_node[call];
    if (!tv_call_bit(batch->node_bits, node) || !tv_call_set_has(set, node, call))
        return;
    uint32_t *offset = &batch->per_node[node];
    tv_assert(*offset < batch->calls);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (batch->durations[clock])
            batch->durations[clock][*offset] =
                tv_index_duration(index, thread, (enum tv_clock)clock, call);
    }
    ++*offset;
}

/* Collects the durations of a row. Each node is of one row, so no two tasks write to one place. Of
 * a set of single calls these alone are looked at. */
static void collect_row(void *arg, size_t task_ix)
{
    const struct tv_percentiles_batch *batch = arg;
    const struct tv_percentiles_row *row = &batch->rows[task_ix];
    const struct tv_index_thread *thread = tv_percentiles_batch_thread(batch, row->thread);
    const struct tv_call_set *set = batch->selection->set;
    const struct tv_slice slice = tv_percentiles_batch_slice(batch, row);
    if (set && set->within) {
        for (uint64_t call = tv_call_bit_next(set->within, slice.first, slice.end);
             call < slice.end; call = tv_call_bit_next(set->within, call + 1, slice.end))
            collect_call(batch, set, thread, call);
        return;
    }
    for (uint64_t call = slice.first; call < slice.end; call++)
        collect_call(batch, set, thread, call);
}

/* Finds the percentiles of one method among the durations collected for it. */
static void find_percentiles(void *arg, size_t task_ix)
{
    const struct tv_percentiles_batch *batch = arg;
    size_t calls = tv_percentiles_batch_calls(batch, batch->methods[task_ix]);
    struct tv_method_percentiles *percentiles = &batch->percentiles[task_ix];
    *percentiles = (struct tv_method_percentiles){.calls = calls};
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT && calls; clock++) {
        if (batch->durations[clock])
            percentiles->of[clock] =
                tv_percentiles_of(batch->durations[clock] + batch->ends[task_ix] - calls, calls,
                                  batch->profile->index->info->unit_ns);
    }
}

static size_t bits_len(const struct tv_index *index)
{
    return index->node_count / 64 + (size_t)1;
}

/* Marks the nodes of the batch's methods in one thread with how many calls they have in the
 * selection, and lists the rows of these nodes. `has` has an entry per depth. */
static enum tv_code mark_thread(struct tv_percentiles_batch *batch, uint32_t thread_ix,
                                uint8_t *has, struct tv_error *err)
{
    const struct tv_sums *sums = batch->sums;
    const struct tv_index_thread *thread = tv_percentiles_batch_thread(batch, thread_ix);
    for (uint32_t depth = 0; depth < thread->max_depth; depth++)
        has[depth] = 0;
    struct tv_node_range nodes = tv_sums_nodes(sums, thread_ix);
    for (uint32_t i = nodes.first; i < nodes.end; i++) {
        if (batch->slot_of_method[sums->method[i]] == TV_NONE)
            continue;
        uint32_t node = tv_sums_index_node(sums, i);
        /* A node of the index may stand in the sums more than once (sums_runs.c). */
        batch->per_node[node] = (batch->per_node[node] == TV_NONE ? 0 : batch->per_node[node]) +
                                (uint32_t)tv_sums_calls(sums, i);
        batch->node_bits[node / 64] |= UINT64_C(1) << node % 64;
        has[sums->index->node_depth[node]] = 1;
    }
    for (uint32_t depth = 0; depth < thread->max_depth; depth++) {
        if (!has[depth])
            continue;
        TV_TRY(tv_alloc_grow(batch->profile->alloc, &batch->rows, &batch->row_cap,
                             batch->row_count + 1, sizeof(*batch->rows), err));
        batch->rows[batch->row_count++] =
            (struct tv_percentiles_row){thread_ix, thread->row_first + depth};
    }
    return TV_OK;
}

/* Turns the number of calls of each node into where its durations begin; ends[i] is then where
 * those of method i end. */
static void assign_offsets(struct tv_percentiles_batch *batch)
{
    const struct tv_index *index = batch->profile->index;
    batch->calls = 0;
    for (size_t i = 0; i < batch->count; i++) {
        batch->ends[i] = batch->calls;
        batch->calls += tv_percentiles_batch_calls(batch, batch->methods[i]);
    }
    for (uint32_t node = 0; node < index->node_count; node++) {
        if (batch->per_node[node] == TV_NONE)
            continue;
        size_t *end = &batch->ends[batch->slot_of_method[index->node_method[node]]];
        uint32_t calls = batch->per_node[node];
        batch->per_node[node] = (uint32_t)*end;
        *end += calls;
    }
}

/* Marks the nodes of the batch's methods in all selected threads. */
static enum tv_code mark_nodes(struct tv_percentiles_batch *batch, struct tv_error *err)
{
    const struct tv_index *index = batch->profile->index;
    const struct tv_alloc *alloc = batch->profile->alloc;
    uint32_t deepest = 0;
    uint8_t *has = NULL;
    for (uint32_t i = 0; i < index->method_count; i++)
        batch->slot_of_method[i] = TV_NONE;
    for (size_t i = 0; i < batch->count; i++)
        batch->slot_of_method[batch->methods[i]] = (uint32_t)i;
    for (uint32_t i = 0; batch->first_of && i < index->method_count; i++)
        batch->slot_of_method[i] = batch->slot_of_method[batch->first_of[i]];
    for (uint32_t node = 0; node < index->node_count; node++)
        batch->per_node[node] = TV_NONE;
    memset(batch->node_bits, 0, bits_len(index) * sizeof(*batch->node_bits));
    for (uint32_t i = 0; i < batch->thread_count; i++) {
        if (tv_percentiles_batch_thread(batch, i)->max_depth > deepest)
            deepest = tv_percentiles_batch_thread(batch, i)->max_depth;
    }
    TV_TRY(tv_alloc_new(alloc, &has, deepest, 1, err));
    enum tv_code code = TV_OK;
    batch->row_count = 0;
    for (uint32_t i = 0; code == TV_OK && i < batch->thread_count; i++)
        code = mark_thread(batch, i, has, err);
    tv_alloc_release(alloc, &has, deepest, 1);
    return code;
}

/* Collects the durations of a batch and finds its percentiles. */
static enum tv_code run_batch(struct tv_percentiles_batch *batch, struct tv_error *err)
{
    const struct tv_pool *pool = batch->pool;
    const struct tv_alloc *alloc = batch->profile->alloc;
    enum tv_code code = mark_nodes(batch, err);
    if (code != TV_OK)
        return code;
    assign_offsets(batch);
    if (batch->calls >= TV_NONE)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more than 2^32 calls of one method");
    for (unsigned clock = 0; code == TV_OK && clock < TV_CLOCK_COUNT; clock++) {
        if (batch->profile->index->info->has_clock[clock])
            code =
                tv_alloc_new(alloc, &batch->durations[clock], batch->calls, sizeof(uint64_t), err);
    }
    if (code == TV_OK) {
        pool->run(pool->ctx, collect_row, batch, batch->row_count);
        pool->run(pool->ctx, find_percentiles, batch, batch->count);
        code = tv_check_wanted(pool->is_unwanted, err);
    }
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        tv_alloc_release(alloc, &batch->durations[clock], batch->calls, sizeof(uint64_t));
        batch->durations[clock] = NULL;
    }
    return code;
}

/* Splits the methods into batches of at most BATCH_CALLS calls, and runs these. */
static enum tv_code collect_methods(struct tv_percentiles_batch *batch, struct tv_error *err)
{
    const uint32_t *methods = batch->methods;
    struct tv_method_percentiles *percentiles = batch->percentiles;
    size_t count = batch->count;
    for (size_t first = 0; first < count;) {
        size_t end = first;
        size_t calls = 0;
        do {
            calls += tv_percentiles_batch_calls(batch, methods[end++]);
        } while (end < count &&
                 calls + tv_percentiles_batch_calls(batch, methods[end]) <= BATCH_CALLS);
        batch->methods = methods + first;
        batch->count = end - first;
        batch->percentiles = percentiles + first;
        TV_TRY(run_batch(batch, err));
        first = end;
    }
    return TV_OK;
}

/* Splits the methods into batches of at most BATCH_COUNTED methods, and counts these. */
static enum tv_code count_methods(struct tv_percentiles_batch *batch, struct tv_error *err)
{
    const struct tv_index *index = batch->profile->index;
    const uint32_t *methods = batch->methods;
    struct tv_method_percentiles *percentiles = batch->percentiles;
    size_t count = batch->count;
    for (size_t first = 0; first < count; first += batch->count) {
        batch->methods = methods + first;
        batch->percentiles = percentiles + first;
        batch->count = count - first < BATCH_COUNTED ? count - first : BATCH_COUNTED;
        TV_TRY(mark_nodes(batch, err));
        for (uint32_t node = 0; node < index->node_count; node++) {
            if (batch->per_node[node] != TV_NONE)
                batch->per_node[node] = batch->slot_of_method[index->node_method[node]];
        }
        TV_TRY(tv_percentiles_count(batch, err));
    }
    return TV_OK;
}

/* Puts the methods with very many calls last: methods[i] of the question goes to position[i].
 * Returns how many methods are before them. */
static size_t put_many_last(const struct tv_percentiles_batch *batch,
                            const struct tv_percentiles_question *question, uint32_t *methods,
                            uint32_t *position)
{
    size_t limit = question->many_calls ? question->many_calls : MANY_CALLS;
    size_t calls = 0;
    size_t few = 0;
    size_t end = question->count;
    for (size_t i = 0; i < question->count; i++)
        calls += tv_percentiles_batch_calls(batch, question->methods[i]);
    if (!question->many_calls && calls <= MOST_BATCHES * BATCH_CALLS)
        limit = SIZE_MAX;
    for (size_t i = 0; i < question->count; i++) {
        bool is_many = tv_percentiles_batch_calls(batch, question->methods[i]) >= limit;
        position[i] = (uint32_t)(is_many ? --end : few++);
        methods[position[i]] = question->methods[i];
    }
    return few;
}

/* Runs both ways, and puts the results in the order of the question. */
static enum tv_code run_methods(struct tv_percentiles_batch *batch,
                                const struct tv_percentiles_question *question,
                                struct tv_method_percentiles *percentiles, struct tv_error *err)
{
    const struct tv_alloc *alloc = batch->profile->alloc;
    struct tv_method_percentiles *ordered = NULL;
    uint32_t *methods = NULL; /* the methods in their new order, then the position of each */
    enum tv_code code = tv_alloc_new(alloc, &ordered, question->count, sizeof(*ordered), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &methods, 2 * question->count, sizeof(*methods), err);
    if (code == TV_OK && question->count) {
        uint32_t *position = methods + question->count;
        size_t few = put_many_last(batch, question, methods, position);
        batch->methods = methods;
        batch->percentiles = ordered;
        batch->count = few;
        code = collect_methods(batch, err);
        batch->methods = methods + few;
        batch->percentiles = ordered + few;
        batch->count = question->count - few;
        if (code == TV_OK)
            code = count_methods(batch, err);
        for (size_t i = 0; code == TV_OK && i < question->count; i++)
            percentiles[i] = ordered[position[i]];
    }
    tv_alloc_release(alloc, &methods, 2 * question->count, sizeof(*methods));
    tv_alloc_release(alloc, &ordered, question->count, sizeof(*ordered));
    return code;
}

/* The arrays of the batch are as large as the index or the question, and are used for all batches.
 */
enum tv_code tv_percentiles_compute(const struct tv_percentiles_question *question,
                                    const struct tv_pool *pool,
                                    struct tv_method_percentiles *percentiles, struct tv_error *err)
{
    const struct tv_selection *selection = &question->sums->selection;
    const struct tv_index *index = question->profile->index;
    const struct tv_alloc *alloc = question->profile->alloc;
    struct tv_percentiles_batch batch = {.profile = question->profile,
                                         .sums = question->sums,
                                         .selection = selection,
                                         .first_of = question->first_of,
                                         .pool = pool ? pool : tv_pool_serial(),
                                         .thread_count =
                                             tv_selection_thread_count(selection, index)};
    enum tv_code code =
        tv_alloc_new(alloc, &batch.ranges, batch.thread_count, sizeof(*batch.ranges), err);
    if (code == TV_OK)
        code =
            tv_alloc_new(alloc, &batch.slot_of_method, index->method_count, sizeof(uint32_t), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &batch.per_node, index->node_count, sizeof(uint32_t), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &batch.node_bits, bits_len(index), sizeof(uint64_t), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &batch.ends, question->count, sizeof(size_t), err);
    for (uint32_t i = 0; code == TV_OK && i < batch.thread_count; i++)
        batch.ranges[i] = tv_thread_range_of(index, tv_selection_thread(selection, i), selection);
    if (code == TV_OK)
        code = run_methods(&batch, question, percentiles, err);
    tv_alloc_release(alloc, &batch.rows, batch.row_cap, sizeof(*batch.rows));
    tv_alloc_release(alloc, &batch.ends, question->count, sizeof(size_t));
    tv_alloc_release(alloc, &batch.node_bits, bits_len(index), sizeof(uint64_t));
    tv_alloc_release(alloc, &batch.per_node, index->node_count, sizeof(uint32_t));
    tv_alloc_release(alloc, &batch.slot_of_method, index->method_count, sizeof(uint32_t));
    tv_alloc_release(alloc, &batch.ranges, batch.thread_count, sizeof(*batch.ranges));
    return code;
}
