/*
 * Nodes to boxes through the transforms; see analysis/flame/flame.h for what each does, and
 * flame_transform.h.
 *
 * A parent stands before its children among the nodes of a thread, so one pass in order finds the
 * target of each node from that of its parent: the box of its method on top of the parent's box;
 * the parent's box, if the node is taken out or collapsed into it; or none. Only own times are
 * added on the way. When all nodes are merged, values are carried from the top down, and the zoom
 * path is cut out.
 */
#include "analysis/flame/flame_transform.h"

#include "analysis/selection/names.h"
#include "base/alloc.h"
#include "base/error.h"

/* What becomes of the nodes of a method: boxes, time of their callers, or nothing. */
#define FATE_KEEP 0u
#define FATE_MERGE 1u
#define FATE_DROP 2u
#define FATE_END 3u

/* Drop is stronger than end, end than merge, and the first collapse that has a class is the one
 * that counts. */
static void apply_op(struct tv_flame_transformer *transformer, const struct tv_flame_op *op,
                     uint8_t number)
{
    const struct tv_index *index = transformer->merger->sums->index;
    switch (op->kind) {
    case TV_FLAME_FOCUS:
        transformer->focus[transformer->focus_count++] = op->method;
        break;
    case TV_FLAME_MERGE:
        if (transformer->fate[op->method] == FATE_KEEP)
            transformer->fate[op->method] = FATE_MERGE;
        break;
    case TV_FLAME_DROP:
        transformer->fate[op->method] = FATE_DROP;
        break;
    case TV_FLAME_RECURSION:
        if (!transformer->recursion[op->method])
            transformer->recursion[op->method] = (uint8_t)++transformer->recursion_count;
        break;
    case TV_FLAME_COLLAPSE:
        for (uint32_t i = 0; i < index->method_count; i++) {
            if (!transformer->package[i] && op->package.len &&
                tv_str_starts_with(tv_method_class(index, i), op->package))
                transformer->package[i] = (uint8_t)(number + 1);
        }
        break;
    case TV_FLAME_END:
        transformer->has_end = true;
        if (transformer->fate[op->method] != FATE_DROP)
            transformer->fate[op->method] = FATE_END;
        break;
    }
}

static enum tv_code prepare_ops(struct tv_flame_transformer *transformer, struct tv_error *err)
{
    const struct tv_flame_merger *merger = transformer->merger;
    const struct tv_alloc *alloc = merger->flame->alloc;
    const struct tv_flame_opts *opts = merger->opts;
    size_t method_count = merger->sums->index->method_count;
    if (opts->op_count > TV_FLAME_OP_LIMIT)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more than %u transforms",
                       TV_FLAME_OP_LIMIT);
    TV_TRY(tv_alloc_new(alloc, &transformer->fate, method_count, 1, err));
    TV_TRY(tv_alloc_new(alloc, &transformer->package, method_count, 1, err));
    TV_TRY(tv_alloc_new(alloc, &transformer->recursion, method_count, 1, err));
    for (size_t i = 0; i < method_count; i++)
        transformer->fate[i] = opts->hidden && opts->hidden[i] ? FATE_MERGE : FATE_KEEP;
    for (size_t i = 0; i < opts->op_count; i++)
        apply_op(transformer, &opts->ops[i], (uint8_t)i);
    return TV_OK;
}

/* Sets `outermost` of a new box, which is last: that of the box below, or the box itself where it
 * begins a recursion. */
static enum tv_code set_outermost(struct tv_flame_transformer *transformer, uint32_t box,
                                  struct tv_error *err)
{
    const struct tv_flame_merger *merger = transformer->merger;
    size_t width = transformer->recursion_count;
    uint32_t parent = merger->boxes[box].parent;
    uint32_t own = transformer->recursion[merger->boxes[box].method];
    if (!width)
        return TV_OK;
    if ((box + (size_t)1) * width > transformer->outermost_cap)
        TV_TRY(tv_alloc_grow(merger->flame->alloc, &transformer->outermost,
                             &transformer->outermost_cap, (box + (size_t)1) * width,
                             sizeof(*transformer->outermost), err));
    for (size_t i = 0; i < width; i++) {
        uint32_t below = parent == TV_NONE ? TV_NONE : transformer->outermost[parent * width + i];
        if (below == TV_NONE && own == i + 1)
            below = box;
        transformer->outermost[box * width + i] = below;
    }
    return TV_OK;
}

/* Notes that a second node is added to a box: its children must be looked up from now on. */
static enum tv_code share_box(struct tv_flame_transformer *transformer, uint32_t box,
                              struct tv_error *err)
{
    struct tv_flame_merger *merger = transformer->merger;
    if (transformer->links[box].is_shared)
        return TV_OK;
    transformer->links[box].is_shared = true;
    for (uint32_t child = transformer->links[box].first_child; child != TV_NONE;
         child = transformer->links[child].next_sibling)
        TV_TRY(tv_map_put(&merger->child_of, (uint64_t)box << 32 | merger->boxes[child].method,
                          child, err));
    return TV_OK;
}

