/*
 * Sums of stacks without hidden methods and deep calls; see tv_sums_hide in
 * analysis/selection/sums.h.
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

/* Gives the exclusive time of a node that is taken out to its shown caller, which has its calls as
 * hidden ones then, and clears the node. */
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
    if (caller != TV_NONE) {
        sums->hidden_calls[caller] += sum[TV_SUM_CALLS];
        sums->left_out_calls += sum[TV_SUM_CALLS];
    }
    for (unsigned slot = 0; slot < TV_SUM_SLOT_COUNT; slot++)
        sum[slot] = 0;
}

/* What is taken out of stacks, and how far each node that stays is from its root then. */
struct hiding {
    const uint8_t *hidden; /* one per method; NULL: none is hidden */
    uint32_t levels;       /* 0: all */
    uint32_t *level_of;    /* one per node: TV_NONE for one that is taken out */
};

/* A node is hidden by its method, or because it is deeper than the levels that are asked for; both
 * give their time to the nearest shown caller, and only the latter are counted as deep. */
static void hide_nodes(struct tv_sums *sums, const struct hiding *hiding,
                       const struct tv_node_range *nodes)
{
    for (uint32_t node = nodes->first; node < nodes->end; node++) {
        uint32_t caller = sums->parent[node];
        if (caller != TV_NONE && hiding->level_of[caller] == TV_NONE)
            caller = sums->shown_parents[caller];
        uint32_t level = caller == TV_NONE ? 0 : hiding->level_of[caller] + 1;
        bool is_hidden = hiding->hidden && hiding->hidden[sums->method[node]];
        bool is_deep = !is_hidden && hiding->levels && level >= hiding->levels;
        sums->shown_parents[node] = caller;
        hiding->level_of[node] = is_hidden || is_deep ? TV_NONE : level;
        if (is_deep)
            sums->deep_calls += tv_sums_calls(sums, node);
        if (is_hidden || is_deep)
            hide_node(sums, node, caller);
    }
}

enum tv_code tv_sums_hide(struct tv_sums *sums, const uint8_t *hidden, uint32_t levels,
                          struct tv_error *err)
{
    struct hiding hiding = {.hidden = hidden, .levels = levels};
    size_t level_count = 0;
    TV_TRY(own_sums(sums, err));
    tv_assert(!sums->shown_parents);
    TV_TRY(tv_alloc_grow(sums->alloc, &sums->shown_parents, &sums->shown_parent_count,
                         sums->node_count + (size_t)1, sizeof(*sums->shown_parents), err));
    TV_TRY(tv_alloc_new(sums->alloc, &sums->hidden_calls, sums->node_count,
                        sizeof(*sums->hidden_calls), err));
    TV_TRY(tv_alloc_grow(sums->alloc, &hiding.level_of, &level_count, sums->node_count + (size_t)1,
                         sizeof(*hiding.level_of), err));
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    for (uint32_t i = 0; i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        hide_nodes(sums, &hiding, &nodes);
    }
    tv_alloc_release(sums->alloc, &hiding.level_of, level_count, sizeof(*hiding.level_of));
    sums->parent = sums->shown_parents;
    return TV_OK;
}
