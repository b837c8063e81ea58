/*
 * Merged trees; see analysis/tree.h.
 *
 * Each node of a thread gets a place: an ordinal in the merged tree, a position on the path above
 * it, or none. A parent stands before its children, so one pass finds all places; the merged child
 * of a place is found by a hash.
 */
#include "analysis/tree.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/map.h"
#include "base/sort.h"

/* Places that are no ordinals: outside the tree, and ON_PATH + how many methods of the path are
 * matched. */
#define OUTSIDE UINT32_MAX
#define ON_PATH 0x80000000u

struct merging {
    struct tv_tree *tree;
    const struct tv_sums *sums;
    const struct tv_tree_opts *opts;
    struct tv_profile_sort sort;
    double least; /* inclusive time of a node that the cut leaves */
    uint32_t levels;
    struct tv_map child_of; /* place << 32 | method -> ordinal; the path's end is TV_NONE */
    uint32_t *parents;      /* of merged nodes; TV_NONE for the children of the path */
    size_t parent_cap;
    uint32_t *scratch; /* per node of one thread: its place, or its nearest visible caller */
    uint32_t scratch_count;
};

void tv_tree_init(struct tv_tree *tree, const struct tv_alloc *alloc)
{
    *tree = (struct tv_tree){.alloc = alloc};
}

void tv_tree_release(struct tv_tree *tree)
{
    tv_alloc_free(tree->alloc, tree->nodes, tree->cap, sizeof(*tree->nodes));
    tv_tree_init(tree, tree->alloc);
}

/* The merged node of `method` below `parent` (TV_NONE: below the path), made if need be. */
static enum tv_code find_child(struct merging *merging, uint32_t parent, uint32_t method,
                               uint32_t *child, struct tv_error *err)
{
    struct tv_tree *tree = merging->tree;
    uint32_t *at;
    if (tree->count >= ON_PATH)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more than %u nodes", ON_PATH);
    TV_TRY(tv_alloc_grow(tree->alloc, &tree->nodes, &tree->cap, tree->count + 1,
                         sizeof(*tree->nodes), err));
    TV_TRY(tv_alloc_grow(tree->alloc, &merging->parents, &merging->parent_cap, tree->count + 1,
                         sizeof(*merging->parents), err));
    TV_TRY(tv_map_slot(&merging->child_of, (uint64_t)parent << 32 | method, (uint32_t)tree->count,
                       &at, err));
    *child = *at;
    if (*at != tree->count)
        return TV_OK;
    merging->parents[tree->count] = parent;
    tree->nodes[tree->count++] = (struct tv_tree_node){
        .method = method,
        .level = parent == TV_NONE ? 0 : tree->nodes[parent].level + 1,
    };
    return TV_OK;
}

static bool is_hidden(const struct merging *merging, uint32_t method)
{
    return merging->opts->hidden && merging->opts->hidden[method];
}

static void add_exclusive(struct tv_tree_node *to, const struct tv_numbers *numbers)
{
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        to->numbers.exclusive_ns[clock] += numbers->exclusive_ns[clock];
}

/* Top-down: finds the place of a node from that of its parent, and adds its numbers there. */
static enum tv_code place_node(struct merging *merging, uint32_t node, uint32_t above,
                               uint32_t *place, struct tv_error *err)
{
    struct tv_tree *tree = merging->tree;
    uint32_t method = merging->sums->method[node];
    *place = OUTSIDE;
    if (above == OUTSIDE || !tv_sums_is_touched(merging->sums, node))
        return TV_OK;
    struct tv_numbers numbers = tv_sums_numbers(merging->sums, node);
    if (is_hidden(merging, method)) {
        *place = above;
        if (above < ON_PATH)
            add_exclusive(&tree->nodes[above], &numbers);
        return TV_OK;
    }
    if (above >= ON_PATH && above - ON_PATH < merging->opts->path_len) {
        if (merging->opts->path[above - ON_PATH] == method)
            *place = above + 1;
        return TV_OK;
    }
    uint32_t parent = above >= ON_PATH ? TV_NONE : above;
    if (parent != TV_NONE) {
        tree->nodes[parent].has_children = true;
        if (tree->nodes[parent].level + 1 >= merging->levels)
            return TV_OK;
    }
    TV_TRY(find_child(merging, parent, method, place, err));
    tv_numbers_add(&tree->nodes[*place].numbers, &numbers);
    return TV_OK;
}

