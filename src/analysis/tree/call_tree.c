/*
 * Call trees; see analysis/tree/call_tree.h.
 *
 * Top-down, each node of a thread has a *target*: the merged node that its numbers are added to, or
 * a position on the path above the tree, or nothing. A node's target follows from its parent's, and
 * a parent stands before its children, so one pass finds all targets. Then siblings are sorted and
 * cut to those that are shown.
 */
#include "analysis/tree/call_tree.h"

#include "analysis/tree/call_tree_merge.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/memory/sort.h"

/* Targets that are no merged nodes: the node and all below it are outside of the tree; or ON_PATH +
 * how many methods of the path are matched. */
#define NO_TARGET UINT32_MAX
#define ON_PATH TV_CALL_TREE_NODE_LIMIT

/* A tree while it is made. */
struct tree_builder {
    struct tv_call_tree_merger merger;
    struct tv_profile_sort sort;
    double cut_value; /* nodes of less time (tv_call_tree_size) are left out, ns on the measure */
    uint8_t *is_left_out; /* per merged node; siblings that are left out come last in any order */
    uint32_t *targets;    /* per node of one thread: its target, when merging top-down */
    uint32_t target_count;
};

void tv_call_tree_init(struct tv_call_tree *tree, const struct tv_alloc *alloc)
{
    *tree = (struct tv_call_tree){.alloc = alloc};
}

void tv_call_tree_release(struct tv_call_tree *tree)
{
    tv_alloc_release(tree->alloc, &tree->nodes, tree->cap, sizeof(*tree->nodes));
    tv_call_tree_init(tree, tree->alloc);
}

/* Adds the exclusive time of a hidden node to its visible caller, whose inclusive time has
 * it already. */
static void add_exclusive(struct tv_call_tree_node *to, const struct tv_numbers *numbers)
{
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        to->numbers.exclusive_ns[clock] += numbers->exclusive_ns[clock];
}

/* Finds the target of a node from that of its parent, and adds the node's numbers there. A hidden
 * node keeps its parent's target. */
static enum tv_code merge_node(struct tv_call_tree_merger *merger, uint32_t node, uint32_t above,
                               uint32_t *target, struct tv_error *err)
{
    struct tv_call_tree *tree = merger->tree;
    uint32_t method = merger->sums->method[node];
    *target = NO_TARGET;
    if (above == NO_TARGET || !tv_sums_is_touched(merger->sums, node))
        return TV_OK;
    struct tv_numbers numbers = tv_sums_numbers(merger->sums, node);
    if (tv_call_tree_hides(merger->opts, method)) {
        *target = above;
        if (above < ON_PATH)
            add_exclusive(&tree->nodes[above], &numbers);
        return TV_OK;
    }
    /* Stacks are cut at opts->root; this node is still above it. */
    if (above == ON_PATH && merger->opts->root && method != *merger->opts->root) {
        *target = above;
        return TV_OK;
    }
    /* Still on the path: only the node of its next method leads on. */
    if (above >= ON_PATH && above - ON_PATH < merger->opts->path_len) {
        if (merger->opts->path[above - ON_PATH] == method)
            *target = above + 1;
        return TV_OK;
    }
    uint32_t parent = above >= ON_PATH ? TV_NONE : above;
    if (parent != TV_NONE) {
        tree->nodes[parent].has_children = true;
        if (tree->nodes[parent].level + 1 >= merger->levels)
            return TV_OK;
    }
    TV_TRY(tv_call_tree_find_child(merger, parent, method, target, err));
    tv_numbers_add(&tree->nodes[*target].numbers, &numbers);
    if (tv_call_tree_drops(merger->opts, method))
        *target = NO_TARGET;
    return TV_OK;
}

/* Merges the nodes of one thread. */
static enum tv_code merge_top_down(struct tv_call_tree_merger *merger, struct tv_node_range nodes,
                                   uint32_t *targets, struct tv_error *err)
{
    for (uint32_t node = nodes.first; node < nodes.end; node++) {
        uint32_t parent = merger->sums->parent[node];
        if (node % TV_WANTED_STEPS == 0)
            TV_TRY(tv_check_wanted(merger->sums->is_unwanted, err));
        uint32_t above = parent == TV_NONE ? ON_PATH : targets[parent - nodes.first];
        TV_TRY(merge_node(merger, node, above, &targets[node - nodes.first], err));
    }
    return TV_OK;
}

