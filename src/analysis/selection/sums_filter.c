/*
 * Sums of the stacks that have a matching method; see tv_sums_filter in analysis/selection/sums.h.
 *
 * A parent stands before its children: one pass in order tells which nodes have a match at or above
 * them, and one pass back carries inclusive times to the callers above the matches.
 */
#include <string.h>

#include "analysis/selection/sums.h"
#include "analysis/selection/sums_add.h"
#include "base/alloc.h"
#include "base/error.h"

/* Copies the sums of nodes with a match at or above them, sets has_match of these, and clears the
 * sums of others. */
static void copy_matching(const struct tv_sums *sums, struct tv_node_range nodes,
                          const uint8_t *matches, uint8_t *has_match, uint64_t *filtered)
{
    for (uint32_t node = nodes.first; node < nodes.end; node++) {
        uint32_t parent = sums->parent[node];
        uint64_t *sum = filtered + (size_t)node * TV_SUM_SLOT_COUNT;
        has_match[node] = matches[sums->method[node]] || (parent != TV_NONE && has_match[parent]);
        if (!has_match[node]) {
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

/* Gives a caller above matches the inclusive times of the children that are left. Its calls are
 * those that it has: how many of them led to a match is not known. */
static void carry_to_callers(const struct tv_sums *sums, struct tv_node_range nodes,
                             const uint8_t *has_match, uint64_t *filtered)
{
    for (uint32_t node = nodes.end; node-- > nodes.first;) {
        uint32_t parent = sums->parent[node];
        const uint64_t *sum = filtered + (size_t)node * TV_SUM_SLOT_COUNT;
        if (parent == TV_NONE || has_match[parent] || !is_left(sum))
            continue;
        uint64_t *above = filtered + (size_t)parent * TV_SUM_SLOT_COUNT;
        above[TV_SUM_CALLS] = tv_sums_calls(sums, parent);
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
            above[TV_SUM_INCLUSIVE + clock] += sum[TV_SUM_INCLUSIVE + clock];
    }
}

/* The filtered sums take the place of the old ones, which may be a view of the index. */
enum tv_code tv_sums_filter(struct tv_sums *sums, const uint8_t *matches, struct tv_error *err)
{
    uint64_t *filtered = NULL;
    uint8_t *has_match = NULL;
    size_t cap = 0;
    TV_TRY(tv_sums_alloc(sums, &filtered, &cap, err));
    enum tv_code code = tv_alloc_new(sums->alloc, &has_match, sums->node_count, 1, err);
    if (code != TV_OK) {
        tv_alloc_release(sums->alloc, &filtered, cap, sizeof(*filtered));
        return code;
    }
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    for (uint32_t i = 0; i < thread_count; i++) {
        copy_matching(sums, tv_sums_nodes(sums, i), matches, has_match, filtered);
        carry_to_callers(sums, tv_sums_nodes(sums, i), has_match, filtered);
    }
    tv_alloc_release(sums->alloc, &has_match, sums->node_count, 1);
    tv_alloc_release(sums->alloc, &sums->owned, sums->owned_count, sizeof(*sums->owned));
    sums->owned = filtered;
    sums->owned_count = cap;
    return TV_OK;
}
