/*
 * The row of the site, which every document has; see site/request/document_site.h.
 */
#include "site/request/document_site.h"

#include "site/request/client.h"

struct tv_document_site tv_document_site_of(const struct tv_request_context *context)
{
    return (struct tv_document_site){.config = context->site->config,
                                     .files = &context->site->files,
                                     .user = context->client.user,
                                     .origin = context->origin,
                                     .example_id = context->site->sample,
                                     .now_s = (uint64_t)context->now};
}
