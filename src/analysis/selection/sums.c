/*
 * Sums per node for a selection; see analysis/selection/sums.h for the idea.
 *
 * This file decides how a range is summed up: for listed nodes or for all, by adding or by
 * subtracting. Going over the calls is in sums_add.c.
 */
#include "analysis/selection/sums.h"

#include <string.h>

#include "analysis/selection/call_set.h"
#include "analysis/selection/sums_add.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/memory/pool.h"
#include "base/memory/search.h"

/* A range that meets fewer calls than this for each node of the index is summed up for listed
 * nodes only. */
#define FEW_CALLS 2u

/* Nodes whose first sums one task of the pool writes. */
#define TASK_NODES 32768u

/* How many nodes ahead a parent's sums are prefetched. */
#define NODES_AHEAD 16u

void tv_sums_init(struct tv_sums *sums, const struct tv_alloc *alloc)
{
    *sums = (struct tv_sums){.alloc = alloc};
}

void tv_sums_release(struct tv_sums *sums)
{
    tv_alloc_release(sums->alloc, &sums->owned, sums->owned_count, sizeof(*sums->owned));
    tv_alloc_release(sums->alloc, &sums->columns, sums->columns_count, sizeof(*sums->columns));
    tv_alloc_release(sums->alloc, &sums->shown_parents, sums->shown_parent_count,
                     sizeof(*sums->shown_parents));
    tv_alloc_release(sums->alloc, &sums->matched, sums->node_count, 1);
    tv_alloc_release(sums->alloc, &sums->hidden_calls, sums->node_count,
                     sizeof(*sums->hidden_calls));
    tv_sums_init(sums, sums->alloc);
}

/* The first node of the sums whose ordinal in the index is `node` or above. */
static uint32_t first_node_from(const struct tv_sums *sums, uint32_t node)
{
    return (uint32_t)tv_search_from(TV_ASCENDING(sums->index_node, sums->node_count), node);
}

struct tv_node_range tv_sums_nodes(const struct tv_sums *sums, uint32_t i)
{
    const struct tv_index_thread *thread =
        &sums->index->threads[tv_selection_thread(&sums->selection, i)];
    struct tv_node_range range = {thread->node_first, thread->node_first + thread->node_count};
    if (sums->index_node)
        range = (struct tv_node_range){first_node_from(sums, range.first),
                                       first_node_from(sums, range.end)};
    return range;
}

/* Allocates a word more than needed: `owned` is then never NULL, which would mean that the sums are
 * the index's, even where there are no nodes. */
enum tv_code tv_sums_alloc(const struct tv_sums *sums, uint64_t **slots, size_t *cap,
                           struct tv_error *err)
{
    size_t count;
    if (!tv_size_mul(sums->node_count, TV_SUM_SLOT_COUNT, &count) || !tv_size_add(count, 1, &count))
        return tv_fail_memory(err, UINT64_MAX);
    return tv_alloc_grow(sums->alloc, slots, cap, count, sizeof(**slots), err);
}

/* The sums of nodes [first, end) before calls are added or subtracted: zeros, or the sums of
 * whole threads. */
struct initial_sums {
    struct tv_sums *sums;
    bool from_whole_threads;
    uint32_t first;
    uint32_t end;
};

/* Sums begin at zero when calls inside the range are added, and at those of whole threads when
 * calls outside are subtracted. */
static void init_task(void *arg, size_t task_ix)
{
    const struct initial_sums *initial = arg;
    const struct tv_sums *sums = initial->sums;
    const struct tv_index *index = sums->index;
    uint32_t first = initial->first + (uint32_t)task_ix * TASK_NODES;
    uint32_t end = initial->end - first < TASK_NODES ? initial->end : first + TASK_NODES;
    uint64_t *sum = sums->owned + (size_t)first * TV_SUM_SLOT_COUNT;
    if (!initial->from_whole_threads) {
        memset(sum, 0, (size_t)(end - first) * TV_SUM_SLOT_COUNT * sizeof(*sum));
        return;
    }
    for (uint32_t node = first; node < end; node++, sum += TV_SUM_SLOT_COUNT) {
        sum[TV_SUM_CALLS] = tv_index_node_calls(index, node);
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
            sum[TV_SUM_INCLUSIVE + clock] =
                tv_index_node_inclusive(index, clock, node) * index->info->unit_ns;
    }
}

