/*
 * Sums of the stacks that have a matching method; see tv_sums_filter in analysis/selection/sums.h.
 *
 * A parent stands before its children: one pass in order tells which nodes have a match at or above
 * them, and one pass back carries inclusive times to the callers above the matches. A caller that
 * has more time than that is marked: formats of single calls write it whole.
 */
#include <string.h>

#include "analysis/selection/sums.h"
#include "analysis/selection/sums_add.h"
#include "base/alloc.h"
#include "base/error.h"

/* Copies the sums of nodes with a match at or above them, marks these, and clears the sums of
 * others. */
static void copy_matching(const struct tv_sums *sums, struct tv_node_range nodes,
                          const uint8_t *matches, uint8_t *matched, uint64_t *filtered)
{
    for (uint32_t node = nodes.first; node < nodes.end; node++) {
        uint32_t parent = sums->parent[node];
        uint64_t *sum = filtered + (size_t)node * TV_SUM_SLOT_COUNT;
        const bool is_below = parent != TV_NONE && matched[parent] == TV_SUMS_MATCHED;
        matched[node] =
            matches[sums->method[node]] || is_below ? TV_SUMS_MATCHED : TV_SUMS_UNMATCHED;
        if (matched[node] == TV_SUMS_UNMATCHED) {
            memset(sum, 0, TV_SUM_SLOT_COUNT * sizeof(*sum));
            continue;
        }
        sum[TV_SUM_CALLS] = tv_sums_calls(sums, node);
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            sum[TV_SUM_INCLUSIVE + clock] = tv_sums_inclusive(sums, clock, node);
            sum[TV_SUM_EXCLUSIVE + clock] = tv_sums_exclusive(sums, clock, node);
        }
    }
}

/* Whether anything is left of a node. A call that only ends at the start of a range may have time
 * in it, but is not counted. */
static bool is_left(const uint64_t *sum)
{
    return sum[TV_SUM_CALLS] || sum[TV_SUM_INCLUSIVE + TV_CLOCK_WALL] ||
           sum[TV_SUM_INCLUSIVE + TV_CLOCK_CPU];
}

/* Whether all time of a node is left. */
static bool is_whole(const struct tv_sums *sums, uint32_t node, const uint64_t *sum)
{
    bool is_whole = true;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        is_whole =
            is_whole && sum[TV_SUM_INCLUSIVE + clock] == tv_sums_inclusive(sums, clock, node);
    return is_whole;
}

/* Gives a caller above matches the inclusive times of the children that are left. Its calls are
 * those that it has: how many of them led to a match is not known. */
static void carry_to_callers(const struct tv_sums *sums, struct tv_node_range nodes,
                             uint8_t *matched, uint64_t *filtered)
{
    for (uint32_t node = nodes.end; node-- > nodes.first;) {
        uint32_t parent = sums->parent[node];
        const uint64_t *sum = filtered + (size_t)node * TV_SUM_SLOT_COUNT;
        if (matched[node] == TV_SUMS_UNMATCHED && is_left(sum) && !is_whole(sums, node, sum))
            matched[node] = TV_SUMS_PARTLY;
        if (parent == TV_NONE || matched[parent] == TV_SUMS_MATCHED || !is_left(sum))
            continue;
        uint64_t *above = filtered + (size_t)parent * TV_SUM_SLOT_COUNT;
        above[TV_SUM_CALLS] = tv_sums_calls(sums, parent);
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
            above[TV_SUM_INCLUSIVE + clock] += sum[TV_SUM_INCLUSIVE + clock];
    }
}

/* Marks and counts what is left out below callers that stay. */
static void count_left_out(struct tv_sums *sums, struct tv_node_range nodes,
                           const uint64_t *filtered)
{
    for (uint32_t node = nodes.first; node < nodes.end; node++) {
        const uint32_t parent = sums->parent[node];
        if (parent == TV_NONE || sums->matched[node] == TV_SUMS_MATCHED ||
            is_left(filtered + (size_t)node * TV_SUM_SLOT_COUNT))
            continue;
        if (sums->matched[parent] != TV_SUMS_LEFT_OUT &&
            !is_left(filtered + (size_t)parent * TV_SUM_SLOT_COUNT))
            continue;
        sums->matched[node] = TV_SUMS_LEFT_OUT;
        sums->left_out_calls += tv_sums_calls(sums, node);
    }
}

/* The filtered sums take the place of the old ones, which may be a view of the index. */
enum tv_code tv_sums_filter(struct tv_sums *sums, const uint8_t *matches, struct tv_error *err)
{
    uint64_t *filtered = NULL;
    size_t cap = 0;
    TV_TRY(tv_sums_alloc(sums, &filtered, &cap, err));
    tv_alloc_release(sums->alloc, &sums->matched, sums->node_count, 1);
    enum tv_code code = tv_alloc_new(sums->alloc, &sums->matched, sums->node_count, 1, err);
    if (code != TV_OK) {
        tv_alloc_release(sums->alloc, &filtered, cap, sizeof(*filtered));
        return code;
    }
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    for (uint32_t i = 0; i < thread_count; i++) {
        copy_matching(sums, tv_sums_nodes(sums, i), matches, sums->matched, filtered);
        carry_to_callers(sums, tv_sums_nodes(sums, i), sums->matched, filtered);
        count_left_out(sums, tv_sums_nodes(sums, i), filtered);
    }
    tv_alloc_release(sums->alloc, &sums->owned, sums->owned_count, sizeof(*sums->owned));
    sums->owned = filtered;
    sums->owned_count = cap;
    return TV_OK;
}
