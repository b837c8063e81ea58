/* What watches over a site asks: whether it is alive, whether it can work, and what it counts. */
#ifndef TV_SITE_ANSWER_HEALTH_H
#define TV_SITE_ANSWER_HEALTH_H

#include "site/request/request_context.h"

/* The process answers. */
void tv_site_is_alive(void *context, struct tv_http_response *response);
/* The database answers, and the store takes bytes; otherwise 503, with which of the two it is. */
void tv_site_is_ready(void *context, struct tv_http_response *response);
/* The text of site/log/metrics.h, for those whom `metrics-from` names. */
void tv_site_metrics(void *context, struct tv_http_response *response);

#endif
