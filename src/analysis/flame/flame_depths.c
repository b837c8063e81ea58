/* Collapsing recursion level by level; see analysis/flame/flame_transform.h. */
#include "analysis/flame/flame_transform.h"

#include "base/error.h"

bool tv_transforming_can_go_by_depth(const struct tv_flame_opts *opts)
{
    bool can = opts->direction == TV_TOP_DOWN && !opts->path_len && !opts->hidden &&
               opts->measure != TV_MEASURE_WAIT;
    for (size_t i = 0; i < opts->op_count; i++)
        can = can && opts->ops[i].kind == TV_FLAME_RECURSION;
    return can;
}

bool tv_transforming_is_in_recursion(const struct tv_transforming *transforming, uint32_t box)
{
    size_t width = transforming->recursion_count;
    bool is_in = false;
    for (size_t i = 0; i < width; i++)
        is_in = is_in || transforming->outermost[box * width + i] != TV_NONE;
    return is_in;
}

static enum tv_code place_by_depth(struct tv_transforming *transforming, uint32_t node,
                                   uint32_t *places, struct tv_error *err)
{
    struct tv_merged *merged = transforming->merged;
    uint32_t parent = merged->sums->parent[node];
    uint32_t above = parent == TV_NONE ? TV_PLACE_ON_PATH : places[parent];
    uint32_t *place = &places[node];
    *place = TV_PLACE_OUTSIDE;
    if (above == TV_PLACE_OUTSIDE || !tv_sums_is_touched(merged->sums, node))
        return TV_OK;
    if (above < TV_PLACE_ON_PATH && tv_merged_is_thin(merged, merged->boxes[above].x) &&
        !tv_transforming_is_in_recursion(transforming, above))
        return TV_OK;
    TV_TRY(tv_transforming_place(transforming, node, above, place, err));
    if (*place < TV_PLACE_ON_PATH)
        merged->boxes[*place].x += tv_merged_value(merged, node);
    return TV_OK;
}

static enum tv_code transform_depths(struct tv_transforming *transforming,
                                     const struct tv_depth_order *order, struct tv_error *err)
{
    struct tv_merged *merged = transforming->merged;
    size_t i = 0;
    transforming->is_by_depth = true;
    for (uint32_t depth = 0; depth < order->depth_count; depth++) {
        size_t boxes_before = merged->count;
        for (; i < order->ends[depth]; i++)
            TV_TRY(place_by_depth(transforming, order->nodes[i], order->place, err));
        /* The bottom is what the graph is as wide as. */
        for (size_t box = 0; !boxes_before && box < merged->count; box++)
            merged->flame->value_ns += merged->boxes[box].x;
    }
    return TV_OK;
}

enum tv_code tv_transforming_go_by_depth(struct tv_transforming *transforming, struct tv_error *err)
{
    struct tv_depth_order order;
    enum tv_code code = tv_depth_order_make(&order, transforming->merged, err);
    if (code == TV_OK)
        code = transform_depths(transforming, &order, err);
    tv_depth_order_release(&order, transforming->merged);
    return code;
}
