/*
 * Lists of a method's calls; see analysis/calls.h.
 *
 * A page is found without sorting all calls: the keys at its two ends are selected by digits, and a
 * second scan takes the calls between them. Scans come in the order of ties, so those are counted
 * off.
 */
#include "analysis/calls.h"

#include "analysis/method_scan.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"

/* All calls of the method, in the order of a scan. */
struct listing {
    const struct tv_index *index;
    const struct tv_calls_opts *opts;
    const struct tv_method_scan *scan;
    uint64_t *durations[TV_CLOCK_COUNT]; /* NULL: the trace lacks the clock */
    uint64_t *keys;                      /* in ascending order of the page */
    size_t count;
    size_t cap;
};

void tv_calls_init(struct tv_calls *calls, const struct tv_alloc *alloc)
{
    *calls = (struct tv_calls){.alloc = alloc};
}

void tv_calls_release(struct tv_calls *calls)
{
    tv_alloc_free(calls->alloc, calls->page, calls->page_len, sizeof(*calls->page));
    tv_calls_init(calls, calls->alloc);
}

/* Duration on the measure, in units; a wait may be negative. */
static int64_t measure_call(const struct listing *listing, const struct tv_index_thread *thread,
                            uint64_t call)
{
    uint64_t times[TV_CLOCK_COUNT] = {0, 0};
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (listing->index->info->has_clock[clock])
            times[clock] = tv_index_duration(listing->index, thread, (enum tv_clock)clock, call);
    }
    return tv_measure_of(times, listing->opts->measure);
}

/* A number that is smaller for calls that come earlier in the page. */
static uint64_t key_of(const struct listing *listing, const struct tv_index_thread *thread,
                       uint64_t call)
{
    if (listing->opts->order == TV_CALLS_FIRST)
        return tv_index_start(listing->index, thread, tv_index_axis(listing->index), call);
    return (uint64_t)INT64_MAX - (uint64_t)measure_call(listing, thread, call);
}

static void count_call(void *ctx, const struct tv_method_scan_row *row, uint32_t slot,
                       uint64_t call)
{
    uint64_t *count = ctx;
    (void)row;
    (void)slot;
    (void)call;
    (*count)++;
}

static void list_call(void *ctx, const struct tv_method_scan_row *row, uint32_t slot, uint64_t call)
{
    struct listing *listing = ctx;
    size_t at = listing->count++;
    (void)slot;
    tv_assert(at < listing->cap);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (listing->durations[clock])
            listing->durations[clock][at] =
                tv_index_duration(listing->index, row->thread, (enum tv_clock)clock, call);
    }
    listing->keys[at] = key_of(listing, row->thread, call);
}

static void release_listing(struct listing *listing, const struct tv_alloc *alloc)
{
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        tv_alloc_free(alloc, listing->durations[clock], listing->cap, sizeof(uint64_t));
    tv_alloc_free(alloc, listing->keys, listing->cap, sizeof(uint64_t));
}

/* Whole threads need no scan: their nodes know. */
static uint64_t count_calls(const struct tv_method_scan *scan, const struct tv_selection *selection)
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

static enum tv_code list_calls(struct listing *listing, const struct tv_alloc *alloc,
                               struct tv_error *err)
{
    listing->cap = (size_t)count_calls(listing->scan, &listing->opts->selection);
    TV_TRY(tv_alloc_new(alloc, &listing->keys, listing->cap, sizeof(uint64_t), err));
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (listing->index->info->has_clock[clock])
            TV_TRY(tv_alloc_new(alloc, &listing->durations[clock], listing->cap, sizeof(uint64_t),
                                err));
    }
    tv_method_scan_run(listing->scan, &listing->opts->selection, list_call, listing);
    return TV_OK;
}

/* Bar 0 is [0, 1) units, bar 1 [1, 2), then [2, 3) [3, 4) [4, 6) [6, 8) [8, 12) ... */
static size_t bar_of(uint64_t duration)
{
    unsigned octave = 0;
    if (duration < 2)
        return (size_t)duration;
    while (duration >> octave > 3)
        octave++;
    return 2 + 2 * (size_t)octave + (size_t)((duration >> octave) - 2);
}

