/*
 * The table of what can be asked of the site: method, path, how the body is taken, and who answers.
 * openapi.json describes it for programs; tests/site/test_openapi.c holds the two against each
 * other.
 */
#ifndef TV_SITE_ROUTES_H
#define TV_SITE_ROUTES_H

#include <stdbool.h>
#include <stddef.h>

#include "http/service.h"
#include "site/path_pattern.h"

struct tv_asked;

/* How the body of a request is taken. */
enum tv_route_body {
    TV_ROUTE_NOTHING, /* dropped */
    TV_ROUTE_FORM,    /* application/x-www-form-urlencoded, in memory */
    TV_ROUTE_TRACE,   /* a trace: a form with a file, or the bytes alone (site/taking.h) */
    TV_ROUTE_PIECE,   /* a piece of one (site/uploads.h) */
};

struct tv_site_route {
    enum tv_http_method method;
    const char *path; /* a pattern, below the base path */
    enum tv_route_body body;
    bool is_slow; /* a worker thread answers: it may wait for the disk */
    void (*answer)(struct tv_asked *asked, struct tv_http_response *response);
};

const struct tv_site_route *tv_site_routes(size_t *count);
/* The route of a method and a path; NULL where there is none. HEAD finds what GET finds. */
const struct tv_site_route *tv_site_route_find(enum tv_http_method method, struct tv_str path,
                                               struct tv_path_parts *parts);
/* The methods that a path takes, as the header Allow says them; false: it takes none. */
#define TV_ROUTE_METHODS_CAP 64u
bool tv_site_route_methods(struct tv_str path, char methods[TV_ROUTE_METHODS_CAP]);
/* Whether a path is of the API, whose answers are for programs. */
bool tv_site_route_is_api(struct tv_str path);

#endif
