/*
 * A method's calls in a selection; see analysis/calls/calls.h.
 *
 * Each call gets a 64-bit key, smaller the earlier the call comes in the order asked for. A slice
 * is then found without sorting all calls: the keys at its two ends are selected (tv_kth_smallest),
 * and a second pass takes the calls between them. Only the slice is sorted. Calls are listed in the
 * order in which ties go, so calls with the key of an end are counted off.
 */
#include "analysis/calls/calls.h"

#include "analysis/calls/call.h"
#include "analysis/calls/calls_order.h"
#include "analysis/calls/method_calls.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/memory/search.h"
#include "base/memory/sort.h"

/* The calls [first, end) of one row of the list that the selection meets, and where they go in
 * the listing. */
struct listed_row {
    size_t first;
    size_t end;
    size_t at;
};

/* The method's calls in the selection, in the order of `list`: by thread, depth and start. Arrays
 * have room for every call of the method. */
struct listing {
    const struct tv_index *index;
    const struct tv_calls_opts *opts;
    const struct tv_method_calls *list;
    uint64_t *durations[TV_CLOCK_COUNT]; /* NULL: the trace lacks the clock */
    size_t count;                        /* calls in the selection */
    struct listed_row *rows;             /* one per row of the list */
    uint64_t *keys;    /* per call, later per call within the limits: what the slice is sorted by,
                          ascending */
    uint32_t *list_ix; /* per key: the call's position in the list; TV_NONE: the call is not within
                          the limits */
    size_t listed;     /* calls within the limits */
    unsigned thread_shift; /* bits that starts lose, so that a key has room for a thread as well */
};

void tv_calls_init(struct tv_call_list *calls, const struct tv_alloc *alloc)
{
    *calls = (struct tv_call_list){.alloc = alloc};
}

void tv_calls_release(struct tv_call_list *calls)
{
    tv_alloc_release(calls->alloc, &calls->slice, calls->slice_len, sizeof(*calls->slice));
    tv_calls_init(calls, calls->alloc);
}

/* The duration of the i-th call on a measure, units; a negative wait counts as 0. */
static uint64_t listed_duration(const struct listing *listing, size_t i, enum tv_measure measure)
{
    uint64_t times[TV_CLOCK_COUNT] = {0, 0};
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        times[clock] = listing->durations[clock] ? listing->durations[clock][i] : 0;
    int64_t duration = tv_measure_of(times, measure);
    return duration > 0 ? (uint64_t)duration : 0;
}

static bool is_within_limits(const struct listing *listing, size_t i)
{
    const struct tv_calls_opts *opts = listing->opts;
    if (!opts->least_ns && !opts->below_ns)
        return true;
    uint64_t ns = listed_duration(listing, i, opts->measure) * listing->index->info->unit_ns;
    return ns >= opts->least_ns && (!opts->below_ns || ns < opts->below_ns);
}

/* Maps signed numbers to unsigned ones in the same order. */
static uint64_t sortable(int64_t value)
{
    return (uint64_t)value ^ (uint64_t)1 << 63;
}

static uint64_t sortable_measure(const uint64_t times[TV_CLOCK_COUNT], enum tv_measure measure)
{
    return sortable(tv_measure_of(times, measure));
}

/* The key of a call by its duration or exclusive time on the key's measure. */
static uint64_t key_of_times(const struct listing *listing, struct tv_call_ref ref, size_t i,
                             uint64_t *first_callee)
{
    uint64_t times[TV_CLOCK_COUNT] = {0, 0};
    if (listing->opts->key == TV_CALLS_BY_EXCLUSIVE) {
        tv_call_exclusive_next(listing->index, ref, first_callee, times);
    } else {
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
            times[clock] = listing->durations[clock] ? listing->durations[clock][i] : 0;
    }
    return sortable_measure(times, listing->opts->key_measure);
}

/* The key of a call. first_callee is that of tv_call_exclusive_next. */
static uint64_t key_of(const struct listing *listing, struct tv_call_ref ref, size_t i,
                       uint64_t *first_callee)
{
    const struct tv_index *index = listing->index;
    const struct tv_index_thread *thread = &index->threads[ref.thread_ix];
    uint64_t key = 0;
    switch (listing->opts->key) {
    case TV_CALLS_BY_DURATION:
    case TV_CALLS_BY_EXCLUSIVE:
        key = key_of_times(listing, ref, i, first_callee);
        break;
    case TV_CALLS_BY_START:
        key = tv_index_start(index, thread, tv_index_axis(index), ref.call);
        break;
    case TV_CALLS_BY_THREAD:
        key =
            tv_index_start(index, thread, tv_index_axis(index), ref.call) >> listing->thread_shift;
        key += ref.thread_ix * ((index->info->axis_len >> listing->thread_shift) + 1);
        break;
    }
    return listing->opts->order == TV_DESCENDING ? ~key : key;
}

