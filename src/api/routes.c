/* The table of routes, which docs/api.md describes. A new route is a file route_<name>.c, a
 * declaration in api/route.h, and a line here. */
#include "api/route.h"

static const struct tv_route *const routes[] = {
    &tv_route_call,    &tv_route_callers, &tv_route_calls,    &tv_route_check,    &tv_route_detail,
    &tv_route_exports, &tv_route_flame,   &tv_route_info,     &tv_route_insights, &tv_route_lanes,
    &tv_route_levels,  &tv_route_methods, &tv_route_overview, &tv_route_preview,  &tv_route_search,
    &tv_route_top,     &tv_route_tree,    &tv_route_window,
};

const struct tv_route *tv_route_find(struct tv_str name)
{
    for (size_t i = 0; i < TV_COUNT_OF(routes); i++) {
        if (tv_str_equal(name, tv_str_from(routes[i]->name)))
            return routes[i];
    }
    return NULL;
}
