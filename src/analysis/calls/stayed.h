/*
 * Which CPU time of a sampled trace is certain.
 *
 * A sampler that looks at all stacks at an interval, as Android's does, writes a record when a look
 * finds another stack than the look before, with the thread's CPU clock at the later look. So all
 * CPU time between the two looks stands with the stack of the earlier look, whichever of the two
 * stacks used it: a method that sleeps has the CPU time of the work that woke up after it. Our own
 * recorders book CPU time otherwise, and say sampling-interval-usec.
 *
 * The CPU time of a stretch of one stack is certain up to the last look that found that stack, or
 * almost: the trace does not tell when that look was, but any record of another thread one interval
 * before the end of the stretch tells of a look, and since then the thread cannot have used more
 * CPU time than wall time passed. What is certain is called the time that *stayed*.
 */
#ifndef TV_ANALYSIS_CALLS_STAYED_H
#define TV_ANALYSIS_CALLS_STAYED_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/selection/range.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "index/index.h"

/* Moments of calls are sorted by numbers of 32 bits, two for each call. */
#define TV_STAYED_CALLS_MOST ((uint64_t)UINT32_MAX / 2)

/* Whether CPU time stands with the stack that was seen before: the trace is sampled on both clocks,
 * and not by our own recorders. */
bool tv_sampled_cpu_is_of_before(const struct tv_index *index);

/* Adds up the exclusive CPU time that stayed, in nanoseconds, for each method: stayed_ns[method],
 * zeros before. The selection has no range, and the trace at most
 * TV_STAYED_CALLS_MOST calls. Costs a sort of the moments of all calls. */
enum tv_code tv_stayed_add(const struct tv_index *index, const struct tv_selection *selection,
                           const struct tv_alloc *alloc, uint64_t *stayed_ns,
                           struct tv_error *err) TV_MUST_CHECK;

#endif