static enum tv_code merge_top_down(struct merging *merging, struct tv_node_range nodes,
                                   struct tv_error *err)
{
    for (uint32_t node = nodes.first; node < nodes.end; node++) {
        uint32_t parent = merging->sums->parent[node];
        uint32_t above = parent == TV_NONE ? ON_PATH : merging->scratch[parent - nodes.first];
        TV_TRY(place_node(merging, node, above, &merging->scratch[node - nodes.first], err));
    }
    return TV_OK;
}

/* The nearest caller of each node that is not hidden, or TV_NONE. */
static void find_visible_callers(struct merging *merging, struct tv_node_range nodes)
{
    const struct tv_sums *sums = merging->sums;
    for (uint32_t node = nodes.first; node < nodes.end; node++) {
        uint32_t parent = sums->parent[node];
        bool is_skipped = parent != TV_NONE && is_hidden(merging, sums->method[parent]);
        merging->scratch[node - nodes.first] =
            is_skipped ? merging->scratch[parent - nodes.first] : parent;
    }
}

/* Adds what a call of `node` spent itself to `at`, and says that its stack goes on to `caller`. */
static void add_inverted(struct tv_tree_node *at, const struct tv_numbers *numbers, uint32_t caller)
{
    at->numbers.calls += numbers->calls;
    at->has_children = at->has_children || caller != TV_NONE;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        at->numbers.inclusive_ns[clock] += numbers->exclusive_ns[clock];
        if (caller == TV_NONE)
            at->numbers.exclusive_ns[clock] += numbers->exclusive_ns[clock];
    }
}

static enum tv_code climb_from(struct merging *merging, struct tv_node_range nodes, uint32_t node,
                               struct tv_error *err)
{
    const uint32_t *methods = merging->sums->method;
    const struct tv_tree_opts *opts = merging->opts;
    struct tv_numbers numbers = tv_sums_numbers(merging->sums, node);
    uint32_t at = node;
    if (is_hidden(merging, methods[node])) {
        at = merging->scratch[node - nodes.first];
        numbers.calls = 0;
    }
    for (size_t i = 0; i < opts->path_len; i++) {
        if (at == TV_NONE || methods[at] != opts->path[i])
            return TV_OK;
        at = merging->scratch[at - nodes.first];
    }
    uint32_t place = TV_NONE;
    for (uint32_t level = 0; level < merging->levels && at != TV_NONE; level++) {
        uint32_t caller = merging->scratch[at - nodes.first];
        TV_TRY(find_child(merging, place, methods[at], &place, err));
        add_inverted(&merging->tree->nodes[place], &numbers, caller);
        at = caller;
    }
    return TV_OK;
}

static enum tv_code merge_inverted(struct merging *merging, struct tv_node_range nodes,
                                   struct tv_error *err)
{
    find_visible_callers(merging, nodes);
    for (uint32_t node = nodes.first; node < nodes.end; node++) {
        if (tv_sums_is_touched(merging->sums, node))
            TV_TRY(climb_from(merging, nodes, node, err));
    }
    return TV_OK;
}

static enum tv_code merge_threads(struct merging *merging, struct tv_error *err)
{
    const struct tv_sums *sums = merging->sums;
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    for (uint32_t i = 0; i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        uint32_t count = nodes.end - nodes.first;
        if (count > merging->scratch_count) {
            tv_alloc_free(merging->tree->alloc, merging->scratch, merging->scratch_count,
                          sizeof(*merging->scratch));
            merging->scratch_count = 0;
            TV_TRY(tv_alloc_new(merging->tree->alloc, &merging->scratch, count,
                                sizeof(*merging->scratch), err));
            merging->scratch_count = count;
        }
        TV_TRY(merging->opts->direction == TV_INVERTED ? merge_inverted(merging, nodes, err)
                                                       : merge_top_down(merging, nodes, err));
    }
    return TV_OK;
}

static bool is_below_cut(const struct merging *merging, const struct tv_tree_node *node)
{
    return merging->opts->cut > 0 && (double)tv_measure_of(node->numbers.inclusive_ns,
                                                           merging->opts->measure) < merging->least;
}

