/* From nodes to boxes through the transforms; see analysis/flame/flame_merge.h and
 * flame_transform.h. */
#include "analysis/flame/flame_transform.h"

#include "analysis/selection/names.h"
#include "base/alloc.h"
#include "base/error.h"

#define FATE_KEEP 0u
#define FATE_MERGE 1u
#define FATE_DROP 2u

static void note_op(struct tv_transforming *transforming, const struct tv_flame_op *op,
                    uint8_t number)
{
    const struct tv_index *index = transforming->merged->sums->index;
    switch (op->kind) {
    case TV_FLAME_FOCUS:
        transforming->focus[transforming->focus_count++] = op->method;
        break;
    case TV_FLAME_MERGE:
        if (transforming->fate[op->method] == FATE_KEEP)
            transforming->fate[op->method] = FATE_MERGE;
        break;
    case TV_FLAME_DROP:
        transforming->fate[op->method] = FATE_DROP;
        break;
    case TV_FLAME_RECURSION:
        if (!transforming->recursion[op->method])
            transforming->recursion[op->method] = (uint8_t)++transforming->recursion_count;
        break;
    case TV_FLAME_COLLAPSE:
        for (uint32_t i = 0; i < index->method_count; i++) {
            if (!transforming->package[i] && op->package.len &&
                tv_str_starts_with(tv_method_class(index, i), op->package))
                transforming->package[i] = (uint8_t)(number + 1);
        }
        break;
    }
}

static enum tv_code read_ops(struct tv_transforming *transforming, struct tv_error *err)
{
    const struct tv_merged *merged = transforming->merged;
    const struct tv_alloc *alloc = merged->flame->alloc;
    const struct tv_flame_opts *opts = merged->opts;
    size_t method_count = merged->sums->index->method_count;
    if (opts->op_count > TV_FLAME_OP_LIMIT)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more than %u transforms",
                       TV_FLAME_OP_LIMIT);
    TV_TRY(tv_alloc_new(alloc, &transforming->fate, method_count, 1, err));
    TV_TRY(tv_alloc_new(alloc, &transforming->package, method_count, 1, err));
    TV_TRY(tv_alloc_new(alloc, &transforming->recursion, method_count, 1, err));
    for (size_t i = 0; i < method_count; i++)
        transforming->fate[i] = opts->hidden && opts->hidden[i] ? FATE_MERGE : FATE_KEEP;
    for (size_t i = 0; i < opts->op_count; i++)
        note_op(transforming, &opts->ops[i], (uint8_t)i);
    return TV_OK;
}

/* Remembers the first box of each collapsed recursion for a new box. */
static enum tv_code note_outermost(struct tv_transforming *transforming, uint32_t box,
                                   struct tv_error *err)
{
    const struct tv_merged *merged = transforming->merged;
    size_t width = transforming->recursion_count;
    uint32_t parent = merged->boxes[box].parent;
    uint32_t own = transforming->recursion[merged->boxes[box].method];
    if (!width)
        return TV_OK;
    if ((box + (size_t)1) * width > transforming->outermost_cap)
        TV_TRY(tv_alloc_grow(merged->flame->alloc, &transforming->outermost,
                             &transforming->outermost_cap, (box + (size_t)1) * width,
                             sizeof(*transforming->outermost), err));
    for (size_t i = 0; i < width; i++) {
        uint32_t below = parent == TV_NONE ? TV_NONE : transforming->outermost[parent * width + i];
        if (below == TV_NONE && own == i + 1)
            below = box;
        transforming->outermost[box * width + i] = below;
    }
    return TV_OK;
}

/* A second node comes to stand for a box. */
static enum tv_code share_box(struct tv_transforming *transforming, uint32_t box,
                              struct tv_error *err)
{
    struct tv_merged *merged = transforming->merged;
    if (transforming->links[box].is_shared)
        return TV_OK;
    transforming->links[box].is_shared = true;
    for (uint32_t child = transforming->links[box].first_child; child != TV_NONE;
         child = transforming->links[child].next_sibling)
        TV_TRY(tv_map_put(&merged->child_of, (uint64_t)box << 32 | merged->boxes[child].method,
                          child, err));
    return TV_OK;
}

/* The box of a method on top of another box, or at the bottom: found, or new. */
static enum tv_code find_box(struct tv_transforming *transforming, uint32_t above, uint32_t method,
                             uint32_t *box, struct tv_error *err)
{
    struct tv_merged *merged = transforming->merged;
    size_t before = merged->count;
    if (above == TV_NONE || transforming->links[above].is_shared)
        TV_TRY(tv_merged_child(merged, above, method, box, err));
    else
        TV_TRY(tv_merged_add(merged, above, method, box, err));
    if (merged->count == before)
        return TV_OK;
    if (merged->count > transforming->links_cap)
        TV_TRY(tv_alloc_grow(merged->flame->alloc, &transforming->links, &transforming->links_cap,
                             merged->count, sizeof(*transforming->links), err));
    transforming->links[*box] = (struct tv_box_links){TV_NONE, TV_NONE, false};
    if (above != TV_NONE) {
        transforming->links[*box].next_sibling = transforming->links[above].first_child;
        transforming->links[above].first_child = *box;
    }
    return note_outermost(transforming, *box, err);
}

