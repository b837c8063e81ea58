/*
 * Which calls a question is about, from --path, --method, --search, --duration, --past and --call
 * in the order in which they were given: each step takes some of what is left, as a request's
 * parameter `calls` does (api/set_query.h).
 *
 * Neighbouring options of one name are one step: the methods of a path, or several methods. "^" in
 * a path begins a step, which starts at the outermost calls; so does --then. --duration and
 * --past belong to the step before them.
 */
#ifndef TV_CLI_ANSWERS_SET_STEPS_H
#define TV_CLI_ANSWERS_SET_STEPS_H

#include "analysis/question/scope.h"
#include "base/compiler.h"
#include "base/error.h"
#include "cli/answers/question.h"

/* Takes the steps into the scope, whose measure is that of durations that name no clock. */
enum tv_code tv_set_steps_take(struct tv_asking *asking, const struct tv_scope_options *options,
                               struct tv_scope *scope, struct tv_error *err) TV_MUST_CHECK;

/* Reads a call, 'Main.run#3': its method, and its ordinal among all calls of it, from 0. The
 * message about a text that names no call begins with `option`. */
enum tv_code tv_set_steps_call(struct tv_asking *asking, const char *option, const char *text,
                               uint32_t *method_ix, uint64_t *ordinal,
                               struct tv_error *err) TV_MUST_CHECK;

#endif
