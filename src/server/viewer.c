/*
 * What is asked of a request before and after its route answers it: the entry address, the guard,
 * the number of the address, then the route. The page at "/TOKEN/" is about the first trace, one at
 * "/TOKEN/t/NUMBER/" about another. The address that a request names is held until the answer is
 * made.
 *
 * A request is classified (begin, is_slow) before its headers are checked, since the HTTP server
 * needs to know where the body goes; the guard checks everything again before the route runs.
 */
#include "server/viewer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/text/markup.h"
#include "server/content.h"
#include "server/guard.h"
#include "server/routes.h"

void tv_viewer_address(const struct tv_viewer *viewer, uint64_t number,
                       char path[TV_VIEWER_ADDRESS_CAP])
{
    if (number == 1)
        (void)snprintf(path, TV_VIEWER_ADDRESS_CAP, "/%s/", viewer->token);
    else
        (void)snprintf(path, TV_VIEWER_ADDRESS_CAP, "/%s/t/%" PRIu64 "/", viewer->token, number);
}

static void redirect_to_page(const struct tv_viewer *viewer, uint64_t number, int status,
                             struct tv_http_response *response)
{
    char path[TV_VIEWER_ADDRESS_CAP];
    tv_viewer_address(viewer, number, path);
    tv_http_redirect(response, status, path);
}

/* Takes "t/NUMBER/" from the beginning of a path; any other path is about the first trace, 1.
 * path->at is NULL afterwards if the slash behind the number is missing. 0: the number cannot be an
 * address. */
static uint64_t take_number(struct tv_str *path)
{
    static const struct tv_str folder = {"t/", 2};
    struct tv_str digits;
    uint64_t number;
    if (!path->at || !tv_str_starts_with(*path, folder))
        return 1;
    struct tv_str rest = {path->at + folder.len, path->len - folder.len};
    bool has_slash = rest.len && memchr(rest.at, '/', rest.len);
    (void)tv_str_split(&rest, '/', &digits);
    bool is_number = digits.len && digits.at[0] != '0' && tv_str_to_u64(digits, 10, &number);
    *path = has_slash ? rest : (struct tv_str){NULL, 0};
    return is_number ? number : 0;
}

/* Leads to the page once. A try of another user of this machine does not use the address up, or
 * they could keep the browser out. */
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
        redirect_to_page(viewer, 1, 303, response);
}

/* Writes the page that stands where a trace was. The viewer's own page would draw an empty trace
 * here, and it has no address of its own to lead to; this one leads to the first trace, whose
 * address is never forgotten. */
static enum tv_code write_gone(const struct tv_viewer *viewer, struct tv_buffer *body)
{
    char first[TV_VIEWER_ADDRESS_CAP];
    struct tv_out out;
    tv_viewer_address(viewer, 1, first);
    tv_out_init(&out, tv_buffer_sink(body));
    TV_MARKUP(&out,
              "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
              "<meta name=\"viewport\" content=\"width=device-width\">\n"
              "<title>No trace at this address</title>\n</head>\n<body>\n"
              "<h1>No trace at this address</h1>\n"
              "<p>Either this viewer never had one here, or it was closed because many others were "
              "opened after it.</p>\n"
              "<p><a href=\"{}\">Go to the first trace</a>: <i>Recent files</i> there opens the "
              "file again. What the link named, behind its <code>#</code>, is in the address "
              "bar.</p>\n</body>\n</html>\n",
              tv_str_from(first));
    return tv_out_finish(&out, NULL);
}

/* Refuses a number that was never given, or that was forgotten: in JSON where a program or a page
 * asks, else with a page, since an old link is opened in a browser. */
static void refuse_number(const struct tv_viewer *viewer, struct tv_str path,
                          struct tv_http_response *response)
{
    if (path.at && tv_str_starts_with(path, TV_STR("api/"))) {
        tv_http_refuse(response, 404, "this trace is not open any more: open it again");
        return;
    }
    if (write_gone(viewer, &response->owned) == TV_OK) {
        tv_http_send(response, 404, "text/html; charset=utf-8", "no-store");
    } else {
        tv_http_drop_body(response);
        tv_http_say(response, 404, "text/plain; charset=utf-8", "No trace at this address.\n");
    }
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
    uint64_t number = take_number(&path);
    struct tv_state *state = tv_traces_take(&viewer->traces, number);
    if (!state)
        refuse_number(viewer, path, response);
    else if (!path.at) /* without the slash the page's relative addresses would lose a folder */
        redirect_to_page(viewer, number, 301, response);
    else
        tv_viewer_answer(viewer, state, request, path, query, response);
    tv_traces_leave(state);
}

static bool knows(void *ctx, struct tv_str target)
{
    const struct tv_viewer *viewer = ctx;
    return tv_guard_has_token(target, tv_str_from(viewer->token));
}

/* Whether the body is a dropped file. The guard is asked too: nothing is spooled for a request that
 * it would refuse. */
static bool takes_upload(const struct tv_viewer *viewer, const struct tv_http_request *request)
{
    struct tv_http_response refusal;
    struct tv_http_routed found;
    struct tv_str path;
    struct tv_str query;
    tv_http_response_init(&refusal, viewer->alloc);
    bool is_admitted =
        tv_guard_admits(request, tv_str_from(viewer->token), &path, &query, &refusal);
    tv_http_response_release(&refusal);
    if (!is_admitted || !take_number(&path) || !path.at)
        return false;
    tv_viewer_find_route(request->method, path, &found);
    return found.route && found.route->body == TV_ROUTE_TRACE && tv_content_has_file(query);
}

/* A request without the token is answered at once, without its body. */
static enum tv_http_take begin(void *ctx, struct tv_http_request *request,
                               struct tv_http_body_sink *body_sink,
                               struct tv_http_response *response)
{
    struct tv_viewer *viewer = ctx;
    if (!knows(viewer, request->target)) {
        answer(viewer, request, response);
        return TV_HTTP_TAKE_REFUSED;
    }
    /* The bound for all other bodies, whatever the route is; the guard refuses a longer one. */
    body_sink->most = TV_LIMIT_BODY;
    if (!takes_upload(viewer, request))
        return TV_HTTP_TAKE_MEMORY;
    tv_dropped_file_begin(viewer->alloc, request, body_sink);
    return TV_HTTP_TAKE_PIECES;
}

/* The token was not checked yet, so the first folder of the path may be anything. */
static bool is_slow(void *ctx, const struct tv_http_request *request)
{
    struct tv_http_routed found;
    struct tv_str path;
    struct tv_str query;
    (void)ctx;
    /* The token was not checked yet, so the name of the first folder may be anything. */
    tv_guard_split_target(request->target, &path, &query);
    if (!take_number(&path) || !path.at)
        return false;
    tv_viewer_find_route(request->method, path, &found);
    return found.route && (found.route->needs & TV_ROUTE_SLOW);
}

static struct tv_http_rest *ended(void *ctx, struct tv_http_request *request,
                                  const struct tv_http_ending *ending)
{
    const struct tv_viewer *viewer = ctx;
    (void)ending;
    tv_dropped_file_end(viewer->alloc, request);
    return NULL;
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
