/* Calls of a method by their place in the whole trace; see analysis/calls_order.h. */
#include "analysis/calls_order.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"

static void count_call(void *ctx, const struct tv_method_scan_row *row, uint32_t slot,
                       uint64_t call)
{
    uint64_t *count = ctx;
    (void)row;
    (void)slot;
    (void)call;
    (*count)++;
}

/* Whole threads need no scan: their nodes know. */
uint64_t tv_calls_count(const struct tv_method_scan *scan, const struct tv_selection *selection)
{
    const struct tv_index *index = scan->index;
    uint32_t thread_count = tv_selection_thread_count(selection, index);
    uint64_t count = 0;
    if (selection->has_range) {
        tv_method_scan_run(scan, selection, count_call, &count);
        return count;
    }
    for (uint32_t i = 0; i < thread_count; i++) {
        const struct tv_index_thread *thread = &index->threads[tv_selection_thread(selection, i)];
        for (uint32_t n = 0; n < thread->node_count; n++) {
            if (scan->slot_of_node[thread->node_first + n] != TV_NONE)
                count += index->node_calls[thread->node_first + n];
        }
    }
    return count;
}

/* Counting, for each of some calls in the order of ordinals, how many calls of the method come
 * before it. */
struct numbering {
    const struct tv_index *index;
    const struct tv_listed_call *page;
    const uint32_t *items; /* positions in the page, by ordinal */
    size_t count;
    uint64_t *before; /* before[i]: calls after item i - 1 and before item i */
};

static uint64_t axis_start(const struct tv_index *index, uint32_t thread_ix, uint64_t call)
{
    return tv_index_start(index, &index->threads[thread_ix], tv_index_axis(index), call);
}

static int compare_places(const struct tv_index *index, struct tv_call_ref a, struct tv_call_ref b)
{
    uint64_t start_a = axis_start(index, a.thread_ix, a.call);
    uint64_t start_b = axis_start(index, b.thread_ix, b.call);
    if (start_a != start_b)
        return start_a < start_b ? -1 : 1;
    if (a.thread_ix != b.thread_ix)
        return a.thread_ix < b.thread_ix ? -1 : 1;
    return (a.call > b.call) - (a.call < b.call);
}

static int compare_page_places(const void *ctx, uint32_t a, uint32_t b)
{
    const struct numbering *numbering = ctx;
    return compare_places(numbering->index, numbering->page[a].ref, numbering->page[b].ref);
}

static void number_call(void *ctx, const struct tv_method_scan_row *row, uint32_t slot,
                        uint64_t call)
{
    struct numbering *numbering = ctx;
    struct tv_call_ref ref = {row->thread_ix, row->row_ix - row->thread->row_first, call};
    size_t low = 0;
    size_t high = numbering->count;
    (void)slot;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_places(numbering->index, ref, numbering->page[numbering->items[middle]].ref) <
            0)
            high = middle;
        else
            low = middle + 1;
    }
    numbering->before[low]++;
}

/* The page's own calls are counted, too, each behind itself. */
enum tv_code tv_calls_number(const struct tv_alloc *alloc, const struct tv_index *index,
                             const struct tv_method_scan *scan, struct tv_listed_call *page,
                             size_t count, struct tv_error *err)
{
    struct numbering numbering = {.index = index, .page = page, .count = count};
    uint32_t *items = NULL;
    enum tv_code code = tv_alloc_new(alloc, &items, count, sizeof(*items), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &numbering.before, count + 1, sizeof(uint64_t), err);
    for (size_t i = 0; code == TV_OK && i < count; i++)
        items[i] = (uint32_t)i;
    if (code == TV_OK)
        code = tv_sort(alloc, items, count, compare_page_places, &numbering, err);
    if (code == TV_OK) {
        const struct tv_selection all = {.has_range = false};
        uint64_t ordinal = 0;
        numbering.items = items;
        tv_method_scan_run(scan, &all, number_call, &numbering);
        for (size_t i = 0; i < count; i++) {
            ordinal += numbering.before[i];
            page[items[i]].ordinal = ordinal;
        }
    }
    tv_alloc_free(alloc, numbering.before, count + 1, sizeof(uint64_t));
    tv_alloc_free(alloc, items, count, sizeof(*items));
    return code;
}

static enum tv_measure axis_measure(const struct tv_index *index)
{
    return tv_index_axis(index) == TV_CLOCK_WALL ? TV_MEASURE_WALL : TV_MEASURE_CPU;
}

/* One scan for the place of a call among its like. */
struct ranking {
    const struct tv_index *index;
    struct tv_call_ref ref;
    uint64_t *durations;
    size_t count;
    uint64_t before;
};

static void rank_call(void *ctx, const struct tv_method_scan_row *row, uint32_t slot, uint64_t call)
{
    struct ranking *ranking = ctx;
    struct tv_call_ref other = {row->thread_ix, row->row_ix - row->thread->row_first, call};
    (void)slot;
    ranking->durations[ranking->count++] =
        tv_index_duration(ranking->index, row->thread, tv_index_axis(ranking->index), call);
    ranking->before += compare_places(ranking->index, other, ranking->ref) < 0;
}

enum tv_code tv_call_rank_of(const struct tv_index *index, const struct tv_alloc *alloc,
                             struct tv_call_ref ref, struct tv_call_rank *rank,
                             struct tv_error *err)
{
    const struct tv_selection all = {.has_range = false};
    uint32_t method = tv_call_method(index, ref);
    struct ranking ranking = {.index = index, .ref = ref};
    struct tv_method_scan scan;
    size_t cap = 0;
    tv_method_scan_init(&scan, alloc);
    enum tv_code code = tv_method_scan_prepare(&scan, index, &method, 1, err);
    if (code == TV_OK) {
        cap = (size_t)tv_calls_count(&scan, &all);
        code = tv_alloc_new(alloc, &ranking.durations, cap, sizeof(uint64_t), err);
    }
    if (code == TV_OK) {
        tv_method_scan_run(&scan, &all, rank_call, &ranking);
        struct tv_spread spread =
            tv_spread_of(ranking.durations, ranking.count, index->info->unit_ns);
        *rank = (struct tv_call_rank){
            .ordinal = ranking.before, .of = ranking.count, .median_ns = spread.p50_ns};
    }
    tv_alloc_free(alloc, ranking.durations, cap, sizeof(uint64_t));
    tv_method_scan_release(&scan);
    return code;
}

enum tv_code tv_call_by_ordinal(const struct tv_index *index, const struct tv_alloc *alloc,
                                uint32_t method, uint64_t ordinal, struct tv_call_ref *ref,
                                struct tv_error *err)
{
    const struct tv_calls_opts opts = {.method = method,
                                       .key = TV_CALLS_BY_START,
                                       .order = TV_ASCENDING,
                                       .measure = axis_measure(index),
                                       .offset = (size_t)ordinal,
                                       .limit = 1};
    struct tv_calls calls;
    tv_calls_init(&calls, alloc);
    TV_TRY(tv_calls_compute(&calls, index, &opts, err));
    enum tv_code code = TV_OK;
    if (calls.page_len)
        *ref = calls.page[0].ref;
    else
        code = tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "the method has %llu calls",
                       (unsigned long long)calls.count);
    tv_calls_release(&calls);
    return code;
}
