/*
 * Spreads of many methods at once; see analysis/calls/percentiles.h.
 *
 * Where a duration goes is known by its node before any is collected, so rows are scanned at once
 * and nothing is sorted by method. Methods with very many calls have theirs counted instead
 * (analysis/calls/percentiles_counts.c), so that memory and scans do not grow with them.
 */
#include "analysis/calls/percentiles.h"

#include "analysis/calls/percentiles_collect.h"
#include "base/alloc.h"
#include "base/error.h"

/* Where there are more batches than these, durations of methods with at least so many calls are
 * counted. */
#define MOST_BATCHES ((size_t)3)
#define MANY_CALLS ((size_t)64 * 1024)

/* Methods that are counted at once. */
#define BATCH_COUNTED ((size_t)256)

/* Durations on both clocks that are collected at once: 64 MiB. One method with more is collected
 * alone. */
#define BATCH_CALLS ((size_t)4 << 20)

size_t tv_collecting_calls(const struct tv_collecting *collecting, uint32_t method_ix)
{
    const struct tv_method_row *row = &collecting->profile->rows[method_ix];
    return (size_t)(row->numbers.calls + row->recursive_calls);
}

const struct tv_index_thread *tv_collecting_thread(const struct tv_collecting *collecting,
                                                   uint32_t thread)
{
    return &collecting->profile->index->threads[tv_selection_thread(collecting->selection, thread)];
}

struct tv_slice tv_collecting_slice(const struct tv_collecting *collecting,
                                    const struct tv_percentiles_row *row)
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
    const struct tv_collecting *collecting = arg;
    const struct tv_index *index = collecting->profile->index;
    const struct tv_percentiles_row *row = &collecting->rows[task_ix];
    const struct tv_index_thread *thread = tv_collecting_thread(collecting, row->thread);
    struct tv_slice slice = tv_collecting_slice(collecting, row);
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
    const struct tv_collecting *collecting = arg;
    size_t calls = tv_collecting_calls(collecting, collecting->methods[task_ix]);
    struct tv_method_percentiles *percentiles = &collecting->percentiles[task_ix];
    *percentiles = (struct tv_method_percentiles){.calls = calls};
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT && calls; clock++) {
        if (collecting->durations[clock])
            percentiles->of[clock] =
                tv_percentiles_of(collecting->durations[clock] + collecting->ends[task_ix] - calls,
                                  calls, collecting->profile->index->info->unit_ns);
    }
}

/* Marks the wanted nodes of a thread, with how many calls they have in the selection, and
 * lists their rows. */
static enum tv_code mark_thread(struct tv_collecting *collecting, uint32_t thread_ix, uint8_t *has,
                                struct tv_error *err)
{
    const struct tv_sums *sums = collecting->sums;
    const struct tv_index_thread *thread = tv_collecting_thread(collecting, thread_ix);
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
            (struct tv_percentiles_row){thread_ix, thread->row_first + depth};
    }
    return TV_OK;
}

/* From how many durations each node has to where they begin. */
static void place_nodes(struct tv_collecting *collecting)
{
    const struct tv_index *index = collecting->profile->index;
    collecting->calls = 0;
    for (size_t i = 0; i < collecting->count; i++) {
        collecting->ends[i] = collecting->calls;
        collecting->calls += tv_collecting_calls(collecting, collecting->methods[i]);
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

static enum tv_code mark_nodes(struct tv_collecting *collecting, struct tv_error *err)
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
        if (tv_collecting_thread(collecting, i)->max_depth > deepest)
            deepest = tv_collecting_thread(collecting, i)->max_depth;
    }
    TV_TRY(tv_alloc_new(alloc, &has, deepest, 1, err));
    enum tv_code code = TV_OK;
    collecting->row_count = 0;
    for (uint32_t i = 0; code == TV_OK && i < collecting->thread_count; i++)
        code = mark_thread(collecting, i, has, err);
    tv_alloc_free(alloc, has, deepest, 1);
    return code;
}

static enum tv_code run_batch(struct tv_collecting *collecting, struct tv_error *err)
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

/* Methods whose durations are collected: as many at once as have not too many calls. */
static enum tv_code collect_methods(struct tv_collecting *collecting, struct tv_error *err)
{
    const uint32_t *methods = collecting->methods;
    struct tv_method_percentiles *percentiles = collecting->percentiles;
    size_t count = collecting->count;
    for (size_t first = 0; first < count;) {
        size_t end = first;
        size_t calls = 0;
        do {
            calls += tv_collecting_calls(collecting, methods[end++]);
        } while (end < count &&
                 calls + tv_collecting_calls(collecting, methods[end]) <= BATCH_CALLS);
        collecting->methods = methods + first;
        collecting->count = end - first;
        collecting->percentiles = percentiles + first;
        TV_TRY(run_batch(collecting, err));
        first = end;
    }
    return TV_OK;
}

