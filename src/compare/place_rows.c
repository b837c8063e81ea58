/*
 * Numbers at a place of the tree; see compare/place_rows.h. A node stands behind its parent in the
 * sums, so top-down one pass tells of each node how much of the path ends with it; inverted, each
 * node with the first method walks up as far as the path is long.
 */
#include "compare/place_rows.h"

static void add_node(const struct tv_sums *sums, uint32_t node, struct tv_method_row *row)
{
    const struct tv_numbers numbers = tv_sums_numbers(sums, node);
    tv_numbers_add(&row->numbers, &numbers);
}

/* matched: of each node how many steps of the path end with it; TV_NONE where its stack left the
 * path. */
static enum tv_code add_callees(const struct tv_tree_place *place, const struct tv_sums *sums,
                                struct tv_node_range nodes, uint32_t *matched,
                                struct tv_method_row *rows, struct tv_error *err)
{
    for (uint32_t node = nodes.first; node < nodes.end; node++) {
        const uint32_t parent = sums->parent[node];
        const uint32_t method = sums->method[node];
        const uint32_t before = parent == TV_NONE ? 0 : matched[parent];
        matched[node] = TV_NONE;
        if (!((node - nodes.first) & 0xffffu))
            TV_TRY(tv_check_wanted(sums->is_unwanted, err));
        if (before == TV_NONE || !tv_sums_is_touched(sums, node))
            continue;
        if (before == place->len)
            add_node(sums, node, &rows[method]);
        else if (place->step_of[method] == place->steps[before])
            matched[node] = before + 1;
    }
    return TV_OK;
}

/* The caller behind the path that begins with a node; TV_NONE: its stack has another path, or ends
 * with it. */
static uint32_t caller_behind(const struct tv_tree_place *place, const struct tv_sums *sums,
                              uint32_t node)
{
    for (size_t i = 0; i < place->len && node != TV_NONE; i++) {
        if (place->step_of[sums->method[node]] != place->steps[i])
            return TV_NONE;
        node = sums->parent[node];
    }
    return node;
}

/* The numbers are those of an inverted tree (analysis/tree/call_tree.h). */
static enum tv_code add_callers(const struct tv_tree_place *place, const struct tv_sums *sums,
                                struct tv_node_range nodes, struct tv_method_row *rows,
                                struct tv_error *err)
{
    for (uint32_t node = nodes.first; node < nodes.end; node++) {
        const struct tv_numbers numbers = tv_sums_numbers(sums, node);
        if (!((node - nodes.first) & 0xffffu))
            TV_TRY(tv_check_wanted(sums->is_unwanted, err));
        const uint32_t caller = caller_behind(place, sums, node);
        if (caller == TV_NONE)
            continue;
        const bool is_root = sums->parent[caller] == TV_NONE;
        struct tv_numbers *to = &rows[sums->method[caller]].numbers;
        to->calls += numbers.calls;
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            to->inclusive_ns[clock] += numbers.exclusive_ns[clock];
            to->exclusive_ns[clock] += is_root ? numbers.exclusive_ns[clock] : 0;
        }
    }
    return TV_OK;
}

enum tv_code tv_place_rows(const struct tv_tree_place *place, const struct tv_sums *sums,
                           struct tv_method_row *rows, struct tv_error *err)
{
    const bool is_inverted = place->direction == TV_INVERTED;
    const uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    uint32_t *matched = NULL;
    enum tv_code code = TV_OK;
    if (!is_inverted)
        TV_TRY(tv_alloc_new(sums->alloc, &matched, sums->node_count, sizeof(*matched), err));
    for (uint32_t i = 0; code == TV_OK && i < thread_count; i++) {
        const struct tv_node_range nodes = tv_sums_nodes(sums, i);
        code = is_inverted ? add_callers(place, sums, nodes, rows, err)
                           : add_callees(place, sums, nodes, matched, rows, err);
    }
    tv_alloc_release(sums->alloc, &matched, sums->node_count, sizeof(*matched));
    return code;
}
