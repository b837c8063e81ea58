/*
 * The parameter `calls` of a request: a set of calls (analysis/selection/call_set.h), as steps that
 * each take some of what is left, separated by ";". docs/api.md, "A set of calls", has its form.
 */
#ifndef TV_API_SET_QUERY_H
#define TV_API_SET_QUERY_H

#include "analysis/question/scope.h"
#include "api/params.h"
#include "base/compiler.h"
#include "base/error.h"
#include "index/index.h"

/* Each step may cost a look at all calls. */
#define TV_SET_STEP_LIMIT 16u

/* Takes the steps in their order. Nothing is taken where `calls` is not given, or empty. */
enum tv_code tv_query_set(const struct tv_params *params, const struct tv_index *index,
                          struct tv_scope *scope, struct tv_error *err) TV_MUST_CHECK;

#endif
