/* Who may do what in a project (site/config/projects.h); a trace is in the one that its label
 * `project` names. Where the site has no file of projects, everybody may everything; where it has
 * one, a trace of a project that the file does not name is for its owner and for administrators. */
#ifndef TV_SITE_REQUEST_PROJECT_RIGHTS_H
#define TV_SITE_REQUEST_PROJECT_RIGHTS_H

#include "base/compiler.h"
#include "site/request/fields.h"
#include "site/request/request_context.h"

/* The project of labels; NULL: they name none that is configured. */
const struct tv_project *tv_project_of(const struct tv_site_config *config,
                                       const struct tv_label *labels, size_t count);
/* Whether the client may see traces of a project. */
bool tv_project_is_read_by(const struct tv_project *project, const struct tv_client *client);
/* Whether the client may put traces into it. */
bool tv_project_is_filled_by(const struct tv_project *project, const struct tv_client *client);
/* Whether the client may see a trace that is not its own. */
bool tv_project_may_read(const struct tv_request_context *context, const struct tv_trace_row *row);
/* Narrows a query to the client's own traces and those of projects that it may read. `projects` has
 * room for TV_PROJECTS_MOST. */
void tv_project_narrow(const struct tv_request_context *context, struct tv_str *projects,
                       struct tv_trace_query *query);
/* Whether the client may give a trace these labels. TV_ERR_ARGUMENT: they name a project that is
 * not there, or that is not for the client. */
enum tv_code tv_project_admit(const struct tv_request_context *context,
                              const struct tv_label *labels, size_t count,
                              struct tv_error *err) TV_MUST_CHECK;
/* The longest life that the site and a project (NULL: none) allow, in seconds; TV_NEVER: any. */
uint64_t tv_project_longest(const struct tv_site_config *config, const struct tv_project *project);
/* When a trace expires by what was asked for, what the site allows, and what its project says
 * (NULL: it is in none); 0: never. */
int64_t tv_project_expiry(const struct tv_request_context *context,
                          const struct tv_project *project, const struct tv_fields *fields);

#endif
