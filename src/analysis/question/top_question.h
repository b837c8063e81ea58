/*
 * Which methods took the most time: a question as a struct, and its answer as ordered rows.
 *
 * The rows are the methods of the profile that the scope lets through, or the classes or packages
 * of those methods, sorted and cut to a slice. The command's table and the JSON of the api are both
 * written from such an answer, so filter, order and slice are decided here and nowhere else.
 */
#ifndef TV_ANALYSIS_QUESTION_TOP_QUESTION_H
#define TV_ANALYSIS_QUESTION_TOP_QUESTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/calls/allocated.h"
#include "analysis/calls/percentiles.h"
#include "analysis/calls/stayed.h"
#include "analysis/profile/groups.h"
#include "analysis/profile/overhead.h"
#include "analysis/profile/profile.h"
#include "analysis/profile/set_totals.h"
#include "analysis/question/scope.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/memory/pool.h"
#include "index/index.h"

/* Which rows the set totals of an answer are about: none, all rows, or those of the slice. */
enum tv_top_set { TV_TOP_NO_SET, TV_TOP_SET_OF_ALL, TV_TOP_SET_OF_SLICE };
#define TV_TOP_SET_COUNT 3u

enum tv_top_rows { TV_TOP_METHODS, TV_TOP_CLASSES, TV_TOP_PACKAGES };

struct tv_top_question {
    struct tv_scope scope;
    struct tv_profile_sort sort;
    struct tv_table_slice slice;
    double cut; /* rows below this share of the total (0..1) are left out */
    enum tv_top_rows rows;
    uint32_t package_parts; /* parts of a package's name, from the left; 0: all */
    enum tv_top_set set;    /* of classes and packages, not TV_TOP_SET_OF_SLICE */
    /* What an answer of methods is to have besides their numbers. */
    bool has_ranks;       /* all methods in order, not only those of the page */
    bool has_percentiles; /* of the durations of each method's calls */
    bool has_overhead;    /* of tracing, estimated (analysis/profile/overhead.h) */
    bool has_allocated;   /* bytes, where the recorder sampled them (analysis/calls/allocated.h) */
    bool has_stayed;      /* CPU time that is certain in samples (analysis/calls/stayed.h) */
};

struct tv_top_overhead {
    struct tv_overhead part;
    bool is_most; /* at least half of the exclusive time is tracing */
};

struct tv_top {
    const struct tv_alloc *alloc;
    struct tv_arena arena;
    struct tv_profile profile;
    size_t count;             /* all rows that the scope lets through */
    size_t small_count;       /* rows that were left out as below the cut; not in `count` */
    struct tv_set_totals set; /* of the methods of the rows that were asked for; zeros: of none */
    struct tv_table_rows slice;
    uint32_t *methods;       /* `count` ordinals in order, where the rows are methods */
    struct tv_groups groups; /* `count` rows in order, where they are classes or packages */
    struct tv_method_percentiles *percentiles; /* one per row of the page; NULL: not asked for */
    struct tv_record_cost record_cost;         /* known only where overhead was asked for */
    /* Of the exclusive time on the clock of the question, of that of the axis for wait; one per row
     * of the page. NULL: not asked for, or not known. */
    struct tv_top_overhead *overhead;
    /* One per method of the index. NULL: not asked for, or not told: the trace is not of that kind,
     * or the question is of a range of time, or hides methods. */
    uint64_t *stayed_ns;
    uint64_t stayed_total_ns;       /* of all methods */
    struct tv_allocated *allocated; /* one per method; NULL: not asked for, or not told */
};

/* Whether it can be told for the scope which CPU time stayed. */
bool tv_top_tells_stayed(const struct tv_index *index, const struct tv_scope *scope);
void tv_top_init(struct tv_top *top, const struct tv_alloc *alloc);
void tv_top_release(struct tv_top *top);
/* The index is borrowed for as long as the answer lives. pool may be NULL. */
enum tv_code tv_top_compute(struct tv_top *top, const struct tv_index *index,
                            const struct tv_top_question *question, const struct tv_pool *pool,
                            struct tv_error *err) TV_MUST_CHECK;

#endif
