/*
 * Flame graphs: from merged boxes to boxes with a place; see analysis/flame/flame.h.
 *
 * Nodes are merged into boxes (analysis/flame/flame_merge.h, flame_inverted.c, flame_transform.c).
 * Then boxes too narrow to be seen are left out together with all that stands on them, siblings are
 * sorted, and boxes are laid out on top of each other.
 */
#include "analysis/flame/flame.h"

#include "analysis/flame/flame_merge.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/memory/sort.h"

void tv_flame_init(struct tv_flame *flame, const struct tv_alloc *alloc)
{
    *flame = (struct tv_flame){.alloc = alloc};
}

void tv_flame_release(struct tv_flame *flame)
{
    tv_alloc_release(flame->alloc, &flame->boxes, flame->count, sizeof(*flame->boxes));
    tv_flame_init(flame, flame->alloc);
}

/* Makes a merger without boxes; `flame` is where the result will be. */
static void init_merger(struct tv_flame_merger *merger, struct tv_flame *flame,
                        const struct tv_sums *sums, const struct tv_flame_opts *opts)
{
    *merger = (struct tv_flame_merger){.flame = flame, .sums = sums, .opts = opts};
    tv_map_init(&merger->child_of, flame->alloc);
}

static void release_merger(struct tv_flame_merger *merger)
{
    const struct tv_alloc *alloc = merger->flame->alloc;
    tv_alloc_release(alloc, &merger->boxes, merger->cap, sizeof(*merger->boxes));
    tv_alloc_release(alloc, &merger->node_values, merger->sums->node_count,
                     sizeof(*merger->node_values));
    tv_map_release(&merger->child_of);
}

/* Sums up waits from callees to callers. A negative wait counts as nothing, so a node's value is
 * not its inclusive wait. */
static enum tv_code sum_waits(struct tv_flame_merger *merger, struct tv_error *err)
{
    const struct tv_sums *sums = merger->sums;
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    if (merger->opts->measure != TV_MEASURE_WAIT)
        return TV_OK;
    TV_TRY(tv_alloc_new(merger->flame->alloc, &merger->node_values, sums->node_count,
                        sizeof(*merger->node_values), err));
    for (uint32_t i = 0; i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.end; node-- > nodes.first;) {
            uint32_t parent = sums->parent[node];
            merger->node_values[node] += tv_flame_merger_self(merger, node);
            if (parent != TV_NONE)
                merger->node_values[parent] += merger->node_values[node];
        }
    }
    return TV_OK;
}

/* The order of boxes: by parent, then siblings by value, largest first, then by rank; or in time.
 */
struct sibling_order {
    const struct tv_flame_box *boxes;
    const struct tv_index *index;
    bool is_in_time;
};

static int compare_siblings(const void *ctx, uint32_t a, uint32_t b)
{
    const struct sibling_order *order = ctx;
    const struct tv_flame_box *box_a = &order->boxes[a];
    const struct tv_flame_box *box_b = &order->boxes[b];
    if (box_a->parent != box_b->parent)
        return box_a->parent + 1 < box_b->parent + 1
                   ? -1
                   : 1; /* TV_NONE + 1 is 0: boxes at the bottom come first */
    /* Nodes are numbered by their first call, and boxes as their nodes are met. */
    if (order->is_in_time)
        return (a > b) - (a < b);
    if (box_a->value != box_b->value)
        return box_a->value > box_b->value ? -1 : 1;
    uint32_t rank_a = order->index->methods[box_a->method].rank;
    uint32_t rank_b = order->index->methods[box_b->method].rank;
    return (rank_a > rank_b) - (rank_a < rank_b);
}

/* How many boxes ahead memory is asked for: parents are all over the memory. */
#define BOXES_AHEAD 16u

/* The boxes that are wide enough: ordinals among the merged boxes, parents first. */
struct visible_boxes {
    uint32_t *items;
    size_t count;
    size_t cap;
};

/* Chooses the boxes that are wide enough; a box that is left out takes along all boxes on top of
 * it. x of a box is then 1 + its ordinal among the chosen, or 0 for a box that is left out. */
static enum tv_code choose_visible(struct tv_flame_merger *merger, struct visible_boxes *visible,
                                   struct tv_error *err)
{
    struct tv_flame_box *boxes = merger->boxes;
    for (size_t i = 0; i < merger->count; i++) {
        if (i + BOXES_AHEAD < merger->count && boxes[i + BOXES_AHEAD].parent != TV_NONE)
            TV_PREFETCH(&boxes[boxes[i + BOXES_AHEAD].parent]);
        bool is_parent_left_out = boxes[i].parent != TV_NONE && !boxes[boxes[i].parent].x;
        bool is_too_narrow = tv_flame_merger_is_too_narrow(merger, boxes[i].value);
        boxes[i].x = 0;
        if (is_too_narrow || is_parent_left_out) {
            merger->flame->dropped += !is_parent_left_out && boxes[i].value;
            continue;
        }
        TV_TRY(tv_alloc_grow(merger->flame->alloc, &visible->items, &visible->cap,
                             visible->count + 1, sizeof(*visible->items), err));
        visible->items[visible->count++] = (uint32_t)i;
        boxes[i].x = visible->count;
    }
    return TV_OK;
}

