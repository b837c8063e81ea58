/*
 * A route: its name, the parameters that it knows, and the function that answers. Each route is one
 * file route_<name>.c and one line in the lists below.
 *
 * A route reads its question out of request->params and writes the answer into
 * request->response->body. It fails with TV_ERR_ARGUMENT or TV_ERR_LIMIT (the client gets 400),
 * TV_ERR_NOT_FOUND (404), or TV_ERR_MEMORY; what it wrote so far is then dropped.
 */
#ifndef TV_API_ROUTE_H
#define TV_API_ROUTE_H

#include "api/api.h"
#include "api/params.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"

struct tv_request {
    const struct tv_api *api;
    const struct tv_index *index; /* api's */
    const struct tv_alloc *alloc; /* api's */
    struct tv_arena *arena;       /* lives as long as the request */
    struct tv_params params;
    struct tv_api_response *response;
};

struct tv_route {
    const char *name;
    const char *content_type;
    const char *const *params; /* the names that the query may have; ends with NULL */
    enum tv_code (*run)(struct tv_request *request, struct tv_error *err);
};

#define TV_TYPE_JSON "application/json"
#define TV_TYPE_PACKED "application/octet-stream"

/* Routes whose answers a page shows at once. X(name) */
#define TV_ROUTES(X)                                                                               \
    X(call)                                                                                        \
    X(callers)                                                                                     \
    X(calls)                                                                                       \
    X(check)                                                                                       \
    X(curve)                                                                                       \
    X(detail)                                                                                      \
    X(flame)                                                                                       \
    X(info)                                                                                        \
    X(insights)                                                                                    \
    X(lanes)                                                                                       \
    X(levels)                                                                                      \
    X(methods)                                                                                     \
    X(overview)                                                                                    \
    X(search)                                                                                      \
    X(top)                                                                                         \
    X(tree)                                                                                        \
    X(window)
/* Those about what is made of a trace, and those whose parameters `old` and `new` name other
 * traces. An engine that only answers has neither (docs/engine.md). */
#define TV_EXPORT_ROUTES(X)                                                                        \
    X(calldiff)                                                                                    \
    X(exports)                                                                                     \
    X(preview)
#define TV_COMPARING_ROUTES(X)                                                                     \
    X(before)                                                                                      \
    X(checkdiff)                                                                                   \
    X(counts)                                                                                      \
    X(diff)                                                                                        \
    X(flamediff)                                                                                   \
    X(insightsdiff)                                                                                \
    X(lanesdiff)                                                                                   \
    X(rules)                                                                                       \
    X(trend)

#define TV_ROUTE_DECLARED(name) extern const struct tv_route tv_route_##name;
TV_ROUTES(TV_ROUTE_DECLARED)
TV_EXPORT_ROUTES(TV_ROUTE_DECLARED)
TV_COMPARING_ROUTES(TV_ROUTE_DECLARED)
#undef TV_ROUTE_DECLARED

/* All that a program or an engine answers; ends with NULL. */
extern const struct tv_route *const tv_routes[];

/* The route of that name, or NULL. */
const struct tv_route *tv_route_find(struct tv_str name);

#endif
