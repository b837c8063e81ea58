/*
 * processes: what can be recorded on an Android device, or of Java on this machine. Processes of a
 * device come from adb's own list (adb/), with the rates of earlier recordings for programs that
 * propose a buffer; --installed and --jvm are in cli/device/processes_apps.h and
 * cli/record/processes_java.h.
 *
 * The page reads the JSON of this verb before it offers a recording, so everything that it shows
 * about an app stands there.
 */
#include <inttypes.h>
#include <stdio.h>

#include "adb/adb.h"
#include "base/error.h"
#include "base/text/json.h"
#include "cli/device/processes_apps.h"
#include "cli/device/record_advice.h"
#include "cli/record/processes_java.h"
#include "cli/terminal/table.h"
#include "cli/verb.h"

struct processes_options {
    bool json;
    bool jvm;
    bool installed;
    const char *serial;
};

/* What is unknown is null and not left out, so that a program can tell "no user" from "an older
 * device". */
static void write_process(struct tv_json *json, const struct tv_cli *cli, const char *serial,
                          const struct tv_adb_process *process)
{
    tv_json_open_object(json);
    tv_json_key_u64(json, "pid", process->pid);
    tv_json_key_str(json, "name", process->name);
    tv_json_key_str(json, "package", process->package);
    tv_json_key_truth(json, "debuggable", process->is_debuggable);
    tv_json_key_truth(json, "profileable", process->is_profileable);
    tv_json_key(json, "user");
    if (process->has_user)
        tv_json_u64(json, process->user);
    else
        tv_json_null(json);
    tv_json_key_str(json, "unix_user", process->unix_user);
    tv_json_key(json, "uptime_s");
    if (process->has_uptime)
        tv_json_u64(json, process->uptime_s);
    else
        tv_json_null(json);
    tv_record_write_rates(json, cli, serial, process->package);
    tv_json_close_object(json);
}

/* For the page that starts recordings: beside the processes, what the device can do and whether the
 * list has all that can be recorded. */
static enum tv_code write_json(const struct tv_cli *cli, const struct tv_adb_target *target,
                               const struct tv_adb_processes *processes, struct tv_buffer *body,
                               struct tv_error *err)
{
    struct tv_json json;
    tv_json_init(&json, tv_buffer_sink(body));
    tv_json_open_object(&json);
    tv_json_key_text(&json, "serial", target->serial);
    tv_json_key_text(&json, "model", target->model);
    tv_record_write_abilities(&json, processes->sdk);
    tv_json_key_truth(&json, "lists_profileable", processes->has_profileable);
    tv_json_key(&json, "processes");
    tv_json_open_array(&json);
    for (size_t i = 0; i < processes->count; i++)
        write_process(&json, cli, target->serial, &processes->of[i]);
    tv_json_close_array(&json);
    tv_json_close_object(&json);
    return tv_json_finish(&json, err);
}

/* A dash stands for what the device did not tell. */
static void add_row(struct tv_text_table *table, const struct tv_adb_process *process)
{
    tv_text_add(&table->cells, "%" PRIu64, process->pid);
    tv_table_end_cell(table);
    tv_text_add(&table->cells, "%s", process->is_debuggable ? "debuggable" : "profileable");
    tv_table_end_cell(table);
    if (process->has_user)
        tv_text_add(&table->cells, "%" PRIu64, process->user);
    else
        tv_text_add(&table->cells, "-");
    tv_table_end_cell(table);
    if (process->has_uptime)
        tv_text_add_uptime(&table->cells, process->uptime_s);
    else
        tv_text_add(&table->cells, "-");
    tv_table_end_cell(table);
    tv_table_name_by_end(table, process->package);
    tv_table_name_by_end(table, process->name);
}

/* The name of the process comes last and may be cut; the package goes first where room is short, as
 * it is mostly the same. */
