/*
 * The viewer's table of routes, and the answers of routes that have no file of their own.
 *
 * What a row is, says http/routes.h; what a route needs beside (a shown trace, the helper thread)
 * are the TV_VIEWER_ bits of server/routes.h. A route with TV_VIEWER_SHOWN is given the shown
 * trace, held until its answer is made, unless it takes the trace over.
 */
#include "server/routes.h"

#include <string.h>

#include "api/api.h"
#include "base/compiler.h"
#include "served/page.h"
#include "server/ask.h"
#include "server/content.h"
#include "server/exports.h"
#include "server/first_answer.h"
#include "server/recording.h"
#include "server/settings.h"
#include "server/single_file_route.h"

static const char plain[] = "text/plain; charset=utf-8";

static void send_page(void *ctx, struct tv_http_response *response)
{
    const struct tv_view_request *asked = ctx;
    if (!tv_page_is_built())
        tv_http_say(response, 503, plain,
                    "This traceview was built without its page, because node was missing then.\n"
                    "The commands work: traceview top FILE, traceview --help.\n");
    else
        tv_page_send(asked->request, response);
}

static void send_no_page(void *ctx, struct tv_http_response *response)
{
    (void)ctx;
    tv_http_say(response, 404, plain, "There is no such page.\n");
}

static void send_first(void *ctx, struct tv_http_response *response)
{
    const struct tv_view_request *asked = ctx;
    tv_first_send(asked->viewer, asked->state, response);
}

static void send_settings(void *ctx, struct tv_http_response *response)
{
    const struct tv_view_request *asked = ctx;
    tv_settings_send(asked->viewer, response);
}

static void keep_settings(void *ctx, struct tv_http_response *response)
{
    const struct tv_view_request *asked = ctx;
    tv_settings_keep(asked->viewer, asked->request->body, response);
}

static void send_events(void *ctx, struct tv_http_response *response)
{
    const struct tv_view_request *asked = ctx;
    struct tv_http_source source;
    if (tv_event_clients_open(&asked->viewer->event_clients, asked->state, &source, NULL) == TV_OK)
        tv_http_stream(response, "text/event-stream", source);
    else
        tv_http_refuse(response, 500, "out of memory");
}

/* Any other name behind "api/" is a route of the api, or one that the api does not know. */
static void send_api(void *ctx, struct tv_http_response *response)
{
    const struct tv_view_request *asked = ctx;
    const struct tv_str route = asked->found.parts.name;
    if (tv_api_names_others(route))
        tv_ask_diff(asked->viewer, asked->state, asked->shown, route, asked->query, response);
    else
        tv_ask_shown(asked->viewer, asked->shown, route, asked->query, response);
}

/* A special path stands before the general one that also fits it (http/routes.h). */
/* clang-format off */
static const struct tv_http_route rows[] = {
    {TV_HTTP_GET, "", TV_ROUTE_NOTHING, 0, send_page},
    {TV_HTTP_GET, "api/first", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, send_first},
    {TV_HTTP_GET, "api/events", TV_ROUTE_NOTHING, 0, send_events},
    {TV_HTTP_GET, "api/settings", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, send_settings},
    {TV_HTTP_PUT, "api/settings", TV_ROUTE_FORM, TV_ROUTE_SLOW, keep_settings},
    {TV_HTTP_GET, "api/recent", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_content_recent},
    {TV_HTTP_PUT, "api/open", TV_ROUTE_TRACE, TV_ROUTE_SLOW, tv_content_open},
    {TV_HTTP_PUT, "api/mapping", TV_ROUTE_TRACE, TV_ROUTE_SLOW, tv_content_mapping},
    {TV_HTTP_PUT, "api/reload", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_content_reload},
    {TV_HTTP_PUT, "api/cancel", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_content_cancel},
    {TV_HTTP_GET, "api/export", TV_ROUTE_NOTHING, TV_ROUTE_SLOW | TV_VIEWER_SHOWN, tv_exports_start},
    {TV_HTTP_GET, "api/exporting", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_exports_state},
    {TV_HTTP_PUT, "api/exporting", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_exports_state},
    {TV_HTTP_PUT, "api/report", TV_ROUTE_FORM, TV_ROUTE_SLOW | TV_VIEWER_SHOWN, tv_saving_report},
    {TV_HTTP_GET, "api/devices", TV_ROUTE_NOTHING, TV_ROUTE_SLOW | TV_VIEWER_HELPERS, tv_recording_devices},
    {TV_HTTP_GET, "api/processes", TV_ROUTE_NOTHING, TV_ROUTE_SLOW | TV_VIEWER_HELPERS, tv_recording_processes},
    {TV_HTTP_GET, "api/recording", TV_ROUTE_NOTHING, TV_ROUTE_SLOW | TV_VIEWER_HELPERS, tv_recording_state},
    {TV_HTTP_PUT, "api/recording", TV_ROUTE_NOTHING, TV_ROUTE_SLOW | TV_VIEWER_HELPERS, tv_recording_change},
    {TV_HTTP_GET, "api/{rest}", TV_ROUTE_NOTHING, TV_ROUTE_SLOW | TV_VIEWER_SHOWN, send_api},
    {TV_HTTP_GET, "{rest}", TV_ROUTE_NOTHING, 0, send_no_page},
};
/* clang-format on */

static const struct tv_http_routes routes = {rows, TV_COUNT_OF(rows)};

void tv_viewer_find_route(enum tv_http_method method, struct tv_str path,
                          struct tv_http_routed *found)
{
    tv_http_routes_find(&routes, method, path, found);
}

/* The guard has let through GET, HEAD and PUT only, so a path that exists takes one of two kinds.
 */
static void refuse_method(struct tv_str path, const struct tv_http_route *of_path,
                          struct tv_http_response *response)
{
    char methods[TV_ROUTE_METHODS_CAP];
    tv_http_routes_methods(&routes, of_path, methods);
    if (tv_str_starts_with(path, TV_STR("api/")))
        tv_http_refuse(response, 405, of_path->method == TV_HTTP_GET ? "only GET" : "only PUT");
    else
        tv_http_say(response, 405, plain, "Only GET and HEAD.\n");
    tv_http_add(response, "Allow", methods);
}

void tv_viewer_answer(struct tv_viewer *viewer, struct tv_state *state,
                      const struct tv_http_request *request, struct tv_str path,
                      struct tv_str query, struct tv_http_response *response)
{
    struct tv_view_request asked = {
        .viewer = viewer, .state = state, .request = request, .query = query};
    tv_viewer_find_route(request->method, path, &asked.found);
    const struct tv_http_route *route = asked.found.route;
    if ((asked.found.of_path->needs & TV_VIEWER_HELPERS) && !viewer->helpers) {
        tv_http_refuse(response, 404, "this viewer cannot record");
        return;
    }
    if (!route) {
        refuse_method(path, asked.found.of_path, response);
        return;
    }
    if (route->needs & TV_VIEWER_SHOWN) {
        tv_state_visit(state, TV_STATE_PATIENCE_NS);
        asked.shown = tv_state_hold(state);
        if (!asked.shown) {
            tv_ask_nothing(state, response);
            return;
        }
    }
    route->answer(&asked, response);
    tv_state_let_go(asked.shown);
}