/* Merges the nodes of all selected threads; targets have room for the largest. */
static enum tv_code merge_threads(struct tree_builder *builder, struct tv_error *err)
{
    struct tv_call_tree_merger *merger = &builder->merger;
    const struct tv_sums *sums = merger->sums;
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    if (merger->opts->direction == TV_INVERTED)
        return tv_call_tree_merge_inverted(merger, err);
    for (uint32_t i = 0; i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        uint32_t count = nodes.end - nodes.first;
        if (count > builder->target_count) {
            tv_alloc_release(merger->tree->alloc, &builder->targets, builder->target_count,
                             sizeof(*builder->targets));
            builder->target_count = 0;
            TV_TRY(tv_alloc_new(merger->tree->alloc, &builder->targets, count,
                                sizeof(*builder->targets), err));
            builder->target_count = count;
        }
        TV_TRY(merge_top_down(merger, nodes, builder->targets, err));
    }
    return TV_OK;
}

/* Orders nodes by what the limit of all nodes takes first: those that are not left out already, and
 * of these the largest. A parent is as large as its children and was met before them, so no node
 * comes before its parent. (Wait is no such measure: a node may then come first, and is not shown.)
 */
static int compare_sizes(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tree_builder *builder = ctx;
    int by_left_out = builder->is_left_out[a] - builder->is_left_out[b];
    if (by_left_out)
        return by_left_out;
    int64_t size_a = tv_call_tree_size(&builder->merger, a);
    int64_t size_b = tv_call_tree_size(&builder->merger, b);
    if (size_a != size_b)
        return size_a > size_b ? -1 : 1;
    return (a > b) - (a < b);
}

/* Leaves out all nodes but the largest ones. `items` has room for all nodes. */
static enum tv_code leave_out_small(struct tree_builder *builder, uint32_t *items,
                                    struct tv_error *err)
{
    struct tv_call_tree *tree = builder->merger.tree;
    size_t limit = builder->merger.opts->row_limit;
    if (!limit || tree->count <= limit)
        return TV_OK;
    for (size_t i = 0; i < tree->count; i++)
        items[i] = (uint32_t)i;
    TV_TRY(tv_sort(tree->alloc, items, tree->count, compare_sizes, builder, err));
    tree->is_limited = tree->is_limited || !builder->is_left_out[items[limit]];
    for (size_t i = limit; i < tree->count; i++)
        builder->is_left_out[items[i]] = 1;
    return TV_OK;
}

/* Marks the nodes that are not shown, whatever their siblings are. */
static enum tv_code mark_left_out(struct tree_builder *builder, uint32_t *items,
                                  struct tv_error *err)
{
    const struct tv_call_tree *tree = builder->merger.tree;
    const struct tv_call_tree_opts *opts = builder->merger.opts;
    for (uint32_t i = 0; i < tree->count; i++) {
        bool is_small =
            opts->cut > 0 && (double)tv_call_tree_size(&builder->merger, i) < builder->cut_value;
        builder->is_left_out[i] = is_small || tv_call_tree_drops(opts, tree->nodes[i].method);
    }
    return leave_out_small(builder, items, err);
}

/* What a node is sorted by, where it is a number. */
static struct tv_sort_item sort_item(const struct tree_builder *builder,
                                     const struct tv_call_tree_node *node)
{
    const struct tv_profile_sort *sort = &builder->sort;
    double value = sort->key == TV_SORT_METHOD_INCLUSIVE
                       ? (double)tv_measure_of(node->method_inclusive_ns, sort->measure)
                       : tv_numbers_value(&node->numbers, sort);
    return (struct tv_sort_item){node->method, value};
}

/* Orders nodes by parent, then siblings as asked; siblings that are left out come last. */
static int compare_siblings(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tree_builder *builder = ctx;
    const struct tv_call_tree_node *nodes = builder->merger.tree->nodes;
    /* TV_NONE + 1 is 0: the nodes below the path come first. */
    uint32_t parent_a = builder->merger.parents[a] + 1;
    uint32_t parent_b = builder->merger.parents[b] + 1;
    if (parent_a != parent_b)
        return parent_a < parent_b ? -1 : 1;
    int by_left_out = builder->is_left_out[a] - builder->is_left_out[b];
    if (by_left_out)
        return by_left_out;
    return tv_sort_compare(builder->merger.sums->index, &builder->sort,
                           sort_item(builder, &nodes[a]), sort_item(builder, &nodes[b]));
}

/* How many of the sorted siblings are shown; items[first] to items[end - 1] are their ordinals. */
static uint32_t count_shown(const struct tree_builder *builder, const uint32_t *items, size_t first,
                            size_t end)
{
    const struct tv_call_tree_opts *opts = builder->merger.opts;
    size_t shown = end - first;
    if (opts->node_limit && shown > opts->node_limit)
        shown = opts->node_limit;
    while (shown && builder->is_left_out[items[first + shown - 1]])
        shown--;
    return (uint32_t)shown;
}

