/*
 * The method profile; see analysis/profile/profile.h.
 *
 * Rows stand by ordinal of the method, whether or not it has calls: so a node finds the row of its
 * method without a search, and an order is a list of ordinals beside the rows.
 */
#include "analysis/profile/profile.h"

#include "analysis/selection/names.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/memory/sort.h"

const char *const tv_measure_words[] = {"wall", "cpu", "wait", NULL};
#define SORT_WORDS "exclusive", "inclusive", "calls", "per-call", "name", "rank"
const char *const tv_sort_words[] = {SORT_WORDS, NULL};
const char *const tv_inverted_sort_words[] = {SORT_WORDS, "method-inclusive", NULL};
const char *const tv_order_words[] = {"desc", "asc", NULL};

enum tv_order tv_sort_default_order(enum tv_sort_key key)
{
    return key == TV_SORT_NAME || key == TV_SORT_RANK ? TV_ASCENDING : TV_DESCENDING;
}

static uint64_t positive_wait(const uint64_t times_ns[TV_CLOCK_COUNT])
{
    int64_t wait_ns = tv_measure_of(times_ns, TV_MEASURE_WAIT);
    return wait_ns > 0 ? (uint64_t)wait_ns : 0;
}

struct tv_wait tv_wait_of(const struct tv_numbers *numbers)
{
    struct tv_wait wait = {positive_wait(numbers->inclusive_ns),
                           positive_wait(numbers->exclusive_ns)};
    if (wait.exclusive_ns > wait.inclusive_ns)
        wait.exclusive_ns = wait.inclusive_ns;
    return wait;
}

uint64_t tv_inclusive_on(const struct tv_numbers *numbers, enum tv_measure measure)
{
    return measure == TV_MEASURE_WAIT ? tv_wait_of(numbers).inclusive_ns
                                      : (uint64_t)tv_measure_of(numbers->inclusive_ns, measure);
}

uint64_t tv_exclusive_on(const struct tv_numbers *numbers, enum tv_measure measure)
{
    return measure == TV_MEASURE_WAIT ? tv_wait_of(numbers).exclusive_ns
                                      : (uint64_t)tv_measure_of(numbers->exclusive_ns, measure);
}

void tv_profile_init(struct tv_profile *profile, const struct tv_alloc *alloc)
{
    *profile = (struct tv_profile){.alloc = alloc};
}

void tv_profile_release(struct tv_profile *profile)
{
    tv_alloc_release(profile->alloc, &profile->rows, profile->row_count, sizeof(*profile->rows));
    tv_profile_init(profile, profile->alloc);
}

/* Takes the numbers of the whole trace from the index, where they are ready. */
static void copy_methods(struct tv_profile *profile)
{
    const struct tv_index *index = profile->index;
    for (uint32_t i = 0; i < profile->row_count; i++) {
        const struct tv_index_method *method = &index->methods[i];
        struct tv_method_row *row = &profile->rows[i];
        row->numbers.calls = method->calls;
        row->recursive_calls = method->recursive_calls;
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            if (!index->info->has_clock[clock])
                continue;
            row->numbers.inclusive_ns[clock] = method->inclusive[clock] * index->info->unit_ns;
            row->numbers.exclusive_ns[clock] = method->exclusive[clock] * index->info->unit_ns;
        }
    }
}

/* Adds the numbers of a node to its method's row. A recursive node lies below another node of its
 * method, whose inclusive time has its own already. */
static void add_node(struct tv_profile *profile, const struct tv_sums *sums, uint32_t node)
{
    struct tv_method_row *row = &profile->rows[sums->method[node]];
    bool is_recursive = sums->flags[node] & TV_NODE_RECURSIVE;
    uint64_t calls = tv_sums_calls(sums, node);
    if (is_recursive)
        row->recursive_calls += calls;
    else
        row->numbers.calls += calls;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        row->numbers.exclusive_ns[clock] += tv_sums_exclusive(sums, clock, node);
        if (!is_recursive)
            row->numbers.inclusive_ns[clock] += tv_sums_inclusive(sums, clock, node);
    }
}

static void add_nodes(struct tv_profile *profile, const struct tv_sums *sums)
{
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    for (uint32_t i = 0; i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++)
            add_node(profile, sums, node);
    }
}

/* Tells the calls that were open at the end, and what is not recorded of them. */
static void add_unrecorded(struct tv_profile *profile, const struct tv_selection *selection)
{
    const struct tv_index *index = profile->index;
    const uint32_t thread_count = tv_selection_thread_count(selection, index);
    for (uint32_t i = 0; i < thread_count; i++) {
        const uint32_t thread_ix = tv_selection_thread(selection, i);
        const struct tv_index_thread *thread = &index->threads[thread_ix];
        const uint64_t ns = tv_thread_unrecorded_ns(index, thread_ix, selection);
        for (uint32_t depth = 0; depth < thread->open_depth; depth++) {
            const uint32_t node = tv_open_node(index, thread, depth);
            struct tv_numbers *to = &profile->rows[index->node_method[node]].numbers;
            to->open_calls++;
            if (!(index->node_flags[node] & TV_NODE_RECURSIVE))
                to->unrecorded_ns[0] += ns;
            if (depth + 1 == thread->open_depth)
                to->unrecorded_ns[1] += ns;
        }
    }
}

