/*
 * The viewer's table of routes, below the address of a trace: the page, and "api/" with a name.
 * Routes about the trace are answered by the api from the shown trace (ask.h), the others by the
 * server itself (content.h, exports.h, first_answer.h, recording.h, single_file_route.h,
 * settings.h).
 */
#ifndef TV_SERVER_ROUTES_H
#define TV_SERVER_ROUTES_H

#include "http/routes.h"
#include "server/viewer.h"

/* What routes of the viewer need besides. */
enum {
    TV_VIEWER_SHOWN = TV_ROUTE_FIRST_OWN, /* a shown trace, which is held while it is answered */
    TV_VIEWER_HELPERS = TV_ROUTE_FIRST_OWN << 1,
};

/* A request while it is answered: what the functions of the table get. */
struct tv_view_request {
    struct tv_viewer *viewer;
    struct tv_state *state; /* of the address that was asked */
    const struct tv_http_request *request;
    struct tv_str query;
    struct tv_http_routed found;
    /* Held where the route needs it. A function that keeps it longer lets go of it by itself, and
     * sets this to NULL. */
    struct tv_shown *shown;
};

/* The route of a path, which is what follows "/TOKEN/", or "/TOKEN/t/NUMBER/". */
void tv_viewer_find_route(enum tv_http_method method, struct tv_str path,
                          struct tv_http_routed *found);
/* Answers a request that server/guard.h has admitted. */
void tv_viewer_answer(struct tv_viewer *viewer, struct tv_state *state,
                      const struct tv_http_request *request, struct tv_str path,
                      struct tv_str query, struct tv_http_response *response);

#endif