/* Finds the box of a method on top of `above` (TV_NONE: at the bottom), or adds it. */
static enum tv_code find_box(struct tv_flame_transformer *transformer, uint32_t above,
                             uint32_t method, uint32_t *box, struct tv_error *err)
{
    struct tv_flame_merger *merger = transformer->merger;
    size_t before = merger->count;
    if (above == TV_NONE || transformer->links[above].is_shared)
        TV_TRY(tv_flame_merger_find_box(merger, above, method, box, err));
    else
        TV_TRY(tv_flame_merger_add_box(merger, above, method, box, err));
    if (merger->count == before)
        return TV_OK;
    if (merger->count > transformer->links_cap)
        TV_TRY(tv_alloc_grow(merger->flame->alloc, &transformer->links, &transformer->links_cap,
                             merger->count, sizeof(*transformer->links), err));
    transformer->links[*box] = (struct tv_flame_box_links){TV_NONE, TV_NONE, false};
    if (above != TV_NONE) {
        transformer->links[*box].next_sibling = transformer->links[above].first_child;
        transformer->links[above].first_child = *box;
    }
    return set_outermost(transformer, *box, err);
}

/* The lowest box of the method's recursion among `above` and the boxes below it, or TV_NONE. */
static uint32_t recursion_box(const struct tv_flame_transformer *transformer, uint32_t above,
                              uint32_t method)
{
    uint32_t recursion = transformer->recursion[method];
    return recursion ? transformer
                           ->outermost[above * (size_t)transformer->recursion_count + recursion - 1]
                     : TV_NONE;
}

/* Whether no box stands on this one. Levels that are shown count from the end of the zoom path; an
 * inverted graph shows none of these levels, and limits its own. */
static bool is_highest(const struct tv_flame_merger *merger, uint32_t box)
{
    const struct tv_flame_opts *opts = merger->opts;
    size_t below = opts->path_len ? opts->path_len - 1 : 0;
    return opts->direction == TV_TOP_DOWN &&
           merger->boxes[box].level + 1 >= TV_FLAME_LEVEL_LIMIT + below;
}

/* The target of a call of a method on top of `above` (TV_NONE: at the bottom): the lowest box of
 * its recursion, the box of its package below it, a box of its own, or none over the highest
 * level. */
static enum tv_code target_on_top(struct tv_flame_transformer *transformer, uint32_t above,
                                  uint32_t method, uint32_t *target, struct tv_error *err)
{
    const struct tv_flame_merger *merger = transformer->merger;
    if (above != TV_NONE) {
        *target = recursion_box(transformer, above, method);
        if (*target != TV_NONE)
            return TV_OK;
        uint8_t package = transformer->package[method];
        if (package && transformer->fate[method] != FATE_END &&
            package == transformer->package[merger->boxes[above].method]) {
            *target = above;
            return TV_OK;
        }
        if (is_highest(merger, above)) {
            merger->flame->is_complete = false;
            *target = TV_FLAME_OVER + above;
            return TV_OK;
        }
    }
    return find_box(transformer, above, method, target, err);
}

/* Finds the target of a node that stands over the highest level. Nodes there have no boxes of their
 * own, but a recursion leads back down. */
static void merge_over(const struct tv_flame_transformer *transformer, uint32_t node,
                       uint32_t above, uint32_t *target)
{
    struct tv_flame_merger *merger = transformer->merger;
    uint32_t method = merger->sums->method[node];
    uint32_t box = transformer->fate[method] == FATE_KEEP
                       ? recursion_box(transformer, above - TV_FLAME_OVER, method)
                       : TV_NONE;
    *target = box == TV_NONE ? above : box;
    if (box != TV_NONE)
        merger->boxes[box].calls += tv_sums_calls(merger->sums, node);
}

/* Whether stacks end with the box: all that stands on it is its own time. */
static bool is_end(const struct tv_flame_transformer *transformer, uint32_t target)
{
    return transformer->has_end && target < TV_FLAME_OVER &&
           transformer->fate[transformer->merger->boxes[target].method] == FATE_END;
}

/* Adds a node's own time to its target. Over the highest level it is time of the box there, as that
 * of boxes on top of it would be. */
static enum tv_code add_time(struct tv_flame_transformer *transformer, uint32_t node,
                             uint32_t target, bool is_new, struct tv_error *err)
{
    struct tv_flame_merger *merger = transformer->merger;
    uint64_t self = transformer->has_end && !is_end(transformer, target)
                        ? 0
                        : tv_flame_merger_self(merger, node);
    if (target >= TV_FLAME_OVER) {
        merger->boxes[target - TV_FLAME_OVER].value += self;
        return TV_OK;
    }
    merger->boxes[target].self += self;
    return is_new ? TV_OK : share_box(transformer, target, err);
}

