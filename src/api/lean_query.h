/*
 * The lean index that a request's `hide` asks for (analysis/lean/lean.h), for the routes of the
 * timeline. If the api has a cache of lean indexes, the cache owns it; else it lives as long as the
 * request.
 */
#ifndef TV_API_LEAN_QUERY_H
#define TV_API_LEAN_QUERY_H

#include "analysis/lean/lean.h"
#include "api/route.h"
#include "base/compiler.h"
#include "base/error.h"

#define TV_HIDE_PARAM "hide"

/* Answers a request; `lean` is held meanwhile, and NULL where nothing is hidden. */
typedef enum tv_code (*tv_lean_answer)(struct tv_request *request, const struct tv_lean *lean,
                                       struct tv_error *err);

/* Holds the lean index while `answer` runs, and lets go of it whatever becomes of the answer. */
enum tv_code tv_lean_query_run(struct tv_request *request, tv_lean_answer answer,
                               struct tv_error *err) TV_MUST_CHECK;

#endif
