/*
 * Following the first node of a call tree; see analysis/tree/call_tree.h.
 *
 * Each level is a tree of one level, computed below a path that is one method longer, and appended:
 * the other nodes of a level are never opened, so nothing below them is merged.
 */
#include <string.h>

#include "analysis/tree/call_tree.h"
#include "base/alloc.h"
#include "base/error.h"

/* The first child of the list that was added last, or NULL: the way ends there. */
static const struct tv_call_tree_node *next_on_way(const struct tv_call_tree *tree, uint32_t first,
                                                   uint32_t count, enum tv_measure measure,
                                                   double share)
{
    double sum = 0; /* of damaged times, which no whole number may hold */
    if (!count || !tree->nodes[first].has_children)
        return NULL;
    for (uint32_t i = first; i < first + count; i++)
        sum += (double)tv_measure_of(tree->nodes[i].numbers.inclusive_ns, measure);
    int64_t own = tv_measure_of(tree->nodes[first].numbers.inclusive_ns, measure);
    return (double)own >= share * sum ? &tree->nodes[first] : NULL;
}

/* Appends the nodes of `below`, which are the children of the node `parent`. */
static enum tv_code append_children(struct tv_call_tree *tree, uint32_t parent,
                                    const struct tv_call_tree *below, struct tv_error *err)
{
    size_t count = tree->count + below->root_count;
    if (count >= TV_NONE)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "the call tree has too many nodes");
    TV_TRY(tv_alloc_grow(tree->alloc, &tree->nodes, &tree->cap, count, sizeof(*tree->nodes), err));
    for (uint32_t i = 0; i < below->root_count; i++) {
        struct tv_call_tree_node *node = &tree->nodes[tree->count + i];
        *node = below->nodes[below->root_first + i];
        node->level = tree->nodes[parent].level + 1;
        node->parent = parent;
    }
    tree->nodes[parent].first_child = (uint32_t)tree->count;
    tree->nodes[parent].child_count = below->root_count;
    tree->nodes[parent].more = below->more;
    tree->nodes[parent].dropped = below->dropped;
    tree->count = count;
    return TV_OK;
}

/* `path` has room for one method a level behind the path of the question. */
static enum tv_code follow(struct tv_call_tree *tree, const struct tv_sums *sums,
                           const struct tv_call_tree_opts *opts, double share, uint32_t *path,
                           struct tv_error *err)
{
    struct tv_call_tree_opts below_opts = *opts;
    uint32_t first = tree->root_first;
    uint32_t count = tree->root_count;
    const struct tv_call_tree_node *node;
    below_opts.levels = 1;
    below_opts.path = path;
    while (tree->levels < opts->levels &&
           (node = next_on_way(tree, first, count, opts->measure, share))) {
        struct tv_call_tree below;
        path[below_opts.path_len++] = node->method;
        tv_call_tree_init(&below, tree->alloc);
        enum tv_code code = tv_call_tree_compute(&below, sums, &below_opts, err);
        if (code == TV_OK)
            code = append_children(tree, first, &below, err);
        tv_call_tree_release(&below);
        if (code != TV_OK)
            return code;
        tree->levels++;
        count = tree->nodes[first].child_count;
        first = tree->nodes[first].first_child;
    }
    return TV_OK;
}

/* The path has room for the given methods and one more for each level that may be followed. */
enum tv_code tv_call_tree_follow(struct tv_call_tree *tree, const struct tv_sums *sums,
                                 const struct tv_call_tree_opts *opts, double share,
                                 struct tv_error *err)
{
    struct tv_call_tree_opts first_opts = *opts;
    size_t path_cap = opts->path_len + opts->levels;
    uint32_t *path;
    first_opts.levels = 1;
    TV_TRY(tv_call_tree_compute(tree, sums, &first_opts, err));
    enum tv_code code = tv_alloc_new(tree->alloc, &path, path_cap, sizeof(*path), err);
    if (code == TV_OK) {
        if (opts->path_len)
            memcpy(path, opts->path, opts->path_len * sizeof(*path));
        code = follow(tree, sums, opts, share, path, err);
        tv_alloc_release(tree->alloc, &path, path_cap, sizeof(*path));
    }
    if (code != TV_OK)
        tv_call_tree_release(tree);
    return code;
}
