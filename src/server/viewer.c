/* From a path to whoever answers it. */
#include "server/viewer.h"

#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "server/ask.h"
#include "server/content.h"
#include "server/exports.h"
#include "server/first.h"
#include "server/guard.h"
#include "server/page.h"
#include "server/recording.h"
#include "server/saving.h"
#include "server/settings.h"

static void redirect_to_page(const struct tv_viewer *viewer, int status,
                             struct tv_http_response *response)
{
    char path[TV_TOKEN_LEN + 3];
    (void)snprintf(path, sizeof(path), "/%s/", viewer->token);
    tv_http_redirect(response, status, path);
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

/* Beside the routes of the api there is the page, and nothing else. */
static void answer_page(const struct tv_http_request *request, struct tv_str path,
                        struct tv_http_response *response)
{
    static const char plain[] = "text/plain; charset=utf-8";
    if (!tv_http_is_get(request)) {
        tv_http_say(response, 405, plain, "Only GET and HEAD.\n");
        tv_http_add(response, "Allow", "GET, HEAD");
    } else if (path.len) {
        tv_http_say(response, 404, plain, "There is no such page.\n");
    } else if (!tv_page_is_built()) {
        tv_http_say(response, 503, plain,
                    "This traceview was built without its page, because node was missing then.\n"
                    "The commands work: traceview top FILE, traceview --help.\n");
    } else {
        tv_page_send(request, response);
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

static void send_events(struct tv_viewer *viewer, struct tv_http_response *response)
{
    struct tv_http_source source;
    if (tv_audience_open(&viewer->audience, &source, NULL) == TV_OK)
        tv_http_stream(response, "text/event-stream", source);
    else
        tv_http_refuse(response, 500, "out of memory");
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
             tv_exports_answer(viewer, request, route, query, response) ||
             tv_recording_answer(viewer, request, route, query, response) ||
             tv_saving_answer(viewer, request, route, response))
        return;
    else if (!tv_http_is_get(request))
        refuse_method(response);
    else if (is_settings)
        tv_settings_send(viewer, response);
    else if (tv_str_equal(route, TV_STR("first")))
        tv_first_send(viewer, response);
    else if (tv_str_equal(route, TV_STR("events")))
        send_events(viewer, response);
    else
        send_api(viewer, route, query, response);
}

static void answer(void *ctx, struct tv_http_request *request, struct tv_http_response *response)
{
    struct tv_viewer *viewer = ctx;
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

static bool knows(void *ctx, struct tv_str target)
{
    const struct tv_viewer *viewer = ctx;
    return tv_guard_has_token(target, tv_str_from(viewer->token));
}

static bool takes_upload(const struct tv_viewer *viewer, const struct tv_http_request *request)
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

/* Nobody waits for the body of a stranger. */
static enum tv_http_take begin(void *ctx, struct tv_http_request *request,
                               struct tv_http_taking *taking, struct tv_http_response *response)
{
    struct tv_viewer *viewer = ctx;
    if (!knows(viewer, request->target)) {
        answer(viewer, request, response);
        return TV_HTTP_TAKE_REFUSED;
    }
    taking->most = TV_LIMIT_BODY;
    if (!takes_upload(viewer, request))
        return TV_HTTP_TAKE_MEMORY;
    tv_upload_begin(viewer->alloc, request, taking);
    return TV_HTTP_TAKE_PIECES;
}

static bool is_slow(void *ctx, const struct tv_http_request *request)
{
    struct tv_str rest = request->target;
    struct tv_str path; /* without the query, in which the names of routes may stand, too */
    (void)ctx;
    if (!tv_str_split(&rest, '?', &path))
        return false;
    /* All routes but the event stream, which has nothing to compute. The token was not checked yet,
     * so the name of the first folder may be anything. */
    bool is_api = tv_str_find(path, TV_STR("/api/"), TV_CASE_EXACT) != SIZE_MAX;
    return is_api && tv_str_find(path, TV_STR("/api/events"), TV_CASE_EXACT) == SIZE_MAX;
}

static void ended(void *ctx, struct tv_http_request *request, const struct tv_http_ending *ending)
{
    const struct tv_viewer *viewer = ctx;
    (void)ending;
    tv_upload_end(viewer->alloc, request);
}

struct tv_http_service tv_viewer_service(struct tv_viewer *viewer)
{
    return (struct tv_http_service){.ctx = viewer,
                                    .knows = knows,
                                    .begin = begin,
                                    .is_slow = is_slow,
                                    .answer = answer,
                                    .ended = ended};
}
