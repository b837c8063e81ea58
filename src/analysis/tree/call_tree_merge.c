/*
 * Merged nodes and their children; see analysis/tree/call_tree_merge.h.
 *
 * A map by parent and method finds the merged node. In front of the map stands a guess:
 * neighbouring nodes of a trace mostly lead to the same child as before, so each merged node
 * remembers the child that was found last.
 */
#include "analysis/tree/call_tree_merge.h"

#include "base/alloc.h"
#include "base/error.h"

void tv_call_tree_merger_init(struct tv_call_tree_merger *merger, struct tv_call_tree *tree,
                              const struct tv_sums *sums, const struct tv_call_tree_opts *opts)
{
    *merger = (struct tv_call_tree_merger){
        .tree = tree, .sums = sums, .opts = opts, .levels = opts->levels ? opts->levels : 1};
    tv_map_init(&merger->child_of, tree->alloc);
}

void tv_call_tree_merger_release(struct tv_call_tree_merger *merger)
{
    tv_alloc_release(merger->tree->alloc, &merger->parents, merger->parent_cap,
                     sizeof(*merger->parents));
    tv_map_release(&merger->child_of);
}

int64_t tv_call_tree_size(const struct tv_call_tree_merger *merger, uint32_t node)
{
    const struct tv_call_tree_node *of = &merger->tree->nodes[node];
    const struct tv_call_tree_opts *opts = merger->opts;
    return tv_measure_of(tv_call_tree_is_by_method(opts) ? of->method_inclusive_ns
                                                         : of->numbers.inclusive_ns,
                         opts->measure);
}

/* Whether the child that was found last below a node is sought again, as it mostly is: stacks that
 * follow one another are alike. Until trees are sorted, first_child is free, and says which it was;
 * where none was found yet it is 0, which no node's child is. */
static bool is_last_child(const struct tv_call_tree_merger *merger, uint32_t parent,
                          uint32_t method)
{
    const struct tv_call_tree_node *nodes = merger->tree->nodes;
    if (parent == TV_NONE)
        return false;
    uint32_t last = nodes[parent].first_child;
    return merger->parents[last] == parent && nodes[last].method == method;
}

/* The key of the map is the parent and the method together, which names one merged node. */
enum tv_code tv_call_tree_find_child(struct tv_call_tree_merger *merger, uint32_t parent,
                                     uint32_t method, uint32_t *child, struct tv_error *err)
{
    struct tv_call_tree *tree = merger->tree;
    uint32_t *at;
    if (is_last_child(merger, parent, method)) {
        *child = tree->nodes[parent].first_child;
        return TV_OK;
    }
    TV_TRY(tv_map_slot(&merger->child_of, (uint64_t)parent << 32 | method, (uint32_t)tree->count,
                       &at, err));
    /* A new entry of the map has the ordinal that the next node gets. */
    *child = *at;
    if (parent != TV_NONE)
        tree->nodes[parent].first_child = *at;
    if (*at != tree->count)
        return TV_OK;
    if (tree->count >= TV_CALL_TREE_NODE_LIMIT)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more than %u nodes",
                       TV_CALL_TREE_NODE_LIMIT);
    TV_TRY(tv_alloc_grow(tree->alloc, &tree->nodes, &tree->cap, tree->count + 1,
                         sizeof(*tree->nodes), err));
    TV_TRY(tv_alloc_grow(tree->alloc, &merger->parents, &merger->parent_cap, tree->count + 1,
                         sizeof(*merger->parents), err));
    merger->parents[tree->count] = parent;
    tree->nodes[tree->count++] = (struct tv_call_tree_node){
        .method = method,
        .level = parent == TV_NONE ? 0 : tree->nodes[parent].level + 1,
    };
    return TV_OK;
}
