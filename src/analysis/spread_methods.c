/*
 * Spreads of many methods at once; see analysis/spread.h.
 *
 * Where a duration goes is known by its node before any is collected, so rows are scanned at once
 * and nothing is sorted by method.
 */
#include "analysis/spread.h"

#include "base/alloc.h"
#include "base/error.h"

/* Durations on both clocks that are collected at once: 64 MiB. One method with more is collected
 * alone. */
#define BATCH_CALLS ((size_t)4 << 20)

/* A row that has nodes of the methods asked about. */
struct spread_row {
    uint32_t thread; /* position among the selected threads */
    uint32_t row_ix;
};

/* Durations of several methods, one method's after the other's, in that a node's. */
struct collecting {
    const struct tv_profile *profile;
    const struct tv_sums *sums;
    const struct tv_selection *selection; /* theirs */
    const struct tv_pool *pool;
    const uint32_t *methods;
    size_t count;
    struct tv_method_spread *spreads;
    struct tv_thread_range *ranges; /* of the selected threads */
    uint32_t thread_count;
    uint32_t *slot_of_method; /* TV_NONE: not asked about */
    uint32_t *next; /* per node: where its next duration goes; TV_NONE: nowhere. Before that
                       how many it has */
    struct spread_row *rows;
    size_t row_count;
    size_t row_cap;
    size_t *ends;                        /* per method */
    size_t calls;                        /* of all of them */
    uint64_t *durations[TV_CLOCK_COUNT]; /* NULL: the trace lacks the clock */
};

static size_t calls_of(const struct tv_profile *profile, uint32_t method_ix)
{
    const struct tv_method_row *row = &profile->rows[method_ix];
    return (size_t)(row->numbers.calls + row->recursive_calls);
}

static const struct tv_index_thread *thread_of(const struct collecting *collecting, uint32_t i)
{
    return &collecting->profile->index->threads[tv_selection_thread(collecting->selection, i)];
}

/* The calls of a row that the selection meets: one that spans its start, and those behind. */
static struct tv_slice slice_of(const struct collecting *collecting, const struct spread_row *row)
{
    struct tv_slice slice = tv_slice_of(collecting->profile->index,
                                        tv_selection_thread(collecting->selection, row->thread),
                                        row->row_ix, &collecting->ranges[row->thread]);
    if (slice.spanning_overlaps)
        slice.first = slice.spanning;
    return slice;
}

/* Each node belongs to one row, so rows may be collected at once. */
static void collect_row(void *arg, size_t task_ix)
{
    const struct collecting *collecting = arg;
    const struct tv_index *index = collecting->profile->index;
    const struct spread_row *row = &collecting->rows[task_ix];
    const struct tv_index_thread *thread = thread_of(collecting, row->thread);
    struct tv_slice slice = slice_of(collecting, row);
    for (uint64_t call = slice.first; call < slice.end; call++) {
        uint32_t *next = &collecting->next[index->call_node[call]];
        if (*next == TV_NONE)
            continue;
        tv_assert(*next < collecting->calls);
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            if (collecting->durations[clock])
                collecting->durations[clock][*next] =
                    tv_index_duration(index, thread, (enum tv_clock)clock, call);
        }
        ++*next;
    }
}

static void select_method(void *arg, size_t task_ix)
{
    const struct collecting *collecting = arg;
    size_t calls = calls_of(collecting->profile, collecting->methods[task_ix]);
    struct tv_method_spread *spread = &collecting->spreads[task_ix];
    *spread = (struct tv_method_spread){.calls = calls};
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT && calls; clock++) {
        if (collecting->durations[clock])
            spread->of[clock] =
                tv_spread_of(collecting->durations[clock] + collecting->ends[task_ix] - calls,
                             calls, collecting->profile->index->info->unit_ns);
    }
}

/* Marks the wanted nodes of a thread, with how many calls they have in the selection, and
 * lists their rows. */
static enum tv_code mark_thread(struct collecting *collecting, uint32_t thread_ix, uint8_t *has,
                                struct tv_error *err)
{
    const struct tv_sums *sums = collecting->sums;
    const struct tv_index_thread *thread = thread_of(collecting, thread_ix);
    for (uint32_t depth = 0; depth < thread->max_depth; depth++)
        has[depth] = 0;
    struct tv_node_range nodes = tv_sums_nodes(sums, thread_ix);
    for (uint32_t i = nodes.first; i < nodes.end; i++) {
        if (collecting->slot_of_method[sums->method[i]] == TV_NONE)
            continue;
        uint32_t node = sums->index_node ? sums->index_node[i] : i;
        collecting->next[node] = (uint32_t)tv_sums_calls(sums, i);
        has[sums->depth[i]] = 1;
    }
    for (uint32_t depth = 0; depth < thread->max_depth; depth++) {
        if (!has[depth])
            continue;
        TV_TRY(tv_alloc_grow(collecting->profile->alloc, &collecting->rows, &collecting->row_cap,
                             collecting->row_count + 1, sizeof(*collecting->rows), err));
        collecting->rows[collecting->row_count++] =
            (struct spread_row){thread_ix, thread->row_first + depth};
    }
    return TV_OK;
}

