/*
 * The working state of detail_question.c, which makes the sums and finds the nodes of the subject,
 * and of the steps that follow: detail_rows.c fills parts, path and waits, detail_longest.c finds
 * the longest call of each row. For this room alone.
 */
#ifndef TV_ANALYSIS_QUESTION_DETAIL_MAKING_H
#define TV_ANALYSIS_QUESTION_DETAIL_MAKING_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/question/detail_question.h"
#include "analysis/selection/sums.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/pool.h"
#include "index/index.h"

enum tv_detail_place { TV_DETAIL_OUTSIDE, TV_DETAIL_BELOW, TV_DETAIL_AT_SUBJECT };

/* What a node of the sums has to do with the rows of the answer: 1 + the row, or 0. */
struct tv_detail_mark {
    uint8_t is_below; /* or the subject */
    uint8_t part;
    uint8_t step;
};

/* The nodes of a method among the children of some nodes. */
struct tv_detail_callee {
    uint32_t method_ix;
    struct tv_numbers numbers;
};

struct tv_detail_nodes {
    uint32_t *nodes;
    size_t count;
    size_t cap;
};

struct tv_detail_making {
    struct tv_detail *detail;
    const struct tv_index *index;
    const struct tv_detail_question *question;
    const struct tv_alloc *alloc;
    const struct tv_pool *pool;
    struct tv_error *err;
    struct tv_method_filter filter;
    struct tv_sums sums;
    uint8_t *place_of;            /* enum tv_detail_place, one per node of the sums */
    uint32_t *first_child;        /* one per node of the sums, then that of the scope: the roots */
    uint32_t *next_sibling;       /* one per node of the sums */
    struct tv_detail_mark *marks; /* one per node of the sums */
    uint32_t *first_of;   /* per node of the index, the first node of the sums that is it, or
                             TV_NONE; not used where all nodes are the same (tv_sums.index_node) */
    uint32_t *root_depth; /* one per node of the sums, where they may be of a set of single calls:
                             that of the outermost call; else NULL */
    struct tv_detail_callee *callees; /* what was collected, each method once */
    size_t callee_count;
    size_t callee_cap;
    uint32_t *place_in_callees; /* one per method: 1 + its place, or 0 */
    struct tv_detail_nodes at;  /* the nodes of the step of the path */
    struct tv_detail_nodes next;
};

/* The time of numbers on the clock that is asked for. */
TV_INLINE uint64_t tv_detail_time(const struct tv_detail_making *making,
                                  const struct tv_numbers *numbers)
{
    return tv_inclusive_on(numbers, making->question->scope.measure);
}

enum tv_code tv_detail_add_node(struct tv_detail_making *making, struct tv_detail_nodes *set,
                                uint32_t node) TV_MUST_CHECK;

/* In this order, after the nodes of the subject are in `at`. The path moves `at` on. */
enum tv_code tv_detail_find_parts(struct tv_detail_making *making) TV_MUST_CHECK;
enum tv_code tv_detail_find_path(struct tv_detail_making *making) TV_MUST_CHECK;
enum tv_code tv_detail_find_waits(struct tv_detail_making *making) TV_MUST_CHECK;
enum tv_code tv_detail_find_longest(struct tv_detail_making *making) TV_MUST_CHECK;

#endif
