/*
 * check: what is odd in the file, in full, and a status that a script can rely on: 3 where numbers
 * are affected, so that a build can refuse a trace before it compares anything with it. Several
 * files are a table, and the worst of their statuses. With --rules it is about limits instead,
 * which all files keep together (cli/compare/rule_check.h).
 *
 * Without rules the verdict is about the numbers, not about the file: a trace may be odd in many
 * ways that change no number, and then only --strict gives a status other than 0.
 */
#include "analysis/calls/stayed.h"
#include "analysis/health.h"
#include "api/answers.h"
#include "base/error.h"
#include "base/text/json.h"
#include "cli/answers/findings.h"
#include "cli/answers/question.h"
#include "cli/compare/diff_check.h"
#include "cli/compare/report_format.h"
#include "cli/compare/rule_check.h"
#include "cli/file/index_cache.h"
#include "cli/file/load.h"
#include "cli/terminal/table.h"
#include "cli/verb.h"
#include "cli/warnings.h"
#include "os/memory/mapping.h"

/* --json prints the same findings, and the status is the same. */
struct check_options {
    struct tv_report_options report;
    const char *rules;
    const char *against;
    bool strict;
};

/* The status of a trace: findings below "numbers affected" are fine, unless --strict refuses all.
 * Of a trace without records nobody can say that it is fine. */
static int judge(const struct tv_index *index, bool is_strict)
{
    enum tv_severity worst;
    enum tv_finding_kind kind;
    bool is_refused = !index->info->records || tv_health_disqualifies(index, &kind) ||
                      (is_strict && tv_health_worst(index, &worst));
    return is_refused ? TV_STATUS_BELOW : TV_STATUS_FINE;
}

/* Adds what was lost after the last record, and the size of a buffer that would have held it. */
static void add_overflow(struct tv_text *out, const struct tv_index *index)
{
    struct tv_overflow overflow;
    if (!tv_health_overflow(index, &overflow))
        return;
    tv_text_add(out, "overflow: the last ");
    tv_text_add_time(out, overflow.missing_ns);
    tv_text_add(out, " of ");
    tv_text_add_time(out, overflow.run_ns);
    tv_text_add(out,
                " is missing; at its average rate until then, a buffer of %llu MiB would have held "
                "all of it.\n",
                (unsigned long long)(overflow.buffer_len >> 20));
}

/* That nothing is odd is said too: silence could as well be a failure. */
static enum tv_code write_text(const struct tv_asking *asking, const void *values,
                               struct tv_text *out, struct tv_error *err)
{
    (void)values;
    (void)err;
    const struct tv_index *index = asking->index;
    tv_text_add_name(out, tv_file_label(asking->file));
    tv_text_add(out, ": %s, ", index->info->format_name);
    tv_text_add_count(out, index->info->records);
    tv_text_add(out, " records\n");
    unsigned count = tv_findings_print(out, index, "");
    add_overflow(out, index);
    if (index->info->is_sampled)
        tv_text_add(out, "note: looks sampled: call counts are runs of samples, not calls%s\n",
                    tv_sampled_cpu_is_of_before(index) ? TV_CPU_IS_OF_BEFORE : "");
    if (!index->info->records)
        tv_text_add(out, "no records: there is nothing to check\n");
    else if (!count)
        tv_text_add(out, "nothing odd\n");
    return TV_OK;
}

static enum tv_code write_json(const struct tv_api *api, const void *values, struct tv_buffer *body,
                               struct tv_error *err)
{
    (void)values;
    return tv_answer_check(api, body, err);
}

static const struct tv_question_plan plan = {.write_json = write_json, .write_text = write_text};

/* The answer is printed whatever the verdict is; a script looks at the status alone. */
static int check_one(const struct tv_cli *cli, const struct check_options *options,
                     const char *file)
{
    struct tv_index index;
    tv_index_init(&index);
    int status = tv_load_for_verb(cli, file, TV_WARNINGS_UNTOLD, &index);
    if (status == TV_STATUS_FINE) {
        /* Judged first: the answer ends with a look at whether the index is still what it was. */
        int verdict = judge(&index, options->strict);
        status = tv_question_answer(cli, file, &index, &plan, NULL, options->report.json);
        status = status == TV_STATUS_FINE ? verdict : status;
    }
    tv_index_release(&index);
    return status;
}

/* Several files: a row, or an object, for each. */
struct checking {
    const struct tv_cli *cli;
    const struct check_options *options;
    struct tv_text_table table;
    struct tv_text json;
    size_t counts[TV_STATUS_BELOW + 1]; /* files by status */
};