/* Where a bar begins, in units; 2^64 for the one past the last comes out as UINT64_MAX. */
static uint64_t bar_start(size_t bar)
{
    if (bar < 2)
        return bar;
    unsigned octave = (unsigned)(bar - 2) / 2;
    if (octave > 62)
        return UINT64_MAX;
    return ((bar - 2) % 2 + 2) << octave;
}

static void fill_bars(struct tv_calls *calls, const struct listing *listing)
{
    uint64_t counts[TV_BAR_LIMIT] = {0};
    uint64_t unit_ns = listing->index->info->unit_ns;
    size_t first = TV_BAR_LIMIT;
    size_t end = 0;
    for (size_t i = 0; i < listing->count; i++) {
        uint64_t times[TV_CLOCK_COUNT] = {0, 0};
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
            times[clock] = listing->durations[clock] ? listing->durations[clock][i] : 0;
        int64_t duration = tv_measure_of(times, listing->opts->measure);
        counts[bar_of(duration > 0 ? (uint64_t)duration : 0)]++;
    }
    for (size_t bar = 0; bar < TV_BAR_LIMIT; bar++) {
        if (!counts[bar])
            continue;
        first = bar < first ? bar : first;
        end = bar + 1;
    }
    for (size_t bar = first; bar < end; bar++) {
        calls->bars[calls->bar_count++] = (struct tv_bar){.from_ns = bar_start(bar) * unit_ns,
                                                          .to_ns = bar_start(bar + 1) * unit_ns,
                                                          .count = counts[bar]};
    }
}

/* The page while a scan fills it. */
struct paging {
    const struct listing *listing;
    struct tv_calls *calls;
    uint64_t first_key;
    uint64_t last_key;
    size_t first_skip; /* calls of the first key that come before the page */
    size_t last_take;  /* calls of the last key that the page has, counted from the first such */
    size_t first_seen;
    size_t last_seen;
    uint64_t *keys; /* of the page's calls */
    size_t count;
};

static bool is_in_page(struct paging *paging, uint64_t key)
{
    bool is_in = key >= paging->first_key && key <= paging->last_key;
    if (key == paging->first_key && paging->first_seen++ < paging->first_skip)
        is_in = false;
    if (key == paging->last_key && paging->last_seen++ >= paging->last_take)
        is_in = false;
    return is_in;
}

static void page_call(void *ctx, const struct tv_method_scan_row *row, uint32_t slot, uint64_t call)
{
    struct paging *paging = ctx;
    uint64_t key = key_of(paging->listing, row->thread, call);
    (void)slot;
    if (!is_in_page(paging, key))
        return;
    tv_assert(paging->count < paging->calls->page_len);
    paging->keys[paging->count] = key;
    paging->calls->page[paging->count++].ref =
        (struct tv_call_ref){row->thread_ix, row->row_ix - row->thread->row_first, call};
}

static int compare_keys(const void *ctx, uint32_t a, uint32_t b)
{
    const uint64_t *keys = ctx;
    return (keys[a] > keys[b]) - (keys[a] < keys[b]);
}

static enum tv_code sort_page(struct paging *paging, struct tv_error *err)
{
    struct tv_calls *calls = paging->calls;
    const struct tv_alloc *alloc = calls->alloc;
    struct tv_listed_call *sorted = NULL;
    uint32_t *items = NULL;
    enum tv_code code = tv_alloc_new(alloc, &items, calls->page_len, sizeof(*items), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &sorted, calls->page_len, sizeof(*sorted), err);
    for (size_t i = 0; code == TV_OK && i < calls->page_len; i++)
        items[i] = (uint32_t)i;
    if (code == TV_OK)
        code = tv_sort(alloc, items, calls->page_len, compare_keys, paging->keys, err);
    if (code == TV_OK) {
        for (size_t i = 0; i < calls->page_len; i++)
            sorted[i] = calls->page[items[i]];
        tv_alloc_free(alloc, calls->page, calls->page_len, sizeof(*calls->page));
        calls->page = sorted;
    } else {
        tv_alloc_free(alloc, sorted, calls->page_len, sizeof(*sorted));
    }
    tv_alloc_free(alloc, items, calls->page_len, sizeof(*items));
    return code;
}

