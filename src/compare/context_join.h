/*
 * The calling contexts of several runs, matched by path: a context of one run is that of another
 * where the methods from its root down are the same ones to a join (compare/method_join.h).
 *
 * Threads are merged, as in a call tree: who calls whom is compared, and not where it ran. Of each
 * side the least and the most calls of a run are known, which is what counts are judged by, and the
 * time of all its runs together.
 */
#ifndef TV_COMPARE_CONTEXT_JOIN_H
#define TV_COMPARE_CONTEXT_JOIN_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/selection/sums.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/map.h"
#include "base/trace_clock.h"
#include "compare/change.h"
#include "compare/method_join.h"

/* A context on one side. */
struct tv_context_side {
    uint64_t least_calls; /* over the runs; 0: a run has none */
    uint64_t most_calls;
    uint64_t time_ns[TV_CLOCK_COUNT]; /* inclusive, of all runs together */
};

struct tv_joined_context {
    uint32_t parent;        /* a smaller place; TV_NONE: it is a root */
    uint32_t method;        /* place in the join of methods */
    bool is_inlined;        /* a side has inlined the method, or has it as one of several */
    bool has_other_inlined; /* as of the method: its calls here are another side's other calls */
    uint64_t calls;         /* of the run that is being added */
    struct tv_context_side sides[TV_SIDE_COUNT];
};

/* The children of a context while runs are added; TV_NONE: there is none. What a search among
 * children looks at stands here, and not in the context: it is one place in memory instead of two.
 */
struct tv_context_children {
    uint32_t method; /* of the context itself: its place in the join */
    uint32_t first;
    uint32_t last;
    uint32_t met;  /* the one that was found last */
    uint32_t next; /* of the context itself: its parent's next child */
    uint32_t count;
    /* The run that made the context of one node, while it has no other one, counted from 1; else 0.
     * What that node calls is new then, and need not be looked for. */
    uint32_t made_in;
};

struct tv_context_join {
    const struct tv_alloc *alloc;
    struct tv_joined_context *of;
    size_t count, cap;
    struct tv_context_children *children; /* of the roots, then of each context */
    size_t children_cap;
    struct tv_map places;             /* of parent and method, where a parent has many children */
    size_t run_counts[TV_SIDE_COUNT]; /* that were added */
    uint32_t run;                     /* that is being added, counted from 1 */
};

/* What is added of one run. */
struct tv_context_run {
    const struct tv_sums *sums;
    uint32_t root;          /* a method: what its outermost calls made, with these; TV_NONE: all */
    const uint32_t *places; /* by method of the index: its place in the join while runs are added
                               (tv_join_add_placed); TV_NONE: it has no numbers */
};

void tv_context_join_init(struct tv_context_join *contexts, const struct tv_alloc *alloc);
void tv_context_join_release(struct tv_context_join *contexts);
/* Adds a run to its side. What the run refers to is not needed afterwards. */
enum tv_code tv_context_join_add(struct tv_context_join *contexts, enum tv_side side,
                                 const struct tv_context_run *run,
                                 struct tv_error *err) TV_MUST_CHECK;
/* Names the methods by their places in the join of them, which is finished. */
void tv_context_join_finish(struct tv_context_join *contexts, const struct tv_join *join);

/* More methods of a path than anybody shows. */
#define TV_CONTEXT_PATH_MOST 16u

struct tv_context_path {
    uint32_t methods[TV_CONTEXT_PATH_MOST]; /* places in the join; the last one is the context's */
    size_t count;
    size_t above; /* methods before these */
};

/* The last `most` methods, at most TV_CONTEXT_PATH_MOST, of the path to a context; TV_NONE: the
 * path is empty. */
struct tv_context_path tv_context_path_of(const struct tv_context_join *contexts, uint32_t place,
                                          size_t most);

#endif
