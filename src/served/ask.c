/*
 * From a question to an answer of the api; see served/ask.h. The api writes an answer into a
 * buffer, and the response takes the buffer over without a copy.
 *
 * Both the viewer and the site answer so, each with an index that it holds while this runs; nothing
 * here keeps it.
 */
#include "served/ask.h"

#include "base/error.h"
#include "os/memory/mapping.h"

/* The arguments of get, which runs under tv_mapping_run. */
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

/* A saved index may be cut while it is read: then the run is stopped, or the check finds it out. No
 * answer from such bytes is sent. */
static enum tv_code answer(struct asking *asking, struct tv_error *err)
{
    TV_TRY(tv_mapping_run(get, asking, err));
    for (size_t i = 0; i < asking->api->trace_count; i++)
        TV_TRY(tv_mapping_check(asking->api->traces[i].index->block, err));
    if (asking->code != TV_OK)
        return tv_fail(err, asking->code, TV_NO_OFFSET, "out of memory");
    return TV_OK;
}

/* A failure of the question has an answer of its own (made.status); only a lack of memory comes
 * back as an error. */
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
