/*
 * Call trees: the context trees of the selected threads merged by path of methods, or turned upside
 * down; a few levels below a path at a time.
 *
 * Top-down, a node is a method reached by one path from the roots. Inverted, a root is a method
 * with its exclusive time, and below it stand its callers, each with the part of that time that it
 * caused. The numbers of an inverted node are:
 *
 * - inclusive: the exclusive time of the root method's calls that came along this path of callers;
 * - exclusive: the part of it from calls whose stack has no further caller;
 * - calls: those of the root method;
 * - method_inclusive_ns: the inclusive time of the root method's outermost calls that came along
 *   this path. A recursive call lies within an outermost one, so no time counts twice, and that of
 *   the callers of a node adds up to no more than its own.
 *
 * So either way round, inclusive time = exclusive time + inclusive time of all children.
 *
 * Hidden methods are taken out of every stack; their exclusive time goes to their nearest visible
 * caller. Stacks are not filtered by a pattern here but before, by tv_sums_filter.
 *
 * The cost grows with the nodes; for inverted trees with the nodes times the levels, as far as
 * what is below row_limit and cut can be shown. The levels are cut to TV_CALL_TREE_CLIMB_LIMIT for
 * each node on average, and TV_CALL_TREE_CLIMB_MOST of all nodes together. Nothing is recursive.
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
#include "base/memory/pool.h"

/* Levels that an inverted tree climbs from a node on average, so that stacks which are a million
 * calls deep do not cost a million times a million steps. */
#define TV_CALL_TREE_CLIMB_LIMIT 64u
/* Levels climbed from all nodes together: some seconds. Real traces of gigabytes need less. */
#define TV_CALL_TREE_CLIMB_MOST ((uint64_t)1 << 28)

enum tv_call_tree_direction { TV_TOP_DOWN, TV_INVERTED };

/* A question of zeros is about all roots, one level, by inclusive wall time, largest first. */
struct tv_call_tree_opts {
    enum tv_call_tree_direction direction;
    /* Ordinals of methods from a root down; the nodes shown are the children of its end. Empty:
     * the roots. Borrowed. */
    const uint32_t *path;
    size_t path_len;
    /* A method: stacks are cut to begin with its outermost call, and those without it are left out;
     * inverted, it is the only root. NULL: stacks are whole. Borrowed. */
    const uint32_t *root;
    uint32_t levels; /* levels of nodes; 0 is 1 */
    /* What the cut is measured in, and the order unless `sort` says another. */
    enum tv_measure measure;
    const struct tv_profile_sort *sort; /* NULL: by inclusive time, largest first; borrowed */
    double cut;                 /* nodes below this share of the total (0..1) are left out */
    size_t node_limit;          /* most children shown of one parent; 0: no limit */
    size_t row_limit;           /* most nodes shown in all, the largest ones; 0: no limit */
    const uint8_t *dropped;     /* one per method: its nodes, and all below them, are left out */
    const uint8_t *hidden;      /* one per method, as in tv_method_filter; NULL: none is hidden */
    const struct tv_pool *pool; /* NULL: one thread */
};

struct tv_call_tree_node {
    uint32_t method;
    uint32_t level; /* 0 for the children of the path */
    struct tv_numbers numbers;
    uint64_t method_inclusive_ns[TV_CLOCK_COUNT]; /* inverted only, else 0 */
    bool has_children;                            /* whether or not they are shown */
    uint32_t parent;                              /* TV_NONE for the children of the path */
    uint32_t first_child;
    uint32_t child_count; /* children shown: nodes first_child, first_child + 1, ... */
    uint32_t more;        /* children left out by the cut, a limit or as dropped */
    uint32_t dropped;     /* those of `more` that are dropped */
};

struct tv_call_tree {
    const struct tv_alloc *alloc;
    struct tv_call_tree_node *nodes; /* siblings stand together, in order; ties by rank */
    size_t count;
    size_t cap;
    uint32_t root_first; /* the nodes below the path: root_first, root_first + 1, ... */
    uint32_t root_count;
    uint32_t more;    /* nodes below the path that were left out */
    uint32_t dropped; /* those of `more` that are dropped */
    bool is_limited;  /* row_limit left nodes out that would be shown otherwise */
    uint32_t levels;  /* levels that were made: fewer than were asked for where inverted stacks are
                         very deep */
};

void tv_call_tree_init(struct tv_call_tree *tree, const struct tv_alloc *alloc);
void tv_call_tree_release(struct tv_call_tree *tree);
/* Computes the tree. Everything in opts is borrowed for the call only. */
enum tv_code tv_call_tree_compute(struct tv_call_tree *tree, const struct tv_sums *sums,
                                  const struct tv_call_tree_opts *opts,
                                  struct tv_error *err) TV_MUST_CHECK;

/*
 * Computes one level, and of the levels below it only the way that most of the time takes: the
 * children of the first node of each list, as long as its inclusive time is at least `share` (0..1)
 * of what the nodes shown in its list have together. At most opts->levels levels, each of which
 * costs what a tree of one level costs; opts->row_limit holds for each list alone.
 */
enum tv_code tv_call_tree_follow(struct tv_call_tree *tree, const struct tv_sums *sums,
                                 const struct tv_call_tree_opts *opts, double share,
                                 struct tv_error *err) TV_MUST_CHECK;

#endif
