/*
 * Nodes to boxes, top-down and without transforms; see analysis/flame/flame_merge.h.
 *
 * Nodes are merged depth by depth. All nodes of a box have the same depth, since no call is taken
 * out of a stack, so a box is complete after its depth and its value is final: nothing on top of a
 * box that is too narrow is followed.
 */
#include "analysis/flame/flame_merge.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/memory/pool.h"

enum tv_code tv_flame_merger_add_box(struct tv_flame_merger *merger, uint32_t parent,
                                     uint32_t method, uint32_t *child, struct tv_error *err)
{
    if (merger->count >= TV_FLAME_BOX_LIMIT)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more than %u boxes", TV_FLAME_BOX_LIMIT);
    if (TV_UNLIKELY(merger->count == merger->cap))
        TV_TRY(tv_alloc_grow(merger->flame->alloc, &merger->boxes, &merger->cap, merger->count + 1,
                             sizeof(*merger->boxes), err));
    *child = (uint32_t)merger->count;
    merger->boxes[merger->count++] = (struct tv_flame_box){
        .method = method,
        .parent = parent,
        .level = parent == TV_NONE ? 0 : merger->boxes[parent].level + 1,
    };
    return TV_OK;
}

enum tv_code tv_flame_merger_find_box(struct tv_flame_merger *merger, uint32_t parent,
                                      uint32_t method, uint32_t *child, struct tv_error *err)
{
    uint32_t *at;
    TV_TRY(tv_map_slot(&merger->child_of, (uint64_t)parent << 32 | method, (uint32_t)merger->count,
                       &at, err));
    *child = *at;
    if (*at != merger->count)
        return TV_OK;
    return tv_flame_merger_add_box(merger, parent, method, child, err);
}

/* Inclusive time is the sum of own times but for waits, where negative ones count as nothing. */
uint64_t tv_flame_merger_value(const struct tv_flame_merger *merger, uint32_t node)
{
    if (merger->node_values)
        return merger->node_values[node];
    return tv_sums_inclusive(
        merger->sums, merger->opts->measure == TV_MEASURE_WALL ? TV_CLOCK_WALL : TV_CLOCK_CPU,
        node);
}

bool tv_flame_merger_is_too_narrow(const struct tv_flame_merger *merger, uint64_t value)
{
    return (double)value * 2 * merger->opts->width < (double)merger->flame->value_ns || !value;
}

void tv_depth_order_release(struct tv_depth_order *order, const struct tv_flame_merger *merger)
{
    const struct tv_alloc *alloc = merger->flame->alloc;
    tv_alloc_release(alloc, &order->nodes, order->count, sizeof(*order->nodes));
    tv_alloc_release(alloc, &order->ends, order->depth_count + (size_t)1, sizeof(*order->ends));
    tv_alloc_release(alloc, &order->targets, merger->sums->node_count, sizeof(*order->targets));
}

static const struct tv_index_thread *selected_thread(const struct tv_sums *sums, uint32_t i)
{
    return &sums->index->threads[tv_selection_thread(&sums->selection, i)];
}

/* A counting sort by depth: counts per depth, where each depth begins, then the nodes. */
enum tv_code tv_depth_order_make(struct tv_depth_order *order, const struct tv_flame_merger *merger,
                                 struct tv_error *err)
{
    const struct tv_sums *sums = merger->sums;
    const struct tv_alloc *alloc = merger->flame->alloc;
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
    TV_TRY(tv_alloc_new(alloc, &order->targets, sums->node_count, sizeof(*order->targets), err));
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

/* Adds a node to its box and sets its target, from the target of its parent. Above the end of the
 * zoom path, a node's target only counts the methods that were met. */
static enum tv_code merge_node(struct tv_flame_merger *merger, uint32_t node, uint32_t above,
                               uint32_t *target, struct tv_error *err)
{
    const struct tv_flame_opts *opts = merger->opts;
    uint32_t method = merger->sums->method[node];
    size_t matched = above >= TV_FLAME_ON_PATH ? above - TV_FLAME_ON_PATH : opts->path_len;
    *target = TV_FLAME_NO_TARGET;
    if (above == TV_FLAME_NO_TARGET || !tv_flame_merger_value(merger, node))
        return TV_OK;
    if (matched < opts->path_len) {
        if (opts->path[matched] != method)
            return TV_OK;
        if (matched + 1 < opts->path_len) {
            *target = above + 1;
            return TV_OK;
        }
    }
    TV_TRY(tv_flame_merger_find_box(merger, above >= TV_FLAME_ON_PATH ? TV_NONE : above, method,
                                    target, err));
    struct tv_flame_box *box = &merger->boxes[*target];
    box->value += tv_flame_merger_value(merger, node);
    box->self += tv_flame_merger_self(merger, node);
    box->calls += tv_sums_calls(merger->sums, node);
    return TV_OK;
}

/* The target that a node stands on: its parent's, unless that box is too narrow or at the limit of
 * levels. Value_ns is known from the first depth on, so widths can be judged. */
static uint32_t target_above(struct tv_flame_merger *merger, const struct tv_depth_order *order,
                             uint32_t node)
{
    uint32_t parent = merger->sums->parent[node];
    uint32_t above = parent == TV_NONE ? TV_FLAME_ON_PATH : order->targets[parent];
    if (above >= TV_FLAME_ON_PATH)
        return above;
    if (tv_flame_merger_is_too_narrow(merger, merger->boxes[above].value))
        return TV_FLAME_NO_TARGET;
    if (merger->boxes[above].level + 1 < TV_FLAME_LEVEL_LIMIT)
        return above;
    merger->flame->is_complete = false;
    return TV_FLAME_NO_TARGET;
}

/* Merges all nodes. The first depth with boxes is the bottom of the graph, whose width is what all
 * boxes are measured against. */
static enum tv_code merge_by_depth(struct tv_flame_merger *merger,
                                   const struct tv_depth_order *order, struct tv_error *err)
{
    size_t first = 0;
    for (uint32_t depth = 0; depth < order->depth_count; depth++) {
        size_t boxes_before = merger->count;
        for (size_t i = first; i < order->ends[depth]; i++) {
            uint32_t node = order->nodes[i];
            if (i % TV_WANTED_STEPS == 0)
                TV_TRY(tv_check_wanted(merger->sums->is_unwanted, err));
            TV_TRY(merge_node(merger, node, target_above(merger, order, node),
                              &order->targets[node], err));
        }
        first = order->ends[depth];
        /* The bottom of the graph was just completed. */
        for (size_t i = 0; !boxes_before && i < merger->count; i++)
            merger->flame->value_ns += merger->boxes[i].value;
    }
    return TV_OK;
}

enum tv_code tv_flame_merge_plain(struct tv_flame_merger *merger, struct tv_error *err)
{
    struct tv_depth_order order;
    enum tv_code code = tv_depth_order_make(&order, merger, err);
    if (code == TV_OK)
        code = merge_by_depth(merger, &order, err);
    tv_depth_order_release(&order, merger);
    return code;
}
