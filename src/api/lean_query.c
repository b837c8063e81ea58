/* What `hide` leaves of the timeline; see api/lean_query.h. */
#include "api/lean_query.h"

#include "base/error.h"

enum tv_code tv_lean_query_hold(struct tv_lean_query *query, struct tv_request *request,
                                struct tv_error *err)
{
    struct tv_str hidden;
    const struct tv_api *api = request->api;
    *query = (struct tv_lean_query){.cache = api->leans};
    tv_lean_cache_init(&query->own, request->alloc, 1);
    if (!query->cache)
        query->cache = &query->own;
    if (!tv_params_find(&request->params, TV_HIDE_PARAM, &hidden) || !hidden.len)
        return TV_OK;
    return tv_lean_hold(query->cache, request->index, hidden, api->pool, &query->lean, err);
}

void tv_lean_query_release(struct tv_lean_query *query)
{
    tv_lean_let_go(query->cache, query->lean);
    query->lean = NULL;
    tv_lean_cache_release(&query->own);
}
