/* What is told of a request when it is over: to the counters (site/metrics.h), and to the access
 * log (site/access_log.h). */
#ifndef TV_SITE_TELLING_H
#define TV_SITE_TELLING_H

#include "site/asked.h"

void tv_site_tell(const struct tv_asked *asked, const struct tv_http_ending *ending);

#endif
