/*
 * Collapsing recursion depth by depth; see tv_flame_can_transform_by_depth in
 * analysis/flame/flame_transform.h.
 *
 * This is what makes collapsed recursion as quick as a graph without transforms: boxes outside of
 * any recursion are complete after their depth, so what stands on a narrow one is not followed.
 * Inside a recursion a box grows by nodes of any greater depth, so everything is followed.
 */
#include "analysis/flame/flame_transform.h"

#include "base/error.h"

bool tv_flame_can_transform_by_depth(const struct tv_flame_opts *opts)
{
    bool can = opts->direction == TV_TOP_DOWN && !opts->path_len && !opts->hidden &&
               !opts->is_in_time && opts->measure != TV_MEASURE_WAIT;
    for (size_t i = 0; i < opts->op_count; i++)
        can = can && opts->ops[i].kind == TV_FLAME_RECURSION;
    return can;
}

bool tv_flame_transformer_is_in_recursion(const struct tv_flame_transformer *transformer,
                                          uint32_t box)
{
    size_t width = transformer->recursion_count;
    bool is_in = false;
    for (size_t i = 0; i < width; i++)
        is_in = is_in || transformer->outermost[box * width + i] != TV_NONE;
    return is_in;
}

/* Merges a node unless it stands on a box that is complete and too narrow; x gathers the values of
 * a box's nodes. */
static enum tv_code merge_node(struct tv_flame_transformer *transformer, uint32_t node,
                               uint32_t *targets, struct tv_error *err)
{
    struct tv_flame_merger *merger = transformer->merger;
    uint32_t parent = merger->sums->parent[node];
    uint32_t above = parent == TV_NONE ? TV_FLAME_ON_PATH : targets[parent];
    uint32_t *target = &targets[node];
    *target = TV_FLAME_NO_TARGET;
    if (above == TV_FLAME_NO_TARGET || !tv_sums_is_touched(merger->sums, node))
        return TV_OK;
    if (above < TV_FLAME_OVER && tv_flame_merger_is_too_narrow(merger, merger->boxes[above].x) &&
        !tv_flame_transformer_is_in_recursion(transformer, above))
        return TV_OK;
    TV_TRY(tv_flame_transformer_merge_node(transformer, node, above, target, err));
    if (*target < TV_FLAME_OVER)
        merger->boxes[*target].x += tv_flame_merger_value(merger, node);
    return TV_OK;
}

static enum tv_code merge_depths(struct tv_flame_transformer *transformer,
                                 const struct tv_depth_order *order, struct tv_error *err)
{
    struct tv_flame_merger *merger = transformer->merger;
    size_t i = 0;
    transformer->is_by_depth = true;
    for (uint32_t depth = 0; depth < order->depth_count; depth++) {
        size_t boxes_before = merger->count;
        for (; i < order->ends[depth]; i++)
            TV_TRY(merge_node(transformer, order->nodes[i], order->targets, err));
        /* The width of the bottom is that of the graph. */
        for (size_t box = 0; !boxes_before && box < merger->count; box++)
            merger->flame->value_ns += merger->boxes[box].x;
    }
    return TV_OK;
}

enum tv_code tv_flame_transformer_run_by_depth(struct tv_flame_transformer *transformer,
                                               struct tv_error *err)
{
    struct tv_depth_order order;
    enum tv_code code = tv_depth_order_make(&order, transformer->merger, err);
    if (code == TV_OK)
        code = merge_depths(transformer, &order, err);
    tv_depth_order_release(&order, transformer->merger);
    return code;
}
