/*
 * From a form to a single file of the trace (api/report); see server/single_file_route.h.
 *
 * The whole file is made in memory, within the bound that answers have, and sent at the end: so a
 * failure half way is still an answer. One is made at a time, since each takes much memory.
 */
#include "server/single_file_route.h"

#include "api/api.h"
#include "api/report_query.h"
#include "base/memory/arena.h"
#include "base/memory/limit.h"
#include "index/memory.h"
#include "os/memory/mapping.h"
#include "served/single_file.h"
#include "server/routes.h"

/* A single file while it is made. */
struct saving {
    const struct tv_shown *shown;
    struct tv_str form;
    struct tv_arena *arena;
    struct tv_viewer_file *one;
    struct tv_http_response *response;
    struct tv_report_query query;
    enum tv_code code;
    struct tv_error *err;
};

static enum tv_code make(struct saving *saving)
{
    const struct tv_shown *shown = saving->shown;
    struct tv_report_query *query = &saving->query;
    struct tv_params params;
    TV_TRY(tv_params_parse(&params, saving->arena, saving->form, tv_report_params, saving->err));
    TV_TRY(tv_query_report(&params, &shown->index, tv_str_from(shown->origin.label), query,
                           saving->err));
    TV_TRY(tv_viewer_file_take(saving->one, &shown->index, &query->part.opts, saving->err));
    return tv_viewer_file_write(saving->one, &query->report,
                                tv_buffer_sink(&saving->response->owned), saving->err);
}

static void run(void *ctx)
{
    struct saving *saving = ctx;
    saving->code = make(saving);
}

/* Runs under tv_mapping_run, since the saved index that is read may be cut meanwhile. */
static enum tv_code save(struct saving *saving, const struct tv_limit *limit)
{
    TV_TRY(tv_mapping_run(run, saving, saving->err));
    return tv_memory_tell(limit, saving->code, &saving->shown->index,
                          "the page takes too much memory: save a shorter part", saving->err);
}

static void send_page(const struct tv_viewer *viewer, const struct tv_shown *shown,
                      struct tv_str form, struct tv_http_response *response)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_limit limit;
    struct tv_arena arena;
    struct tv_viewer_file one;
    tv_limit_init(&limit, viewer->alloc, tv_memory_of_answer(&shown->index));
    tv_arena_init(&arena, &limit.alloc);
    tv_viewer_file_init(&one, &limit.alloc, viewer->pool);
    struct saving saving = {.shown = shown,
                            .form = form,
                            .arena = &arena,
                            .one = &one,
                            .response = response,
                            .err = &err};
    if (save(&saving, &limit) == TV_OK) {
        tv_http_send(response, 200, "text/html; charset=utf-8", "no-store");
        tv_http_add_file_name(response, tv_str_from(saving.query.name));
    } else {
        tv_http_drop_body(response);
        tv_http_refuse(response, tv_api_status(err.code), err.text);
    }
    tv_viewer_file_release(&one);
    tv_arena_release(&arena);
}

/* Refuses while only the beginning is shown, and while another one is made. */
void tv_saving_report(void *ctx, struct tv_http_response *response)
{
    const struct tv_view_request *asked = ctx;
    struct tv_viewer *viewer = asked->viewer;
    const struct tv_shown *shown = asked->shown;
    if (shown->read_len < shown->len) {
        tv_http_refuse_for_now(response,
                               "only the beginning of the trace is shown: let it be read to its "
                               "end, and save it then");
    } else if (atomic_flag_test_and_set(&viewer->is_saving)) {
        tv_http_refuse_for_now(response, "another page is being made");
    } else {
        send_page(viewer, shown, asked->request->body, response);
        atomic_flag_clear(&viewer->is_saving);
    }
}
