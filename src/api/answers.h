/*
 * Answers as JSON to questions that are structs: what a route answers once it has read its
 * parameters, and what a verb prints with --json once it has read its options.
 *
 * Each writes the whole answer into `body`, which docs/api.md describes. When one fails, what it
 * wrote so far is worth nothing, and tv_api_response_end puts the reason in its place.
 */
#ifndef TV_API_ANSWERS_H
#define TV_API_ANSWERS_H

#include <stdbool.h>

#include "analysis/calls/calls.h"
#include "analysis/insights/insights.h"
#include "analysis/question/callers_question.h"
#include "analysis/question/detail_question.h"
#include "analysis/question/top_question.h"
#include "analysis/question/tree_question.h"
#include "api/api.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "compare/comparison.h"

enum tv_code tv_answer_info(const struct tv_api *api, struct tv_buffer *body,
                            struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_answer_check(const struct tv_api *api, struct tv_buffer *body,
                             struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_answer_insights(const struct tv_api *api, struct tv_buffer *body,
                                struct tv_error *err) TV_MUST_CHECK;
/* The answer about insights that were found already. */
enum tv_code tv_answer_insights_found(const struct tv_api *api, const struct tv_insights *insights,
                                      struct tv_buffer *body, struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_answer_lanes(const struct tv_api *api, struct tv_buffer *body,
                             struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_answer_callers(const struct tv_api *api, const struct tv_callers_question *question,
                               struct tv_buffer *body, struct tv_error *err) TV_MUST_CHECK;
/* Levels of a tree in JSON, each of which is two of its nesting: readers have limits. */
#define TV_TREE_JSON_LEVELS 400u
enum tv_code tv_answer_tree(const struct tv_api *api, const struct tv_tree_question *question,
                            struct tv_buffer *body, struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_answer_top(const struct tv_api *api, const struct tv_top_question *question,
                           struct tv_buffer *body, struct tv_error *err) TV_MUST_CHECK;
/* One of two calls that are compared, and what is known of it. */
struct tv_compared_call {
    struct tv_call_ref ref;
    struct tv_call_rank rank;       /* among all calls of its method */
    bool is_median;                 /* it was chosen as the median call, not named by the user */
    const struct tv_detail *detail; /* whose waits are told; NULL: the trace has no waits */
};
/* The comparison of two calls of the trace that is meant, with the calls themselves. */
enum tv_code tv_answer_call_diff(const struct tv_api *api, const struct tv_comparison *comparison,
                                 const struct tv_compared_call calls[TV_SIDE_COUNT],
                                 struct tv_buffer *body, struct tv_error *err) TV_MUST_CHECK;

#endif
