/*
 * Steps that make a set of calls smaller (analysis/selection/call_set.h): a path or some methods,
 * and limits of how long the calls lasted.
 *
 * Without limits a set is told by nodes. With limits each call of the marked nodes is looked at,
 * and what the remaining calls made is found row by row as runs of neighbours: calls of a row that
 * follow each other made calls of the row below that follow each other. Only of calls without
 * length, at a moment at which a run begins or ends, the caller is searched for one by one; where
 * more than TV_CALLERS_OF_MOMENT calls touch that moment, such a call may be left out.
 *
 * Costs one look at each call of rows with marked nodes, and a search for each run of each row.
 */
#ifndef TV_ANALYSIS_CALLS_CALL_STEPS_H
#define TV_ANALYSIS_CALLS_CALL_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/profile/profile.h"
#include "analysis/selection/call_set.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "index/index.h"

#define TV_CALLERS_OF_MOMENT 64u

/* How long calls lasted on a measure, not cut by any range; a negative wait counts as 0. Without
 * limits both are 0. */
struct tv_call_limits {
    enum tv_measure measure;
    uint64_t least_ns;
    uint64_t below_ns; /* 0: none */
};

/* Whether the limits are any. */
TV_INLINE bool tv_call_limits_are(const struct tv_call_limits *limits)
{
    return limits->least_ns || limits->below_ns;
}

/* Takes a step from a set, or from all calls where `before` is NULL. The new set is in the arena,
 * and `before` is not needed any more. TV_ERR_NOT_FOUND: no call is left. TV_ERR_ARGUMENT: the
 * trace lacks the clock of the limits, or the path is too long. */
enum tv_code tv_call_set_step(struct tv_call_set *set, const struct tv_index *index,
                              const struct tv_call_set *before, const struct tv_call_step *step,
                              const struct tv_call_limits *limits, struct tv_arena *arena,
                              struct tv_error *err) TV_MUST_CHECK;

/* How many calls of the set the selection meets; it has a set. */
uint64_t tv_call_set_count(const struct tv_index *index, const struct tv_selection *selection);

#endif
