/*
 * The configuration file of a site: whatever it holds, it is loaded or refused in one line. What
 * was loaded is shown as a file that gives the same values, and is shown as that file again. The
 * same bytes as a file of projects are read, or refused in one line; each project is found by its
 * name.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "site/config/projects.h"
#include "site/config/setting_value.h"
#include "site/config/settings.h"
#include "user_folder.h"

/* The texts of a config lie in blocks that double. */
#define CONFIG_ROOM ((size_t)1 << 20)
/* The line in which libinih has one; the shown line has a comment besides. */
#define LONGEST_VALUE 100u

/* Loads the file, and appends the values to `values`. */
static enum tv_code load(const char *path, const struct tv_alloc *alloc, struct tv_buffer *values,
                         struct tv_buffer *shown)
{
    const struct tv_settings_given given = {.file = path};
    struct tv_settings_origin origin;
    struct tv_site_config config;
    struct tv_error err = {.text = ""};
    tv_site_config_init(&config, alloc);
    enum tv_code code = tv_settings_load(&config, &given, &origin, &err);
    FUZZ_CHECK(code == TV_OK || (err.text[0] && !strchr(err.text, '\n')));
    for (size_t i = 0; code == TV_OK && i < TV_SITE_SETTING_COUNT; i++) {
        code = tv_setting_write(&config, &tv_site_settings[i], values, NULL);
        FUZZ_CHECK(code == TV_OK && tv_buffer_append(values, "\n", 1, NULL) == TV_OK);
    }
    if (code == TV_OK)
        FUZZ_CHECK(tv_settings_show(&config, &origin, tv_buffer_sink(shown), NULL) == TV_OK);
    tv_site_config_release(&config);
    return code;
}

/* Whether every value fits a line with its comment, and has nothing that begins a comment. */
static bool can_be_shown(const struct tv_buffer *values)
{
    struct tv_str rest = tv_buffer_view(values);
    struct tv_str line;
    while (tv_str_split(&rest, '\n', &line)) {
        if (line.len > LONGEST_VALUE || tv_str_find(line, TV_STR(";"), TV_CASE_EXACT) != SIZE_MAX)
            return false;
    }
    return true;
}

static void read_projects(const struct tv_alloc *alloc, struct tv_str content)
{
    struct tv_site_config config;
    struct tv_error err = {.text = ""};
    unsigned line = 0;
    tv_site_config_init(&config, alloc);
    config.users = TV_USERS_PROXY;
    enum tv_code code = tv_projects_parse(&config, content, &line, &err);
    FUZZ_CHECK(code == TV_OK || (err.text[0] && !strchr(err.text, '\n')));
    for (size_t i = 0; code == TV_OK && i < config.project_count; i++) {
        const struct tv_project *project = &config.projects[i];
        FUZZ_CHECK(tv_projects_find(&config, tv_str_from(project->name)) == project);
        FUZZ_CHECK(project->read != TV_PROJECT_MEMBERS || project->members[0]);
    }
    tv_site_config_release(&config);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    char path[TV_PATH_CAP];
    struct fuzz_memory memory;
    struct tv_buffer values[2];
    struct tv_buffer shown[2];
    (void)setenv("HOME", "/home/someone", 1);
    fuzz_memory_init(&memory, len);
    memory.most += CONFIG_ROOM;
    read_projects(&memory.alloc, (struct tv_str){(const char *)bytes, len});
    fuzz_kept_path(path, "site.conf");
    fuzz_kept_write(path, bytes, len);
    for (int i = 0; i < 2; i++) {
        tv_buffer_init(&values[i], &memory.alloc);
        tv_buffer_init(&shown[i], &memory.alloc);
    }
    if (load(path, &memory.alloc, &values[0], &shown[0]) == TV_OK && can_be_shown(&values[0])) {
        fuzz_kept_write(path, shown[0].bytes, shown[0].len);
        FUZZ_CHECK(load(path, &memory.alloc, &values[1], &shown[1]) == TV_OK);
        FUZZ_CHECK(tv_str_equal(tv_buffer_view(&values[0]), tv_buffer_view(&values[1])));
    }
    for (int i = 0; i < 2; i++) {
        tv_buffer_release(&values[i]);
        tv_buffer_release(&shown[i]);
    }
    fuzz_memory_check_released(&memory);
    return 0;
}
