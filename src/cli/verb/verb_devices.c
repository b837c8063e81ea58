/*
 * devices: the Android devices that the user's adb knows, once or, with --watch, at each change. A
 * list that is watched is flushed as a whole, so that a program that reads it has each list when it
 * is made; if it cannot be written, watching ends.
 */
#include <stdio.h>

#include "adb/adb.h"
#include "base/error.h"
#include "base/text/json.h"
#include "cli/terminal/table.h"
#include "cli/verb.h"

struct devices_options {
    bool json;
    bool watch;
    bool no_start;
};

/* Where lists go, and the first failure. */
struct listing {
    const struct tv_cli *cli;
    const struct devices_options *options;
    bool is_later; /* a list was shown before */
    enum tv_code code;
    struct tv_error err;
};

/* Each device says what keeps it from being used, in the words that people would be told. */
static enum tv_code write_json(const struct tv_adb_devices *devices, struct tv_buffer *body,
                               struct tv_error *err)
{
    struct tv_json json;
    struct tv_error why;
    tv_json_init(&json, tv_buffer_sink(body));
    tv_json_open_object(&json);
    tv_json_key(&json, "devices");
    tv_json_open_array(&json);
    for (size_t i = 0; i < devices->count; i++) {
        const struct tv_adb_device *device = &devices->of[i];
        const bool is_ready = tv_adb_check_device(device, &why) == TV_OK;
        tv_json_open_object(&json);
        tv_json_key_str(&json, "serial", device->serial);
        tv_json_key_truth(&json, "ready", is_ready);
        tv_json_key_str(&json, "state", tv_adb_state_word(device));
        tv_json_key_str(&json, "model", device->model);
        tv_json_key_str(&json, "product", device->product);
        tv_json_key_str(&json, "device", device->name);
        tv_json_key(&json, "advice");
        if (is_ready)
            tv_json_null(&json);
        else
            tv_json_text(&json, why.text);
        tv_json_close_object(&json);
    }
    tv_json_close_array(&json);
    tv_json_close_object(&json);
    return tv_json_finish(&json, err);
}

/* A cell that is empty would let a reader of columns take the next one for it. */
static void add_cell(struct tv_text_table *table, struct tv_str text)
{
    tv_table_name(table, text.len ? text : TV_STR("-"));
}

/* Serial numbers come last, because some are long; models share what room there is. */
static enum tv_code write_table(const struct tv_cli *cli, const struct tv_adb_devices *devices,
                                struct tv_text *text, struct tv_error *err)
{
    struct tv_text_table table;
    tv_table_init(&table, cli);
    tv_table_column(&table, "STATE", TV_ALIGN_LEFT);
    tv_table_column(&table, "MODEL", TV_ALIGN_LEFT);
    tv_table_share(&table);
    tv_table_column(&table, "SERIAL", TV_ALIGN_LEFT);
    for (size_t i = 0; i < devices->count; i++) {
        add_cell(&table, tv_adb_state_word(&devices->of[i]));
        add_cell(&table, devices->of[i].model);
        add_cell(&table, devices->of[i].serial);
    }
    enum tv_code code = tv_table_write(&table, text, err);
    tv_table_release(&table);
    return code;
}

/* What the user can do for devices that cannot be used, and where there is none. On standard error,
 * so that a pipe gets the list alone. */
static void note_advice(const struct tv_cli *cli, const struct tv_adb_devices *devices)
{
    struct tv_error why;
    for (size_t i = 0; i < devices->count; i++) {
        if (tv_adb_check_device(&devices->of[i], &why) != TV_OK)
            tv_cli_note(cli, NULL, "%s", why.text);
    }
    if (!devices->count)
        tv_cli_note(cli, NULL, "%s", TV_ADB_ADVICE_NO_DEVICE);
}

/* With --watch the list is printed at each change, a blank line before it; the stream is flushed,
 * since its reader waits for it. */
static enum tv_code show(const struct listing *listing, const struct tv_adb_devices *devices,
                         struct tv_error *err)
{
    const struct tv_cli *cli = listing->cli;
    struct tv_text text;
    tv_text_init(&text, cli->alloc);
    enum tv_code code = TV_OK;
    if (listing->options->json)
        code = write_json(devices, &text.buffer, err);
    else if (devices->count)
        code = write_table(cli, devices, &text, err);
    if (code == TV_OK && listing->options->watch) {
        const bool is_apart = listing->is_later && !listing->options->json;
        (void)fprintf(cli->out, "%s%.*s", is_apart ? "\n" : "", (int)text.buffer.len,
                      text.buffer.len ? (const char *)text.buffer.bytes : "");
        if (fflush(cli->out) != 0)
            code = tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "the list cannot be written");
    } else if (code == TV_OK) {
        tv_cli_answer(cli, tv_text_view(&text));
    }
    tv_text_release(&text);
    if (code == TV_OK && !listing->options->json)
        note_advice(cli, devices);
    return code;
}

/* False ends the watching; what went wrong stays in `listing` for run(). */
static bool show_change(void *ctx, const struct tv_adb_devices *devices)
{
    struct listing *listing = ctx;
    listing->code = show(listing, devices, &listing->err);
    listing->is_later = true;
    return listing->code == TV_OK;
}

/* A device that cannot be used is in the list too, with what to do about it. */
static enum tv_code list_once(struct tv_adb *adb, const struct listing *listing,
                              struct tv_error *err)
{
    struct tv_adb_devices devices;
    tv_adb_devices_init(&devices, adb->alloc);
    enum tv_code code = tv_adb_list_devices(adb, &devices, err);
    if (code == TV_OK)
        code = show(listing, &devices, err);
    tv_adb_devices_release(&devices);
    return code;
}

/* tv_adb_track_devices returns when somebody has asked it to end, or the server has gone. */
static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    struct listing listing = {.cli = cli, .options = values};
    struct tv_error err = {.code = TV_OK};
    struct tv_adb adb;
    (void)arguments;
    tv_adb_init(&adb, cli->alloc);
    adb.may_start = !listing.options->no_start;
    enum tv_code code = listing.options->watch
                            ? tv_adb_track_devices(&adb, show_change, &listing, &err)
                            : list_once(&adb, &listing, &err);
    if (code == TV_OK && listing.code != TV_OK)
        return tv_cli_fail(cli, NULL, &listing.err);
    return code == TV_OK ? TV_STATUS_FINE : tv_cli_fail(cli, NULL, &err);
}

static const struct tv_option options[] = {
    {.name = "json",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct devices_options, json),
     .help = "print JSON, with --watch one object a line",
     .group = TV_GROUP_OUTPUT},
    {.name = "watch",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct devices_options, watch),
     .help = "print the list again whenever it changes, until Ctrl-C"},
    {.name = "no-start",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct devices_options, no_start),
     .help = "do not start the server of adb where none runs"},
};

const struct tv_verb tv_verb_devices = {
    .name = "devices",
    .summary = "list the Android devices that adb knows",
    .arguments = "",
    .unpacks_nothing = true,
    .prints_tables = true,
    .options = TV_OPTIONS(options),
    .values_len = TV_VALUES_LEN(struct devices_options),
    .notes = "Asks the server of your adb, and starts it where none runs. Of a device that cannot "
             "be used it says what to do.",
    .examples = {{"traceview devices", "state, model and serial number of each device"},
                 {"traceview devices --json --watch",
                  "a line of JSON now, and another one whenever a device comes or goes"}},
    .run = run,
};
