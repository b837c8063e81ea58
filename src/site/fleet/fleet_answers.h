/* The API's routes for questions over all traces (docs/site-api.md), and the feed. */
#ifndef TV_SITE_FLEET_FLEET_ANSWERS_H
#define TV_SITE_FLEET_FLEET_ANSWERS_H

#include "http/http.h"

/* The apps, the builds of one, two builds side by side, and one method. Each takes a struct
 * tv_request_context. */
void tv_fleet_apps(void *context, struct tv_http_response *response);
void tv_fleet_builds(void *context, struct tv_http_response *response);
void tv_fleet_diff(void *context, struct tv_http_response *response);
void tv_fleet_method(void *context, struct tv_http_response *response);
/* The weekly digest. */
void tv_fleet_feed(void *context, struct tv_http_response *response);

#endif
