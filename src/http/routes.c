/*
 * From a method and a path to a row of a table; see http/routes.h.
 *
 * The first row whose pattern matches names the path; the row that answers is the one of the same
 * pattern with the request's method. HEAD is answered as GET. A path without such a row is known by
 * of_path, so that the caller can say 405 and which methods there are.
 */
#include "http/routes.h"

#include <stdio.h>
#include <string.h>

#include "base/compiler.h"

static bool is_same_path(const struct tv_http_route *a, const struct tv_http_route *b)
{
    return strcmp(a->path, b->path) == 0;
}

void tv_http_routes_find(const struct tv_http_routes *routes, enum tv_http_method method,
                         struct tv_str path, struct tv_http_routed *found)
{
    enum tv_http_method wanted = method == TV_HTTP_HEAD ? TV_HTTP_GET : method;
    struct tv_path_parts parts;
    *found = (struct tv_http_routed){.route = NULL};
    for (size_t i = 0; i < routes->count && !found->route; i++) {
        const struct tv_http_route *row = &routes->rows[i];
        if (!found->of_path && tv_path_matches(row->path, path, &parts)) {
            found->of_path = row;
            found->parts = parts;
        }
        if (found->of_path && row->method == wanted && is_same_path(row, found->of_path))
            found->route = row;
    }
}

void tv_http_routes_methods(const struct tv_http_routes *routes,
                            const struct tv_http_route *of_path, char methods[TV_ROUTE_METHODS_CAP])
{
    size_t len = 0;
    for (size_t i = 0; i < routes->count; i++) {
        const struct tv_http_route *row = &routes->rows[i];
        if (!is_same_path(row, of_path))
            continue;
        int added =
            snprintf(methods + len, TV_ROUTE_METHODS_CAP - len, "%s%s%s", len ? ", " : "",
                     tv_http_method_name(row->method), row->method == TV_HTTP_GET ? ", HEAD" : "");
        tv_assert(added > 0 && (size_t)added < TV_ROUTE_METHODS_CAP - len);
        len += (size_t)added;
    }
}