/* How many bits starts must lose for each thread to have a range of keys of its own. */
static unsigned thread_shift_of(const struct tv_index *index)
{
    unsigned shift = 0;
    while (index->thread_count &&
           (index->info->axis_len >> shift) + 1 > UINT64_MAX / index->thread_count)
        shift++;
    return shift;
}

/* Notes the durations, position and key of one call. */
static void list_call(const struct listing *listing, struct tv_call_ref ref, size_t list_ix,
                      size_t at, uint64_t *first_callee)
{
    const struct tv_index_thread *thread = &listing->index->threads[ref.thread_ix];
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (listing->durations[clock])
            listing->durations[clock][at] =
                tv_index_duration(listing->index, thread, (enum tv_clock)clock, ref.call);
    }
    bool is_within = is_within_limits(listing, at);
    listing->list_ix[at] = is_within ? (uint32_t)list_ix : TV_NONE;
    if (is_within)
        listing->keys[at] = key_of(listing, ref, at, first_callee);
}

/* Calls that one task lists. Tasks are not rows, since one row may have most of the calls. */
#define PIECE_CALLS 512u

/* The row of the list that the call at position `at` of the listing is from: the last one that
 * begins there or before. */
static size_t row_of_listed(const struct listing *listing, size_t at)
{
    return tv_search_containing(
        TV_ASCENDING_FIELD(listing->rows, listing->list->row_count, struct listed_row, at), at);
}

static void list_piece(void *arg, size_t piece_ix)
{
    const struct listing *listing = arg;
    size_t at = piece_ix * PIECE_CALLS;
    size_t end = listing->count - at < PIECE_CALLS ? listing->count : at + PIECE_CALLS;
    for (size_t row_ix = row_of_listed(listing, at); at < end; row_ix++) {
        const struct tv_method_row_calls *of = &listing->list->rows[row_ix];
        const struct listed_row *row = &listing->rows[row_ix];
        uint64_t first_callee = 0;
        for (size_t i = row->first + (at - row->at); i < row->end && at < end; i++, at++)
            list_call(listing,
                      (struct tv_call_ref){of->thread_ix, of->depth, listing->list->calls[i]}, i,
                      at, &first_callee);
    }
}

/* The first position in [first, end) of the list whose call is `call` or comes after it; `end` when
 * there is none. */
static size_t first_from(const struct tv_method_calls *list, size_t first, size_t end,
                         uint64_t call)
{
    return first + tv_search_from(TV_ASCENDING(list->calls + first, end - first), call);
}

/* Finds the calls of one row of the list that the range meets. */
static void select_row(struct listing *listing, size_t row_ix, const struct tv_thread_range *range)
{
    const struct tv_index *index = listing->index;
    const struct tv_method_calls *list = listing->list;
    const struct tv_method_row_calls *of = &list->rows[row_ix];
    struct tv_slice slice = tv_slice_of(index, of->thread_ix,
                                        index->threads[of->thread_ix].row_first + of->depth, range);
    if (slice.spanning_overlaps)
        slice.first = slice.spanning;
    struct listed_row *row = &listing->rows[row_ix];
    row->first = first_from(list, of->first, of->end, slice.first);
    row->end = first_from(list, row->first, of->end, slice.end);
    listing->count += row->end - row->first;
}

/* Moves the keys and positions of calls within the limits together, in their order. */
static void keep_within_limits(struct listing *listing)
{
    for (size_t i = 0; i < listing->count; i++) {
        if (listing->list_ix[i] == TV_NONE)
            continue;
        listing->keys[listing->listed] = listing->keys[i];
        listing->list_ix[listing->listed++] = listing->list_ix[i];
    }
}

static bool is_selected(const struct tv_selection *selection, uint32_t thread_ix)
{
    if (!selection->threads)
        return true;
    size_t place =
        tv_search_from(TV_ASCENDING(selection->threads, selection->thread_count), thread_ix);
    return place < selection->thread_count && selection->threads[place] == thread_ix;
}

/* Finds the calls of all rows. The rows of a thread stand together, so its range is
 * computed once. */
