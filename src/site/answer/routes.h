/*
 * The table of what can be asked of the site: method, path, how the body is taken, and who answers
 * from a struct tv_request_context. openapi.json describes it for programs;
 * tests/site/answer/test_openapi.c holds the two against each other.
 */
#ifndef TV_SITE_ANSWER_ROUTES_H
#define TV_SITE_ANSWER_ROUTES_H

#include "http/routes.h"

/* What routes of the site need besides. */
enum {
    /* Anybody may ask, by any name of the host: what watches over containers asks them by their
     * number, and is told nothing but how it does. */
    TV_SITE_ANY_HOST = TV_ROUTE_FIRST_OWN,
    TV_SITE_FORM_ALONE = TV_ROUTE_FIRST_OWN << 1, /* the trace comes in a form */
    /* The path ends with the name of the file that is uploaded: it is there for uploads alone, and
     * no page for other methods. */
    TV_SITE_NAMED = TV_ROUTE_FIRST_OWN << 2,
    /* May be asked by the address of the machine, too: what collects metrics knows no name. */
    TV_SITE_BY_ADDRESS = TV_ROUTE_FIRST_OWN << 3,
    TV_SITE_UPLOADS = TV_ROUTE_FIRST_OWN << 4, /* a part of an upload, whatever its method */
    TV_SITE_READS = TV_ROUTE_FIRST_OWN << 5,   /* changes nothing, whatever its method */
    TV_SITE_PEOPLE = TV_ROUTE_FIRST_OWN << 6,  /* is for people, and for no token of a program */
    TV_SITE_MAPPING = TV_ROUTE_FIRST_OWN << 7, /* a mapping of names comes, in no form */
};

extern const struct tv_http_routes tv_site_routes;

#endif