/* From how many durations each node has to where they begin. */
static void place_nodes(struct collecting *collecting)
{
    const struct tv_index *index = collecting->profile->index;
    collecting->calls = 0;
    for (size_t i = 0; i < collecting->count; i++) {
        collecting->ends[i] = collecting->calls;
        collecting->calls += calls_of(collecting->profile, collecting->methods[i]);
    }
    for (uint32_t node = 0; node < index->node_count; node++) {
        if (collecting->next[node] == TV_NONE)
            continue;
        size_t *end = &collecting->ends[collecting->slot_of_method[index->node_method[node]]];
        uint32_t calls = collecting->next[node];
        collecting->next[node] = (uint32_t)*end;
        *end += calls;
    }
}

static enum tv_code mark_nodes(struct collecting *collecting, struct tv_error *err)
{
    const struct tv_index *index = collecting->profile->index;
    const struct tv_alloc *alloc = collecting->profile->alloc;
    uint32_t deepest = 0;
    uint8_t *has = NULL;
    for (uint32_t i = 0; i < index->method_count; i++)
        collecting->slot_of_method[i] = TV_NONE;
    for (size_t i = 0; i < collecting->count; i++)
        collecting->slot_of_method[collecting->methods[i]] = (uint32_t)i;
    for (uint32_t node = 0; node < index->node_count; node++)
        collecting->next[node] = TV_NONE;
    for (uint32_t i = 0; i < collecting->thread_count; i++) {
        if (thread_of(collecting, i)->max_depth > deepest)
            deepest = thread_of(collecting, i)->max_depth;
    }
    TV_TRY(tv_alloc_new(alloc, &has, deepest, 1, err));
    enum tv_code code = TV_OK;
    collecting->row_count = 0;
    for (uint32_t i = 0; code == TV_OK && i < collecting->thread_count; i++)
        code = mark_thread(collecting, i, has, err);
    tv_alloc_free(alloc, has, deepest, 1);
    return code;
}

static enum tv_code run_batch(struct collecting *collecting, struct tv_error *err)
{
    const struct tv_pool *pool = collecting->pool;
    const struct tv_alloc *alloc = collecting->profile->alloc;
    enum tv_code code = mark_nodes(collecting, err);
    if (code != TV_OK)
        return code;
    place_nodes(collecting);
    if (collecting->calls >= TV_NONE)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more than 2^32 calls of one method");
    for (unsigned clock = 0; code == TV_OK && clock < TV_CLOCK_COUNT; clock++) {
        if (collecting->profile->index->info->has_clock[clock])
            code = tv_alloc_new(alloc, &collecting->durations[clock], collecting->calls,
                                sizeof(uint64_t), err);
    }
    if (code == TV_OK) {
        pool->run(pool->ctx, collect_row, collecting, collecting->row_count);
        pool->run(pool->ctx, select_method, collecting, collecting->count);
    }
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        tv_alloc_free(alloc, collecting->durations[clock], collecting->calls, sizeof(uint64_t));
        collecting->durations[clock] = NULL;
    }
    return code;
}

static enum tv_code run_batches(struct collecting *collecting, const uint32_t *methods,
                                size_t count, struct tv_method_spread *spreads,
                                struct tv_error *err)
{
    for (size_t first = 0; first < count;) {
        size_t end = first;
        size_t calls = 0;
        do {
            calls += calls_of(collecting->profile, methods[end++]);
        } while (end < count && calls + calls_of(collecting->profile, methods[end]) <= BATCH_CALLS);
        collecting->methods = methods + first;
        collecting->count = end - first;
        collecting->spreads = spreads + first;
        TV_TRY(run_batch(collecting, err));
        first = end;
    }
    return TV_OK;
}

enum tv_code tv_spreads_compute(const struct tv_spread_question *question,
                                const struct tv_pool *pool, struct tv_method_spread *spreads,
                                struct tv_error *err)
{
    const struct tv_selection *selection = &question->sums->selection;
    const struct tv_index *index = question->profile->index;
    const struct tv_alloc *alloc = question->profile->alloc;
    struct collecting collecting = {.profile = question->profile,
                                    .sums = question->sums,
                                    .selection = selection,
                                    .pool = pool ? pool : tv_pool_serial(),
                                    .thread_count = tv_selection_thread_count(selection, index)};
    enum tv_code code = tv_alloc_new(alloc, &collecting.ranges, collecting.thread_count,
                                     sizeof(*collecting.ranges), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &collecting.slot_of_method, index->method_count,
                            sizeof(uint32_t), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &collecting.next, index->node_count, sizeof(uint32_t), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &collecting.ends, question->count, sizeof(size_t), err);
    for (uint32_t i = 0; code == TV_OK && i < collecting.thread_count; i++)
        collecting.ranges[i] =
            tv_thread_range_of(index, tv_selection_thread(selection, i), selection);
    if (code == TV_OK)
        code = run_batches(&collecting, question->methods, question->count, spreads, err);
    tv_alloc_free(alloc, collecting.rows, collecting.row_cap, sizeof(*collecting.rows));
    tv_alloc_free(alloc, collecting.ends, question->count, sizeof(size_t));
    tv_alloc_free(alloc, collecting.next, index->node_count, sizeof(uint32_t));
    tv_alloc_free(alloc, collecting.slot_of_method, index->method_count, sizeof(uint32_t));
    tv_alloc_free(alloc, collecting.ranges, collecting.thread_count, sizeof(*collecting.ranges));
    return code;
}