/* The box of a method on top of `above` (TV_NONE: at the bottom), as collapsing has it. */
static enum tv_code box_on_top(struct tv_transforming *transforming, uint32_t above,
                               uint32_t method, uint32_t *box, struct tv_error *err)
{
    const struct tv_merged *merged = transforming->merged;
    uint32_t recursion = transforming->recursion[method];
    if (above != TV_NONE) {
        if (recursion) {
            *box = transforming
                       ->outermost[above * (size_t)transforming->recursion_count + recursion - 1];
            if (*box != TV_NONE)
                return TV_OK;
        }
        uint8_t package = transforming->package[method];
        if (package && package == transforming->package[merged->boxes[above].method]) {
            *box = above;
            return TV_OK;
        }
        if (merged->boxes[above].level + 1 >= TV_FLAME_LEVEL_LIMIT) {
            merged->flame->is_complete = false;
            *box = TV_PLACE_OUTSIDE;
            return TV_OK;
        }
    }
    return find_box(transforming, above, method, box, err);
}

enum tv_code tv_transforming_place(struct tv_transforming *transforming, uint32_t node,
                                   uint32_t above, uint32_t *place, struct tv_error *err)
{
    struct tv_merged *merged = transforming->merged;
    uint32_t method = merged->sums->method[node];
    size_t before = merged->count;
    *place = TV_PLACE_OUTSIDE;
    if (above == TV_PLACE_OUTSIDE || transforming->fate[method] == FATE_DROP)
        return TV_OK;
    *place = above;
    uint32_t met = above >= TV_PLACE_ON_PATH ? above - TV_PLACE_ON_PATH : transforming->focus_count;
    bool is_focus = false;
    while (met < transforming->focus_count && transforming->focus[met] == method) {
        met++;
        is_focus = true;
    }
    if (transforming->fate[method] == FATE_MERGE || met < transforming->focus_count) {
        if (is_focus)
            *place = TV_PLACE_ON_PATH + met;
    } else {
        TV_TRY(box_on_top(transforming, above >= TV_PLACE_ON_PATH ? TV_NONE : above, method, place,
                          err));
        if (*place != TV_PLACE_OUTSIDE)
            merged->boxes[*place].calls += tv_sums_calls(merged->sums, node);
    }
    if (*place >= TV_PLACE_ON_PATH)
        return TV_OK;
    merged->boxes[*place].self += tv_merged_self(merged, node);
    return merged->count == before ? share_box(transforming, *place, err) : TV_OK;
}

/* What stands so many nodes ahead is asked for while others are placed: parents are all over the
 * memory, and each would be waited for. */
#define PLACES_AHEAD 16u
#define BOXES_AHEAD 8u

/* Inline by force: gcc takes a function that only asks ahead for one that does nothing. */
TV_INLINE void look_ahead(const struct tv_transforming *transforming, struct tv_node_range nodes,
                          uint32_t i)
{
    const struct tv_merged *merged = transforming->merged;
    const uint32_t *parents = merged->sums->parent + nodes.first;
    if (i + PLACES_AHEAD >= nodes.end - nodes.first)
        return;
    if (parents[i + PLACES_AHEAD] != TV_NONE)
        TV_PREFETCH(&transforming->place[parents[i + PLACES_AHEAD] - nodes.first]);
    uint32_t parent = parents[i + BOXES_AHEAD] - nodes.first;
    if (parents[i + BOXES_AHEAD] == TV_NONE || parent >= i)
        return;
    uint32_t above = transforming->place[parent];
    if (above >= TV_PLACE_ON_PATH)
        return;
    TV_PREFETCH(&merged->boxes[above].method);
    TV_PREFETCH(&transforming->links[above]);
    if (transforming->recursion_count)
        TV_PREFETCH(&transforming->outermost[above * (size_t)transforming->recursion_count]);
}

static enum tv_code transform_nodes(struct tv_transforming *transforming,
                                    struct tv_node_range nodes, struct tv_error *err)
{
    struct tv_merged *merged = transforming->merged;
    const struct tv_sums *sums = merged->sums;
    uint32_t count = nodes.end - nodes.first;
    if (count > transforming->place_count) {
        tv_alloc_free(merged->flame->alloc, transforming->place, transforming->place_count,
                      sizeof(*transforming->place));
        transforming->place_count = 0;
        TV_TRY(tv_alloc_new(merged->flame->alloc, &transforming->place, count,
                            sizeof(*transforming->place), err));
        transforming->place_count = count;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = nodes.first + i;
        uint32_t parent = sums->parent[node];
        uint32_t above =
            parent == TV_NONE ? TV_PLACE_ON_PATH : transforming->place[parent - nodes.first];
        look_ahead(transforming, nodes, i);
        transforming->place[i] = TV_PLACE_OUTSIDE;
        if (tv_sums_is_touched(sums, node))
            TV_TRY(tv_transforming_place(transforming, node, above, &transforming->place[i], err));
    }
    return TV_OK;
}

