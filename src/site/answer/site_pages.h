/* The pages that are of no one trace. */
#ifndef TV_SITE_ANSWER_SITE_PAGES_H
#define TV_SITE_ANSWER_SITE_PAGES_H

#include "site/request/asked.h"

void tv_site_start(void *asked, struct tv_http_response *response);
void tv_site_list(void *asked, struct tv_http_response *response);
void tv_site_compare(void *asked, struct tv_http_response *response);
/* What the site keeps about whoever uses it. */
void tv_site_stored(void *asked, struct tv_http_response *response);
/* Files of the pages, whose names change with their content. */
void tv_site_static(void *asked, struct tv_http_response *response);

#endif
