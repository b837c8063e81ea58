/* Answers for monitoring: whether the site is alive, whether it can work, and its counters. */
#ifndef TV_SITE_ANSWER_HEALTH_H
#define TV_SITE_ANSWER_HEALTH_H

#include "site/request/request_context.h"

/* Always answers 200: the process is alive. */
void tv_site_is_alive(void *context, struct tv_http_response *response);
/* 200: the database answers, and the files of the store can be reached and written. 503: one of
 * these fails, and the text says which. */
void tv_site_is_ready(void *context, struct tv_http_response *response);
/* The text of site/log/metrics.h, for the addresses in `metrics-from`. */
void tv_site_metrics(void *context, struct tv_http_response *response);

#endif
