/* Downloads of the trace that the viewer shows (served/exports.h): the routes export and exporting.
 */
#ifndef TV_SERVER_EXPORTS_H
#define TV_SERVER_EXPORTS_H

#include "http/http.h"

/* These answer from a struct tv_view_request (server/routes.h); the first has a shown trace. */
void tv_exports_start(void *asked, struct tv_http_response *response);
void tv_exports_state(void *asked, struct tv_http_response *response);

#endif
