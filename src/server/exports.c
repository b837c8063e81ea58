/*
 * From the shown trace to a download, which holds the trace until it was sent. The work is done by
 * served/exports.h, which viewer and site share.
 */
#include "server/exports.h"

#include "index/memory.h"
#include "served/exports.h"
#include "server/routes.h"

static void let_go_of_shown(void *unused, void *shown)
{
    (void)unused;
    tv_state_let_go(shown);
}

/* Refuses while only the beginning is shown: a part of a trace would look like the whole in the
 * file. From tv_exports_send on the trace is the download's to let go. */
void tv_exports_start(void *ctx, struct tv_http_response *response)
{
    struct tv_view_request *asked = ctx;
    struct tv_viewer *viewer = asked->viewer;
    struct tv_shown *shown = asked->shown;
    if (shown->read_len < shown->len) {
        tv_http_refuse_for_now(response,
                               "only the beginning of the trace is shown: let it be read to its "
                               "end, and export it then");
        return;
    }
    const struct tv_held held = {.index = &shown->index,
                                 .file = tv_str_from(shown->origin.label),
                                 .memory_most = tv_memory_of_answer(&shown->index),
                                 .let_go = let_go_of_shown,
                                 .what = shown};
    asked->shown = NULL; /* the download releases the trace */
    tv_exports_send(&viewer->downloads, &held, asked->request, asked->query, response);
}

void tv_exports_state(void *ctx, struct tv_http_response *response)
{
    const struct tv_view_request *asked = ctx;
    tv_exports_tell(&asked->viewer->downloads, asked->request, asked->query, response);
}
