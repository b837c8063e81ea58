/*
 * Projects: values of the label `project` that have rights. The file that the setting `projects`
 * names has lines of "PROJECT.KEY = VALUE":
 *
 *     shop.read = members            who sees its traces: link, users, members
 *     shop.upload = members          who puts traces into it: link, users, members
 *     shop.members = ana, group:shop
 *     shop.expires = 30d             how long its traces are kept, at most
 *     shop.quota = 10G               bytes of its traces
 *     shop.listed = yes              its traces stand in the list unless the uploader says no
 *
 * With `link`, whoever may upload at all may put traces into it. A key stands once.
 * What a project does not say is as without one.
 */
#ifndef TV_SITE_CONFIG_PROJECTS_H
#define TV_SITE_CONFIG_PROJECTS_H

#include "base/compiler.h"
#include "base/error.h"
#include "site/config/config.h"

#define TV_PROJECTS_MOST 200u

/* Reads the file into the config, whose arena has the texts. TV_ERR_ARGUMENT says where and what is
 * wrong. */
enum tv_code tv_projects_read(struct tv_site_config *config, const char *file,
                              struct tv_error *err) TV_MUST_CHECK;
/* Reads projects from the whole content of a file. */
enum tv_code tv_projects_parse(struct tv_site_config *config, struct tv_str content, unsigned *line,
                               struct tv_error *err) TV_MUST_CHECK;
/* NULL: no project has that name. */
const struct tv_project *tv_projects_find(const struct tv_site_config *config, struct tv_str name);

#endif