/* Adds "data lost: overflow; note: open_at_end". */
static void add_findings(struct tv_text *out, const struct tv_index *index)
{
    const struct tv_findings *findings = &index->info->findings;
    enum tv_severity worst;
    bool has_any = tv_health_worst(index, &worst);
    for (int severity = has_any ? (int)worst : -1; severity >= 0; severity--) {
        bool is_first = true;
        for (unsigned i = 0; i < TV_FINDING_KIND_COUNT; i++) {
            enum tv_finding_kind kind = (enum tv_finding_kind)i;
            if (!findings->of[i].count || (int)tv_finding_severity(kind) != severity)
                continue;
            if (is_first)
                tv_text_add(out, "%s%s: ", severity == (int)worst ? "" : "; ",
                            tv_severity_name((enum tv_severity)severity));
            tv_text_add(out, "%s%s", is_first ? "" : ", ", tv_finding_name(kind));
            is_first = false;
        }
    }
    if (!index->info->records)
        tv_text_add(out, "%sno records", has_any ? "; " : "");
    else if (!has_any)
        tv_text_add(out, "nothing odd");
}

/* The worst status of all files: one that cannot be read tells less than one that is odd. */
static int worst_status(const struct checking *checking)
{
    if (checking->counts[TV_STATUS_FAILED])
        return TV_STATUS_FAILED;
    return checking->counts[TV_STATUS_BELOW] ? TV_STATUS_BELOW : TV_STATUS_FINE;
}

/* A file that cannot be read has a row too, so that of many files none is missing in the table. */
static void add_row(struct checking *checking, const char *file, int status,
                    const struct tv_index *index)
{
    struct tv_text_table *table = &checking->table;
    tv_text_add(&table->cells, "%d", status);
    tv_table_end_cell(table);
    if (status == TV_STATUS_FAILED) {
        tv_table_name(table, TV_STR("-"));
        tv_table_name(table, TV_STR("-"));
        tv_table_name(table, TV_STR("cannot be read"));
    } else {
        tv_table_name(table, tv_str_from(index->info->format_name));
        tv_table_count(table, index->info->records);
        add_findings(&table->cells, index);
        tv_text_add(&table->cells, "%s", index->info->is_sampled ? "; looks sampled" : "");
        tv_table_end_cell(table);
    }
    tv_table_name_by_end(table, tv_str_from(file));
}

/* Writes {"file", "error"}. */
static enum tv_code write_failure(const char *file, const struct tv_error *why,
                                  struct tv_buffer *body, struct tv_error *err)
{
    struct tv_json json;
    tv_json_init(&json, tv_buffer_sink(body));
    tv_json_open_object(&json);
    tv_json_key_str(&json, "file", tv_file_label(file));
    tv_json_key_text(&json, "error", why->text);
    tv_json_close_object(&json);
    return tv_json_finish(&json, err);
}

/* Adds the file's object to the list, without the newline at its end. */
static enum tv_code add_object(struct checking *checking, const char *file,
                               const struct tv_index *index, const struct tv_error *why,
                               struct tv_error *err)
{
    const struct tv_cli *cli = checking->cli;
    const struct tv_api_trace trace = {.index = index, .file = tv_file_label(file)};
    const struct tv_api api = {
        .alloc = cli->alloc, .pool = cli->pool, .traces = &trace, .trace_count = 1};
    struct tv_buffer body;
    tv_buffer_init(&body, cli->alloc);
    enum tv_code code = why->code == TV_OK ? tv_answer_check(&api, &body, err)
                                           : write_failure(file, why, &body, err);
    struct tv_str text = tv_buffer_view(&body);
    if (code == TV_OK) {
        tv_text_add_str(&checking->json, checking->json.buffer.len ? TV_STR(",") : TV_STR(""));
        tv_text_add_str(&checking->json, (struct tv_str){text.at, text.len - 1});
    }
    tv_buffer_release(&body);
    return code;
}

/* Checks one of several files. A file that cannot be read is told, and does not end the others. */
static enum tv_code check_next(struct checking *checking, const char *file, struct tv_error *err)
{
    const struct tv_cli *cli = checking->cli;
    struct tv_error why = {.code = TV_OK};
    struct tv_index_cache cached;
    struct tv_index index;
    bool was_saved;
    tv_index_init(&index);
    int status = TV_STATUS_FAILED;
    enum tv_code code = TV_OK;
    if (tv_load(cli, file, &cached, &index, &was_saved, &why) == TV_OK)
        status = judge(&index, checking->options->strict);
    else
        (void)tv_cli_fail(cli, file, &why);
    if (checking->options->report.json)
        code = add_object(checking, file, &index, &why, err);
    else
        add_row(checking, file, status, &index);
    checking->counts[status]++;
    /* Numbers of a saved index that changed meanwhile are worth nothing. */
    if (code == TV_OK && status != TV_STATUS_FAILED)
        code = tv_mapping_check(index.block, err);
    tv_index_release(&index);
    return code;
}

