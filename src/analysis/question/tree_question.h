/*
 * A part of the calling context tree: a question as a struct, its answer, and a walk over the
 * answer in the order in which it is written. What the nodes mean is told in
 * analysis/tree/call_tree.h.
 */
#ifndef TV_ANALYSIS_QUESTION_TREE_QUESTION_H
#define TV_ANALYSIS_QUESTION_TREE_QUESTION_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/profile/profile.h"
#include "analysis/question/scope.h"
#include "analysis/tree/call_tree.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/pool.h"
#include "index/index.h"

struct tv_tree_question {
    struct tv_scope scope;
    struct tv_profile_sort sort; /* of siblings */
    /* Where in the tree, and how much of it: direction, path, root, levels, cut and the limits. The
     * other fields come from the scope and the sort. */
    struct tv_call_tree_opts opts;
    const uint32_t *focus; /* only stacks that have this method; NULL: all. Borrowed */
    bool is_way;           /* below the first level only the way of tv_call_tree_follow */
    double way_share;      /* its share */
};

/* No limit: all levels of the tree. */
#define TV_TREE_ALL_LEVELS UINT32_MAX

struct tv_tree_answer {
    struct tv_call_tree tree;
    uint64_t total_ns[TV_CLOCK_COUNT]; /* what 100 % is: the root calls of the scope's stacks */
};

void tv_tree_answer_init(struct tv_tree_answer *answer, const struct tv_alloc *alloc);
void tv_tree_answer_release(struct tv_tree_answer *answer);
/* The answer borrows nothing. pool may be NULL. */
enum tv_code tv_tree_answer_compute(struct tv_tree_answer *answer, const struct tv_index *index,
                                    const struct tv_tree_question *question,
                                    const struct tv_pool *pool, struct tv_error *err) TV_MUST_CHECK;

/* A place in the walk. The way back up is the parent of a node, so no tree is too deep. */
struct tv_tree_walk {
    const struct tv_call_tree *tree;
    uint32_t levels; /* as asked for */
    uint32_t list;   /* the node whose children the walk is among; TV_NONE: the first list */
    uint32_t next;   /* the next of them, or the end of the list */
    bool has_ended;
};

enum tv_tree_event {
    TV_TREE_NODE,     /* a node; where is_opened, the list of its children follows */
    TV_TREE_LIST_END, /* the end of a list of siblings, and how many of them were left out */
    TV_TREE_END       /* the end of the tree */
};

struct tv_tree_step {
    enum tv_tree_event event;
    uint32_t level; /* of the node, or of the list's nodes: 0 for the first list */
    const struct tv_call_tree_node *node; /* of TV_TREE_NODE */
    bool is_opened;
    uint32_t more;    /* of TV_TREE_LIST_END: nodes of the list that were left out, */
    uint32_t dropped; /* and those of them that are dropped */
};

/* Begins at the first node of the first list; that list is ended like any other. */
void tv_tree_walk_begin(struct tv_tree_walk *walk, const struct tv_call_tree *tree,
                        uint32_t levels);
struct tv_tree_step tv_tree_walk_next(struct tv_tree_walk *walk);

#endif