/* Methods whose durations are counted. */
static enum tv_code count_methods(struct tv_collecting *collecting, struct tv_error *err)
{
    const struct tv_index *index = collecting->profile->index;
    const uint32_t *methods = collecting->methods;
    struct tv_method_percentiles *percentiles = collecting->percentiles;
    size_t count = collecting->count;
    for (size_t first = 0; first < count; first += collecting->count) {
        collecting->methods = methods + first;
        collecting->percentiles = percentiles + first;
        collecting->count = count - first < BATCH_COUNTED ? count - first : BATCH_COUNTED;
        TV_TRY(mark_nodes(collecting, err));
        for (uint32_t node = 0; node < index->node_count; node++) {
            if (collecting->next[node] != TV_NONE)
                collecting->next[node] = collecting->slot_of_method[index->node_method[node]];
        }
        TV_TRY(tv_percentiles_count(collecting, err));
    }
    return TV_OK;
}

/* The methods with very many calls last; place[i] is where methods[i] went. Returns how many are
 * before them. */
static size_t put_many_last(const struct tv_collecting *collecting,
                            const struct tv_percentiles_question *question, uint32_t *methods,
                            uint32_t *place)
{
    size_t limit = question->many_calls ? question->many_calls : MANY_CALLS;
    size_t calls = 0;
    size_t few = 0;
    size_t end = question->count;
    for (size_t i = 0; i < question->count; i++)
        calls += tv_collecting_calls(collecting, question->methods[i]);
    if (!question->many_calls && calls <= MOST_BATCHES * BATCH_CALLS)
        limit = SIZE_MAX;
    for (size_t i = 0; i < question->count; i++) {
        bool is_many = tv_collecting_calls(collecting, question->methods[i]) >= limit;
        place[i] = (uint32_t)(is_many ? --end : few++);
        methods[place[i]] = question->methods[i];
    }
    return few;
}

static enum tv_code run_methods(struct tv_collecting *collecting,
                                const struct tv_percentiles_question *question,
                                struct tv_method_percentiles *percentiles, struct tv_error *err)
{
    const struct tv_alloc *alloc = collecting->profile->alloc;
    struct tv_method_percentiles *placed = NULL;
    uint32_t *methods = NULL; /* and behind them their places */
    enum tv_code code = tv_alloc_new(alloc, &placed, question->count, sizeof(*placed), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &methods, 2 * question->count, sizeof(*methods), err);
    if (code == TV_OK && question->count) {
        uint32_t *place = methods + question->count;
        size_t few = put_many_last(collecting, question, methods, place);
        collecting->methods = methods;
        collecting->percentiles = placed;
        collecting->count = few;
        code = collect_methods(collecting, err);
        collecting->methods = methods + few;
        collecting->percentiles = placed + few;
        collecting->count = question->count - few;
        if (code == TV_OK)
            code = count_methods(collecting, err);
        for (size_t i = 0; code == TV_OK && i < question->count; i++)
            percentiles[i] = placed[place[i]];
    }
    tv_alloc_free(alloc, methods, 2 * question->count, sizeof(*methods));
    tv_alloc_free(alloc, placed, question->count, sizeof(*placed));
    return code;
}

enum tv_code tv_percentiles_compute(const struct tv_percentiles_question *question,
                                    const struct tv_pool *pool,
                                    struct tv_method_percentiles *percentiles, struct tv_error *err)
{
    const struct tv_selection *selection = &question->sums->selection;
    const struct tv_index *index = question->profile->index;
    const struct tv_alloc *alloc = question->profile->alloc;
    struct tv_collecting collecting = {.profile = question->profile,
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
        code = run_methods(&collecting, question, percentiles, err);
    tv_alloc_free(alloc, collecting.rows, collecting.row_cap, sizeof(*collecting.rows));
    tv_alloc_free(alloc, collecting.ends, question->count, sizeof(size_t));
    tv_alloc_free(alloc, collecting.next, index->node_count, sizeof(uint32_t));
    tv_alloc_free(alloc, collecting.slot_of_method, index->method_count, sizeof(uint32_t));
    tv_alloc_free(alloc, collecting.ranges, collecting.thread_count, sizeof(*collecting.ranges));
    return code;
}
