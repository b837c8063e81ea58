/*
 * From a request to a download, which http/body_sender.c sends; see served/exports.h.
 *
 * The parameters are read before the download begins, so that a mistake in them is a refusal and
 * not a broken file. What they point to lives in the download's own memory, since it goes on after
 * the request was answered. The headers wait for the maker's first bytes, so that a failure before
 * them is a refusal, too.
 */
#include "served/exports.h"

#include <stdio.h>

#include "api/api.h"
#include "api/export_query.h"
#include "base/error.h"
#include "base/text/json.h"
#include "index/memory.h"
#include "os/memory/mapping.h"

void tv_exports_refuse(struct tv_http_response *response, const struct tv_error *err)
{
    tv_http_refuse(response, tv_api_status(err->code), err->text);
}

static const char *const export_params[] = {TV_EXPORT_PARAMS, "id", "check", NULL};

/* Reads the parameters into the download. *is_check: only the name of the file is wanted. */
static enum tv_code fill(struct tv_download *download, struct tv_str query, bool *is_check,
                         struct tv_error *err)
{
    const struct tv_held *held = &download->held;
    struct tv_params params;
    uint64_t id = 0;
    TV_TRY(tv_params_parse(&params, &download->arena, query, export_params, err));
    TV_TRY(tv_params_u64(&params, "id", 1, INT64_MAX, &id, err));
    TV_TRY(tv_params_truth(&params, "check", is_check, err));
    TV_TRY(tv_query_export(&params, held->index, &download->query, err));
    /* The download outlives the owner of the name. */
    TV_TRY(tv_arena_keep(&download->arena, held->file, &download->query.opts.file, err));
    tv_download_set_id(download, id);
    return TV_OK;
}

/* The arguments of read_index, which runs under tv_mapping_run. */
struct index_reading {
    struct tv_download *download;
    struct tv_str query;
    char *name;
    bool *is_check;
    enum tv_code code;
    struct tv_error *err;
};

static void read_index(void *ctx)
{
    struct index_reading *reading = ctx;
    reading->code = fill(reading->download, reading->query, reading->is_check, reading->err);
    if (reading->code == TV_OK)
        tv_export_file_name(&reading->download->query, reading->download->held.index,
                            reading->name);
}

/* --- a download as the source of an answer --- */

static bool begin(void *ctx, const struct tv_http_reader *reader)
{
    tv_download_begin(ctx, reader);
    return false;
}

static bool refuse(void *ctx, struct tv_http_response *response)
{
    struct tv_error err;
    if (!tv_download_has_failed(ctx, &err))
        return false;
    tv_http_take_out(response, "Content-Disposition");
    tv_exports_refuse(response, &err);
    return true;
}

static ssize_t read_on(void *ctx, void *out, size_t cap)
{
    return tv_download_read(ctx, out, cap);
}

static void leave(void *ctx)
{
    tv_download_leave(ctx);
}

static const struct tv_http_source_calls download_calls = {
    .begin = begin, .refuse = refuse, .read = read_on, .leave = leave};

static void put_headers(struct tv_download *download, const char *name,
                        struct tv_http_response *response)
{
    const struct tv_export_query *query = &download->query;
    tv_http_stream(response, query->is_gzip ? "application/gzip" : query->format->media_type,
                   (struct tv_http_source){.calls = &download_calls, .ctx = download});
    tv_http_add_file_name(response, tv_str_from(name));
}

/* Ends an answer as JSON in `owned`. */
static void send_json(struct tv_json *json, struct tv_http_response *response)
{
    if (tv_json_finish(json, NULL) != TV_OK) {
        tv_http_refuse(response, 500, "out of memory");
        return;
    }
    tv_http_send(response, 200, "application/json", "no-store");
}

static void send_name(const char *name, struct tv_http_response *response)
{
    struct tv_json json;
    tv_json_init(&json, tv_buffer_sink(&response->owned));
    tv_json_open_object(&json);
    tv_json_key_text(&json, "name", name);
    tv_json_close_object(&json);
    send_json(&json, response);
}

