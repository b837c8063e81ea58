/* What every page says of its site; see site/request/page_site.h. */
#include "site/request/page_site.h"

#include "site/request/client.h"

struct tv_page_site tv_page_site_of(const struct tv_asked *asked)
{
    return (struct tv_page_site){.config = asked->site->config,
                                 .files = &asked->site->files,
                                 .user = asked->client.user,
                                 .origin = asked->origin,
                                 .example_id = asked->site->sample,
                                 .now_s = (uint64_t)asked->now};
}