/* A node that is taken out keeps its parent's target. Before all focus methods are met there
 * is no box, and a node only counts them: one that is no focus method also keeps the target of
 * its parent. */
enum tv_code tv_flame_transformer_merge_node(struct tv_flame_transformer *transformer,
                                             uint32_t node, uint32_t above, uint32_t *target,
                                             struct tv_error *err)
{
    struct tv_flame_merger *merger = transformer->merger;
    uint32_t method = merger->sums->method[node];
    size_t before = merger->count;
    *target = TV_FLAME_NO_TARGET;
    if (above == TV_FLAME_NO_TARGET || transformer->fate[method] == FATE_DROP)
        return TV_OK;
    if (above >= TV_FLAME_OVER && above < TV_FLAME_ON_PATH) {
        merge_over(transformer, node, above, target);
        return add_time(transformer, node, *target, false, err);
    }
    *target = above;
    if (is_end(transformer, above))
        return add_time(transformer, node, above, false, err);
    uint32_t met = above >= TV_FLAME_ON_PATH ? above - TV_FLAME_ON_PATH : transformer->focus_count;
    bool is_focus = false;
    while (met < transformer->focus_count && transformer->focus[met] == method) {
        met++;
        is_focus = true;
    }
    if (transformer->fate[method] == FATE_MERGE || met < transformer->focus_count) {
        if (is_focus)
            *target = TV_FLAME_ON_PATH + met;
    } else {
        TV_TRY(target_on_top(transformer, above >= TV_FLAME_ON_PATH ? TV_NONE : above, method,
                             target, err));
        if (*target < TV_FLAME_OVER)
            merger->boxes[*target].calls += tv_sums_calls(merger->sums, node);
    }
    if (*target >= TV_FLAME_ON_PATH)
        return TV_OK;
    return add_time(transformer, node, *target, merger->count > before, err);
}

/* How many nodes ahead memory is asked for: first the target of a node's parent, then the box that
 * it names. Parents and boxes are all over the memory, and each would be waited for. */
#define NODES_AHEAD 16u
#define BOXES_AHEAD 8u

/* Forced inline, since gcc drops a call of a function that only prefetches. */
TV_INLINE void look_ahead(const struct tv_flame_transformer *transformer,
                          struct tv_node_range nodes, uint32_t i)
{
    const struct tv_flame_merger *merger = transformer->merger;
    const uint32_t *parents = merger->sums->parent + nodes.first;
    if (i + NODES_AHEAD >= nodes.end - nodes.first)
        return;
    if (parents[i + NODES_AHEAD] != TV_NONE)
        TV_PREFETCH(&transformer->targets[parents[i + NODES_AHEAD] - nodes.first]);
    uint32_t parent = parents[i + BOXES_AHEAD] - nodes.first;
    if (parents[i + BOXES_AHEAD] == TV_NONE || parent >= i)
        return;
    uint32_t above = transformer->targets[parent];
    if (above >= TV_FLAME_OVER)
        return;
    TV_PREFETCH(&merger->boxes[above].method);
    TV_PREFETCH(&transformer->links[above]);
    if (transformer->recursion_count)
        TV_PREFETCH(&transformer->outermost[above * (size_t)transformer->recursion_count]);
}

/* Merges the nodes of one thread. Nodes without calls and time in the selection get no target. */
static enum tv_code transform_nodes(struct tv_flame_transformer *transformer,
                                    struct tv_node_range nodes, struct tv_error *err)
{
    struct tv_flame_merger *merger = transformer->merger;
    const struct tv_sums *sums = merger->sums;
    uint32_t count = nodes.end - nodes.first;
    if (count > transformer->target_count) {
        tv_alloc_release(merger->flame->alloc, &transformer->targets, transformer->target_count,
                         sizeof(*transformer->targets));
        transformer->target_count = 0;
        TV_TRY(tv_alloc_new(merger->flame->alloc, &transformer->targets, count,
                            sizeof(*transformer->targets), err));
        transformer->target_count = count;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = nodes.first + i;
        uint32_t parent = sums->parent[node];
        uint32_t above =
            parent == TV_NONE ? TV_FLAME_ON_PATH : transformer->targets[parent - nodes.first];
        look_ahead(transformer, nodes, i);
        transformer->targets[i] = TV_FLAME_NO_TARGET;
        if (tv_sums_is_touched(sums, node))
            TV_TRY(tv_flame_transformer_merge_node(transformer, node, above,
                                                   &transformer->targets[i], err));
    }
    return TV_OK;
}

