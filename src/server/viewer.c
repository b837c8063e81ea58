/* Routes of the local viewer. */
#include "server/viewer.h"

#include <stdio.h>
#include <string.h>

#include "api/api.h"
#include "base/compiler.h"
#include "base/json.h"
#include "os/inflate.h"
#include "os/paths.h"
#include "server/content.h"
#include "server/guard.h"
#include "server/json_check.h"
#include "server/page.h"

#define ETAG_CAP sizeof(((struct tv_http_response *)NULL)->room)

static void redirect_to_slash(const struct tv_viewer *viewer, struct tv_http_response *response)
{
    (void)snprintf(response->room, sizeof(response->room), "/%s/", viewer->token);
    tv_http_say(response, 301, "text/plain; charset=utf-8", "");
    tv_http_add(response, "Location", response->room);
}

static void send_unpacked(const struct tv_page_file *file, struct tv_http_response *response)
{
    const uint8_t *bytes = (const uint8_t *)(const void *)file->packed.at;
    bool is_cut;
    response->kind = TV_HTTP_BODY_OWNED;
    if (tv_inflate(bytes, file->packed.len, NULL, &response->owned, &is_cut, NULL) != TV_OK)
        tv_http_refuse(response, 500, "out of memory");
}

static void send_page_file(const struct tv_http_request *request, const struct tv_page_file *file,
                           struct tv_http_response *response)
{
    size_t etag_len = file->etag.len < ETAG_CAP ? file->etag.len : ETAG_CAP - 1;
    memcpy(response->room, file->etag.at, etag_len);
    response->room[etag_len] = '\0';
    response->status = 200;
    tv_http_add(response, "ETag", response->room);
    tv_http_add(response, "Cache-Control", "no-cache");
    tv_http_add(response, "Vary", "Accept-Encoding");
    if (request->if_none_match.at && tv_str_equal(request->if_none_match, file->etag)) {
        response->status = 304;
        return;
    }
    tv_http_add(response, "Content-Type", file->content_type);
    if (!request->takes_gzip) {
        send_unpacked(file, response);
        return;
    }
    response->fixed = file->packed;
    tv_http_add(response, "Content-Encoding", "gzip");
}

static void send_page(const struct tv_http_request *request, struct tv_str path,
                      struct tv_http_response *response)
{
    static const char plain[] = "text/plain; charset=utf-8";
    struct tv_page_file file;
    if (request->method != TV_HTTP_GET) {
        tv_http_say(response, 405, plain, "Only GET and HEAD.\n");
        tv_http_add(response, "Allow", "GET, HEAD");
    } else if (tv_page_find(path, &file)) {
        send_page_file(request, &file, response);
    } else if (!path.len && !tv_page_is_built()) {
        tv_http_say(response, 503, plain,
                    "This traceview was built without its page, because node was missing then.\n"
                    "The commands work: traceview top FILE, traceview --help.\n");
    } else {
        tv_http_say(response, 404, plain, "There is no such page.\n");
    }
}

static void send_settings(const struct tv_viewer *viewer, struct tv_http_response *response)
{
    enum tv_code code = TV_ERR_NOT_FOUND;
    struct tv_error err = {.code = TV_OK};
    if (viewer->settings_path)
        code = tv_file_read_small(viewer->settings_path, TV_LIMIT_BODY, &response->owned, &err);
    if (code == TV_OK && tv_json_is_object(tv_buffer_view(&response->owned))) {
        response->status = 200;
        response->kind = TV_HTTP_BODY_OWNED;
        tv_http_add(response, "Content-Type", "application/json");
        tv_http_add(response, "Cache-Control", "no-store");
        return;
    }
    /* A file that is missing, damaged or not ours to read means defaults; writing tells what is
     * wrong. */
    tv_http_say(response, 200, "application/json", "{}\n");
}

static void keep_settings(const struct tv_viewer *viewer, struct tv_str body,
                          struct tv_http_response *response)
{
    struct tv_error err = {.code = TV_OK};
    if (!tv_json_is_object(body))
        tv_http_refuse(response, 400, "settings must be a JSON object");
    else if (!viewer->settings_path)
        tv_http_refuse(response, 500, "no folder for settings: set HOME");
    else if (tv_file_replace(viewer->settings_path, body, &err) != TV_OK)
        tv_http_refuse(response, 500, err.text);
    else
        send_settings(viewer, response);
}

/* There is no trace to answer from: why. */
static void send_nothing(struct tv_viewer *viewer, struct tv_http_response *response)
{
    struct tv_state_view view = tv_state_look(&viewer->state);
    if (view.is_loading) {
        tv_http_refuse(response, 503, "loading");
        tv_http_add(response, "Retry-After", "1");
    } else if (view.has_failed) {
        tv_http_refuse(response, 500, view.failure.text);
    } else {
        tv_http_refuse(response, 404, "no trace");
    }
}

