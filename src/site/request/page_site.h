/* What every page says of its site (site/page/pages.h). */
#ifndef TV_SITE_REQUEST_PAGE_SITE_H
#define TV_SITE_REQUEST_PAGE_SITE_H

#include "site/page/pages.h"
#include "site/request/asked.h"

/* A view of the request's memory. */
struct tv_page_site tv_page_site_of(const struct tv_asked *asked);

#endif