static void select_rows(struct listing *listing)
{
    const struct tv_method_calls *list = listing->list;
    const struct tv_selection *selection = &listing->opts->selection;
    struct tv_thread_range range = {.to = 0};
    bool has_thread = false;
    for (size_t i = 0; i < list->row_count; i++) {
        uint32_t thread_ix = list->rows[i].thread_ix;
        if (!i || thread_ix != list->rows[i - 1].thread_ix) {
            has_thread = is_selected(selection, thread_ix);
            if (has_thread)
                range = tv_thread_range_of(listing->index, thread_ix, selection);
        }
        listing->rows[i].at = listing->count;
        if (has_thread)
            select_row(listing, i, &range);
    }
}

/* Finds, measures and keys the calls of the selection: rows one by one, then calls at
 * the same time. */
static enum tv_code list_calls(struct listing *listing, const struct tv_alloc *alloc,
                               struct tv_error *err)
{
    const struct tv_pool *pool = listing->opts->pool ? listing->opts->pool : tv_pool_serial();
    size_t cap = listing->list->count;
    if (cap >= TV_NONE)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more than 2^32 calls of one method");
    TV_TRY(tv_alloc_new(alloc, &listing->keys, cap, sizeof(uint64_t), err));
    TV_TRY(tv_alloc_new(alloc, &listing->list_ix, cap, sizeof(uint32_t), err));
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (listing->index->info->has_clock[clock])
            TV_TRY(tv_alloc_new(alloc, &listing->durations[clock], cap, sizeof(uint64_t), err));
    }
    TV_TRY(
        tv_alloc_new(alloc, &listing->rows, listing->list->row_count, sizeof(*listing->rows), err));
    select_rows(listing);
    pool->run(pool->ctx, list_piece, listing, (listing->count + PIECE_CALLS - 1) / PIECE_CALLS);
    TV_TRY(tv_check_wanted(pool->is_unwanted, err));
    keep_within_limits(listing);
    return TV_OK;
}

static void release_listing(struct listing *listing, const struct tv_alloc *alloc)
{
    size_t cap = listing->list->count;
    tv_alloc_release(alloc, &listing->rows, listing->list->row_count, sizeof(*listing->rows));
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        tv_alloc_release(alloc, &listing->durations[clock], cap, sizeof(uint64_t));
    tv_alloc_release(alloc, &listing->list_ix, cap, sizeof(uint32_t));
    tv_alloc_release(alloc, &listing->keys, cap, sizeof(uint64_t));
}

/* The bar of a duration in units: [0, 1) [1, 2) [2, 3) [3, 4) [4, 6) [6, 8) [8, 12) [12, 16) ... */
static size_t bar_of(uint64_t duration)
{
    unsigned octave = 0;
    if (duration < 2)
        return (size_t)duration;
    while (duration >> octave > 3)
        octave++;
    return 2 + 2 * (size_t)octave + (size_t)((duration >> octave) - 2);
}

/* Where a bar begins, in units. The one past the last begins at 2^64, which is given as
 * UINT64_MAX. */
static uint64_t bar_start(size_t bar)
{
    if (bar < 2)
        return bar;
    unsigned octave = (unsigned)(bar - 2) / 2;
    if (octave > 62)
        return UINT64_MAX;
    return (uint64_t)((bar - 2) % 2 + 2) << octave;
}

