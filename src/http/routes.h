/*
 * Tables of routes: which function of a service answers a method and a path. The viewer has one
 * table (server/routes.c), a site another one (site/answer/routes.c); what a route is, and how a
 * request finds it, stands here alone.
 *
 * The first row whose pattern fits a path decides what the path is: other patterns that fit, too,
 * are not looked at. So a special path stands before the general one, and takes the methods of its
 * own rows only.
 */
#ifndef TV_HTTP_ROUTES_H
#define TV_HTTP_ROUTES_H

#include <stddef.h>

#include "http/http.h"
#include "http/path_pattern.h"

/* How the body of a request is taken. */
enum tv_route_body {
    TV_ROUTE_NOTHING, /* the route wants none */
    TV_ROUTE_FORM,    /* a short one, in memory */
    TV_ROUTE_TRACE,   /* a trace, whose bytes go to a file */
    TV_ROUTE_PIECE,   /* a piece of a trace */
};

/* What a route needs. The other bits are the service's own. */
enum {
    TV_ROUTE_SLOW = 1, /* a worker thread answers: the answer may wait for the disk, or compute */
    TV_ROUTE_FIRST_OWN = 2,
};

struct tv_http_route {
    enum tv_http_method method; /* GET stands for HEAD, too */
    const char *path;           /* a pattern, below the service's base path */
    enum tv_route_body body;
    unsigned needs; /* TV_ROUTE_SLOW, and bits of the service */
    /* `asked` is what the service keeps of the request: the struct is named where its table is. */
    void (*answer)(void *asked, struct tv_http_response *response);
};

struct tv_http_routes {
    const struct tv_http_route *rows;
    size_t count;
};

/* What a table says of a request. */
struct tv_http_routed {
    const struct tv_http_route *route;   /* NULL: the path takes no such method */
    const struct tv_http_route *of_path; /* the first row of the path; NULL: there is none */
    struct tv_path_parts parts;
};

void tv_http_routes_find(const struct tv_http_routes *routes, enum tv_http_method method,
                         struct tv_str path, struct tv_http_routed *found);

/* The methods that the path of a row takes, as the header Allow names them. */
#define TV_ROUTE_METHODS_CAP 64u
void tv_http_routes_methods(const struct tv_http_routes *routes,
                            const struct tv_http_route *of_path,
                            char methods[TV_ROUTE_METHODS_CAP]);

#endif
