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

/* What a project has, by the words of the file. */
enum key { READ, UPLOAD, MEMBERS, EXPIRES, QUOTA, LISTED, KEY_COUNT };
static const char *const key_words[KEY_COUNT] = {
    [READ] = "read",       [UPLOAD] = "upload", [MEMBERS] = "members",
    [EXPIRES] = "expires", [QUOTA] = "quota",   [LISTED] = "listed"};

/* The lines in which a project's keys stand; 0: not yet. */
struct key_lines {
    unsigned of[KEY_COUNT];
};

struct reading {
    struct tv_site_config *config;
    struct tv_project *projects;
    struct key_lines *lines; /* by project */
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

static enum tv_code read_value(struct tv_site_config *config, struct tv_project *project,
                               enum key which, struct tv_str key, struct tv_str value,
                               struct tv_error *err)
{
    switch (which) {
    case READ:
        return read_who(key, value, &project->read, err);
    case UPLOAD:
        return read_who(key, value, &project->upload, err);
    case MEMBERS:
        return tv_site_config_keep(config, value, &project->members, err);
    case EXPIRES:
        return tv_duration_parse(value, &project->expires_s) && project->expires_s
                   ? TV_OK
                   : refuse(key, "a number with h, d or w, such as 30d, or never", err);
    case QUOTA:
        return tv_size_parse(value, &project->quota) ? TV_OK
                                                     : refuse(key, "bytes, such as 10G", err);
    case LISTED:
        project->is_listed = tv_str_equal(value, TV_STR("yes"));
        return project->is_listed || tv_str_equal(value, TV_STR("no"))
                   ? TV_OK
                   : refuse(key, "yes or no", err);
    case KEY_COUNT:
        break;
    }
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                   "'%.*s': a project has read, upload, members, expires, quota and listed",
                   tv_str_shown_len(key), key.at);
}

static enum key key_of(struct tv_str word)
{
    unsigned key = 0;
    while (key < KEY_COUNT && !tv_str_equal(word, tv_str_from(key_words[key])))
        key++;
    return (enum key)key;
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
    TV_TRY(tv_site_config_keep(config, name, &(*project)->name, err));
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
    if (!tv_str_split(&key, '.', &of) || !key.at || !is_name(of))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "'%.*s': must be PROJECT.KEY, and a project is named by letters, digits, _ "
                       "and -",
                       tv_str_shown_len(name), name.at);
    TV_TRY(find_or_add(reading, of, &project, err));
    const enum key which = key_of(key);
    if (which != KEY_COUNT) {
        unsigned *stands = &reading->lines[project - reading->projects].of[which];
        if (*stands)
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%.*s is in line %u already",
                           tv_str_shown_len(name), name.at, *stands);
        *stands = line;
    }
    return read_value(reading->config, project, which, key, value, err);
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
    TV_TRY(tv_arena_take(&config->texts, TV_PROJECTS_MOST * sizeof(*reading.lines), &reading.lines,
                         err));
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
