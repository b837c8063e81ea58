/* The API's routes about mappings of names, docs/site-api.md. One is added as a trace is
 * (site/answer/traces.h). */
#ifndef TV_SITE_ANSWER_MAPPINGS_H
#define TV_SITE_ANSWER_MAPPINGS_H

#include "site/request/request_context.h"

void tv_mappings_list(void *context, struct tv_http_response *response);
void tv_mappings_tell(void *context, struct tv_http_response *response);
void tv_mappings_raw(void *context, struct tv_http_response *response);
void tv_mappings_delete(void *context, struct tv_http_response *response);

#endif