static enum tv_code fill_page(struct tv_calls *calls, const struct listing *listing,
                              struct tv_error *err)
{
    const struct tv_calls_opts *opts = listing->opts;
    size_t offset = opts->offset < listing->count ? opts->offset : listing->count;
    size_t len = listing->count - offset < opts->limit ? listing->count - offset : opts->limit;
    struct paging paging = {.listing = listing, .calls = calls};
    if (!len)
        return TV_OK;
    paging.first_key = tv_kth_smallest(listing->keys, listing->count, offset);
    paging.last_key = tv_kth_smallest(listing->keys, listing->count, offset + len - 1);
    size_t before_first = 0;
    size_t before_last = 0;
    for (size_t i = 0; i < listing->count; i++) {
        before_first += listing->keys[i] < paging.first_key;
        before_last += listing->keys[i] < paging.last_key;
    }
    paging.first_skip = offset - before_first;
    paging.last_take = offset + len - before_last;
    TV_TRY(tv_alloc_new(calls->alloc, &calls->page, len, sizeof(*calls->page), err));
    calls->page_len = len;
    TV_TRY(tv_alloc_new(calls->alloc, &paging.keys, len, sizeof(*paging.keys), err));
    tv_method_scan_run(listing->scan, &opts->selection, page_call, &paging);
    enum tv_code code = sort_page(&paging, err);
    tv_alloc_free(calls->alloc, paging.keys, len, sizeof(*paging.keys));
    return code;
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

/* Ordinals in the whole trace of a page's calls. The page's own calls are counted, too, each behind
 * itself. */
static enum tv_code number_page(const struct tv_alloc *alloc, const struct tv_index *index,
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

static enum tv_code compute(struct tv_calls *calls, const struct tv_index *index,
                            const struct tv_calls_opts *opts, const struct tv_method_scan *scan,
                            struct tv_error *err)
{
    struct listing listing = {.index = index, .opts = opts, .scan = scan};
    enum tv_code code = list_calls(&listing, calls->alloc, err);
    if (code == TV_OK) {
        calls->count = listing.count;
        calls->spread.calls = listing.count;
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT && listing.count; clock++) {
            if (listing.durations[clock])
                calls->spread.of[clock] =
                    tv_spread_of(listing.durations[clock], listing.count, index->info->unit_ns);
        }
        fill_bars(calls, &listing);
        code = fill_page(calls, &listing, err);
    }
    release_listing(&listing, calls->alloc);
    bool is_numbered =
        opts->order == TV_CALLS_FIRST && !opts->selection.has_range && !opts->selection.threads;
    for (size_t i = 0; is_numbered && i < calls->page_len; i++)
        calls->page[i].ordinal = opts->offset + i;
    if (code != TV_OK || is_numbered)
        return code;
    return number_page(calls->alloc, index, scan, calls->page, calls->page_len, err);
}

enum tv_code tv_calls_compute(struct tv_calls *calls, const struct tv_index *index,
                              const struct tv_calls_opts *opts, struct tv_error *err)
{
    struct tv_method_scan scan;
    tv_calls_release(calls);
    tv_method_scan_init(&scan, calls->alloc);
    enum tv_code code = tv_method_scan_prepare(&scan, index, &opts->method, 1, err);
    if (code == TV_OK)
        code = compute(calls, index, opts, &scan, err);
    tv_method_scan_release(&scan);
    if (code != TV_OK)
        tv_calls_release(calls);
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
        cap = (size_t)count_calls(&scan, &all);
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
                                       .order = TV_CALLS_FIRST,
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
