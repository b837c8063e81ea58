/*
 * Finds a route by its name; see api/route.h. Names are compared one by one: a table has few of
 * them, and a request does more work than that.
 */
#include "api/route.h"

const struct tv_route *tv_route_find(struct tv_str name)
{
    for (size_t i = 0; tv_routes[i]; i++) {
        if (tv_str_equal(name, tv_str_from(tv_routes[i]->name)))
            return tv_routes[i];
    }
    return NULL;
}
