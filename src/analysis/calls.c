/*
 * Lists of a method's calls; see analysis/calls.h.
 *
 * A page is found without sorting all calls: the keys at its two ends are selected by digits, and a
 * second scan takes the calls between them. Scans come in the order of ties, so those are counted
 * off.
 */
#include "analysis/calls.h"

#include "analysis/calls_order.h"
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

static enum tv_code list_calls(struct listing *listing, const struct tv_alloc *alloc,
                               struct tv_error *err)
{
    listing->cap = (size_t)tv_calls_count(listing->scan, &listing->opts->selection);
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
    return tv_calls_number(calls->alloc, index, scan, calls->page, calls->page_len, err);
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
