/*
 * Commands that look closer at a place of a trace, as lines of an answer: they can be pasted into a
 * shell. On a terminal a line that is too wide goes on behind a backslash.
 */
#ifndef TV_CLI_ANSWERS_DRILL_DOWN_H
#define TV_CLI_ANSWERS_DRILL_DOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/calls/call.h"
#include "analysis/insights/insights.h"
#include "analysis/profile/profile.h"
#include "cli/answers/question.h"
#include "cli/wording.h"

/* The levels of a tree in text where --depth does not say otherwise. */
#define TV_TREE_LEVELS 12u

/* Whether commands can be told: the trace and the mapping are files whose names a shell can be
 * given. */
bool tv_drill_down_is_told(const struct tv_asking *asking);
/* What calls and frames are long by: the clock of the axis. */
enum tv_measure tv_drill_down_axis_measure(const struct tv_index *index);
/* Adds "    traceview tree --clock wall --thread 1 --from 404.070 --to 584.114 app.trace": what the
 * thread of a call did in a range of time, by the measure of the sentence above, down to the call
 * and some levels below it. Adds nothing where the trace came through a pipe, or its name cannot be
 * told. */
void tv_drill_down_add(struct tv_text *out, const struct tv_asking *asking, enum tv_measure measure,
                       struct tv_call_ref call, uint64_t from_ns, uint64_t to_ns);
/* Adds the command of tv_drill_down_add below an insight that is about one place; adds nothing
 * below other insights. */
void tv_drill_down_add_insight(struct tv_text *out, const struct tv_asking *asking,
                               const struct tv_insight *insight);
/* Adds "    traceview callers app.trace 0x4f0": who calls a method, by its id, so that any name can
 * be pasted. */
void tv_drill_down_add_callers(struct tv_text *out, const struct tv_asking *asking, uint32_t method,
                               const uint32_t *thread_id);
/* Adds "    traceview top app.trace": a verb that needs no more than the file. */
void tv_drill_down_add_verb(struct tv_text *out, const struct tv_asking *asking, const char *verb);

#endif
