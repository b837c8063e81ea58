/* The pages that are of no one trace. */
#ifndef TV_SITE_ANSWER_SITE_DOCUMENTS_H
#define TV_SITE_ANSWER_SITE_DOCUMENTS_H

#include "site/request/request_context.h"

void tv_site_start(void *context, struct tv_http_response *response);
void tv_site_list(void *context, struct tv_http_response *response);
void tv_site_compare(void *context, struct tv_http_response *response);
/* What the site keeps about whoever uses it. */
void tv_site_stored(void *context, struct tv_http_response *response);
/* Files of the pages, whose names change with their content. */
void tv_site_static(void *context, struct tv_http_response *response);

#endif