static void send_answer(const struct tv_viewer *viewer, const struct tv_shown *shown,
                        struct tv_str route, struct tv_str query, struct tv_http_response *response)
{
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
    response->owned = answer.body; /* taken over */
    tv_http_add(response, "Content-Type", answer.content_type);
    tv_http_add(response, "Cache-Control", "no-store");
}

/* A trace that was promised is there by then, unless it turns out that it has to be read anew. */
#define PROMISE_PATIENCE_NS 10000000000u

static void send_api(struct tv_viewer *viewer, struct tv_str route, struct tv_str query,
                     struct tv_http_response *response)
{
    struct tv_shown *shown = tv_state_hold(&viewer->state);
    if (!shown) {
        tv_state_need(&viewer->state, PROMISE_PATIENCE_NS);
        shown = tv_state_hold(&viewer->state);
    }
    if (!shown) {
        send_nothing(viewer, response);
        return;
    }
    send_answer(viewer, shown, route, query, response);
    if (response->status == 200 && tv_str_equal(route, TV_STR("window")))
        tv_state_note_window(&viewer->state, shown, query, tv_buffer_view(&response->owned));
    tv_state_let_go(&viewer->state, shown);
}

/* How long the page waits for its first trace before it is told that it loads: what was read before
 * is there by then. */
#define FIRST_PATIENCE_NS 1000000000u

/* What there is to know of the trace but itself. */
static bool write_state(struct tv_buffer *body, const struct tv_state_view *view)
{
    struct tv_json json;
    tv_json_init(&json, tv_buffer_sink(body));
    tv_json_open_object(&json);
    tv_json_key_u64(&json, "trace", view->shown_no);
    tv_json_key_truth(&json, "loading", view->is_loading);
    if (view->has_failed)
        tv_json_key_text(&json, "error", view->failure.text);
    tv_json_close_object(&json);
    return tv_json_finish(&json, NULL) == TV_OK;
}

/* Another route's answer as a member of this one. */
static bool append_answer(struct tv_buffer *body, const char *key,
                          const struct tv_http_response *answer)
{
    bool is_owned = answer->kind == TV_HTTP_BODY_OWNED;
    struct tv_str value = is_owned ? tv_buffer_view(&answer->owned) : answer->fixed;
    return tv_buffer_append(body, key, strlen(key), NULL) == TV_OK &&
           tv_buffer_append(body, value.at, value.len, NULL) == TV_OK;
}

/* Of what is shown, or was promised. */
static bool find_info(struct tv_viewer *viewer, const struct tv_shown *shown,
                      struct tv_state_view *view, struct tv_http_response *info)
{
    if (shown) {
        send_answer(viewer, shown, TV_STR("info"), TV_STR(""), info);
        tv_state_note_info(&viewer->state, shown, tv_buffer_view(&info->owned));
        return info->status == 200;
    }
    info->kind = TV_HTTP_BODY_OWNED;
    if (!tv_state_copy_promised(&viewer->state, &info->owned, NULL, NULL) || !info->owned.len)
        return false;
    view->shown_no++; /* that will be its number */
    return true;
}

static bool write_first(struct tv_viewer *viewer, const struct tv_shown *shown,
                        struct tv_buffer *body)
{
    struct tv_http_response info;
    struct tv_http_response settings;
    struct tv_state_view view = tv_state_look(&viewer->state);
    tv_http_response_init(&info, viewer->alloc);
    tv_http_response_init(&settings, viewer->alloc);
    bool has_info = find_info(viewer, shown, &view, &info);
    send_settings(viewer, &settings);
    bool is_written = tv_buffer_append(body, "{\"state\":", 9, NULL) == TV_OK &&
                      write_state(body, &view) &&
                      append_answer(body, ",\"settings\":", &settings) &&
                      (!has_info || append_answer(body, ",\"info\":", &info)) &&
                      tv_buffer_append(body, "}\n", 2, NULL) == TV_OK;
    tv_http_response_release(&settings);
    tv_http_response_release(&info);
    return is_written && (has_info || !shown);
}

static void send_owned(struct tv_http_response *response, const char *content_type)
{
    response->status = 200;
    response->kind = TV_HTTP_BODY_OWNED;
    tv_http_add(response, "Content-Type", content_type);
    tv_http_add(response, "Cache-Control", "no-store");
}

/* All that the page asks first, at once. */
static void send_first(struct tv_viewer *viewer, struct tv_http_response *response)
{
    tv_state_wait_while_loading(&viewer->state, FIRST_PATIENCE_NS);
    /* Of a trace that comes behind it an event tells, with its number. */
    struct tv_shown *shown = tv_state_hold(&viewer->state);
    bool is_written = write_first(viewer, shown, &response->owned);
    tv_state_let_go(&viewer->state, shown);
    if (is_written)
        send_owned(response, "application/json");
    else
        tv_http_refuse(response, 500, "out of memory");
}

