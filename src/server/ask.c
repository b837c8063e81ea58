/* The api writes an answer into a buffer; the response takes the buffer over, without a copy. */
#include "server/ask.h"

#include "base/error.h"
#include "os/memory/mapping.h"

/* A question while it is answered. */
struct asking {
    const struct tv_api *api;
    struct tv_str route;
    struct tv_str query;
    struct tv_api_response *answer;
    enum tv_code code;
};

static void get(void *ctx)
{
    struct asking *asking = ctx;
    asking->code = tv_api_get(asking->api, asking->route, asking->query, asking->answer, NULL);
}

/* A saved index may become shorter while it is read, which shows at once or in the check. */
static enum tv_code answer(struct asking *asking, struct tv_error *err)
{
    TV_TRY(tv_mapping_run(get, asking, err));
    TV_TRY(tv_mapping_check(tv_api_meant(asking->api)->index->block, err));
    if (asking->code != TV_OK)
        return tv_fail(err, asking->code, TV_NO_OFFSET, "out of memory");
    return TV_OK;
}

void tv_ask_index(const struct tv_api *api, struct tv_str route, struct tv_str query,
                  struct tv_http_response *response)
{
    struct tv_api_response made;
    struct asking asking = {.api = api, .route = route, .query = query, .answer = &made};
    struct tv_error err = {.code = TV_OK};
    tv_api_response_init(&made, api->alloc);
    if (answer(&asking, &err) != TV_OK) {
        tv_api_response_release(&made);
        tv_http_refuse(response, 500, err.text);
        return;
    }
    tv_buffer_release(&response->owned);
    response->owned = made.body; /* the response owns the bytes from here on */
    tv_http_send(response, made.status, made.content_type, "no-store");
}

void tv_ask_shown(const struct tv_viewer *viewer, struct tv_shown *shown, struct tv_str route,
                  struct tv_str query, struct tv_http_response *response)
{
    /* Answers say that they are not complete while only a beginning of the trace is shown. */
    const struct tv_api_part part = {.read_len = shown->read_len, .len = shown->len};
    const struct tv_api_trace trace = {.index = &shown->index,
                                       .file = tv_str_from(shown->origin.label),
                                       .part = part.read_len < part.len ? &part : NULL,
                                       .leans = &shown->leans};
    const struct tv_api api = {
        .alloc = viewer->alloc, .pool = viewer->pool, .traces = &trace, .trace_count = 1};
    tv_ask_index(&api, route, query, response);
}

void tv_ask_nothing(struct tv_viewer *viewer, struct tv_http_response *response)
{
    struct tv_state_view view = tv_state_look(&viewer->state);
    if (tv_phase_is_loading(view.phase)) {
        tv_http_refuse(response, 503, "loading");
        tv_http_add(response, "Retry-After", "1");
    } else if (view.phase == TV_PHASE_FAILED) {
        tv_http_refuse(response, 500, view.failure.text);
    } else {
        tv_http_refuse(response, 404, "no trace");
    }
}
