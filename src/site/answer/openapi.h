/* The description of the API for programs: OpenAPI 3.1, src/site/answer/openapi.json, in the
 * binary. */
#ifndef TV_SITE_ANSWER_OPENAPI_H
#define TV_SITE_ANSWER_OPENAPI_H

#include "site/request/request_context.h"

struct tv_str tv_openapi_view(void);
void tv_openapi_send(void *context, struct tv_http_response *response);

#endif
