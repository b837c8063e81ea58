/*
 * Nodes of threads merged into one tree, before siblings are sorted. Used by
 * analysis/tree/call_tree.c and the files that it calls only.
 *
 * A merged node is found by its parent and its method in a hash. Merged nodes stand in the order in
 * which they are met, so a parent stands before its children. Inverted trees are merged level by
 * level, in slices at the same time; the slices' parts are then merged in their order, so the order
 * does not depend on the number of cores.
 */
#ifndef TV_ANALYSIS_TREE_CALL_TREE_MERGE_H
#define TV_ANALYSIS_TREE_CALL_TREE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/tree/call_tree.h"
#include "base/error.h"
#include "base/memory/map.h"

/* More merged nodes than these are refused. */
#define TV_CALL_TREE_NODE_LIMIT 0x80000000u

struct tv_call_tree_merger {
    struct tv_call_tree *tree;
    const struct tv_sums *sums;
    const struct tv_call_tree_opts *opts;
    uint32_t levels;        /* at least 1 */
    struct tv_map child_of; /* parent << 32 | method -> ordinal of the merged node; the parent is
                               TV_NONE below the path */
    uint32_t *parents;      /* per merged node: its parent; TV_NONE below the path */
    size_t parent_cap;
};

void tv_call_tree_merger_init(struct tv_call_tree_merger *merger, struct tv_call_tree *tree,
                              const struct tv_sums *sums, const struct tv_call_tree_opts *opts);
/* Releases everything except the tree. */
void tv_call_tree_merger_release(struct tv_call_tree_merger *merger);
/* Finds the merged node of a method below `parent` (TV_NONE: below the path), or adds it. */
enum tv_code tv_call_tree_find_child(struct tv_call_tree_merger *merger, uint32_t parent,
                                     uint32_t method, uint32_t *child,
                                     struct tv_error *err) TV_MUST_CHECK;
/* Merges the nodes of the selected threads upside down. */
enum tv_code tv_call_tree_merge_inverted(struct tv_call_tree_merger *merger,
                                         struct tv_error *err) TV_MUST_CHECK;

/* Whether nothing is shown of the method's nodes. */
TV_INLINE bool tv_call_tree_drops(const struct tv_call_tree_opts *opts, uint32_t method)
{
    return opts->dropped && opts->dropped[method];
}

/* Whether a method is taken out of stacks. */
TV_INLINE bool tv_call_tree_hides(const struct tv_call_tree_opts *opts, uint32_t method)
{
    return opts->hidden && opts->hidden[method];
}

/* The time that decides which nodes are left out: what the nodes are sorted by, where that is the
 * inclusive time of an inverted tree's methods, else the node's inclusive time. */
int64_t tv_call_tree_size(const struct tv_call_tree_merger *merger, uint32_t node);

/* Whether an inverted tree is about the inclusive times of its methods instead of the exclusive
 * ones: they sort it, and decide what is left out of it. */
TV_INLINE bool tv_call_tree_is_by_method(const struct tv_call_tree_opts *opts)
{
    return opts->sort && opts->sort->key == TV_SORT_METHOD_INCLUSIVE;
}

#endif