/* Adds the table, or the object with all files, and what they come to. */
static enum tv_code write_all(struct checking *checking, struct tv_text *out, struct tv_error *err)
{
    if (checking->options->report.json) {
        tv_text_add(out, "{\"files\":[");
        tv_text_add_str(out, tv_text_view(&checking->json));
        tv_text_add(out, "],\"status\":%d}\n", worst_status(checking));
        return checking->json.code == TV_OK ? TV_OK : tv_fail_memory(err, out->buffer.len);
    }
    TV_TRY(tv_table_write(&checking->table, out, err));
    tv_text_add(out, "\n%zu fine, %zu with %s, %zu that cannot be read\n",
                checking->counts[TV_STATUS_FINE], checking->counts[TV_STATUS_BELOW],
                checking->options->strict ? "findings or without records"
                                          : "affected numbers, lost data or no records",
                checking->counts[TV_STATUS_FAILED]);
    return TV_OK;
}

/* Each file is opened, judged and closed before the next, so that memory does not grow with their
 * number. */
static enum tv_code check_all(struct checking *checking, const struct tv_arguments *arguments,
                              struct tv_text *out, struct tv_error *err)
{
    struct tv_text_table *table = &checking->table;
    tv_table_column(table, "Status", TV_ALIGN_RIGHT);
    tv_table_column(table, "Format", TV_ALIGN_LEFT);
    tv_table_column(table, "Records", TV_ALIGN_RIGHT);
    tv_table_column(table, "Findings", TV_ALIGN_LEFT);
    tv_table_share(table);
    tv_table_column(table, "File", TV_ALIGN_LEFT);
    for (size_t i = 0; i < arguments->count; i++)
        TV_TRY(check_next(checking, arguments->of[i], err));
    TV_TRY(write_all(checking, out, err));
    return out->code == TV_OK ? TV_OK : tv_fail_memory(err, out->buffer.len);
}

/* The status is the worst of all files: one bad trace among a hundred fails the run. */
static int check_several(const struct tv_cli *cli, const struct check_options *options,
                         const struct tv_arguments *arguments)
{
    struct checking checking = {.cli = cli, .options = options};
    struct tv_error err = {.code = TV_OK};
    struct tv_text out;
    tv_text_init(&out, cli->alloc);
    tv_text_init(&checking.json, cli->alloc);
    tv_table_init(&checking.table, cli);
    enum tv_code code = check_all(&checking, arguments, &out, &err);
    int status = code == TV_OK ? worst_status(&checking) : tv_cli_fail(cli, NULL, &err);
    if (code == TV_OK && options->report.json)
        tv_cli_answer(cli, tv_text_view(&out));
    else if (code == TV_OK)
        tv_cli_answer_text(cli, tv_text_view(&out));
    tv_table_release(&checking.table);
    tv_text_release(&checking.json);
    tv_text_release(&out);
    return status;
}

static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct check_options *options = values;
    if (tv_report_options_disagree(&options->report))
        return tv_cli_misuse(cli, "check: --json and --as are two formats");
    if (options->against && (options->rules || options->report.as || arguments->count != 1))
        return tv_cli_misuse(cli, "check: --against is about the findings of one file");
    if (options->against)
        return tv_check_against_run(
            cli, &(struct tv_check_against){options->against, arguments->of[0], options->strict,
                                            options->report.json});
    if (options->rules && options->strict)
        return tv_cli_misuse(cli, "check: --strict is about findings, and --rules about rules");
    if (options->rules)
        return tv_rule_check_run(
            cli, &(struct tv_rule_check){.rules = options->rules,
                                         .files = arguments->of,
                                         .count = arguments->count,
                                         .format = tv_report_format_of(&options->report)});
    if (options->report.as)
        return tv_cli_misuse(cli, "check: --as is for --rules");
    if (arguments->count == 1)
        return check_one(cli, values, arguments->of[0]);
    return check_several(cli, values, arguments);
}

static const struct tv_option options[] = {
    {.name = "strict",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct check_options, strict),
     .help = "status 3 for notes too"},
    {.name = "against",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct check_options, against),
     .argument = "OLD",
     .help = "findings beside this trace's; status 3 where a kind is new that affects numbers"},
    {.name = "rules",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct check_options, rules),
     .argument = "RULES",
     .help = "instead: limits that must hold; status 3 where one does not"},
    {.name = "as",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct check_options, report.as),
     .argument = "FORMAT",
     .help = "of --rules: text (the default), json, markdown, junit or sarif",
     .choices = tv_report_format_words,
     .group = TV_GROUP_OUTPUT},
    {.name = "json",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct check_options, report.json),
     .help = "the answer as JSON",
     .group = TV_GROUP_OUTPUT},
};

const struct tv_verb tv_verb_check = {
    .name = "check",
    .summary = "what is odd in the file; status 3 when numbers are affected",
    .arguments = "FILE...",
    .argument_count = 1,
    .repeats_last = true,
    .uses_index = true,
    .prints_tables = true,
    .options = TV_OPTIONS(options),
    .values_len = TV_VALUES_LEN(struct check_options),
    .examples = {{"traceview check app.trace",
                  "what is odd, and status 3 where numbers are affected"},
                 {"traceview check old.trace new.trace", "a table, and the worst status of all"}},
    .run = run,
};
