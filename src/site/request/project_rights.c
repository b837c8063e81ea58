/*
 * Rights in projects; see site/request/project_rights.h. Administrators may everything; owners, by
 * token or by name, are let in before these are asked.
 */
#include "site/request/project_rights.h"

#include "site/config/projects.h"

const struct tv_project *tv_project_of(const struct tv_site_config *config,
                                       const struct tv_label *labels, size_t count)
{
    return tv_projects_find(config, tv_label_value(labels, count, "project"));
}

static bool is_for(const struct tv_client *client, enum tv_project_who who,
                   const struct tv_project *project)
{
    switch (who) {
    case TV_PROJECT_LINK:
        return true;
    case TV_PROJECT_USERS:
        return client->user.len > 0;
    case TV_PROJECT_MEMBERS:
        return client->is_admin || tv_client_is_one_of(client, project->members);
    }
    return false;
}

bool tv_project_is_read_by(const struct tv_project *project, const struct tv_client *client)
{
    return is_for(client, project->read, project);
}

bool tv_project_is_filled_by(const struct tv_project *project, const struct tv_client *client)
{
    return is_for(client, project->upload, project);
}

bool tv_project_may_read(const struct tv_request_context *context, const struct tv_trace_row *row)
{
    const struct tv_site_config *config = context->site->config;
    const struct tv_str name = tv_label_value(row->labels, row->label_count, "project");
    const struct tv_project *project = tv_projects_find(config, name);
    if (!config->projects || !name.len || context->client.is_admin)
        return true;
    return project && tv_project_is_read_by(project, &context->client);
}

/* Were the traces of other projects left out of an answer alone, `next` could name one of them, and
 * slices would be shorter than others. */
void tv_project_narrow(const struct tv_request_context *context, struct tv_str *projects,
                       struct tv_trace_query *query)
{
    const struct tv_site_config *config = context->site->config;
    if (!config->projects || context->client.is_admin)
        return;
    for (size_t i = 0; i < config->project_count; i++) {
        if (tv_project_is_read_by(&config->projects[i], &context->client))
            projects[query->project_count++] = tv_str_from(config->projects[i].name);
    }
    query->projects = projects;
    query->reader = context->client.user;
}

enum tv_code tv_project_admit(const struct tv_request_context *context,
                              const struct tv_label *labels, size_t count, struct tv_error *err)
{
    const struct tv_site_config *config = context->site->config;
    const struct tv_str name = tv_label_value(labels, count, "project");
    const struct tv_project *project = tv_projects_find(config, name);
    if (!config->projects || !name.len)
        return TV_OK;
    /* One answer where there is none and where others alone know of it: names are tried. */
    if (!project || (!tv_project_is_filled_by(project, &context->client) &&
                     !tv_project_is_read_by(project, &context->client)))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "this site has no project \"%.*s\" into which you may put traces",
                       tv_str_shown_len(name), name.at);
    if (!tv_project_is_filled_by(project, &context->client))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "you may put no trace into the project %s", project->name);
    return TV_OK;
}

uint64_t tv_project_longest(const struct tv_site_config *config, const struct tv_project *project)
{
    const uint64_t of_project_s = project ? project->expires_s : TV_NEVER;
    return of_project_s < config->expires_most_s ? of_project_s : config->expires_most_s;
}

int64_t tv_project_expiry(const struct tv_request_context *context,
                          const struct tv_project *project, const struct tv_fields *fields)
{
    const struct tv_site_config *config = context->site->config;
    const uint64_t of_project_s = project ? project->expires_s : TV_NEVER;
    const uint64_t usual_s = of_project_s == TV_NEVER ? config->expires_s : of_project_s;
    return tv_fields_expiry(fields, usual_s, tv_project_longest(config, project), context->now);
}
