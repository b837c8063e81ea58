/*
 * The scope of a question: which part of a trace counts, on which clock, and which methods.
 *
 * Every question about methods, trees and flame graphs has a scope. The api fills one from the
 * parameters of a request (api/query.h), the command from its options (cli/answers/question.h);
 * both call the functions here, so both refuse the same values for the same reason. What a range
 * and a pattern mean is told in analysis/selection/range.h and name_pattern.h.
 */
#ifndef TV_ANALYSIS_QUESTION_SCOPE_H
#define TV_ANALYSIS_QUESTION_SCOPE_H

#include <stdint.h>

#include "analysis/calls/call.h"
#include "analysis/calls/call_steps.h"
#include "analysis/profile/profile.h"
#include "analysis/selection/call_set.h"
#include "analysis/selection/name_pattern.h"
#include "analysis/selection/range.h"
#include "analysis/selection/sums.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/memory/pool.h"
#include "base/str.h"
#include "index/index.h"

/* A thread that had nothing to do (analysis/question/idle_threads.h). */
struct tv_idle_thread {
    uint32_t thread_ix;
    uint64_t wait_ns;       /* in the range */
    uint64_t unrecorded_ns; /* of these: tv_thread_unrecorded_ns */
};

struct tv_scope {
    struct tv_selection selection; /* the range of time and the threads */
    enum tv_measure measure;       /* the clock that times are shown and sorted on */
    struct tv_method_filter_opts methods;
    const struct tv_idle_thread *idle; /* threads that the selection leaves out for that */
    uint32_t idle_count;
};

/* The whole trace with all threads and methods, on the trace's default clock. */
void tv_scope_init(struct tv_scope *scope, const struct tv_index *index);
/* Takes the range [from_ns, to_ns). TV_ERR_ARGUMENT: it is empty, or the trace has no times. */
enum tv_code tv_scope_take_range(struct tv_scope *scope, const struct tv_index *index,
                                 uint64_t from_ns, uint64_t to_ns,
                                 struct tv_error *err) TV_MUST_CHECK;
/* Takes the threads with is_chosen[ordinal] set. Their list lives in the arena. */
enum tv_code tv_scope_take_threads(struct tv_scope *scope, const struct tv_index *index,
                                   const uint8_t *is_chosen, struct tv_arena *arena,
                                   struct tv_error *err) TV_MUST_CHECK;
/*
 * Takes a set of calls (analysis/selection/call_set.h) from the set that the scope has, or from all
 * calls where it has none. What it is made of lives in the arena.
 *
 * A step, and limits of durations (analysis/calls/call_steps.h). Methods of the packages `past` are
 * no part of a path. TV_ERR_NOT_FOUND: no call is left; TV_ERR_ARGUMENT: the limits are on a
 * measure that tv_measure_check refuses.
 */
enum tv_code tv_scope_take_step(struct tv_scope *scope, const struct tv_index *index,
                                const struct tv_call_step *step, struct tv_str past,
                                const struct tv_call_limits *limits, struct tv_arena *arena,
                                struct tv_error *err) TV_MUST_CHECK;
/* The step to all methods that fit a pattern (analysis/selection/name_pattern.h). */
enum tv_code tv_scope_take_matching(struct tv_scope *scope, const struct tv_index *index,
                                    const struct tv_str *patterns, size_t pattern_count,
                                    const struct tv_call_limits *limits, struct tv_arena *arena,
                                    struct tv_error *err) TV_MUST_CHECK;
/* One call. Its own time takes the place of the range, and its thread that of the threads.
 * TV_ERR_NOT_FOUND: the call does not belong to the set. */
enum tv_code tv_scope_take_call(struct tv_scope *scope, const struct tv_index *index,
                                struct tv_call_ref ref, struct tv_arena *arena,
                                struct tv_error *err) TV_MUST_CHECK;
/* Finds the call with this ordinal among all calls of a method. TV_ERR_NOT_FOUND: the method has
 * fewer calls. */
enum tv_code tv_scope_find_nth_call(const struct tv_index *index, uint32_t method_ix,
                                    uint64_t ordinal, const struct tv_alloc *alloc,
                                    struct tv_call_ref *ref, struct tv_error *err) TV_MUST_CHECK;
/* Limits the scope to the call that tv_scope_find_nth_call finds. */
enum tv_code tv_scope_take_nth_call(struct tv_scope *scope, const struct tv_index *index,
                                    uint32_t method_ix, uint64_t ordinal, struct tv_arena *arena,
                                    struct tv_error *err) TV_MUST_CHECK;
/* Takes the measure. TV_ERR_ARGUMENT as tv_measure_check says. */
enum tv_code tv_scope_take_measure(struct tv_scope *scope, const struct tv_index *index,
                                   enum tv_measure measure, struct tv_error *err) TV_MUST_CHECK;
/* TV_ERR_ARGUMENT: the trace lacks a clock of the measure, or waits are asked for and its CPU clock
 * never moves. A dump of all methods has no clock at all, and no measure is refused for it: its
 * calls are worth an answer. */
enum tv_code tv_measure_check(const struct tv_index *index, enum tv_measure measure,
                              struct tv_error *err) TV_MUST_CHECK;

/* Which rows of an ordered answer are wanted. */
struct tv_table_slice {
    uint64_t offset;
    uint64_t count; /* 0: all rows behind the offset */
};

/* Rows [first, first + len) of an answer. */
struct tv_table_rows {
    size_t first;
    size_t len;
};

/* The rows of the page where there are `count` rows in all. */
struct tv_table_rows tv_table_slice_rows(const struct tv_table_slice *slice, size_t count);

/*
 * The stacks of a scope: what trees and flame graphs are made of. The sums are those of stacks that
 * have a method of the pattern; filter.hidden tells the methods that are to be taken out of them.
 */
struct tv_stacks {
    struct tv_method_filter filter;
    struct tv_sums sums;
};

void tv_stacks_init(struct tv_stacks *stacks, const struct tv_alloc *alloc);
void tv_stacks_release(struct tv_stacks *stacks);
/* The index and the scope's lists are borrowed for as long as the stacks live. pool may be NULL. */
enum tv_code tv_stacks_compute(struct tv_stacks *stacks, const struct tv_index *index,
                               const struct tv_scope *scope, const struct tv_pool *pool,
                               struct tv_error *err) TV_MUST_CHECK;

#endif
