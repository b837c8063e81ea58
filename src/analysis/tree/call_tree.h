/*
 * The calling context tree, merged over threads by path of methods, or turned upside down; a few
 * levels of it.
 *
 * Top-down, a node is a method reached by one path from the thread's roots. Inverted, a root is a
 * method with its exclusive time, and below it stand its callers, each with the part of that time
 * that it caused: inclusive is then the exclusive time of the root's calls along this path of
 * callers, exclusive that of calls whose stack ends (begins, in time) here, calls those of the root
 * method. So in both, inclusive = exclusive + that of all children.
 *
 * Hidden methods are taken out of every stack: their exclusive time goes to their nearest visible
 * caller. A filter's pattern is for tv_sums_filter, which keeps the stacks that have a matching
 * method.
 *
 * Linear in nodes times levels asked for; nothing is recursive.
 */
#ifndef TV_ANALYSIS_TREE_CALL_TREE_H
#define TV_ANALYSIS_TREE_CALL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/profile/profile.h"
#include "analysis/selection/name_pattern.h"
#include "analysis/selection/sums.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/pool.h"

enum tv_call_tree_direction { TV_TOP_DOWN, TV_INVERTED };

/* Zero: all roots, one level, by inclusive wall time, largest first. */
struct tv_call_tree_opts {
    enum tv_call_tree_direction direction;
    const uint32_t
        *path; /* ordinals of methods, from a root down; the nodes are its children. Borrowed */
    size_t path_len;
    uint32_t levels;                    /* 0 is 1 */
    enum tv_measure measure;            /* of the cut, and the order unless `sort` says another */
    const struct tv_profile_sort *sort; /* NULL: by inclusive time, largest first; borrowed */
    double cut;                 /* a node below this share of the total (0..1) is left out */
    size_t node_limit;          /* nodes below one parent; 0: no limit */
    const uint8_t *hidden;      /* one per method, as in tv_method_filter; NULL: none */
    const struct tv_pool *pool; /* NULL: one thread */
};

struct tv_call_tree_node {
    uint32_t method;
    uint32_t level; /* 0 for the children of the path */
    struct tv_numbers numbers;
    bool has_children; /* also such as were not asked for, or left out */
    uint32_t first_child;
    uint32_t child_count; /* shown ones: nodes first_child, first_child + 1, ... */
    uint32_t more;        /* children left out by cut or limit */
};

struct tv_call_tree {
    const struct tv_alloc *alloc;
    struct tv_call_tree_node *nodes; /* siblings together, in order, ties by rank */
    size_t count;
    size_t cap;
    uint32_t root_first; /* the children of the path */
    uint32_t root_count;
    uint32_t more; /* roots left out */
};

void tv_call_tree_init(struct tv_call_tree *tree, const struct tv_alloc *alloc);
void tv_call_tree_release(struct tv_call_tree *tree);
enum tv_code tv_call_tree_compute(struct tv_call_tree *tree, const struct tv_sums *sums,
                                  const struct tv_call_tree_opts *opts,
                                  struct tv_error *err) TV_MUST_CHECK;

#endif