/* Tells the calls that began before the trace: the first of their rows. */
static void add_adopting(struct tv_profile *profile, const struct tv_selection *selection)
{
    const struct tv_index *index = profile->index;
    const uint32_t thread_count = tv_selection_thread_count(selection, index);
    for (uint32_t i = 0; i < thread_count; i++) {
        const struct tv_index_thread *thread = &index->threads[tv_selection_thread(selection, i)];
        for (uint32_t depth = 0; depth < thread->adopted_depth; depth++) {
            const uint64_t call = index->rows[thread->row_first + depth].call_first;
            profile->rows[index->node_method[index->call_node[call]]].numbers.adopting_calls++;
        }
    }
}

enum tv_code tv_profile_of_sums(struct tv_profile *profile, const struct tv_sums *sums,
                                struct tv_error *err)
{
    const struct tv_index *index = sums->index;
    tv_profile_release(profile);
    TV_TRY(tv_alloc_new(profile->alloc, &profile->rows, index->method_count, sizeof(*profile->rows),
                        err));
    profile->index = index;
    profile->row_count = index->method_count;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        profile->total_ns[clock] = sums->total_ns[clock];
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        profile->hidden_ns[clock] = sums->hidden_ns[clock];
    /* The index has numbers of methods over all threads and all time, with all methods, only. */
    if (sums->owned || sums->selection.threads)
        add_nodes(profile, sums);
    else
        copy_methods(profile);
    add_unrecorded(profile, &sums->selection);
    add_adopting(profile, &sums->selection);
    return TV_OK;
}

/* A call can reach into a range with time and not count as one of its calls (docs/numbers.md). */
bool tv_method_row_has(const struct tv_method_row *row)
{
    bool has = row->numbers.calls || row->recursive_calls;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        has = has || row->numbers.inclusive_ns[clock] || row->numbers.exclusive_ns[clock];
    return has;
}

bool tv_profile_has(const struct tv_profile *profile, uint32_t method_ix)
{
    return tv_method_row_has(&profile->rows[method_ix]);
}

/* A double holds nanoseconds exactly up to 2^53, which is 104 days; larger values that
 * differ by less are sorted by rank. A row without calls, which only has time in a range,
 * counts as one call. */
double tv_numbers_value(const struct tv_numbers *numbers, const struct tv_profile_sort *sort)
{
    switch (sort->key) {
    case TV_SORT_EXCLUSIVE:
        return (double)tv_exclusive_on(numbers, sort->measure);
    case TV_SORT_INCLUSIVE:
        return (double)tv_inclusive_on(numbers, sort->measure);
    case TV_SORT_CALLS:
        return (double)numbers->calls;
    case TV_SORT_PER_CALL:
        return (double)tv_inclusive_on(numbers, sort->measure) /
               (double)(numbers->calls ? numbers->calls : 1);
    case TV_SORT_NAME:
    case TV_SORT_RANK:
    case TV_SORT_METHOD_INCLUSIVE: /* no part of these numbers */
        break;
    }
    return 0;
}

/* In a row `calls` are outermost calls only; rows are sorted by all. */
double tv_profile_value(const struct tv_profile *profile, uint32_t method_ix,
                        const struct tv_profile_sort *sort)
{
    const struct tv_method_row *row = &profile->rows[method_ix];
    struct tv_numbers numbers = row->numbers;
    numbers.calls += row->recursive_calls;
    return tv_numbers_value(&numbers, sort);
}

/* Ties go by rank in either direction, so that turning the order around does not shuffle
 * equal rows. */
int tv_sort_compare(const struct tv_index *index, const struct tv_profile_sort *sort,
                    struct tv_sort_item a, struct tv_sort_item b)
{
    uint32_t rank_a = index->methods[a.method].rank;
    uint32_t rank_b = index->methods[b.method].rank;
    int by_rank = (rank_a > rank_b) - (rank_a < rank_b);
    int by_value = (a.value > b.value) - (a.value < b.value);
    if (sort->key == TV_SORT_RANK)
        by_value = by_rank;
    else if (sort->key == TV_SORT_NAME)
        by_value = tv_method_compare_texts(index, a.method, b.method);
    if (sort->order == TV_DESCENDING)
        by_value = -by_value;
    return by_value ? by_value : by_rank;
}

/* What a sort of methods compares. Values are computed once per method, not once per comparison. */
struct ordering {
    const struct tv_index *index;
    const struct tv_profile_sort *sort;
    const struct tv_sort_item *items;
};

static int compare_items(const void *ctx, uint32_t a, uint32_t b)
{
    const struct ordering *ordering = ctx;
    return tv_sort_compare(ordering->index, ordering->sort, ordering->items[a], ordering->items[b]);
}

/* The comparison is asked about positions in `methods` as they were at first, so `items`
 * stays as it is. */
enum tv_code tv_profile_order(const struct tv_profile *profile, uint32_t *methods, size_t count,
                              const struct tv_profile_sort *sort, struct tv_error *err)
{
    const struct tv_alloc *alloc = profile->alloc;
    struct tv_sort_item *items;
    TV_TRY(tv_alloc_new(alloc, &items, count, sizeof(*items), err));
    for (size_t i = 0; i < count; i++)
        items[i] = (struct tv_sort_item){methods[i], tv_profile_value(profile, methods[i], sort)};
    const struct ordering ordering = {profile->index, sort, items};
    enum tv_code code =
        tv_sort_rows(alloc, methods, count, sizeof(*methods), compare_items, &ordering, err);
    tv_alloc_release(alloc, &items, count, sizeof(*items));
    return code;
}
