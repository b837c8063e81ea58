/*
 * The file of projects; see site/config/projects.h. Its lines are read as those of the settings
 * are, so a line that is too long, or no line of the kind, is refused and not passed over.
 */
#include "site/config/projects.h"

#include <string.h>

#include "os/file/paths.h"
#include "site/config/settings_file.h"

#define FILE_MOST ((size_t)1 << 20)

static const char *const who_words[] = {
    [TV_PROJECT_LINK] = "link", [TV_PROJECT_USERS] = "users", [TV_PROJECT_MEMBERS] = "members"};

struct reading {
    struct tv_site_config *config;
    struct tv_project *projects;
};

static bool is_name(struct tv_str name)
{
    static const char signs[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    for (size_t i = 0; i < name.len; i++) {
        if (!name.at[i] || !strchr(signs, name.at[i]))
            return false;
    }
    return name.len && name.len <= TV_PROJECT_NAME_MOST;
}

static enum tv_code keep(struct tv_site_config *config, struct tv_str text, const char **kept,
                         struct tv_error *err)
{
    char *copy;
    TV_TRY(tv_arena_take(&config->texts, text.len + 1, &copy, err));
    memcpy(copy, text.at, text.len);
    copy[text.len] = '\0';
    *kept = copy;
    return TV_OK;
}

static enum tv_code refuse(struct tv_str key, const char *wanted, struct tv_error *err)
{
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%.*s is %s", (int)key.len, key.at, wanted);
}

static enum tv_code read_who(struct tv_str key, struct tv_str value, enum tv_project_who *who,
                             struct tv_error *err)
{
    for (size_t i = 0; i < TV_COUNT_OF(who_words); i++) {
        if (tv_str_equal(value, tv_str_from(who_words[i]))) {
            *who = (enum tv_project_who)i;
            return TV_OK;
        }
    }
    return refuse(key, "link, users or members", err);
}

static enum tv_code read_value(struct reading *reading, struct tv_project *project,
                               struct tv_str key, struct tv_str value, struct tv_error *err)
{
    if (tv_str_equal(key, TV_STR("read")))
        return read_who(key, value, &project->read, err);
    if (tv_str_equal(key, TV_STR("upload")))
        return read_who(key, value, &project->upload, err);
    if (tv_str_equal(key, TV_STR("members")))
        return keep(reading->config, value, &project->members, err);
    if (tv_str_equal(key, TV_STR("expires")))
        return tv_duration_parse(value, &project->expires_s) && project->expires_s
                   ? TV_OK
                   : refuse(key, "a number with h, d or w, such as 30d, or never", err);
    if (tv_str_equal(key, TV_STR("quota")))
        return tv_size_parse(value, &project->quota) ? TV_OK
                                                     : refuse(key, "bytes, such as 10G", err);
    if (tv_str_equal(key, TV_STR("listed"))) {
        project->is_listed = tv_str_equal(value, TV_STR("yes"));
        return project->is_listed || tv_str_equal(value, TV_STR("no"))
                   ? TV_OK
                   : refuse(key, "yes or no", err);
    }
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                   "'%.*s': a project has read, upload, members, expires, quota and listed",
                   tv_str_shown_len(key), key.at);
}

/* The project of that name, which is new where no line before had it. */
static enum tv_code find_or_add(struct reading *reading, struct tv_str name,
                                struct tv_project **project, struct tv_error *err)
{
    struct tv_site_config *config = reading->config;
    for (size_t i = 0; i < config->project_count; i++) {
        *project = &reading->projects[i];
        if (tv_str_equal(name, tv_str_from((*project)->name)))
            return TV_OK;
    }
    if (config->project_count == TV_PROJECTS_MOST)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "more than %u projects",
                       TV_PROJECTS_MOST);
    *project = &reading->projects[config->project_count];
    **project = (struct tv_project){.members = "", .expires_s = TV_NEVER};
    TV_TRY(keep(config, name, &(*project)->name, err));
    config->project_count++;
    return TV_OK;
}

static enum tv_code take_line(void *ctx, struct tv_str name, struct tv_str value, unsigned line,
                              struct tv_error *err)
{
    struct reading *reading = ctx;
    struct tv_str key = name;
    struct tv_str of;
    struct tv_project *project;
    (void)line;
    if (!tv_str_split(&key, '.', &of) || !key.at || !is_name(of))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "'%.*s': must be PROJECT.KEY, and a project is named by letters, digits, _ "
                       "and -",
                       tv_str_shown_len(name), name.at);
    TV_TRY(find_or_add(reading, of, &project, err));
    return read_value(reading, project, key, value, err);
}

/* A project for members that has none would be for nobody, and one for users needs users. */
static enum tv_code check_together(const struct tv_site_config *config, struct tv_error *err)
{
    for (size_t i = 0; i < config->project_count; i++) {
        const struct tv_project *project = &config->projects[i];
        bool wants_members =
            project->read == TV_PROJECT_MEMBERS || project->upload == TV_PROJECT_MEMBERS;
        bool wants_users = wants_members || project->read == TV_PROJECT_USERS ||
                           project->upload == TV_PROJECT_USERS;
        if (wants_members && !project->members[0])
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "project %s has no members",
                           project->name);
        if (wants_users && config->users != TV_USERS_PROXY)
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                           "project %s is for users: it needs users = proxy", project->name);
    }
    return TV_OK;
}

enum tv_code tv_projects_parse(struct tv_site_config *config, struct tv_str content, unsigned *line,
                               struct tv_error *err)
{
    struct reading reading = {.config = config};
    const struct tv_settings_reader reader = {take_line, &reading};
    TV_TRY(tv_arena_take(&config->texts, TV_PROJECTS_MOST * sizeof(*reading.projects),
                         &reading.projects, err));
    config->projects = reading.projects;
    config->project_count = 0;
    TV_TRY(tv_settings_read_lines(content, &reader, line, err));
    *line = 0;
    return check_together(config, err);
}

enum tv_code tv_projects_read(struct tv_site_config *config, const char *file, struct tv_error *err)
{
    struct tv_buffer content;
    struct tv_error inner = {.code = TV_OK};
    unsigned line = 0;
    tv_buffer_init(&content, config->texts.alloc);
    enum tv_code code = tv_file_read_small(file, FILE_MOST, &content, &inner);
    if (code == TV_OK)
        code = tv_projects_parse(config, tv_buffer_view(&content), &line, &inner);
    tv_buffer_release(&content);
    if (code == TV_OK)
        return TV_OK;
    return line ? tv_fail(err, code, TV_NO_OFFSET, "projects: %.100s: line %u: %s", file, line,
                          inner.text)
                : tv_fail(err, code, TV_NO_OFFSET, "projects: %s", inner.text);
}

const struct tv_project *tv_projects_find(const struct tv_site_config *config, struct tv_str name)
{
    for (size_t i = 0; i < config->project_count; i++) {
        if (tv_str_equal(name, tv_str_from(config->projects[i].name)))
            return &config->projects[i];
    }
    return NULL;
}