static enum tv_code transform_all(struct tv_transforming *transforming, struct tv_error *err)
{
    const struct tv_merged *merged = transforming->merged;
    const struct tv_sums *sums = merged->sums;
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    if (tv_transforming_can_go_by_depth(merged->opts))
        return tv_transforming_go_by_depth(transforming, err);
    for (uint32_t i = 0; i < thread_count; i++)
        TV_TRY(transform_nodes(transforming, tv_sums_nodes(sums, i), err));
    return TV_OK;
}

static uint32_t child_of(const struct tv_transforming *transforming, uint32_t box, uint32_t method)
{
    uint32_t child = transforming->links[box].first_child;
    while (child != TV_NONE && transforming->merged->boxes[child].method != method)
        child = transforming->links[child].next_sibling;
    return child;
}

/*
 * Zooms to a path of the finished boxes: those below and beside it go, and levels count from its
 * end. Boxes keep their order, parents before children.
 */
static void zoom(const struct tv_transforming *transforming)
{
    struct tv_merged *merged = transforming->merged;
    const struct tv_flame_opts *opts = merged->opts;
    uint32_t end = TV_NONE;
    if (!opts->path_len)
        return;
    merged->flame->value_ns = 0;
    for (size_t i = 0; i < opts->path_len; i++) {
        end = i ? child_of(transforming, end, opts->path[i])
                : tv_map_get(&merged->child_of, (uint64_t)TV_NONE << 32 | opts->path[i]);
        if (end == TV_NONE) {
            merged->count = 0;
            return;
        }
    }
    merged->flame->value_ns = merged->boxes[end].value;
    uint32_t bottom = merged->boxes[end].level;
    for (size_t i = 0; i < merged->count; i++) {
        struct tv_flame_box *box = &merged->boxes[i];
        bool is_end = i == end;
        bool is_kept = is_end || (box->parent != TV_NONE && box->parent >= end && i > end &&
                                  merged->boxes[box->parent].x);
        box->x = is_kept; /* free until boxes are packed: marks what stays */
        if (!is_kept) {
            box->value = 0;
            box->parent = end; /* hangs on as an empty box, which is too thin to stay */
            box->level = 1;
            continue;
        }
        box->level -= bottom;
        if (is_end)
            box->parent = TV_NONE;
    }
}

/* From own times to values; the graph is as wide as its bottom. */
static void carry_values(const struct tv_transforming *transforming)
{
    struct tv_merged *merged = transforming->merged;
    merged->flame->value_ns = 0;
    for (size_t i = merged->count; i-- > 0;) {
        struct tv_flame_box *box = &merged->boxes[i];
        if (i >= PLACES_AHEAD && box[-(ptrdiff_t)PLACES_AHEAD].parent != TV_NONE)
            TV_PREFETCH(&merged->boxes[box[-(ptrdiff_t)PLACES_AHEAD].parent].value);
        bool is_known = transforming->is_by_depth &&
                        !tv_transforming_is_in_recursion(transforming, (uint32_t)i);
        box->value = is_known ? box->x : box->value + box->self;
        if (box->parent != TV_NONE)
            merged->boxes[box->parent].value += box->value;
        else
            merged->flame->value_ns += box->value;
    }
}

enum tv_code tv_merge_transformed(struct tv_merged *merged, struct tv_error *err)
{
    const struct tv_sums *sums = merged->sums;
    const struct tv_alloc *alloc = merged->flame->alloc;
    struct tv_transforming transforming = {.merged = merged};
    size_t method_count = sums->index->method_count;
    enum tv_code code = read_ops(&transforming, err);
    if (code == TV_OK)
        code = transform_all(&transforming, err);
    if (code == TV_OK) {
        carry_values(&transforming);
        if (merged->opts->direction == TV_TOP_DOWN)
            zoom(&transforming);
    }
    tv_alloc_free(alloc, transforming.place, transforming.place_count, sizeof(*transforming.place));
    tv_alloc_free(alloc, transforming.links, transforming.links_cap, sizeof(*transforming.links));
    tv_alloc_free(alloc, transforming.outermost, transforming.outermost_cap,
                  sizeof(*transforming.outermost));
    tv_alloc_free(alloc, transforming.recursion, method_count, 1);
    tv_alloc_free(alloc, transforming.package, method_count, 1);
    tv_alloc_free(alloc, transforming.fate, method_count, 1);
    return code;
}
