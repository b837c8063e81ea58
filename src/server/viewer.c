/* From a path to whoever answers it. */
#include "server/viewer.h"

#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "os/inflate.h"
#include "server/ask.h"
#include "server/content.h"
#include "server/exports.h"
#include "server/first.h"
#include "server/guard.h"
#include "server/page.h"
#include "server/settings.h"

#define ETAG_CAP sizeof(((struct tv_http_response *)NULL)->room)

static void redirect_to_page(const struct tv_viewer *viewer, int status,
                             struct tv_http_response *response)
{
    (void)snprintf(response->room, sizeof(response->room), "/%s/", viewer->token);
    tv_http_say(response, status, "text/plain; charset=utf-8", "");
    tv_http_add(response, "Location", response->room);
}

/* Another user's try does not use the address up, or they could keep the browser out. */
static void let_browser_in(struct tv_viewer *viewer, const struct tv_http_request *request,
                           struct tv_http_response *response)
{
    static const char plain[] = "text/plain; charset=utf-8";
    if (!tv_guard_is_own_user(request))
        tv_http_say(response, 403, plain,
                    "This address is for the user who started traceview. Use the address that "
                    "traceview printed.\n");
    else if (atomic_flag_test_and_set(&viewer->entry_used))
        tv_http_say(response, 410, plain,
                    "This address led to the page once. Use the address that traceview printed.\n");
    else
        redirect_to_page(viewer, 303, response);
}

/* For a client that does not take gzip; every browser does. */
static void send_unpacked(struct tv_str packed, struct tv_http_response *response)
{
    const uint8_t *bytes = (const uint8_t *)(const void *)packed.at;
    bool is_cut;
    response->kind = TV_HTTP_BODY_OWNED;
    if (tv_inflate(bytes, packed.len, NULL, &response->owned, &is_cut, NULL) != TV_OK)
        tv_http_refuse(response, 500, "out of memory");
}

/* A browser that reloads the page has it already, and is told so by 304. */
static void send_page(const struct tv_http_request *request, struct tv_http_response *response)
{
    const struct tv_page page = tv_page_view();
    size_t etag_len = page.etag.len < ETAG_CAP ? page.etag.len : ETAG_CAP - 1;
    memcpy(response->room, page.etag.at, etag_len);
    response->room[etag_len] = '\0';
    response->status = 200;
    tv_http_add(response, "ETag", response->room);
    tv_http_add(response, "Cache-Control", "no-cache");
    tv_http_add(response, "Vary", "Accept-Encoding");
    if (request->if_none_match.at && tv_str_equal(request->if_none_match, page.etag)) {
        response->status = 304;
        return;
    }
    tv_http_add(response, "Content-Type", "text/html; charset=utf-8");
    if (!request->takes_gzip) {
        send_unpacked(page.packed, response);
        return;
    }
    response->fixed = page.packed;
    tv_http_add(response, "Content-Encoding", "gzip");
}

/* Beside the routes of the api there is the page, and nothing else. */
static void answer_page(const struct tv_http_request *request, struct tv_str path,
                        struct tv_http_response *response)
{
    static const char plain[] = "text/plain; charset=utf-8";
    if (request->method != TV_HTTP_GET) {
        tv_http_say(response, 405, plain, "Only GET and HEAD.\n");
        tv_http_add(response, "Allow", "GET, HEAD");
    } else if (path.len) {
        tv_http_say(response, 404, plain, "There is no such page.\n");
    } else if (!tv_page_is_built()) {
        tv_http_say(response, 503, plain,
                    "This traceview was built without its page, because node was missing then.\n"
                    "The commands work: traceview top FILE, traceview --help.\n");
    } else {
        send_page(request, response);
    }
}

static void send_api(struct tv_viewer *viewer, struct tv_str route, struct tv_str query,
                     struct tv_http_response *response)
{
    struct tv_shown *shown = tv_state_hold(&viewer->state);
    if (!shown) {
        tv_ask_nothing(viewer, response);
        return;
    }
    tv_ask_shown(viewer, shown, route, query, response);
    tv_state_let_go(&viewer->state, shown);
}

static void send_events(struct tv_http_response *response)
{
    response->status = 200;
    response->kind = TV_HTTP_BODY_EVENTS;
    tv_http_add(response, "Content-Type", "text/event-stream");
    tv_http_add(response, "Cache-Control", "no-store");
}

/* The path of a route begins with this. */
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
        tv_settings_keep(viewer, request->body, response);
    else if (tv_content_answer(viewer, request, route, query, response) ||
             tv_exports_answer(viewer, request, route, query, response))
        return;
    else if (request->method != TV_HTTP_GET)
        refuse_method(response);
    else if (is_settings)
        tv_settings_send(viewer, response);
    else if (tv_str_equal(route, TV_STR("first")))
        tv_first_send(viewer, response);
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
    tv_guard_add_headers(request, response);
    if (tv_guard_is_entry(request, tv_str_from(viewer->entry))) {
        let_browser_in(viewer, request, response);
        return;
    }
    if (!tv_guard_admits(request, tv_str_from(viewer->token), &path, &query, response))
        return;
    if (!path.at) /* without the slash the page's relative addresses would lose the token */
        redirect_to_page(viewer, 301, response);
    else if (tv_str_starts_with(path, prefix))
        answer_api(viewer, request, (struct tv_str){path.at + prefix.len, path.len - prefix.len},
                   query, response);
    else
        answer_page(request, path, response);
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
    struct tv_str path; /* without the query, in which the names of routes may stand, too */
    if (!tv_str_split(&rest, '?', &path))
        return false;
    /* All routes but the event stream, which has nothing to compute. The token was not checked yet,
     * so the name of the first folder may be anything. */
    bool is_api = tv_str_find(path, TV_STR("/api/"), TV_CASE_EXACT) != SIZE_MAX;
    return is_api && tv_str_find(path, TV_STR("/api/events"), TV_CASE_EXACT) == SIZE_MAX;
}
