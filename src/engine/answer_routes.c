/*
 * The routes of the engine that only answers, in place of api/route_table.c. Routes about files
 * that are made of a trace are in the other engine, with the code that makes them (docs/engine.md).
 */
#include "api/route.h"

#define ADDRESS(name) &tv_route_##name,

const struct tv_route *const tv_routes[] = {TV_ROUTES(ADDRESS) NULL};
