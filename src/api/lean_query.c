/*
 * What `hide` leaves of the timeline; see api/lean_query.h. The lean index is taken from the
 * cache of the trace and held while the answer is made; without a cache, as in the command, it is
 * made for this one answer.
 */
#include "api/lean_query.h"

#include "base/error.h"

/* Gives NULL where nothing is hidden. */
static enum tv_code hold(struct tv_request *request, struct tv_lean_cache *cache,
                         struct tv_lean **lean, struct tv_error *err)
{
    struct tv_str hidden;
    *lean = NULL;
    if (!tv_params_find(&request->params, TV_HIDE_PARAM, &hidden) || !hidden.len)
        return TV_OK;
    return tv_lean_hold(cache, request->index, hidden, request->api->pool, lean, err);
}

/* Holds the lean index for as long as the route answers. The server keeps some of them between
 * requests, since making one walks over all nodes; a caller without such a cache makes one for this
 * answer alone. */
enum tv_code tv_lean_query_run(struct tv_request *request, tv_lean_answer answer,
                               struct tv_error *err)
{
    struct tv_lean_cache own;
    struct tv_lean *lean;
    tv_lean_cache_init(&own, request->alloc, 1);
    const struct tv_api_trace *trace = tv_api_meant(request->api);
    struct tv_lean_cache *cache = trace->leans ? trace->leans : &own;
    enum tv_code code = hold(request, cache, &lean, err);
    if (code == TV_OK)
        code = answer(request, lean, err);
    tv_lean_let_go(cache, lean);
    tv_lean_cache_release(&own);
    return code;
}