/* The window that was asked first when the trace was open last, behind its query. */
static bool write_first_window(struct tv_viewer *viewer, struct tv_buffer *body)
{
    struct tv_kept kept;
    uint8_t *at;
    tv_kept_init(&kept, viewer->alloc);
    bool is_written = tv_state_copy_promised(&viewer->state, NULL, &kept.query, &kept.window) &&
                      kept.query.len && kept.window.len;
    size_t padded_len = (kept.query.len + 7) / 8 * 8;
    is_written = is_written && tv_buffer_extend(body, 8 + padded_len, &at, NULL) == TV_OK;
    if (is_written) {
        memset(at, 0, 8 + padded_len);
        for (unsigned i = 0; i < sizeof(uint32_t); i++)
            at[i] = (uint8_t)(kept.query.len >> 8 * i);
        memcpy(at + 8, kept.query.bytes, kept.query.len);
        is_written = tv_buffer_append(body, kept.window.bytes, kept.window.len, NULL) == TV_OK;
    }
    tv_kept_release(&kept);
    return is_written;
}

static void send_first_window(struct tv_viewer *viewer, struct tv_http_response *response)
{
    if (write_first_window(viewer, &response->owned))
        send_owned(response, "application/octet-stream");
    else
        tv_http_say(response, 204, "text/plain; charset=utf-8", "");
}

static void send_events(struct tv_http_response *response)
{
    response->status = 200;
    response->kind = TV_HTTP_BODY_EVENTS;
    tv_http_add(response, "Content-Type", "text/event-stream");
    tv_http_add(response, "Cache-Control", "no-store");
}

/* What stands before the name of a route. */
static const struct tv_str prefix = {"api/", 4};

static void refuse_method(struct tv_http_response *response)
{
    tv_http_refuse(response, 405, "only GET");
    tv_http_add(response, "Allow", "GET, HEAD");
}

static void answer_api(struct tv_viewer *viewer, const struct tv_http_request *request,
                       struct tv_str route, struct tv_str query, struct tv_http_response *response)
{
    bool is_settings = tv_str_equal(route, TV_STR("settings"));
    if (is_settings && request->method == TV_HTTP_PUT)
        keep_settings(viewer, request->body, response);
    else if (tv_content_answer(viewer, request, route, query, response))
        return;
    else if (request->method != TV_HTTP_GET)
        refuse_method(response);
    else if (is_settings)
        send_settings(viewer, response);
    else if (tv_str_equal(route, TV_STR("first")))
        send_first(viewer, response);
    else if (tv_str_equal(route, TV_STR("first-window")))
        send_first_window(viewer, response);
    else if (tv_str_equal(route, TV_STR("events")))
        send_events(response);
    else
        send_api(viewer, route, query, response);
}

void tv_viewer_answer(struct tv_viewer *viewer, const struct tv_http_request *request,
                      struct tv_http_response *response)
{
    struct tv_str path;
    struct tv_str query;
    tv_guard_add_headers(response);
    if (!tv_guard_admits(request, tv_str_from(viewer->token), &path, &query, response))
        return;
    if (!path.at)
        redirect_to_slash(viewer, response);
    else if (tv_str_starts_with(path, prefix))
        answer_api(viewer, request, (struct tv_str){path.at + prefix.len, path.len - prefix.len},
                   query, response);
    else
        send_page(request, path, response);
}

bool tv_viewer_takes_upload(const struct tv_viewer *viewer, const struct tv_http_request *request)
{
    struct tv_http_response refusal;
    struct tv_str path;
    struct tv_str query;
    tv_http_response_init(&refusal, viewer->alloc);
    bool is_admitted =
        tv_guard_admits(request, tv_str_from(viewer->token), &path, &query, &refusal);
    tv_http_response_release(&refusal);
    return is_admitted && path.at && tv_str_starts_with(path, prefix) &&
           tv_content_takes_upload(
               request, (struct tv_str){path.at + prefix.len, path.len - prefix.len}, query);
}

bool tv_viewer_is_slow(const struct tv_http_request *request)
{
    struct tv_str rest = request->target;
    struct tv_str path; /* what is asked may have any name in it */
    if (!tv_str_split(&rest, '?', &path))
        return false;
    /* Whatever is not the page or the stream: the name of the first folder is the token. */
    return tv_str_find(path, TV_STR("/api/"), TV_CASE_EXACT) != SIZE_MAX &&
           tv_str_find(path, TV_STR("/api/events"), TV_CASE_EXACT) == SIZE_MAX;
}