/* Those below the cut come last, whatever the order. */
static int compare_siblings(const void *ctx, uint32_t a, uint32_t b)
{
    const struct merging *merging = ctx;
    const struct tv_tree_node *nodes = merging->tree->nodes;
    /* The children of the path first: TV_NONE + 1 is 0. */
    uint32_t parent_a = merging->parents[a] + 1;
    uint32_t parent_b = merging->parents[b] + 1;
    if (parent_a != parent_b)
        return parent_a < parent_b ? -1 : 1;
    int by_cut = is_below_cut(merging, &nodes[a]) - is_below_cut(merging, &nodes[b]);
    if (by_cut)
        return by_cut;
    struct tv_sort_item item_a = {nodes[a].method,
                                  tv_numbers_value(&nodes[a].numbers, &merging->sort)};
    struct tv_sort_item item_b = {nodes[b].method,
                                  tv_numbers_value(&nodes[b].numbers, &merging->sort)};
    return tv_sort_compare(merging->sums->index, &merging->sort, item_a, item_b);
}

/* How many of the siblings [first, end), in order, are shown. */
static uint32_t count_shown(const struct merging *merging, const struct tv_tree_node *sorted,
                            size_t first, size_t end)
{
    const struct tv_tree_opts *opts = merging->opts;
    size_t shown = end - first;
    if (opts->node_limit && shown > opts->node_limit)
        shown = opts->node_limit;
    while (shown && is_below_cut(merging, &sorted[first + shown - 1]))
        shown--;
    return (uint32_t)shown;
}

/* Puts siblings next to each other, in order; position[i] is where merged node i went. */
static void link_siblings(struct merging *merging, const uint32_t *items, uint32_t *position,
                          struct tv_tree_node *sorted)
{
    struct tv_tree *tree = merging->tree;
    for (size_t i = 0; i < tree->count; i++) {
        sorted[i] = tree->nodes[items[i]];
        position[items[i]] = (uint32_t)i;
    }
    for (size_t first = 0; first < tree->count;) {
        uint32_t parent = merging->parents[items[first]];
        size_t end = first + 1;
        while (end < tree->count && merging->parents[items[end]] == parent)
            end++;
        uint32_t shown = count_shown(merging, sorted, first, end);
        uint32_t more = (uint32_t)(end - first) - shown;
        if (parent == TV_NONE) {
            tree->root_first = (uint32_t)first;
            tree->root_count = shown;
            tree->more = more;
        } else {
            struct tv_tree_node *of = &sorted[position[parent]];
            of->first_child = (uint32_t)first;
            of->child_count = shown;
            of->more = more;
        }
        first = end;
    }
}

static enum tv_code sort_tree(struct merging *merging, struct tv_error *err)
{
    struct tv_tree *tree = merging->tree;
    if (!tree->count)
        return TV_OK;
    const struct tv_alloc *alloc = tree->alloc;
    struct tv_tree_node *sorted = NULL;
    uint32_t *items = NULL; /* and positions behind them */
    enum tv_code code = tv_alloc_new(alloc, &items, 2 * tree->count, sizeof(*items), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &sorted, tree->count, sizeof(*sorted), err);
    for (size_t i = 0; code == TV_OK && i < tree->count; i++)
        items[i] = (uint32_t)i;
    if (code == TV_OK)
        code = tv_sort(alloc, items, tree->count, compare_siblings, merging, err);
    if (code == TV_OK) {
        link_siblings(merging, items, items + tree->count, sorted);
        tv_alloc_free(alloc, tree->nodes, tree->cap, sizeof(*tree->nodes));
        tree->nodes = sorted;
        tree->cap = tree->count;
    } else {
        tv_alloc_free(alloc, sorted, tree->count, sizeof(*sorted));
    }
    tv_alloc_free(alloc, items, 2 * tree->count, sizeof(*items));
    return code;
}

enum tv_code tv_tree_compute(struct tv_tree *tree, const struct tv_sums *sums,
                             const struct tv_tree_opts *opts, struct tv_error *err)
{
    tv_tree_release(tree);
    const struct tv_profile_sort by_inclusive = {.key = TV_SORT_INCLUSIVE,
                                                 .measure = opts->measure};
    struct merging merging = {
        .tree = tree, .sums = sums, .opts = opts, .levels = opts->levels ? opts->levels : 1};
    merging.sort = opts->sort ? *opts->sort : by_inclusive;
    merging.least = opts->cut * (double)tv_measure_of(sums->total_ns, opts->measure);
    tv_map_init(&merging.child_of, tree->alloc);
    enum tv_code code = merge_threads(&merging, err);
    if (code == TV_OK)
        code = sort_tree(&merging, err);
    tv_alloc_free(tree->alloc, merging.scratch, merging.scratch_count, sizeof(*merging.scratch));
    tv_alloc_free(tree->alloc, merging.parents, merging.parent_cap, sizeof(*merging.parents));
    tv_map_release(&merging.child_of);
    if (code != TV_OK)
        tv_tree_release(tree);
    return code;
}
