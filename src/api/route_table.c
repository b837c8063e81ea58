/*
 * The routes of the program, which docs/api.md describes. A new route is a file route_<name>.c and
 * a line in a list of api/route.h. The engine of a page has a shorter table
 * (engine/answer_routes.c).
 */
#include "api/route.h"

#define ADDRESS(name) &tv_route_##name,

const struct tv_route *const tv_routes[] = {TV_ROUTES(ADDRESS) TV_EXPORT_ROUTES(ADDRESS)
                                                TV_COMPARING_ROUTES(ADDRESS) NULL};
