/* Flame graphs: merging (analysis/flame/flame_merge.h), then leaving out what is too thin, sorting
 * and placing. */
#include "analysis/flame/flame.h"

#include "analysis/flame/flame_merge.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"

void tv_flame_init(struct tv_flame *flame, const struct tv_alloc *alloc)
{
    *flame = (struct tv_flame){.alloc = alloc};
}

void tv_flame_release(struct tv_flame *flame)
{
    tv_alloc_free(flame->alloc, flame->boxes, flame->count, sizeof(*flame->boxes));
    tv_flame_init(flame, flame->alloc);
}

static void init_merged(struct tv_merged *merged, struct tv_flame *flame,
                        const struct tv_sums *sums, const struct tv_flame_opts *opts)
{
    *merged = (struct tv_merged){.flame = flame, .sums = sums, .opts = opts};
    tv_map_init(&merged->child_of, flame->alloc);
}

static void release_merged(struct tv_merged *merged)
{
    const struct tv_alloc *alloc = merged->flame->alloc;
    tv_alloc_free(alloc, merged->boxes, merged->cap, sizeof(*merged->boxes));
    tv_alloc_free(alloc, merged->node_values, merged->sums->node_count,
                  sizeof(*merged->node_values));
    tv_map_release(&merged->child_of);
}

/* Wait below 0 counts as nothing, so a node's value is not its inclusive wait. */
static enum tv_code sum_waits(struct tv_merged *merged, struct tv_error *err)
{
    const struct tv_sums *sums = merged->sums;
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    if (merged->opts->measure != TV_MEASURE_WAIT)
        return TV_OK;
    TV_TRY(tv_alloc_new(merged->flame->alloc, &merged->node_values, sums->node_count,
                        sizeof(*merged->node_values), err));
    for (uint32_t i = 0; i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.end; node-- > nodes.first;) {
            uint32_t parent = sums->parent[node];
            merged->node_values[node] += tv_merged_self(merged, node);
            if (parent != TV_NONE)
                merged->node_values[parent] += merged->node_values[node];
        }
    }
    return TV_OK;
}

/* Boxes in the order of siblings: by parent, value, rank. */
struct sibling_order {
    const struct tv_flame_box *boxes;
    const struct tv_index *index;
};

static int compare_siblings(const void *ctx, uint32_t a, uint32_t b)
{
    const struct sibling_order *order = ctx;
    const struct tv_flame_box *box_a = &order->boxes[a];
    const struct tv_flame_box *box_b = &order->boxes[b];
    if (box_a->parent != box_b->parent)
        return box_a->parent + 1 < box_b->parent + 1 ? -1 : 1; /* those at the bottom first */
    if (box_a->value != box_b->value)
        return box_a->value > box_b->value ? -1 : 1;
    uint32_t rank_a = order->index->methods[box_a->method].rank;
    uint32_t rank_b = order->index->methods[box_b->method].rank;
    return (rank_a > rank_b) - (rank_a < rank_b);
}

/* Parents so many boxes ahead are asked for while others are looked at. */
#define BOXES_AHEAD 16u

/* What is seen: ordinals among the merged boxes, parents first. */
struct chosen {
    uint32_t *items;
    size_t count;
    size_t cap;
};

/* Chooses the boxes that are seen; a thin one takes those on top of it along. Until boxes are
 * placed, x says which of the chosen one is, from 1, or 0. */
static enum tv_code choose_boxes(struct tv_merged *merged, struct chosen *chosen,
                                 struct tv_error *err)
{
    struct tv_flame_box *boxes = merged->boxes;
    for (size_t i = 0; i < merged->count; i++) {
        if (i + BOXES_AHEAD < merged->count && boxes[i + BOXES_AHEAD].parent != TV_NONE)
            TV_PREFETCH(&boxes[boxes[i + BOXES_AHEAD].parent]);
        bool is_on_thin = boxes[i].parent != TV_NONE && !boxes[boxes[i].parent].x;
        bool is_thin = tv_merged_is_thin(merged, boxes[i].value);
        boxes[i].x = 0;
        if (is_thin || is_on_thin) {
            merged->flame->dropped += !is_on_thin && boxes[i].value;
            continue;
        }
        TV_TRY(tv_alloc_grow(merged->flame->alloc, &chosen->items, &chosen->cap, chosen->count + 1,
                             sizeof(*chosen->items), err));
        chosen->items[chosen->count++] = (uint32_t)i;
        boxes[i].x = chosen->count;
    }
    return TV_OK;
}

/* Places the children of each box in turn on top of it. first: room for two numbers of each chosen
 * box. */
static void place_boxes(struct tv_merged *merged, const struct chosen *chosen, uint32_t *first)
{
    struct tv_flame *flame = merged->flame;
    const struct tv_flame_box *boxes = merged->boxes;
    const uint32_t *items = chosen->items;
    size_t count = chosen->count;
    uint32_t *source = first + count; /* of each placed box: its ordinal among the merged */
    size_t placed = 0;
    uint64_t x = 0;
    for (size_t i = count; i-- > 0;) {
        if (boxes[items[i]].parent != TV_NONE) /* where its children begin, from 1 */
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

static enum tv_code pack(struct tv_merged *merged, struct tv_error *err)
{
    struct tv_flame *flame = merged->flame;
    const struct tv_alloc *alloc = flame->alloc;
    struct sibling_order order = {merged->boxes, merged->sums->index};
    struct chosen chosen = {.items = NULL};
    uint32_t *first = NULL;
    enum tv_code code = choose_boxes(merged, &chosen, err);
    size_t count = chosen.count;
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &first, 2 * count, sizeof(*first), err);
    if (code == TV_OK)
        code = tv_sort(alloc, chosen.items, count, compare_siblings, &order, err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &flame->boxes, count, sizeof(*flame->boxes), err);
    if (code == TV_OK && count) {
        flame->count = count;
        place_boxes(merged, &chosen, first);
    }
    tv_alloc_free(alloc, first, 2 * count, sizeof(*first));
    tv_alloc_free(alloc, chosen.items, chosen.cap, sizeof(*chosen.items));
    return code;
}

static enum tv_code merge(struct tv_merged *merged, struct tv_merged *stacks, struct tv_error *err)
{
    const struct tv_flame_opts *opts = merged->opts;
    bool has_transforms = opts->op_count || opts->hidden;
    if (opts->direction == TV_INVERTED) {
        if (!has_transforms)
            return tv_merge_inverted(merged, NULL, err);
        TV_TRY(tv_merge_transformed(stacks, err));
        merged->flame->value_ns = 0;
        return tv_merge_inverted(merged, stacks, err);
    }
    if (has_transforms)
        return tv_merge_transformed(merged, err);
    TV_TRY(sum_waits(merged, err));
    return tv_merge_plain(merged, err);
}

enum tv_code tv_flame_compute(struct tv_flame *flame, const struct tv_sums *sums,
                              const struct tv_flame_opts *opts, struct tv_error *err)
{
    struct tv_merged merged;
    struct tv_merged stacks;
    tv_flame_release(flame);
    flame->is_complete = true;
    int64_t total = tv_measure_of(sums->total_ns, opts->measure);
    flame->total_ns = total > 0 ? (uint64_t)total : 0;
    init_merged(&merged, flame, sums, opts);
    init_merged(&stacks, flame, sums, opts);
    enum tv_code code = merge(&merged, &stacks, err);
    if (code == TV_OK)
        code = pack(&merged, err);
    release_merged(&stacks);
    release_merged(&merged);
    if (code != TV_OK)
        tv_flame_release(flame);
    return code;
}
