/* From nodes to boxes, top-down, as they are; see analysis/flame/flame_merge.h. */
#include "analysis/flame/flame_merge.h"

#include "base/alloc.h"
#include "base/error.h"

enum tv_code tv_merged_add(struct tv_merged *merged, uint32_t parent, uint32_t method,
                           uint32_t *child, struct tv_error *err)
{
    if (merged->count >= TV_MERGED_LIMIT)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more than %u boxes", TV_MERGED_LIMIT);
    if (TV_UNLIKELY(merged->count == merged->cap))
        TV_TRY(tv_alloc_grow(merged->flame->alloc, &merged->boxes, &merged->cap, merged->count + 1,
                             sizeof(*merged->boxes), err));
    *child = (uint32_t)merged->count;
    merged->boxes[merged->count++] = (struct tv_flame_box){
        .method = method,
        .parent = parent,
        .level = parent == TV_NONE ? 0 : merged->boxes[parent].level + 1,
    };
    return TV_OK;
}

enum tv_code tv_merged_child(struct tv_merged *merged, uint32_t parent, uint32_t method,
                             uint32_t *child, struct tv_error *err)
{
    uint32_t *at;
    TV_TRY(tv_map_slot(&merged->child_of, (uint64_t)parent << 32 | method, (uint32_t)merged->count,
                       &at, err));
    *child = *at;
    if (*at != merged->count)
        return TV_OK;
    return tv_merged_add(merged, parent, method, child, err);
}

uint64_t tv_merged_value(const struct tv_merged *merged, uint32_t node)
{
    if (merged->node_values)
        return merged->node_values[node];
    return tv_sums_inclusive(
        merged->sums, merged->opts->measure == TV_MEASURE_WALL ? TV_CLOCK_WALL : TV_CLOCK_CPU,
        node);
}

bool tv_merged_is_thin(const struct tv_merged *merged, uint64_t value)
{
    return (double)value * 2 * merged->opts->width < (double)merged->flame->value_ns || !value;
}

void tv_depth_order_release(struct tv_depth_order *order, const struct tv_merged *merged)
{
    const struct tv_alloc *alloc = merged->flame->alloc;
    tv_alloc_free(alloc, order->nodes, order->count, sizeof(*order->nodes));
    tv_alloc_free(alloc, order->ends, order->depth_count + (size_t)1, sizeof(*order->ends));
    tv_alloc_free(alloc, order->place, merged->sums->node_count, sizeof(*order->place));
}

static const struct tv_index_thread *selected_thread(const struct tv_sums *sums, uint32_t i)
{
    return &sums->index->threads[tv_selection_thread(&sums->selection, i)];
}

enum tv_code tv_depth_order_make(struct tv_depth_order *order, const struct tv_merged *merged,
                                 struct tv_error *err)
{
    const struct tv_sums *sums = merged->sums;
    const struct tv_alloc *alloc = merged->flame->alloc;
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    size_t count = 0;
    *order = (struct tv_depth_order){.nodes = NULL};
    for (uint32_t i = 0; i < thread_count; i++) {
        const struct tv_index_thread *thread = selected_thread(sums, i);
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        count += nodes.end - nodes.first;
        if (thread->max_depth > order->depth_count)
            order->depth_count = thread->max_depth;
    }
    TV_TRY(tv_alloc_new(alloc, &order->ends, order->depth_count + (size_t)1, sizeof(*order->ends),
                        err));
    TV_TRY(tv_alloc_new(alloc, &order->nodes, count, sizeof(*order->nodes), err));
    order->count = count;
    TV_TRY(tv_alloc_new(alloc, &order->place, sums->node_count, sizeof(*order->place), err));
    for (uint32_t i = 0; i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++)
            order->ends[sums->depth[node] + 1]++;
    }
    for (uint32_t depth = 0; depth < order->depth_count; depth++)
        order->ends[depth + 1] += order->ends[depth];
    for (uint32_t i = 0; i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++)
            order->nodes[order->ends[sums->depth[node]]++] = node;
    }
    return TV_OK;
}

static enum tv_code place_plain(struct tv_merged *merged, uint32_t node, uint32_t above,
                                uint32_t *place, struct tv_error *err)
{
    const struct tv_flame_opts *opts = merged->opts;
    uint32_t method = merged->sums->method[node];
    size_t matched = above >= TV_PLACE_ON_PATH ? above - TV_PLACE_ON_PATH : opts->path_len;
    *place = TV_PLACE_OUTSIDE;
    if (above == TV_PLACE_OUTSIDE || !tv_merged_value(merged, node))
        return TV_OK;
    if (matched < opts->path_len) {
        if (opts->path[matched] != method)
            return TV_OK;
        if (matched + 1 < opts->path_len) {
            *place = above + 1;
            return TV_OK;
        }
    }
    TV_TRY(
        tv_merged_child(merged, above >= TV_PLACE_ON_PATH ? TV_NONE : above, method, place, err));
    struct tv_flame_box *box = &merged->boxes[*place];
    box->value += tv_merged_value(merged, node);
    box->self += tv_merged_self(merged, node);
    box->calls += tv_sums_calls(merged->sums, node);
    return TV_OK;
}

/* The place that a node's parent left for it: nothing goes on top of a thin box. */
static uint32_t place_above(struct tv_merged *merged, const struct tv_depth_order *order,
                            uint32_t node)
{
    uint32_t parent = merged->sums->parent[node];
    uint32_t above = parent == TV_NONE ? TV_PLACE_ON_PATH : order->place[parent];
    if (above >= TV_PLACE_ON_PATH)
        return above;
    if (tv_merged_is_thin(merged, merged->boxes[above].value))
        return TV_PLACE_OUTSIDE;
    if (merged->boxes[above].level + 1 < TV_FLAME_LEVEL_LIMIT)
        return above;
    merged->flame->is_complete = false;
    return TV_PLACE_OUTSIDE;
}

static enum tv_code place_by_depth(struct tv_merged *merged, const struct tv_depth_order *order,
                                   struct tv_error *err)
{
    size_t first = 0;
    for (uint32_t depth = 0; depth < order->depth_count; depth++) {
        size_t boxes_before = merged->count;
        for (size_t i = first; i < order->ends[depth]; i++) {
            uint32_t node = order->nodes[i];
            TV_TRY(place_plain(merged, node, place_above(merged, order, node), &order->place[node],
                               err));
        }
        first = order->ends[depth];
        /* The bottom level stands at one depth, and is what the graph is as wide as. */
        for (size_t i = 0; !boxes_before && i < merged->count; i++)
            merged->flame->value_ns += merged->boxes[i].value;
    }
    return TV_OK;
}

enum tv_code tv_merge_plain(struct tv_merged *merged, struct tv_error *err)
{
    struct tv_depth_order order;
    enum tv_code code = tv_depth_order_make(&order, merged, err);
    if (code == TV_OK)
        code = place_by_depth(merged, &order, err);
    tv_depth_order_release(&order, merged);
    return code;
}