/* Counts the calls of each bar, and keeps the bars from the first to the last that has calls. */
static void count_bars(struct tv_call_list *calls, const struct listing *listing)
{
    uint64_t counts[TV_BAR_LIMIT] = {0};
    uint64_t unit_ns = listing->index->info->unit_ns;
    size_t first = TV_BAR_LIMIT;
    size_t end = 0;
    for (size_t i = 0; i < listing->count; i++)
        counts[bar_of(listed_duration(listing, i, listing->opts->measure))]++;
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

/* The slice while it is filled: the keys at its ends, and how many calls with these keys it has. */
struct slicing {
    uint64_t first_key;
    uint64_t last_key;
    size_t first_skip; /* calls with the first key that come before the slice */
    size_t last_take;  /* calls with the last key up to the end of the slice, counted from the first
                          such call */
    size_t first_seen; /* calls with these keys that were met so far */
    size_t last_seen;
    uint64_t *keys; /* of the calls in the slice */
    size_t count;
};

/* Whether a call with this key is in the slice; must be asked of all calls in their order. */
static bool is_in_slice(struct slicing *slicing, uint64_t key)
{
    bool is_in = key >= slicing->first_key && key <= slicing->last_key;
    if (key == slicing->first_key && slicing->first_seen++ < slicing->first_skip)
        is_in = false;
    if (key == slicing->last_key && slicing->last_seen++ >= slicing->last_take)
        is_in = false;
    return is_in;
}

static void copy_slice(struct slicing *slicing, struct tv_call_list *calls,
                       const struct listing *listing)
{
    for (size_t i = 0; i < listing->listed; i++) {
        uint64_t key = listing->keys[i];
        if (!is_in_slice(slicing, key))
            continue;
        tv_assert(slicing->count < calls->slice_len);
        slicing->keys[slicing->count] = key;
        calls->slice[slicing->count++].ref =
            tv_method_calls_ref(listing->list, listing->list_ix[i]);
    }
}

static int compare_keys(const void *ctx, uint32_t a, uint32_t b)
{
    const uint64_t *keys = ctx;
    return (keys[a] > keys[b]) - (keys[a] < keys[b]);
}

/* Selects the keys at both ends of the slice, takes the calls between them, and sorts these. */
static enum tv_code fill_slice(struct tv_call_list *calls, const struct listing *listing,
                               struct tv_error *err)
{
    const struct tv_calls_opts *opts = listing->opts;
    size_t offset = opts->offset < listing->listed ? opts->offset : listing->listed;
    size_t len = listing->listed - offset < opts->limit ? listing->listed - offset : opts->limit;
    struct slicing slicing = {.count = 0};
    if (!len)
        return TV_OK;
    slicing.first_key = tv_kth_smallest(listing->keys, listing->listed, offset);
    slicing.last_key = tv_kth_smallest(listing->keys, listing->listed, offset + len - 1);
    size_t before_first = 0;
    size_t before_last = 0;
    for (size_t i = 0; i < listing->listed; i++) {
        before_first += listing->keys[i] < slicing.first_key;
        before_last += listing->keys[i] < slicing.last_key;
    }
    slicing.first_skip = offset - before_first;
    slicing.last_take = offset + len - before_last;
    TV_TRY(tv_alloc_new(calls->alloc, &calls->slice, len, sizeof(*calls->slice), err));
    calls->slice_len = len;
    TV_TRY(tv_alloc_new(calls->alloc, &slicing.keys, len, sizeof(*slicing.keys), err));
    copy_slice(&slicing, calls, listing);
    enum tv_code code = tv_sort_rows(calls->alloc, calls->slice, len, sizeof(*calls->slice),
                                     compare_keys, slicing.keys, err);
    tv_alloc_release(calls->alloc, &slicing.keys, len, sizeof(*slicing.keys));
    return code;
}

/* Percentiles are of all calls in the selection; only the slice is limited. */
static enum tv_code compute(struct tv_call_list *calls, const struct tv_index *index,
                            const struct tv_calls_opts *opts, const struct tv_method_calls *list,
                            struct tv_error *err)
{
    struct listing listing = {
        .index = index, .opts = opts, .list = list, .thread_shift = thread_shift_of(index)};
    enum tv_code code = list_calls(&listing, calls->alloc, err);
    if (code == TV_OK) {
        calls->count = listing.count;
        calls->listed = listing.listed;
        calls->percentiles.calls = listing.count;
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT && listing.count; clock++) {
            if (listing.durations[clock])
                calls->percentiles.of[clock] = tv_percentiles_of(
                    listing.durations[clock], listing.count, index->info->unit_ns);
        }
        count_bars(calls, &listing);
        code = fill_slice(calls, &listing, err);
    }
    release_listing(&listing, calls->alloc);
    return code;
}

/* Ordinals are among all calls of the method, so of a set of calls the others are listed, too. */
static enum tv_code set_ordinals(struct tv_call_list *calls, const struct tv_index *index,
                                 const struct tv_calls_opts *opts, struct tv_method_calls *list,
                                 struct tv_error *err)
{
    if (opts->selection.set)
        TV_TRY(tv_method_calls_find(list, index, opts->method, opts->pool, err));
    return tv_calls_set_ordinals(list, calls->slice, calls->slice_len, err);
}

enum tv_code tv_calls_compute(struct tv_call_list *calls, const struct tv_index *index,
                              const struct tv_calls_opts *opts, struct tv_error *err)
{
    struct tv_method_calls list;
    tv_calls_release(calls);
    tv_method_calls_init(&list, calls->alloc);
    enum tv_code code =
        tv_method_calls_find_in(&list, index, opts->method, opts->selection.set, opts->pool, err);
    if (code == TV_OK)
        code = compute(calls, index, opts, &list, err);
    if (code == TV_OK)
        code = set_ordinals(calls, index, opts, &list, err);
    tv_method_calls_release(&list);
    if (code != TV_OK)
        tv_calls_release(calls);
    return code;
}
