/*
 * Nodes of threads merged into one tree, before siblings are sorted. Inside of
 * analysis/tree/call_tree.c only.
 *
 * Merged nodes stand in the order in which they are met. Inverted, nodes are merged in slices at
 * once, whose trees are then merged in order, so that this is so, too.
 */
#ifndef TV_ANALYSIS_TREE_CALL_TREE_MERGE_H
#define TV_ANALYSIS_TREE_CALL_TREE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/tree/call_tree.h"
#include "base/error.h"
#include "base/map.h"

/* More merged nodes than these are refused. */
#define TV_CALL_TREE_NODE_LIMIT 0x80000000u

struct tv_call_tree_merger {
    struct tv_call_tree *tree;
    const struct tv_sums *sums;
    const struct tv_call_tree_opts *opts;
    uint32_t levels;
    struct tv_map child_of; /* parent << 32 | method -> ordinal; the path's end is TV_NONE */
    uint32_t *parents;      /* of merged nodes; TV_NONE for the children of the path */
    size_t parent_cap;
};

void tv_call_tree_merger_init(struct tv_call_tree_merger *merger, struct tv_call_tree *tree,
                              const struct tv_sums *sums, const struct tv_call_tree_opts *opts);
/* The tree stays. */
void tv_call_tree_merger_release(struct tv_call_tree_merger *merger);
/* The merged node of `method` below `parent` (TV_NONE: below the path), made if need be. */
enum tv_code tv_call_tree_find_child(struct tv_call_tree_merger *merger, uint32_t parent,
                                     uint32_t method, uint32_t *child,
                                     struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_call_tree_merge_inverted(struct tv_call_tree_merger *merger,
                                         struct tv_error *err) TV_MUST_CHECK;

TV_INLINE bool tv_call_tree_hides(const struct tv_call_tree_opts *opts, uint32_t method)
{
    return opts->hidden && opts->hidden[method];
}

#endif
