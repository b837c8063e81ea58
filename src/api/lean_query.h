/*
 * The lean index that a request's `hide` asks for (analysis/lean/lean.h), for the routes of the
 * timeline. It is the cache's where the api has one, and else lives as long as the request.
 */
#ifndef TV_API_LEAN_QUERY_H
#define TV_API_LEAN_QUERY_H

#include "analysis/lean/lean.h"
#include "api/route.h"
#include "base/compiler.h"
#include "base/error.h"

#define TV_HIDE_PARAM "hide"

struct tv_lean_query {
    struct tv_lean *lean; /* NULL: nothing is hidden */
    struct tv_lean_cache *cache;
    struct tv_lean_cache own;
};

/* Release it in any case. The query must not be moved until then. */
enum tv_code tv_lean_query_hold(struct tv_lean_query *query, struct tv_request *request,
                                struct tv_error *err) TV_MUST_CHECK;
void tv_lean_query_release(struct tv_lean_query *query);

#endif
