/*
 * The table of what can be asked of the site: method, path, how the body is taken, and who answers.
 * openapi.json describes it for programs; tests/site/answer/test_openapi.c holds the two against
 * each other.
 */
#ifndef TV_SITE_ANSWER_ROUTES_H
#define TV_SITE_ANSWER_ROUTES_H

#include <stdbool.h>
#include <stddef.h>

#include "site/request/route.h"

const struct tv_site_route *tv_site_routes(size_t *count);
/* The route of a method and a path; NULL where there is none. HEAD finds what GET finds. */
const struct tv_site_route *tv_site_route_find(enum tv_http_method method, struct tv_str path,
                                               struct tv_path_parts *parts);
/* The methods that a path takes, as the header Allow says them; false: it takes none. */
#define TV_ROUTE_METHODS_CAP 64u
bool tv_site_route_methods(struct tv_str path, char methods[TV_ROUTE_METHODS_CAP]);

#endif