/* How many of the sorted siblings, which are not shown, are dropped. */
static uint32_t count_dropped(const struct tree_builder *builder, const uint32_t *items,
                              size_t first, size_t end)
{
    const struct tv_call_tree_opts *opts = builder->merger.opts;
    uint32_t count = 0;
    for (size_t i = first; i < end; i++)
        count += tv_call_tree_drops(opts, builder->merger.tree->nodes[items[i]].method);
    return count;
}

/* Puts the nodes in sorted order, and tells each parent where its children are; position[i] is
 * where merged node i went. */
static void link_siblings(struct tree_builder *builder, const uint32_t *items, uint32_t *position,
                          struct tv_call_tree_node *sorted)
{
    struct tv_call_tree *tree = builder->merger.tree;
    for (size_t i = 0; i < tree->count; i++) {
        sorted[i] = tree->nodes[items[i]];
        position[items[i]] = (uint32_t)i;
    }
    for (size_t first = 0; first < tree->count;) {
        uint32_t parent = builder->merger.parents[items[first]];
        size_t end = first + 1;
        while (end < tree->count && builder->merger.parents[items[end]] == parent)
            end++;
        uint32_t shown = count_shown(builder, items, first, end);
        uint32_t more = (uint32_t)(end - first) - shown;
        uint32_t dropped = count_dropped(builder, items, first + shown, end);
        for (size_t i = first; i < end; i++)
            sorted[i].parent = parent == TV_NONE ? TV_NONE : position[parent];
        if (parent == TV_NONE) {
            tree->root_first = (uint32_t)first;
            tree->root_count = shown;
            tree->more = more;
            tree->dropped = dropped;
        } else {
            struct tv_call_tree_node *of = &sorted[position[parent]];
            of->first_child = (uint32_t)first;
            of->child_count = shown;
            of->more = more;
            of->dropped = dropped;
        }
        first = end;
    }
}

/* Sorts ordinals of nodes, then moves the nodes once. */
static enum tv_code sort_tree(struct tree_builder *builder, struct tv_error *err)
{
    struct tv_call_tree *tree = builder->merger.tree;
    if (!tree->count)
        return TV_OK;
    const struct tv_alloc *alloc = tree->alloc;
    struct tv_call_tree_node *sorted = NULL;
    uint32_t *items = NULL; /* ordinals of merged nodes, sorted; then the position of each */
    enum tv_code code = tv_alloc_new(alloc, &items, 2 * tree->count, sizeof(*items), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &sorted, tree->count, sizeof(*sorted), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &builder->is_left_out, tree->count, 1, err);
    if (code == TV_OK)
        code = mark_left_out(builder, items, err);
    for (size_t i = 0; code == TV_OK && i < tree->count; i++)
        items[i] = (uint32_t)i;
    if (code == TV_OK)
        code = tv_sort(alloc, items, tree->count, compare_siblings, builder, err);
    if (code == TV_OK) {
        link_siblings(builder, items, items + tree->count, sorted);
        tv_alloc_release(alloc, &tree->nodes, tree->cap, sizeof(*tree->nodes));
        tree->nodes = sorted;
        tree->cap = tree->count;
    } else {
        tv_alloc_release(alloc, &sorted, tree->count, sizeof(*sorted));
    }
    tv_alloc_release(alloc, &builder->is_left_out, tree->count, 1);
    tv_alloc_release(alloc, &items, 2 * tree->count, sizeof(*items));
    return code;
}

/* Nodes below `cut_value`, a share of the selection's total, are cut off. */
enum tv_code tv_call_tree_compute(struct tv_call_tree *tree, const struct tv_sums *sums,
                                  const struct tv_call_tree_opts *opts, struct tv_error *err)
{
    tv_call_tree_release(tree);
    const struct tv_profile_sort by_inclusive = {.key = TV_SORT_INCLUSIVE,
                                                 .measure = opts->measure};
    struct tree_builder builder = {.sort = opts->sort ? *opts->sort : by_inclusive};
    builder.cut_value = opts->cut * (double)tv_measure_of(sums->total_ns, opts->measure);
    tv_call_tree_merger_init(&builder.merger, tree, sums, opts);
    enum tv_code code = merge_threads(&builder, err);
    tree->levels = builder.merger.levels;
    if (code == TV_OK)
        code = sort_tree(&builder, err);
    tv_alloc_release(tree->alloc, &builder.targets, builder.target_count, sizeof(*builder.targets));
    tv_call_tree_merger_release(&builder.merger);
    if (code != TV_OK)
        tv_call_tree_release(tree);
    return code;
}
