/*
 * The two traces of a question that compares the one that is meant with one other, and the part of
 * each that it is about: moments since the starts of both, or others of the old one (`old_from` and
 * `old_to`, where other moments than the starts stand above each other), threads of the same names,
 * the same patterns and packages.
 */
#ifndef TV_API_TRACE_PAIR_H
#define TV_API_TRACE_PAIR_H

#include <stdbool.h>

#include "analysis/question/scope.h"
#include "api/api.h"
#include "api/route.h"
#include "base/compiler.h"
#include "base/error.h"
#include "compare/change.h"
#include "compare/hand_match.h"

/* The names that the function below reads, for the list of a route. */
#define TV_TRACE_PAIR_PARAMS                                                                       \
    "old", "from", "to", "old_from", "old_to", "threads", "match", "hide", "idle", "matched"

/* Where methods are matched by hand the old trace is a view of it, which has the names of the new
 * one (compare/hand_match.h) and is freed with the pair. */
struct tv_trace_pair {
    struct tv_matched_index matched;
    struct tv_api_trace old_trace;
    const struct tv_api_trace *of[TV_SIDE_COUNT]; /* the new side is the one that is meant */
    struct tv_scope scopes[TV_SIDE_COUNT];        /* lists are in the arena of the request */
};

/* The place in the api of the old trace alone, of which `old` has to name one. Errors are those of
 * tv_trace_pair_take. */
enum tv_code tv_trace_pair_find_old(const struct tv_request *request, size_t *place,
                                    struct tv_error *err) TV_MUST_CHECK;
void tv_trace_pair_init(struct tv_trace_pair *pair, const struct tv_alloc *alloc);
void tv_trace_pair_release(struct tv_trace_pair *pair);
/* Fills an initialised pair. TV_ERR_NOT_FOUND: the api has no such trace that is open, or the old
 * one has none of the threads; TV_ERR_ARGUMENT: several are named, or one of both lacks the part.
 * What the old trace lacks is told with its file. */
enum tv_code tv_trace_pair_take(const struct tv_request *request, struct tv_trace_pair *pair,
                                struct tv_error *err) TV_MUST_CHECK;
/* Fills an initialised view of the old one of two indexes, under the names that the parameter
 * `matched` gives its methods. */
enum tv_code tv_matched_pair_make(const struct tv_params *params,
                                  const struct tv_index *const sides[TV_SIDE_COUNT],
                                  struct tv_matched_index *made,
                                  struct tv_error *err) TV_MUST_CHECK;
/* The names that the function below reads. */
#define TV_CALL_PAIR_PARAMS "old_call", "new_call"
/* Fills an initialised pair with two calls of the trace that is meant, where `old_call` names one:
 * both sides are that trace, and all that each call made is its part. *is_of_calls: it did. */
enum tv_code tv_trace_pair_take_calls(const struct tv_request *request, struct tv_trace_pair *pair,
                                      bool *is_of_calls, struct tv_error *err) TV_MUST_CHECK;
/* What failed in a trace of the pair, told with its file: the reader may see another one. TV_OK
 * stays what it is. */
enum tv_code tv_trace_pair_tell(const struct tv_trace_pair *pair, enum tv_side side,
                                enum tv_code code, const struct tv_error *why,
                                struct tv_error *err) TV_MUST_CHECK;
/* Takes one clock for both traces: that of `clock`, else one that both have. tv_trace_pair_take
 * takes none. TV_ERR_ARGUMENT: one of both lacks it, or they have none in common. */
enum tv_code tv_trace_pair_take_clock(const struct tv_request *request, struct tv_trace_pair *pair,
                                      struct tv_error *err) TV_MUST_CHECK;

#endif
