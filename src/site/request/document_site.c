/*
 * The row of the site, which every document has; see site/request/document_site.h. Projects are
 * those that the client may read or fill, so a document names no other.
 */
#include "site/request/document_site.h"

#include "site/request/client.h"
#include "site/request/project_rights.h"

struct tv_document_site tv_document_site_of(const struct tv_request_context *context)
{
    const struct tv_site_config *config = context->site->config;
    struct tv_document_site page = {.config = config,
                                    .files = &context->site->files,
                                    .user = context->client.user,
                                    .origin = context->origin,
                                    .example_id = context->site->sample};
    for (size_t i = 0; i < config->project_count; i++) {
        const struct tv_project *project = &config->projects[i];
        if (tv_project_is_read_by(project, &context->client) ||
            tv_project_is_filled_by(project, &context->client))
            page.projects[page.project_count++] = project;
    }
    return page;
}
