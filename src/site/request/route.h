/* A row of the table of routes (site/answer/routes.h). */
#ifndef TV_SITE_REQUEST_ROUTE_H
#define TV_SITE_REQUEST_ROUTE_H

#include <stdbool.h>

#include "http/service.h"
#include "site/request/path_pattern.h"

struct tv_asked;

/* How the body of a request is taken. */
enum tv_route_body {
    TV_ROUTE_NOTHING, /* dropped */
    TV_ROUTE_FORM,    /* application/x-www-form-urlencoded, in memory */
    TV_ROUTE_TRACE,   /* a trace: a form with a file, or the bytes alone (site/upload/taking.h) */
    TV_ROUTE_PIECE,   /* a piece of one (site/upload/uploads.h) */
};

struct tv_site_route {
    enum tv_http_method method;
    const char *path; /* a pattern, below the base path */
    enum tv_route_body body;
    bool is_slow; /* a worker thread answers: it may wait for the disk */
    void (*answer)(struct tv_asked *asked, struct tv_http_response *response);
};

#endif
