/*
 * From what is shown, or not shown yet, to an answer; see server/ask.h.
 *
 * The caller holds the shown trace, so it stays while the answer is made, whatever is opened
 * meanwhile. Without a shown trace the answer says why: it is being loaded, it could not be read,
 * or none was opened.
 */
#include "server/ask.h"

#include "served/ask.h"

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

void tv_ask_nothing(struct tv_state *state, struct tv_http_response *response)
{
    struct tv_state_view view = tv_state_look(state);
    if (tv_phase_is_loading(view.phase)) {
        tv_http_refuse_for_now(response, "loading");
    } else if (view.phase == TV_PHASE_FAILED) {
        tv_http_refuse(response, 500, view.failure.text);
    } else {
        tv_http_refuse(response, 404, "no trace");
    }
}