static enum tv_code write_table(const struct tv_cli *cli, const struct tv_adb_processes *processes,
                                struct tv_text *text, struct tv_error *err)
{
    struct tv_text_table table;
    tv_table_init(&table, cli);
    tv_table_column(&table, "PID", TV_ALIGN_RIGHT);
    tv_table_column(&table, "KIND", TV_ALIGN_LEFT);
    tv_table_column(&table, "USER", TV_ALIGN_RIGHT);
    tv_table_column(&table, "UP", TV_ALIGN_RIGHT);
    tv_table_column(&table, "PACKAGE", TV_ALIGN_LEFT);
    tv_table_spare_below(&table, 30);
    tv_table_column(&table, "PROCESS", TV_ALIGN_LEFT);
    for (size_t i = 0; i < processes->count; i++)
        add_row(&table, &processes->of[i]);
    enum tv_code code = tv_table_write(&table, text, err);
    tv_table_release(&table);
    return code;
}

/* An empty list is an answer; why it may be empty is a note for people. */
static enum tv_code show(const struct tv_cli *cli, const struct processes_options *options,
                         const struct tv_adb_target *target,
                         const struct tv_adb_processes *processes, struct tv_error *err)
{
    struct tv_text text;
    tv_text_init(&text, cli->alloc);
    enum tv_code code = TV_OK;
    if (options->json)
        code = write_json(cli, target, processes, &text.buffer, err);
    else if (processes->count)
        code = write_table(cli, processes, &text, err);
    if (code == TV_OK)
        tv_cli_answer(cli, tv_text_view(&text));
    tv_text_release(&text);
    if (code == TV_OK && !options->json && !processes->count)
        tv_cli_note(cli, target->model,
                    "no process can be recorded: start an app that is debuggable, or has "
                    "<profileable android:shell=\"true\"/> in its manifest");
    else if (code == TV_OK && !options->json && !processes->has_profileable)
        tv_cli_note(cli, target->model,
                    "before Android 12 a device lists debuggable processes only");
    return code;
}

/* Three lists behind one verb: apps that run on a device, apps that are installed there, and Java
 * programs of this machine. */
static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct processes_options *options = values;
    struct tv_error err = {.code = TV_OK};
    struct tv_adb_processes processes;
    struct tv_adb_target target;
    struct tv_adb adb;
    (void)arguments;
    if (options->jvm && options->serial)
        return tv_cli_misuse(cli, "processes: --serial is of a device, and --jvm of this machine");
    if (options->jvm && options->installed)
        return tv_cli_misuse(cli,
                             "processes: --installed is of a device, and --jvm of this machine");
    if (options->jvm)
        return tv_processes_java(cli, options->json);
    if (options->installed)
        return tv_processes_installed(cli, options->serial, options->json);
    tv_adb_init(&adb, cli->alloc);
    tv_adb_processes_init(&processes, cli->alloc);
    enum tv_code code = tv_adb_choose(&adb, options->serial, &target, &err);
    if (code == TV_OK)
        code = tv_adb_list_processes(&adb, &target, &processes, &err);
    if (code == TV_OK)
        code = show(cli, options, &target, &processes, &err);
    tv_adb_processes_release(&processes);
    return code == TV_OK ? TV_STATUS_FINE : tv_cli_fail(cli, NULL, &err);
}

static const struct tv_option options[] = {
    {.name = "serial",
     .letter = 's',
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct processes_options, serial),
     .argument = "SERIAL",
     .help = "the device, where there are several"},
    {.name = "jvm",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct processes_options, jvm),
     .help = "the Java programs of this machine instead"},
    {.name = "installed",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct processes_options, installed),
     .help = "the apps that the user has installed instead, running or not"},
    {.name = "json",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct processes_options, json),
     .help = "print JSON",
     .group = TV_GROUP_OUTPUT},
};

const struct tv_verb tv_verb_processes = {
    .name = "processes",
    .summary = "list what can be recorded on an Android device, or of Java here",
    .arguments = "",
    .unpacks_nothing = true,
    .prints_tables = true,
    .options = TV_OPTIONS(options),
    .values_len = TV_VALUES_LEN(struct processes_options),
    .notes = "Debuggable processes, and from Android 12 on those that their manifest makes "
             "profileable by the shell.",
    .examples = {{"traceview processes", "the processes of the only device"},
                 {"traceview processes --jvm", "Java programs, for `traceview record --jvm`"}},
    .run = run,
};