static void init_sums(struct tv_sums *sums, const struct tv_pool *pool, bool from_whole_threads)
{
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    for (uint32_t i = 0; i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        struct initial_sums initial = {sums, from_whole_threads, nodes.first, nodes.end};
        pool->run(pool->ctx, init_task, &initial,
                  ((size_t)(nodes.end - nodes.first) + TASK_NODES - 1) / TASK_NODES);
    }
}

/* Computes exclusive times: inclusive less that of the children. A parent stands before its
 * children, so its own time is set before theirs are subtracted. The roots' inclusive times
 * make the total. */
void tv_sums_derive_exclusive(struct tv_sums *sums, struct tv_node_range nodes)
{
    const uint32_t *parents = sums->parent;
    for (uint32_t node = nodes.first; node < nodes.end; node++) {
        uint32_t parent = parents[node];
        uint64_t *sum = sums->owned + (size_t)node * TV_SUM_SLOT_COUNT;
        if (node + NODES_AHEAD < nodes.end && parents[node + NODES_AHEAD] != TV_NONE)
            TV_PREFETCH(sums->owned + (size_t)parents[node + NODES_AHEAD] * TV_SUM_SLOT_COUNT);
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            uint64_t inclusive = sum[TV_SUM_INCLUSIVE + clock];
            sum[TV_SUM_EXCLUSIVE + clock] = inclusive;
            if (parent != TV_NONE)
                sums->owned[(size_t)parent * TV_SUM_SLOT_COUNT + TV_SUM_EXCLUSIVE + clock] -=
                    inclusive;
            else
                sums->total_ns[clock] += inclusive;
        }
    }
}

/* Uses the nodes of the index as they are. */
static void use_index_nodes(struct tv_sums *sums)
{
    const struct tv_index *index = sums->index;
    sums->method = index->node_method;
    sums->parent = index->node_parent;
    sums->depth = index->node_depth;
    sums->flags = index->node_flags;
    sums->node_count = index->node_count;
}

/* Marks the callers of marked nodes, children before parents, and counts all marked nodes. They
 * need sums, since a node's time is subtracted from its parent's. Nearly all are marked already: a
 * call that the range meets lies in calls that the range meets. */
static uint32_t mark_callers(const struct tv_index *index, uint8_t *marks)
{
    uint32_t count = 0;
    for (uint32_t node = index->node_count; node-- > 0;) {
        if (!marks[node])
            continue;
        count++;
        if (index->node_parent[node] != TV_NONE)
            marks[index->node_parent[node]] = 1;
    }
    return count;
}

void tv_sums_use_columns(struct tv_sums *sums, uint32_t node_count)
{
    sums->index_node = tv_sums_column(sums->columns, node_count, TV_SUM_INDEX_NODE);
    sums->method = tv_sums_column(sums->columns, node_count, TV_SUM_METHOD);
    sums->parent = tv_sums_column(sums->columns, node_count, TV_SUM_PARENT);
    sums->depth = tv_sums_column(sums->columns, node_count, TV_SUM_DEPTH);
    sums->flags = (const uint8_t *)tv_sums_column(sums->columns, node_count, TV_SUM_FLAGS);
    sums->node_count = node_count;
}

/* Makes the columns of the marked nodes, in the order of the index; slot_of[node] is a node's
 * new number. */
