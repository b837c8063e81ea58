/*
 * The apps that the user has installed on a device, sorted by name; see
 * cli/device/processes_apps.h. Names are views into the device's answer and untrusted: a line that
 * is no name of a package is left out, and at most MOST_APPS are taken.
 */
#include "cli/device/processes_apps.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory/sort.h"
#include "base/text/json.h"
#include "cli/device/device.h"
#include "cli/device/record_advice.h"
#include "cli/wording.h"

#define MOST_APPS 5000u
#define MOST_NAME 255u

/* The answer of the device, and the names in it. */
struct apps {
    const struct tv_cli *cli;
    struct tv_device device;
    struct tv_buffer answer; /* of the device, which the names are views into */
    struct tv_str *of;
    size_t count, cap;
};

static int by_name(const void *a, const void *b)
{
    return tv_str_compare(*(const struct tv_str *)a, *(const struct tv_str *)b);
}

/* "package:com.example.app", a line each; what is no name of a package is left out. */
static enum tv_code read_names(struct apps *apps, struct tv_error *err)
{
    const struct tv_str mark = TV_STR("package:");
    struct tv_str rest = tv_buffer_view(&apps->answer), line;
    while (apps->count < MOST_APPS && tv_str_split(&rest, '\n', &line)) {
        if (line.len && line.at[line.len - 1] == '\r')
            line.len--;
        if (!tv_str_starts_with(line, mark))
            continue;
        const struct tv_str name = {line.at + mark.len, line.len - mark.len};
        if (name.len > MOST_NAME || !tv_profile_is_package(name))
            continue;
        TV_TRY(tv_alloc_grow(apps->cli->alloc, &apps->of, &apps->cap, apps->count + 1,
                             sizeof(*apps->of), err));
        apps->of[apps->count++] = name;
    }
    if (apps->count)
        qsort(apps->of, apps->count, sizeof(*apps->of), by_name);
    return TV_OK;
}

/* For the page: which apps there are, what the device can do, and how much each app recorded per
 * second the last time. */
static enum tv_code write_json(const struct apps *apps, struct tv_buffer *body,
                               struct tv_error *err)
{
    const struct tv_adb_target *target = &apps->device.target;
    struct tv_json json;
    tv_json_init(&json, tv_buffer_sink(body));
    tv_json_open_object(&json);
    tv_json_key_text(&json, "serial", target->serial);
    tv_json_key_text(&json, "model", target->model);
    tv_record_write_abilities(&json, apps->device.sdk);
    tv_json_key(&json, "apps");
    tv_json_open_array(&json);
    for (size_t i = 0; i < apps->count; i++) {
        tv_json_open_object(&json);
        tv_json_key_str(&json, "name", apps->of[i]);
        tv_record_write_rates(&json, apps->cli, target->serial, apps->of[i]);
        tv_json_close_object(&json);
    }
    tv_json_close_array(&json);
    tv_json_close_object(&json);
    return tv_json_finish(&json, err);
}

/* Only apps that the user has installed (-3): the system's cannot be recorded on a device of a
 * shop. */
static enum tv_code list(struct apps *apps, const char *serial, bool is_json, struct tv_text *text,
                         struct tv_error *err)
{
    int status = 0;
    tv_adb_init(&apps->device.adb, apps->cli->alloc);
    TV_TRY(tv_adb_choose(&apps->device.adb, serial, &apps->device.target, err));
    TV_TRY(tv_device_ask_version(&apps->device, err));
    TV_TRY(tv_device_ask_text(&apps->device, "pm list packages -3", &apps->answer, &status, err));
    TV_TRY(read_names(apps, err));
    if (is_json)
        return write_json(apps, &text->buffer, err);
    for (size_t i = 0; i < apps->count; i++) {
        tv_text_add_name(text, apps->of[i]);
        tv_text_add(text, "\n");
    }
    return text->code == TV_OK ? TV_OK : tv_fail_memory(err, 0);
}

/* An empty list is an answer, with a note for people. */
int tv_processes_installed(const struct tv_cli *cli, const char *serial, bool is_json)
{
    struct tv_error err = {.code = TV_OK};
    struct apps apps = {.cli = cli, .device = {.cli = cli}};
    struct tv_text text;
    tv_text_init(&text, cli->alloc);
    tv_buffer_init(&apps.answer, cli->alloc);
    enum tv_code code = list(&apps, serial, is_json, &text, &err);
    if (code == TV_OK)
        tv_cli_answer(cli, tv_text_view(&text));
    if (code == TV_OK && !is_json && !apps.count)
        tv_cli_note(cli, apps.device.target.model, "the user has installed no app");
    tv_alloc_release(cli->alloc, &apps.of, apps.cap, sizeof(*apps.of));
    tv_buffer_release(&apps.answer);
    tv_text_release(&text);
    return code == TV_OK ? TV_STATUS_FINE : tv_device_fail(&apps.device, &err);
}
