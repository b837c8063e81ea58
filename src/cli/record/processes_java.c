/*
 * The Java programs of this machine; see cli/record/processes_java.h.
 *
 * Which virtual machines run says os/java/java_list.h. Each has a sentence that says what keeps it
 * from being recorded; a build without the recorder's agent says that instead, once for all.
 */
#include "cli/record/processes_java.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/text/json.h"
#include "cli/record/record_library.h"
#include "cli/terminal/table.h"
#include "os/java/java_list.h"

/* Advice is empty where the process is ready. */
static void write_process(struct tv_json *json, const struct tv_java_process *process)
{
    tv_json_open_object(json);
    tv_json_key_u64(json, "pid", process->pid);
    tv_json_key_text(json, "name", process->program);
    tv_json_key_text(json, "user", process->user);
    tv_json_key_text(json, "java", process->version);
    tv_json_key_u64(json, "uptime_s", process->uptime_s);
    tv_json_key_truth(json, "ready", process->why_not[0] == '\0');
    tv_json_key_text(json, "advice", process->why_not);
    tv_json_close_object(json);
}

/* For the page, in the same form as the processes of a device. */
static enum tv_code write_json(const struct tv_java_list *list, const char *no_recorder,
                               struct tv_buffer *body, struct tv_error *err)
{
    struct tv_json json;
    tv_json_init(&json, tv_buffer_sink(body));
    tv_json_open_object(&json);
    tv_json_key_truth(&json, "recorder", no_recorder[0] == '\0');
    tv_json_key_text(&json, "advice", no_recorder);
    tv_json_key(&json, "processes");
    tv_json_open_array(&json);
    for (size_t i = 0; i < list->count; i++)
        write_process(&json, &list->of[i]);
    tv_json_close_array(&json);
    tv_json_close_object(&json);
    return tv_json_finish(&json, err);
}

/* A terminal with less room for names of programs does not show these columns. */
#define JAVA_NAME_WIDTH 24u
#define USER_NAME_WIDTH 22u
#define UP_NAME_WIDTH 20u

/* Columns go where the terminal is narrow, the program's name never. */
static enum tv_code write_table(const struct tv_cli *cli, const struct tv_java_list *list,
                                struct tv_text *text, struct tv_error *err)
{
    struct tv_text_table table;
    tv_table_init(&table, cli);
    tv_table_column(&table, "PID", TV_ALIGN_RIGHT);
    tv_table_column(&table, "JAVA", TV_ALIGN_LEFT);
    tv_table_spare_below(&table, JAVA_NAME_WIDTH);
    tv_table_column(&table, "USER", TV_ALIGN_LEFT);
    tv_table_spare_below(&table, USER_NAME_WIDTH);
    tv_table_column(&table, "UP", TV_ALIGN_RIGHT);
    tv_table_spare_below(&table, UP_NAME_WIDTH);
    tv_table_column(&table, "PROGRAM", TV_ALIGN_LEFT);
    for (size_t i = 0; i < list->count; i++) {
        const struct tv_java_process *process = &list->of[i];
        const char *version = process->version[0] ? process->version : "-";
        tv_text_add(&table.cells, "%" PRIu64, process->pid);
        tv_table_end_cell(&table);
        tv_table_name(&table, tv_str_from(version));
        tv_table_name(&table, tv_str_from(process->user));
        tv_text_add_uptime(&table.cells, process->uptime_s);
        tv_table_end_cell(&table);
        tv_table_name_by_end(&table, tv_str_from(process->program));
    }
    enum tv_code code = tv_table_write(&table, text, err);
    tv_table_release(&table);
    return code;
}

/* What cannot be recorded, and why. */
static void tell_others(const struct tv_cli *cli, const struct tv_java_list *list,
                        const char *no_recorder)
{
    if (no_recorder[0])
        tv_cli_note(cli, NULL, "Java programs cannot be recorded: %s", no_recorder);
    if (!list->count)
        tv_cli_note(cli, NULL, "no Java program runs on this machine");
    for (size_t i = 0; i < list->count; i++) {
        if (list->of[i].why_not[0])
            tv_cli_note(cli, list->of[i].program, "%s", list->of[i].why_not);
    }
}

/* A missing agent is no failure of the list: the processes are shown with what is lacking. */
int tv_processes_java(const struct tv_cli *cli, bool is_json)
{
    char library[TV_PATH_CAP];
    struct tv_java_list list;
    struct tv_text text;
    struct tv_error err = {.code = TV_OK}, why = {.text = ""};
    if (tv_record_find_library(library, TV_RECORD_JAVA_LIBRARY, &why) == TV_OK)
        why.text[0] = '\0';
    tv_java_list_init(&list, cli->alloc);
    tv_text_init(&text, cli->alloc);
    enum tv_code code = tv_java_list_read(&list, &err);
    if (code == TV_OK && is_json)
        code = write_json(&list, why.text, &text.buffer, &err);
    else if (code == TV_OK && list.count)
        code = write_table(cli, &list, &text, &err);
    if (code == TV_OK)
        tv_cli_answer(cli, tv_text_view(&text));
    if (code == TV_OK && !is_json)
        tell_others(cli, &list, why.text);
    tv_text_release(&text);
    tv_java_list_release(&list);
    return code == TV_OK ? TV_STATUS_FINE : tv_cli_fail(cli, NULL, &err);
}
