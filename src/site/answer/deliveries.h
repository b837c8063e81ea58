/* The routes about what the webhook was told: for administrators, and on a site that knows no users
 * for those whom metrics-from names. */
#ifndef TV_SITE_ANSWER_DELIVERIES_H
#define TV_SITE_ANSWER_DELIVERIES_H

#include "site/request/request_context.h"

void tv_deliveries_list(void *ctx, struct tv_http_response *response);
void tv_deliveries_page(void *ctx, struct tv_http_response *response);

#endif
