/* The pages about all traces: apps, builds, two of them, one method. */
#ifndef TV_SITE_FLEET_FLEET_DOCUMENTS_H
#define TV_SITE_FLEET_FLEET_DOCUMENTS_H

#include "http/http.h"

/* Each takes a struct tv_request_context. The first has the builds of an app where one is named. */
void tv_fleet_apps_page(void *context, struct tv_http_response *response);
void tv_fleet_diff_page(void *context, struct tv_http_response *response);
void tv_fleet_method_page(void *context, struct tv_http_response *response);

#endif
