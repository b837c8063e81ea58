/* What is told of a request when it is over: to the counters (site/log/metrics.h), and to the
 * access log (site/log/access_log.h). */
#ifndef TV_SITE_REQUEST_TELLING_H
#define TV_SITE_REQUEST_TELLING_H

#include "site/request/asked.h"

void tv_site_tell(const struct tv_asked *asked, const struct tv_http_ending *ending);

#endif