static enum tv_code list_nodes(struct tv_sums *sums, const uint8_t *marks, uint32_t count,
                               uint32_t *slot_of, struct tv_error *err)
{
    const struct tv_index *index = sums->index;
    TV_TRY(tv_alloc_grow(sums->alloc, &sums->columns, &sums->columns_count,
                         ((size_t)count + 1) * TV_SUM_COLUMN_COUNT, sizeof(*sums->columns), err));
    uint32_t *columns[TV_SUM_COLUMN_COUNT];
    for (unsigned i = 0; i < TV_SUM_COLUMN_COUNT; i++)
        columns[i] = tv_sums_column(sums->columns, count, (enum tv_sum_column)i);
    uint8_t *flags = (uint8_t *)columns[TV_SUM_FLAGS];
    uint32_t at = 0;
    for (uint32_t node = 0; at < count; node++) {
        if (!marks[node])
            continue;
        uint32_t parent = index->node_parent[node];
        columns[TV_SUM_INDEX_NODE][at] = node;
        columns[TV_SUM_METHOD][at] = index->node_method[node];
        columns[TV_SUM_PARENT][at] = parent == TV_NONE ? TV_NONE : slot_of[parent];
        columns[TV_SUM_DEPTH][at] = index->node_depth[node];
        flags[at] = index->node_flags[node];
        slot_of[node] = at++;
    }
    tv_sums_use_columns(sums, count);
    return TV_OK;
}

/* Sums up a range for the nodes that it meets, in four steps: mark, list, clear, add. */
static enum tv_code sum_listed_nodes(struct tv_sums *sums, struct tv_sums_adder *adder,
                                     struct tv_error *err)
{
    /* Set for listed nodes only: clearing it for all would cost more than the calls. */
    uint32_t *slot_of = NULL;
    size_t slot_cap = 0;
    size_t node_count = sums->index->node_count;
    enum tv_code code = tv_alloc_new(sums->alloc, &adder->marks, node_count, 1, err);
    if (code == TV_OK)
        code = tv_alloc_grow(sums->alloc, &slot_of, &slot_cap, node_count, sizeof(*slot_of), err);
    if (code == TV_OK) {
        tv_sums_adder_mark(adder);
        uint32_t count = mark_callers(sums->index, adder->marks);
        code = tv_check_wanted(sums->is_unwanted, err);
        if (code == TV_OK)
            code = list_nodes(sums, adder->marks, count, slot_of, err);
    }
    if (code == TV_OK)
        code = tv_sums_alloc(sums, &sums->owned, &sums->owned_count, err);
    if (code == TV_OK) {
        init_sums(sums, adder->pool, false);
        adder->sums = sums->owned;
        adder->slot_of = slot_of;
        tv_sums_adder_add(adder);
    }
    tv_alloc_release(sums->alloc, &slot_of, slot_cap, sizeof(*slot_of));
    tv_alloc_release(sums->alloc, &adder->marks, node_count, 1);
    return code;
}

/* Sums up a range for all nodes, by the way that goes over fewer calls. */
static enum tv_code sum_all_nodes(struct tv_sums *sums, struct tv_sums_adder *adder,
                                  struct tv_error *err)
{
    bool most_are_inside = adder->calls_outside < adder->calls_inside;
    TV_TRY(tv_sums_alloc(sums, &sums->owned, &sums->owned_count, err));
    init_sums(sums, adder->pool, most_are_inside);
    adder->sums = sums->owned;
    (most_are_inside ? tv_sums_adder_subtract : tv_sums_adder_add)(adder);
    return TV_OK;
}