static enum tv_code transform_all(struct tv_flame_transformer *transformer, struct tv_error *err)
{
    const struct tv_flame_merger *merger = transformer->merger;
    const struct tv_sums *sums = merger->sums;
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    if (tv_flame_can_transform_by_depth(merger->opts))
        return tv_flame_transformer_run_by_depth(transformer, err);
    for (uint32_t i = 0; i < thread_count; i++)
        TV_TRY(transform_nodes(transformer, tv_sums_nodes(sums, i), err));
    return TV_OK;
}

static uint32_t child_of(const struct tv_flame_transformer *transformer, uint32_t box,
                         uint32_t method)
{
    uint32_t child = transformer->links[box].first_child;
    while (child != TV_NONE && transformer->merger->boxes[child].method != method)
        child = transformer->links[child].next_sibling;
    return child;
}

/* Zooms to a path of the finished boxes: boxes below and beside its end are emptied, and
 * levels count from its end. Boxes keep their order, parents before children. x marks the
 * boxes that stay. */
static void zoom(const struct tv_flame_transformer *transformer)
{
    struct tv_flame_merger *merger = transformer->merger;
    const struct tv_flame_opts *opts = merger->opts;
    uint32_t end = TV_NONE;
    if (!opts->path_len)
        return;
    merger->flame->value_ns = 0;
    for (size_t i = 0; i < opts->path_len; i++) {
        end = i ? child_of(transformer, end, opts->path[i])
                : tv_map_get(&merger->child_of, (uint64_t)TV_NONE << 32 | opts->path[i]);
        if (end == TV_NONE) {
            merger->count = 0;
            return;
        }
    }
    merger->flame->value_ns = merger->boxes[end].value;
    uint32_t bottom = merger->boxes[end].level;
    for (size_t i = 0; i < merger->count; i++) {
        struct tv_flame_box *box = &merger->boxes[i];
        bool is_end = i == end;
        bool is_kept = is_end || (box->parent != TV_NONE && box->parent >= end && i > end &&
                                  merger->boxes[box->parent].x);
        box->x = is_kept; /* a box stays if its parent does */
        if (!is_kept) {
            box->value = 0;
            box->parent = end; /* an empty box, which flame.c leaves out as too narrow */
            box->level = 1;
            continue;
        }
        box->level -= bottom;
        if (is_end)
            box->parent = TV_NONE;
    }
}

/* Carries values from each box to the one below it, children before parents; the graph is as wide
 * as its bottom. */
static void carry_values(const struct tv_flame_transformer *transformer)
{
    struct tv_flame_merger *merger = transformer->merger;
    merger->flame->value_ns = 0;
    for (size_t i = merger->count; i-- > 0;) {
        struct tv_flame_box *box = &merger->boxes[i];
        if (i >= NODES_AHEAD && box[-(ptrdiff_t)NODES_AHEAD].parent != TV_NONE)
            TV_PREFETCH(&merger->boxes[box[-(ptrdiff_t)NODES_AHEAD].parent].value);
        /* Where the value is not known from following every box above this one, it is added up from
         * these boxes and the box's own nodes. */
        bool is_known = transformer->is_by_depth &&
                        !tv_flame_transformer_is_in_recursion(transformer, (uint32_t)i);
        box->value = is_known ? box->x : box->value + box->self;
        if (box->parent != TV_NONE)
            merger->boxes[box->parent].value += box->value;
        else
            merger->flame->value_ns += box->value;
    }
}

/* Zooming is the last step, because the zoom path is one of boxes after all transforms. */
enum tv_code tv_flame_merge_transformed(struct tv_flame_merger *merger, struct tv_error *err)
{
    const struct tv_sums *sums = merger->sums;
    const struct tv_alloc *alloc = merger->flame->alloc;
    struct tv_flame_transformer transformer = {.merger = merger};
    size_t method_count = sums->index->method_count;
    enum tv_code code = prepare_ops(&transformer, err);
    if (code == TV_OK)
        code = transform_all(&transformer, err);
    if (code == TV_OK) {
        carry_values(&transformer);
        if (merger->opts->direction == TV_TOP_DOWN)
            zoom(&transformer);
    }
    tv_alloc_release(alloc, &transformer.targets, transformer.target_count,
                     sizeof(*transformer.targets));
    tv_alloc_release(alloc, &transformer.links, transformer.links_cap, sizeof(*transformer.links));
    tv_alloc_release(alloc, &transformer.outermost, transformer.outermost_cap,
                     sizeof(*transformer.outermost));
    tv_alloc_release(alloc, &transformer.recursion, method_count, 1);
    tv_alloc_release(alloc, &transformer.package, method_count, 1);
    tv_alloc_release(alloc, &transformer.fate, method_count, 1);
    return code;
}