/* Lays out the boxes: those at the bottom from the left, then on top of each box in turn its
 * children, which the sort made neighbours. `first` has room for two numbers per chosen box: where
 * its children begin, and which merged box it was. */
static void lay_out_boxes(struct tv_flame_merger *merger, const struct visible_boxes *visible,
                          uint32_t *first)
{
    struct tv_flame *flame = merger->flame;
    const struct tv_flame_box *boxes = merger->boxes;
    const uint32_t *items = visible->items;
    size_t count = visible->count;
    /* Of each box that is laid out: its ordinal among the merged boxes. */
    uint32_t *source = first + count;
    size_t placed = 0;
    uint64_t x = 0;
    for (size_t i = count; i-- > 0;) {
        if (boxes[items[i]].parent != TV_NONE) /* 1 + where its children begin; 0: it has none */
            first[boxes[boxes[items[i]].parent].x - 1] = (uint32_t)i + 1;
    }
    for (; placed < count && boxes[items[placed]].parent == TV_NONE; placed++) {
        source[placed] = items[placed];
        flame->boxes[placed] = boxes[items[placed]];
        flame->boxes[placed].x = x;
        x += boxes[items[placed]].value;
    }
    for (size_t i = 0; i < placed; i++) {
        x = flame->boxes[i].x;
        if (flame->boxes[i].level >= flame->level_count)
            flame->level_count = flame->boxes[i].level + 1;
        size_t k = first[boxes[source[i]].x - 1];
        for (; k && k <= count && boxes[items[k - 1]].parent == source[i]; k++) {
            source[placed] = items[k - 1];
            flame->boxes[placed] = boxes[items[k - 1]];
            flame->boxes[placed].x = x;
            flame->boxes[placed].parent = (uint32_t)i;
            x += boxes[items[k - 1]].value;
            placed++;
        }
    }
}

/* From merged boxes to the boxes of the result. */
static enum tv_code pack(struct tv_flame_merger *merger, struct tv_error *err)
{
    struct tv_flame *flame = merger->flame;
    const struct tv_alloc *alloc = flame->alloc;
    struct sibling_order order = {merger->boxes, merger->sums->index, merger->opts->is_in_time};
    struct visible_boxes visible = {.items = NULL};
    uint32_t *first = NULL;
    enum tv_code code = choose_visible(merger, &visible, err);
    size_t count = visible.count;
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &first, 2 * count, sizeof(*first), err);
    if (code == TV_OK)
        code = tv_sort(alloc, visible.items, count, compare_siblings, &order, err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &flame->boxes, count, sizeof(*flame->boxes), err);
    if (code == TV_OK && count) {
        flame->count = count;
        lay_out_boxes(merger, &visible, first);
    }
    tv_alloc_release(alloc, &first, 2 * count, sizeof(*first));
    tv_alloc_release(alloc, &visible.items, visible.cap, sizeof(*visible.items));
    return code;
}

/* An inverted graph with transforms takes two steps: stacks through the transforms, then turned
 * upside down. */
static enum tv_code merge(struct tv_flame_merger *merger, struct tv_flame_merger *stacks,
                          struct tv_error *err)
{
    const struct tv_flame_opts *opts = merger->opts;
    bool has_transforms = opts->op_count || opts->hidden;
    if (opts->direction == TV_INVERTED) {
        if (!has_transforms)
            return tv_flame_merge_inverted(merger, NULL, err);
        TV_TRY(tv_flame_merge_transformed(stacks, err));
        merger->flame->value_ns = 0;
        return tv_flame_merge_inverted(merger, stacks, err);
    }
    if (has_transforms)
        return tv_flame_merge_transformed(merger, err);
    TV_TRY(sum_waits(merger, err));
    return tv_flame_merge_plain(merger, err);
}

/* The second merger is for inverted graphs with transforms: it holds the transformed stacks before
 * they are turned upside down. */
enum tv_code tv_flame_compute(struct tv_flame *flame, const struct tv_sums *sums,
                              const struct tv_flame_opts *opts, struct tv_error *err)
{
    struct tv_flame_merger merger;
    struct tv_flame_merger stacks;
    tv_flame_release(flame);
    flame->is_complete = true;
    int64_t total = tv_measure_of(sums->total_ns, opts->measure);
    flame->total_ns = total > 0 ? (uint64_t)total : 0;
    init_merger(&merger, flame, sums, opts);
    init_merger(&stacks, flame, sums, opts);
    enum tv_code code = merge(&merger, &stacks, err);
    if (code == TV_OK)
        code = pack(&merger, err);
    release_merger(&stacks);
    release_merger(&merger);
    if (code != TV_OK)
        tv_flame_release(flame);
    return code;
}
