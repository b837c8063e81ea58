/*
 * Totals of a set of methods; see analysis/profile/set_totals.h.
 *
 * A node is inside the set if its own method or that of a node above it is a member. A node's
 * parent has a smaller number, so one pass in order knows of each parent whether it is inside.
 */
#include "analysis/profile/set_totals.h"

struct totalling {
    struct tv_set_totals *totals;
    const struct tv_sums *sums;
    const uint8_t *is_member; /* per method */
    uint8_t *is_inside;       /* per node */
    uint8_t *is_counted;      /* per method: it is in totals->methods */
};

/* Adds a node of a member to the totals. */
static void add_node(struct totalling *at, uint32_t node, bool is_outermost)
{
    struct tv_numbers numbers = tv_sums_numbers(at->sums, node);
    uint8_t *is_counted = &at->is_counted[at->sums->method[node]];
    for (unsigned clock = 0; !is_outermost && clock < TV_CLOCK_COUNT; clock++)
        numbers.inclusive_ns[clock] = 0;
    tv_numbers_add(&at->totals->numbers, &numbers);
    at->totals->methods += !*is_counted;
    *is_counted = 1;
}

static void add_thread(struct totalling *at, struct tv_node_range nodes)
{
    const struct tv_sums *sums = at->sums;
    for (uint32_t node = nodes.first; node < nodes.end; node++) {
        uint32_t parent = sums->parent[node];
        bool is_member = at->is_member[sums->method[node]];
        bool is_below = parent != TV_NONE && at->is_inside[parent];
        at->is_inside[node] = is_member || is_below;
        if (is_member && tv_sums_is_touched(sums, node))
            add_node(at, node, !is_below);
    }
}

/* Both arrays are scratch: whether a node is inside the set, and whether a method was counted. */
enum tv_code tv_set_totals_compute(struct tv_set_totals *totals, const struct tv_sums *sums,
                                   const uint8_t *is_member, const struct tv_alloc *alloc,
                                   struct tv_error *err)
{
    struct totalling at = {.totals = totals, .sums = sums, .is_member = is_member};
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    uint32_t method_count = sums->index->method_count;
    *totals = (struct tv_set_totals){0};
    enum tv_code code = tv_alloc_new(alloc, &at.is_inside, sums->node_count, 1, err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &at.is_counted, method_count, 1, err);
    for (uint32_t i = 0; code == TV_OK && i < thread_count; i++)
        add_thread(&at, tv_sums_nodes(sums, i));
    tv_alloc_release(alloc, &at.is_counted, method_count, 1);
    tv_alloc_release(alloc, &at.is_inside, sums->node_count, 1);
    return code;
}
