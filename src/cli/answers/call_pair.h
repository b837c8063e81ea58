/*
 * Two calls of one trace that are compared (`traceview diff --call`): which they are, and what is
 * told of them beside what they called. As everywhere in a comparison there are two sides: the new
 * one is the call that is asked about, the old one the other call.
 */
#ifndef TV_CLI_ANSWERS_CALL_PAIR_H
#define TV_CLI_ANSWERS_CALL_PAIR_H

#include <stdbool.h>

#include "analysis/calls/call.h"
#include "analysis/calls/calls.h"
#include "analysis/question/detail_question.h"
#include "api/answers.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/trace_clock.h"
#include "cli/answers/question.h"
#include "cli/wording.h"
#include "compare/side.h"

struct tv_call_pair {
    struct tv_call_ref of[TV_SIDE_COUNT];
    struct tv_call_rank ranks[TV_SIDE_COUNT]; /* among all calls of its method */
    bool is_median; /* the other call was not named: it is in the middle of all by duration */
};

/* What the options name, as 'Main.run#3'. */
struct tv_call_pair_options {
    const char *call;
    const char *other; /* NULL: the median call of the same method */
};

/* Finds both calls. `measure` is what the median is of. TV_ERR_ARGUMENT: both are one, or the
 * method has no other call. */
enum tv_code tv_call_pair_take(struct tv_asking *asking, const struct tv_call_pair_options *options,
                               enum tv_measure measure, struct tv_call_pair *pair,
                               struct tv_error *err) TV_MUST_CHECK;
/* "Main.run(), call 3 of 14, on main at 12.3 ms" */
enum tv_code tv_call_pair_tell(const struct tv_call_pair *pair, enum tv_side side,
                               const struct tv_index *index, struct tv_text *out,
                               struct tv_error *err) TV_MUST_CHECK;
/* What must be known before the numbers are read, a line for each: that one call lies within the
 * other, that they are of two methods, that one is longer than the trace tells. */
void tv_call_pair_notes(const struct tv_call_pair *pair, const struct tv_index *index,
                        struct tv_text *out);
/* Where each call waited, a line for each; nothing where the trace has not both clocks. */
enum tv_code tv_call_pair_waits(const struct tv_call_pair *pair, const struct tv_asking *asking,
                                struct tv_text *out, struct tv_error *err) TV_MUST_CHECK;
/* Both calls for the answer as JSON. The details are the caller's, and pointed to. */
enum tv_code tv_call_pair_compared(const struct tv_call_pair *pair, const struct tv_asking *asking,
                                   struct tv_detail details[TV_SIDE_COUNT],
                                   struct tv_compared_call calls[TV_SIDE_COUNT],
                                   struct tv_error *err) TV_MUST_CHECK;

#endif
