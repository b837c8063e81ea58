/* The api writes an answer into a buffer; the response takes the buffer over, without a copy. */
#include "server/ask.h"

#include "api/api.h"

void tv_ask_shown(const struct tv_viewer *viewer, const struct tv_shown *shown, struct tv_str route,
                  struct tv_str query, struct tv_http_response *response)
{
    /* Answers say that they are not complete while only a beginning of the trace is shown. */
    const struct tv_api_part part = {.read_len = shown->read_len, .len = shown->len};
    struct tv_api api = {.alloc = viewer->alloc,
                         .index = &shown->index,
                         .file = tv_str_from(shown->origin.label),
                         .pool = viewer->pool,
                         .part = part.read_len < part.len ? &part : NULL};
    struct tv_api_response answer;
    tv_api_response_init(&answer, viewer->alloc);
    if (tv_api_get(&api, route, query, &answer, NULL) != TV_OK) {
        tv_api_response_release(&answer);
        tv_http_refuse(response, 500, "out of memory");
        return;
    }
    response->status = answer.status;
    response->kind = TV_HTTP_BODY_OWNED;
    tv_buffer_release(&response->owned);
    response->owned = answer.body; /* the response owns the bytes from here on */
    tv_http_add(response, "Content-Type", answer.content_type);
    tv_http_add(response, "Cache-Control", "no-store");
}
