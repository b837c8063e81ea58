/*
 * Sums of stacks without hidden methods; see tv_sums_hide in analysis/selection/sums.h.
 *
 * A parent stands before its children, so when a node is met it is known which caller of it is
 * shown: one pass in order does everything.
 */
#include "analysis/selection/sums.h"
#include "analysis/selection/sums_add.h"
#include "base/alloc.h"
#include "base/error.h"

/* Makes the sums our own, if they are still those of the index. */
static enum tv_code own_sums(struct tv_sums *sums, struct tv_error *err)
{
    uint64_t *owned = NULL;
    size_t cap = 0;
    if (sums->owned)
        return TV_OK;
    TV_TRY(tv_sums_alloc(sums, &owned, &cap, err));
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    for (uint32_t i = 0; i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++) {
            uint64_t *sum = owned + (size_t)node * TV_SUM_SLOT_COUNT;
            sum[TV_SUM_CALLS] = tv_sums_calls(sums, node);
            for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
                sum[TV_SUM_INCLUSIVE + clock] = tv_sums_inclusive(sums, clock, node);
                sum[TV_SUM_EXCLUSIVE + clock] = tv_sums_exclusive(sums, clock, node);
            }
        }
    }
    sums->owned = owned;
    sums->owned_count = cap;
    return TV_OK;
}

/* Gives the exclusive time of a hidden node to its shown caller, and clears the node. */
static void hide_node(struct tv_sums *sums, uint32_t node, uint32_t caller)
{
    uint64_t *sum = sums->owned + (size_t)node * TV_SUM_SLOT_COUNT;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        uint64_t *to =
            caller == TV_NONE
                ? &sums->hidden_ns[clock]
                : &sums->owned[(size_t)caller * TV_SUM_SLOT_COUNT + TV_SUM_EXCLUSIVE + clock];
        *to += sum[TV_SUM_EXCLUSIVE + clock];
    }
    for (unsigned slot = 0; slot < TV_SUM_SLOT_COUNT; slot++)
        sum[slot] = 0;
}

enum tv_code tv_sums_hide(struct tv_sums *sums, const uint8_t *hidden, struct tv_error *err)
{
    const uint32_t *parents = sums->parent;
    TV_TRY(own_sums(sums, err));
    tv_assert(!sums->shown_parents);
    TV_TRY(tv_alloc_grow(sums->alloc, &sums->shown_parents, &sums->shown_parent_count,
                         sums->node_count + (size_t)1, sizeof(*sums->shown_parents), err));
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    for (uint32_t i = 0; i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++) {
            uint32_t caller = parents[node];
            if (caller != TV_NONE && hidden[sums->method[caller]])
                caller = sums->shown_parents[caller];
            sums->shown_parents[node] = caller;
            if (hidden[sums->method[node]])
                hide_node(sums, node, caller);
        }
    }
    sums->parent = sums->shown_parents;
    return TV_OK;
}
