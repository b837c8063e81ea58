/*
 * Which traces a question of the route `diff` is about (docs/api.md): both sides as lists of names,
 * which are those of struct tv_api_trace. Whoever has more traces than one finds out by this which
 * of them to hold while the answer is made.
 */
#ifndef TV_API_DIFF_QUERY_H
#define TV_API_DIFF_QUERY_H

#include <stddef.h>

#include "api/api.h"
#include "api/params.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/str.h"
#include "compare/change.h"
#include "compare/comparison.h"
#include "compare/hand_match.h"

/* Most traces of both sides together. */
#define TV_DIFF_TRACES_MOST 32u

struct tv_diff_traces {
    struct tv_str names[TV_DIFF_TRACES_MOST]; /* the old ones first; in the arena or the query */
    size_t counts[TV_SIDE_COUNT]; /* of the new side 0: it is the trace that is meant alone */
};

/* The sides of parameters; either may be empty. TV_ERR_ARGUMENT: a name stands twice, or there are
 * too many. */
enum tv_code tv_diff_traces_take(const struct tv_params *params, struct tv_diff_traces *traces,
                                 struct tv_error *err) TV_MUST_CHECK;
/* The sides that the text of a query names; its other parameters may be any. */
enum tv_code tv_diff_traces_read(struct tv_str query, struct tv_arena *arena,
                                 struct tv_diff_traces *traces, struct tv_error *err) TV_MUST_CHECK;
/* The traces of both sides, the old ones first. */
struct tv_diff_sides {
    const struct tv_api_trace *of[TV_DIFF_TRACES_MOST + 1]; /* NULL: it is to be opened */
    struct tv_str names[TV_DIFF_TRACES_MOST + 1];           /* of those that are to be opened */
    size_t counts[TV_SIDE_COUNT]; /* the new side has 1 at least: the trace that is meant */
};

/* Finds the traces of parameters. The old side may be empty, which most routes refuse. */
enum tv_code tv_diff_sides_take(const struct tv_api *api, const struct tv_params *params,
                                struct tv_diff_sides *sides, struct tv_error *err) TV_MUST_CHECK;
/* Finds the traces of parameters for an answer that takes one trace after the other: a trace that
 * the api's opener can open need not be open yet. */
enum tv_code tv_diff_sides_take_closed(const struct tv_api *api, const struct tv_params *params,
                                       struct tv_diff_sides *sides,
                                       struct tv_error *err) TV_MUST_CHECK;
/* What is compared, and how many rows of each list are wanted: `clock`, `by`, `least` and `n`. */
enum tv_code tv_diff_opts_take(const struct tv_params *params, struct tv_comparison_opts *opts,
                               struct tv_error *err) TV_MUST_CHECK;
/* The i-th of the traces that are named, the old ones first. TV_ERR_NOT_FOUND: the api has none of
 * that name that is open; TV_ERR_ARGUMENT: it is the one that is meant, which is the new side. */
enum tv_code tv_diff_trace_find(const struct tv_api *api, const struct tv_diff_traces *traces,
                                size_t i, const struct tv_api_trace **trace,
                                struct tv_error *err) TV_MUST_CHECK;
/* The methods that are matched by hand, of the parameter `matched`: lines, by turns the name of an
 * old method and of the new one that it became. Fills initialised matches. */
enum tv_code tv_diff_matches_take(const struct tv_params *params, struct tv_hand_matches *matches,
                                  struct tv_error *err) TV_MUST_CHECK;
/* What a comparison of these traces cannot tell is the question's fault, since another one would be
 * answered: TV_ERR_UNSUPPORTED becomes TV_ERR_ARGUMENT. */
enum tv_code tv_diff_refuse(enum tv_code code, struct tv_error *err) TV_MUST_CHECK;

#endif
