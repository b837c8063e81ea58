/*
 * Ordinals of calls among all calls of their method; see analysis/calls/calls.h.
 *
 * The list of a method's calls stands by thread, depth and start; ordinals go by start first.
 * Sorting the whole list for one slice would cost too much. Instead the slice is sorted, and each
 * call of the list is counted in the gap of the slice that it falls into: the ordinal of a call of
 * the slice is the sum of the gaps before it.
 */
#include "analysis/calls/calls_order.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/memory/sort.h"

/* What ordinals go by: start, then thread, then ordinal over the trace, which is in the order of
 * depths and rows. */
struct order_key {
    uint64_t start;
    uint32_t thread_ix;
    uint64_t call;
};

static struct order_key order_key_of(const struct tv_index *index, uint32_t thread_ix,
                                     uint64_t call)
{
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    return (struct order_key){tv_index_start(index, thread, tv_index_axis(index), call), thread_ix,
                              call};
}

static int compare_order_keys(const struct order_key *a, const struct order_key *b)
{
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->thread_ix != b->thread_ix)
        return a->thread_ix < b->thread_ix ? -1 : 1;
    return (a->call > b->call) - (a->call < b->call);
}

/* The calls of a slice while their ordinals are found. */
struct slice_numbering {
    const struct tv_method_calls *list;
    struct order_key *keys; /* one per call of the slice */
    uint32_t *by_key;       /* positions in the slice, sorted by key */
    size_t count;
    uint64_t *before; /* before[i]: calls of the list from the slice's call i - 1 on and before its
                         call i, by key */
};

static int compare_items(const void *ctx, uint32_t a, uint32_t b)
{
    const struct order_key *keys = ctx;
    return compare_order_keys(&keys[a], &keys[b]);
}

/* Counts the calls of a row. They are in the order of keys, so one pass along the slice is enough
 * for the row. */
static void count_row(const struct slice_numbering *numbering,
                      const struct tv_method_row_calls *row)
{
    size_t item = 0;
    for (size_t i = row->first; i < row->end; i++) {
        struct order_key key =
            order_key_of(numbering->list->index, row->thread_ix, numbering->list->calls[i]);
        while (item < numbering->count &&
               compare_order_keys(&key, &numbering->keys[numbering->by_key[item]]) >= 0)
            item++;
        numbering->before[item]++;
    }
}

/* Adds up the counts. A call of the slice is counted after itself, so it adds to the ordinals of
 * later calls only. */
static void set_ordinals(const struct slice_numbering *numbering, struct tv_listed_call *slice)
{
    uint64_t ordinal = 0;
    for (size_t i = 0; i < numbering->list->row_count; i++)
        count_row(numbering, &numbering->list->rows[i]);
    for (size_t i = 0; i < numbering->count; i++) {
        ordinal += numbering->before[i];
        slice[numbering->by_key[i]].ordinal = ordinal;
    }
}

/* `before` has one gap more than the slice has calls: the gap behind the last one. */
enum tv_code tv_calls_set_ordinals(const struct tv_method_calls *list, struct tv_listed_call *slice,
                                   size_t count, struct tv_error *err)
{
    const struct tv_alloc *alloc = list->alloc;
    struct slice_numbering numbering = {.list = list, .count = count};
    enum tv_code code = tv_alloc_new(alloc, &numbering.keys, count, sizeof(*numbering.keys), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &numbering.by_key, count, sizeof(uint32_t), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &numbering.before, count + 1, sizeof(uint64_t), err);
    for (size_t i = 0; code == TV_OK && i < count; i++) {
        numbering.keys[i] = order_key_of(list->index, slice[i].ref.thread_ix, slice[i].ref.call);
        numbering.by_key[i] = (uint32_t)i;
    }
    if (code == TV_OK)
        code = tv_sort(alloc, numbering.by_key, count, compare_items, numbering.keys, err);
    if (code == TV_OK)
        set_ordinals(&numbering, slice);
    tv_alloc_release(alloc, &numbering.before, count + 1, sizeof(uint64_t));
    tv_alloc_release(alloc, &numbering.by_key, count, sizeof(uint32_t));
    tv_alloc_release(alloc, &numbering.keys, count, sizeof(*numbering.keys));
    return code;
}

/* One pass: counts the calls before this one, and collects durations for the median. */
enum tv_code tv_call_rank_of(const struct tv_method_calls *list, struct tv_call_ref ref,
                             enum tv_clock clock, struct tv_call_rank *rank, struct tv_error *err)
{
    const struct tv_index *index = list->index;
    struct order_key own = order_key_of(index, ref.thread_ix, ref.call);
    uint64_t *durations;
    TV_TRY(tv_alloc_new(list->alloc, &durations, list->count, sizeof(*durations), err));
    *rank = (struct tv_call_rank){.of = list->count};
    for (size_t r = 0; r < list->row_count; r++) {
        const struct tv_method_row_calls *row = &list->rows[r];
        const struct tv_index_thread *thread = &index->threads[row->thread_ix];
        for (size_t i = row->first; i < row->end; i++) {
            struct order_key key = order_key_of(index, row->thread_ix, list->calls[i]);
            durations[i] = tv_index_duration(index, thread, clock, list->calls[i]);
            rank->ordinal += compare_order_keys(&key, &own) < 0;
        }
    }
    rank->median_ns = tv_percentiles_of(durations, list->count, index->info->unit_ns).p50_ns;
    tv_alloc_release(list->alloc, &durations, list->count, sizeof(*durations));
    return TV_OK;
}

/* Selects the start of the call with that ordinal. The list is in the order in which calls of one
 * start stand, so these are counted off. */
enum tv_code tv_call_by_ordinal(const struct tv_method_calls *list, uint64_t ordinal,
                                struct tv_call_ref *ref, struct tv_error *err)
{
    uint64_t *starts;
    if (ordinal >= list->count)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "the method has %zu calls",
                       list->count);
    TV_TRY(tv_alloc_new(list->alloc, &starts, list->count, sizeof(*starts), err));
    for (size_t r = 0; r < list->row_count; r++) {
        const struct tv_method_row_calls *row = &list->rows[r];
        for (size_t i = row->first; i < row->end; i++)
            starts[i] = order_key_of(list->index, row->thread_ix, list->calls[i]).start;
    }
    uint64_t start = tv_kth_smallest(starts, list->count, (size_t)ordinal);
    for (size_t i = 0; i < list->count; i++)
        ordinal -= starts[i] < start;
    size_t at = 0;
    while (starts[at] != start || ordinal--)
        at++;
    *ref = tv_method_calls_ref(list, at);
    tv_alloc_release(list->alloc, &starts, list->count, sizeof(*starts));
    return TV_OK;
}
