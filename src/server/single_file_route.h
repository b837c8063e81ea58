/*
 * The route `report` (docs/api.md, "Saving as one page"): the trace that is shown, as one page that
 * opens without the program. It is made in memory, so that its size is known before any of it is
 * saved.
 */
#ifndef TV_SERVER_SINGLE_FILE_ROUTE_H
#define TV_SERVER_SINGLE_FILE_ROUTE_H

#include <stdbool.h>

#include "server/viewer.h"

/* Answers from a struct tv_view_request (server/routes.h), which has a shown trace. */
void tv_saving_report(void *asked, struct tv_http_response *response);

#endif