/* Sums up a range. How many calls it meets, and how many nodes there are, decides the way. */
static enum tv_code sum_range(struct tv_sums *sums, const struct tv_pool *pool,
                              struct tv_error *err)
{
    const struct tv_index *index = sums->index;
    struct tv_sums_adder adder;
    tv_sums_adder_init(&adder, sums->alloc);
    enum tv_code code = tv_sums_adder_prepare(&adder, index, &sums->selection, pool, err);
    if (code == TV_OK)
        code = tv_check_wanted(sums->is_unwanted, err);
    if (code == TV_OK)
        code = adder.calls_inside / FEW_CALLS < index->node_count
                   ? sum_listed_nodes(sums, &adder, err)
                   : sum_all_nodes(sums, &adder, err);
    /* Tasks of sums that nobody wants any more did nothing. */
    if (code == TV_OK)
        code = tv_check_wanted(sums->is_unwanted, err);
    for (uint32_t i = 0; code == TV_OK && i < adder.thread_count; i++)
        tv_sums_derive_exclusive(sums, tv_sums_nodes(sums, i));
    tv_sums_adder_release(&adder);
    return code;
}

/* Totals of whole threads: their root calls are summed up in the index. */
static void add_totals(struct tv_sums *sums)
{
    const struct tv_index *index = sums->index;
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, index);
    for (uint32_t i = 0; i < thread_count; i++) {
        const struct tv_index_thread *thread =
            &index->threads[tv_selection_thread(&sums->selection, i)];
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            if (index->info->has_clock[clock])
                sums->total_ns[clock] += thread->root_total[clock] * index->info->unit_ns;
        }
    }
}

enum tv_code tv_sums_compute(struct tv_sums *sums, const struct tv_index *index,
                             const struct tv_selection *selection, const struct tv_pool *pool,
                             struct tv_error *err)
{
    tv_sums_release(sums);
    sums->index = index;
    sums->selection = *selection;
    sums->is_unwanted = pool ? pool->is_unwanted : NULL;
    use_index_nodes(sums);
    enum tv_code code = TV_OK;
    const bool has_runs = selection->set && selection->set->runs;
    if (has_runs)
        code = tv_sums_of_runs(sums, err);
    else if (selection->has_range)
        code = sum_range(sums, pool ? pool : tv_pool_serial(), err);
    else
        add_totals(sums);
    if (code == TV_OK && selection->set && !has_runs)
        code = tv_sums_keep(sums, selection->set, err);
    if (code != TV_OK)
        tv_sums_release(sums);
    return code;
}

enum tv_code tv_sums_compute_matching(struct tv_sums *sums, const struct tv_index *index,
                                      const struct tv_selection *selection, const uint8_t *matches,
                                      const struct tv_pool *pool, struct tv_error *err)
{
    TV_TRY(tv_sums_compute(sums, index, selection, pool, err));
    return matches ? tv_sums_filter(sums, matches, err) : TV_OK;
}

struct tv_numbers tv_sums_numbers(const struct tv_sums *sums, uint32_t node)
{
    struct tv_numbers numbers = {.calls = tv_sums_calls(sums, node)};
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        numbers.inclusive_ns[clock] = tv_sums_inclusive(sums, clock, node);
        numbers.exclusive_ns[clock] = tv_sums_exclusive(sums, clock, node);
    }
    return numbers;
}

/* Calls inside one another share their time, so recursive ones may add up to more than any thread
 * has. Only damaged times of years do: the sum stays at the most that a time can be. */
static uint64_t added(uint64_t sum_ns, uint64_t time_ns)
{
    uint64_t room_ns = sum_ns < INT64_MAX ? INT64_MAX - sum_ns : 0;
    return time_ns <= room_ns ? sum_ns + time_ns : INT64_MAX;
}

void tv_numbers_add(struct tv_numbers *to, const struct tv_numbers *more)
{
    to->calls += more->calls;
    to->open_calls += more->open_calls;
    to->adopting_calls += more->adopting_calls;
    for (unsigned i = 0; i < TV_COUNT_OF(to->unrecorded_ns); i++)
        to->unrecorded_ns[i] = added(to->unrecorded_ns[i], more->unrecorded_ns[i]);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        to->inclusive_ns[clock] = added(to->inclusive_ns[clock], more->inclusive_ns[clock]);
        to->exclusive_ns[clock] = added(to->exclusive_ns[clock], more->exclusive_ns[clock]);
    }
}