/* From tv_download_take on the trace is the download's to let go. */
static void send_held(struct tv_downloads *downloads, const struct tv_held *held,
                      struct tv_str query, struct tv_http_response *response)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_download *download;
    char name[TV_EXPORT_NAME_CAP];
    bool is_check = false;
    enum tv_code code = tv_download_take(downloads, held, &download, &err);
    if (code == TV_ERR_LIMIT) {
        tv_http_refuse_for_now(response, err.text);
        return;
    }
    if (code == TV_OK) {
        struct index_reading reading = {
            .download = download, .query = query, .name = name, .is_check = &is_check, .err = &err};
        /* The index may be a saved one that becomes shorter. */
        code = tv_mapping_run(read_index, &reading, &err);
        if (code == TV_OK)
            code = reading.code;
    }
    if (code == TV_OK && !is_check) {
        put_headers(download, name, response);
        return;
    }
    tv_download_leave(download);
    if (code == TV_OK)
        send_name(name, response);
    else
        tv_exports_refuse(response, &err);
}

/* Refuses HTTP/1.0: without chunks, a file that broke off would look like a whole one. */
void tv_exports_send(struct tv_downloads *downloads, const struct tv_held *held,
                     const struct tv_http_request *request, struct tv_str query,
                     struct tv_http_response *response)
{
    if (request->takes_chunks) {
        send_held(downloads, held, query, response);
        return;
    }
    held->let_go(held->owner, held->what);
    tv_http_refuse(response, 505, "an export is sent by HTTP/1.1 alone, which can tell its end");
}

/* For the page's progress: the state, and what the export had to change once it is done. */
static void send_view(const struct tv_download_view *view, struct tv_http_response *response)
{
    static const char *const states[] = {"running", "done", "failed", "cancelled"};
    struct tv_json json;
    tv_json_init(&json, tv_buffer_sink(&response->owned));
    tv_json_open_object(&json);
    tv_json_key_text(&json, "state", states[view->state]);
    tv_json_key_u64(&json, "bytes", view->bytes);
    tv_json_key_u64(&json, "done", view->done);
    tv_json_key_u64(&json, "of", view->of);
    if (view->state == TV_DOWNLOAD_DONE)
        tv_export_result_write(&view->result, &json);
    if (view->state == TV_DOWNLOAD_FAILED)
        tv_json_key_text(&json, "error", view->failure.text);
    tv_json_close_object(&json);
    send_json(&json, response);
}

/* The id was made by the page, so that it can ask about a download whose headers it has not seen
 * yet. */
static enum tv_code id_of(const struct tv_alloc *alloc, struct tv_str query, uint64_t *id,
                          struct tv_error *err)
{
    static const char *const known[] = {"id", NULL};
    struct tv_params params;
    struct tv_arena arena;
    tv_arena_init(&arena, alloc);
    *id = 0;
    enum tv_code code = tv_params_parse(&params, &arena, query, known, err);
    if (code == TV_OK)
        code = tv_params_u64(&params, "id", 1, INT64_MAX, id, err);
    if (code == TV_OK && !*id)
        code = tv_params_missing("id", err);
    tv_arena_release(&arena);
    return code;
}

/* PUT cancels and then answers as GET does, so the page learns in one request how it ended. */
void tv_exports_tell(struct tv_downloads *downloads, const struct tv_http_request *request,
                     struct tv_str query, struct tv_http_response *response)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_download_view view;
    uint64_t id;
    if (id_of(downloads->alloc, query, &id, &err) != TV_OK) {
        tv_exports_refuse(response, &err);
        return;
    }
    if (request->method == TV_HTTP_PUT)
        tv_downloads_cancel(downloads, id);
    if (tv_downloads_look(downloads, id, &view))
        send_view(&view, response);
    else
        tv_http_refuse(response, 404, "no export with this id is known any more");
}
