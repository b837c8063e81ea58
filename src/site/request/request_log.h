/* What is told of a request when it is over: to the counters (site/log/metrics.h), and to the
 * access log (site/log/access_log.h). */
#ifndef TV_SITE_REQUEST_REQUEST_LOG_H
#define TV_SITE_REQUEST_REQUEST_LOG_H

#include "site/request/request_context.h"

void tv_site_tell(const struct tv_request_context *context, const struct tv_http_ending *ending);

#endif
