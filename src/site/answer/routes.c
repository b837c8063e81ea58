/* The table of routes, and how a path finds its row; see site/answer/routes.h. */
#include "site/answer/routes.h"

#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "site/answer/events.h"
#include "site/answer/health.h"
#include "site/answer/openapi.h"
#include "site/answer/site_pages.h"
#include "site/answer/trace_pages.h"
#include "site/answer/traces.h"
#include "site/upload/aflame.h"
#include "site/upload/uploads.h"

/* A route is one line here, and an operation in openapi.json. */
/* clang-format off */
static const struct tv_site_route routes[] = {
    {TV_HTTP_GET, "/", TV_ROUTE_NOTHING, false, tv_site_start},
    {TV_HTTP_POST, "/upload_trace", TV_ROUTE_TRACE, true, tv_aflame_upload},
    {TV_HTTP_GET, "/trace/{id}", TV_ROUTE_NOTHING, true, tv_aflame_find},
    {TV_HTTP_GET, "/trace/{id}/", TV_ROUTE_NOTHING, true, tv_trace_page},
    {TV_HTTP_GET, "/trace/{id}/owner", TV_ROUTE_NOTHING, true, tv_trace_owner_page},
    {TV_HTTP_POST, "/trace/{id}/owner", TV_ROUTE_FORM, true, tv_trace_owner_form},
    {TV_HTTP_GET, "/trace/{id}/flame", TV_ROUTE_NOTHING, true, tv_trace_flames},
    {TV_HTTP_GET, "/trace/{id}/raw", TV_ROUTE_NOTHING, true, tv_traces_raw},
    {TV_HTTP_GET, "/trace/{id}/{thread}.svg", TV_ROUTE_NOTHING, true, tv_trace_picture},
    {TV_HTTP_GET, "/trace/{id}/api/first", TV_ROUTE_NOTHING, true, tv_trace_first},
    {TV_HTTP_GET, "/trace/{id}/api/events", TV_ROUTE_NOTHING, true, tv_trace_events},
    {TV_HTTP_GET, "/trace/{id}/api/export", TV_ROUTE_NOTHING, true, tv_traces_export},
    {TV_HTTP_GET, "/trace/{id}/api/exporting", TV_ROUTE_NOTHING, true, tv_traces_exporting},
    {TV_HTTP_PUT, "/trace/{id}/api/exporting", TV_ROUTE_NOTHING, true, tv_traces_exporting},
    {TV_HTTP_GET, "/trace/{id}/api/{route}", TV_ROUTE_NOTHING, true, tv_traces_view},
    {TV_HTTP_GET, "/list", TV_ROUTE_NOTHING, true, tv_site_list},
    {TV_HTTP_GET, "/compare", TV_ROUTE_NOTHING, true, tv_site_compare},
    {TV_HTTP_GET, "/stored", TV_ROUTE_NOTHING, false, tv_site_stored},
    {TV_HTTP_GET, "/static/{file}", TV_ROUTE_NOTHING, false, tv_site_static},
    {TV_HTTP_GET, "/healthz", TV_ROUTE_NOTHING, false, tv_site_is_alive},
    {TV_HTTP_GET, "/readyz", TV_ROUTE_NOTHING, true, tv_site_is_ready},
    {TV_HTTP_GET, "/metrics", TV_ROUTE_NOTHING, true, tv_site_metrics},
    {TV_HTTP_GET, "/api/v1/openapi.json", TV_ROUTE_NOTHING, false, tv_openapi_send},
    {TV_HTTP_GET, "/api/v1/traces", TV_ROUTE_NOTHING, true, tv_traces_list},
    {TV_HTTP_POST, "/api/v1/traces", TV_ROUTE_TRACE, true, tv_traces_add},
    {TV_HTTP_PUT, "/api/v1/traces", TV_ROUTE_TRACE, true, tv_traces_add},
    {TV_HTTP_GET, "/api/v1/traces/{id}", TV_ROUTE_NOTHING, true, tv_traces_tell},
    {TV_HTTP_PATCH, "/api/v1/traces/{id}", TV_ROUTE_FORM, true, tv_traces_change},
    {TV_HTTP_DELETE, "/api/v1/traces/{id}", TV_ROUTE_NOTHING, true, tv_traces_delete},
    {TV_HTTP_GET, "/api/v1/traces/{id}/raw", TV_ROUTE_NOTHING, true, tv_traces_raw},
    {TV_HTTP_GET, "/api/v1/traces/{id}/view/{route}", TV_ROUTE_NOTHING, true, tv_traces_view},
    {TV_HTTP_GET, "/api/v1/traces/{id}/export/{format}", TV_ROUTE_NOTHING, true, tv_traces_export},
    {TV_HTTP_POST, "/api/v1/uploads", TV_ROUTE_FORM, true, tv_uploads_begin},
    {TV_HTTP_GET, "/api/v1/uploads/{id}", TV_ROUTE_NOTHING, true, tv_uploads_tell},
    {TV_HTTP_PATCH, "/api/v1/uploads/{id}", TV_ROUTE_PIECE, true, tv_uploads_add},
    {TV_HTTP_DELETE, "/api/v1/uploads/{id}", TV_ROUTE_NOTHING, true, tv_uploads_delete},
    {TV_HTTP_POST, "/api/v1/uploads/{id}/complete", TV_ROUTE_NOTHING, true, tv_uploads_complete},
};
/* clang-format on */

const struct tv_site_route *tv_site_routes(size_t *count)
{
    *count = TV_COUNT_OF(routes);
    return routes;
}

const struct tv_site_route *tv_site_route_find(enum tv_http_method method, struct tv_str path,
                                               struct tv_path_parts *parts)
{
    enum tv_http_method wanted = method == TV_HTTP_HEAD ? TV_HTTP_GET : method;
    for (size_t i = 0; i < TV_COUNT_OF(routes); i++) {
        if (routes[i].method == wanted && tv_path_matches(routes[i].path, path, parts))
            return &routes[i];
    }
    return NULL;
}

bool tv_site_route_methods(struct tv_str path, char methods[TV_ROUTE_METHODS_CAP])
{
    struct tv_path_parts parts;
    size_t len = 0;
    methods[0] = '\0';
    for (size_t i = 0; i < TV_COUNT_OF(routes); i++) {
        if (!tv_path_matches(routes[i].path, path, &parts))
            continue;
        const char *name = tv_http_method_name(routes[i].method);
        if (strstr(methods, name)) /* /api/export is also /api/{route} */
            continue;
        int added = snprintf(methods + len, TV_ROUTE_METHODS_CAP - len, "%s%s%s", len ? ", " : "",
                             name, routes[i].method == TV_HTTP_GET ? ", HEAD" : "");
        tv_assert(added > 0 && (size_t)added < TV_ROUTE_METHODS_CAP - len);
        len += (size_t)added;
    }
    return len > 0;
}
