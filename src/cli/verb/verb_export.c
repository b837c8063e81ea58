/*
 * export: a trace, or a part of it, in the format of another tool (export/export.h). The format is
 * named by --as, by --to, or by the end of the output's name. --to is also the end of the range, as
 * in other verbs: a value that reads as a time is the time.
 *
 * The output is a draft until all is written and the saved index was still whole. Status 3 says
 * that the format could not hold a number as it is.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/numbers/duration.h"
#include "cli/answers/preview_print.h"
#include "cli/answers/question.h"
#include "cli/file/load.h"
#include "cli/file/merged_archive.h"
#include "cli/file/output.h"
#include "cli/file/redact_options.h"
#include "cli/terminal/progress.h"
#include "cli/verb.h"
#include "cli/warnings.h"
#include "export/export.h"
#include "export/formats.h"
#include "format/perfetto/perfetto_packets.h"
#include "index/memory.h"
#include "os/file/file.h"
#include "os/memory/mapping.h"
#include "served/export_tools.h"

/* `to` is an option with two meanings, a format and the end of a range: people know both, and their
 * values cannot be confused. */
struct export_options {
    struct tv_scope_options shared;
    const char *format;
    struct tv_texts to; /* a format, the end of the range, or both */
    const char *out;
    const char *table;         /* NULL: the format's own */
    uint64_t depth;            /* 0: all levels */
    const char *with_manifest; /* a system trace; NULL: the export alone is written */
    struct tv_redact_options redact;
    bool preview;
};

/* How many bytes an export has. */
static enum tv_code count_bytes(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    uint64_t *count = ctx;
    (void)bytes, (void)err;
    *count += len;
    return TV_OK;
}

/* Sorts the values of --to, which is a format or a time: no format has the name of a time. Returns
 * one that is a second one of its kind; NULL: there is none. */
static const char *read_to(struct export_options *options)
{
    for (size_t i = 0; i < options->to.count; i++) {
        const char *word = options->to.of[i];
        struct tv_time_value *end = &options->shared.to;
        uint64_t time_ns;
        bool is_time = tv_duration_ns(tv_str_from(word), &time_ns);
        if (is_time ? end->is_given : options->format != NULL)
            return word;
        if (is_time)
            *end = (struct tv_time_value){.is_given = true, .time_ns = time_ns};
        else
            options->format = word;
    }
    return NULL;
}

/* Says which formats there are, behind why none is known. Returns a status. */
static int list_formats(const struct tv_cli *cli)
{
    struct tv_text lines;
    tv_text_init(&lines, cli->alloc);
    for (size_t i = 0; tv_exports[i]; i++)
        tv_text_add(&lines, "    %-12s %s (%s)\n", tv_exports[i]->name, tv_exports[i]->summary,
                    tv_exports[i]->suffix);
    tv_cli_tell_lines(cli, tv_text_view(&lines));
    tv_text_release(&lines);
    return TV_STATUS_MISUSED;
}

/* An archive holds Perfetto traces. Returns a status. */
static int choose_merged_format(const struct tv_cli *cli, const struct export_options *options,
                                const struct tv_export **format)
{
    *format = &tv_export_perfetto;
    if (options->format && strcmp(options->format, tv_export_perfetto.name) != 0)
        return tv_cli_misuse(cli, "export: --with-manifest is for --to perfetto");
    return options->redact.is_on ? tv_cli_misuse(cli, "export: --with-manifest and --redact: what "
                                                      "is redacted does not say when it was")
                                 : TV_STATUS_FINE;
}

/* The format that is named, or that the name of the output tells. Returns a status. */
static int choose_format(const struct tv_cli *cli, const struct export_options *options,
                         const struct tv_export **format)
{
    if (options->with_manifest)
        return choose_merged_format(cli, options, format);
    *format = options->format ? tv_export_of_name(tv_str_from(options->format))
                              : tv_export_of_file(tv_str_from(options->out));
    if (*format)
        return TV_STATUS_FINE;
    if (options->format)
        (void)tv_cli_misuse(cli, "export: there is no format '%s'; these are:", options->format);
    else if (tv_str_ends_with(tv_str_from(options->out), TV_STR(".svg")))
        return tv_cli_misuse(cli, "export: 'traceview flame' draws pictures: give %s to it",
                             options->out);
    else
        (void)tv_cli_misuse(cli, "export: which format? --to takes one of these:");
    return list_formats(cli);
}

/* Returns a status. */
static int choose_table(const struct tv_cli *cli, const struct export_options *options,
                        const struct tv_export *format, enum tv_export_table *table)
{
    *table = TV_EXPORT_CALLS;
    if (!options->table)
        return TV_STATUS_FINE;
    if (!format->has_tables)
        return tv_cli_misuse(
            cli,
            "export: --table is for csv, jsonl, parquet and arrow: %s does not hold a single one",
            format->name);
    *table = (enum tv_export_table)tv_choice_position(tv_export_table_words, options->table);
    return TV_STATUS_FINE;
}

static enum tv_output_content content_of(const struct tv_export *format)
{
    if (format->is_gzip)
        return TV_OUTPUT_GZIP;
    return format->is_text ? TV_OUTPUT_TEXT : TV_OUTPUT_TRACE;
}

/* An archive tells how long a member is before the member, so the export is made twice. */
static enum tv_code write_merged(const struct tv_asking *asking, const struct tv_file *system,
                                 const struct tv_export *format, struct tv_export_opts *opts,
                                 struct tv_sink to, struct tv_export_result *result,
                                 struct tv_error *err)
{
    const struct tv_str system_trace = {(const char *)system->bytes, system->len};
    const struct tv_sink counting = {count_bytes, &(uint64_t){0}};
    const uint64_t *len = counting.ctx;
    TV_TRY(tv_export_run(format, asking->index, opts, asking->cli->alloc, asking->cli->pool,
                         counting, result, err));
    TV_TRY(tv_merged_archive_begin(system_trace, *len, to, err));
    TV_TRY(tv_export_run(format, asking->index, opts, asking->cli->alloc, asking->cli->pool, to,
                         result, err));
    TV_TRY(tv_merged_archive_end(*len, to, err));
    return tv_file_check(system, TV_OK, err);
}

/* Opens the system trace that an export is to stand beside, unpacked. */
static enum tv_code open_system(const struct tv_asking *asking, const char *name,
                                struct tv_file *system, struct tv_error *err)
{
    const struct tv_index_info *info = asking->index->info;
    if (!info->start_time_ns || info->start_time_ns > INT64_MAX / 2 ||
        !info->has_clock[TV_CLOCK_WALL])
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "does not say when it began, so nothing tells where it belongs in %s", name);
    enum tv_code code = tv_file_open_alone(system, name, NULL, err);
    if (code == TV_OK && !tv_perfetto_begins(system->bytes, system->len))
        code = tv_fail(err, TV_ERR_FOREIGN, TV_NO_OFFSET, "is not a Perfetto trace");
    if (code == TV_OK)
        return code;
    const struct tv_error why = *err;
    return tv_fail(err, code, TV_NO_OFFSET, "--with-manifest: %s: %s", name, why.text);
}

/* Writes the export, or an archive with it. */
static enum tv_code write_to(const struct tv_asking *asking, const struct export_options *options,
                             const struct tv_export *format, struct tv_export_opts *opts,
                             struct tv_sink to, struct tv_export_result *result,
                             struct tv_error *err)
{
    struct tv_file system;
    if (!options->with_manifest)
        return tv_export_run(format, asking->index, opts, asking->cli->alloc, asking->cli->pool, to,
                             result, err);
    tv_file_init(&system, asking->cli->alloc);
    enum tv_code code = open_system(asking, options->with_manifest, &system, err);
    if (code == TV_OK)
        code = write_merged(asking, &system, format, opts, to, result, err);
    tv_file_release(&system);
    return code;
}

/* Output goes to a draft that takes its name only when all was written, so a failed export never
 * replaces an older one. */
static enum tv_code write_out(const struct tv_asking *asking, const struct export_options *options,
                              const struct tv_export *format, struct tv_export_opts *opts,
                              struct tv_export_result *result, struct tv_error *err)
{
    struct tv_output_file output;
    struct tv_export_tools tools;
    TV_TRY(tv_output_open_beside(&output, asking->cli, options->out, content_of(format),
                                 asking->file, err));
    enum tv_code code = tv_export_tools_open(&tools, format, asking->cli->alloc, opts, err);
    if (code == TV_OK) {
        code = write_to(asking, options, format, opts, tv_output_sink(&output), result, err);
        tv_export_tools_close(&tools);
    }
    code = tv_memory_tell(&asking->limit, code, asking->index,
                          "the export takes too much memory: take a shorter part", err);
    if (code == TV_OK)
        code = tv_mapping_check(asking->index->block, err);
    return tv_output_close(&output, code, err);
}

/* Writes the format; NULL: prints the preview. Returns a status. */
static int answer(struct tv_asking *asking, const struct export_options *options,
                  const struct tv_export *format, enum tv_export_table table)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_export_result result;
    struct tv_progress shown;
    const struct tv_redact_opts redact = tv_redact_opts_of(&options->redact);
    struct tv_export_opts opts = {.levels = (uint32_t)options->depth,
                                  .file = tv_file_label(asking->file),
                                  .redact = options->redact.is_on ? &redact : NULL,
                                  .table = table,
                                  .tell = tv_progress_tell,
                                  .ctx = &shown};
    tv_progress_init(&shown, asking->cli, asking->file);
    tv_progress_phase(&shown, "writing", 100);
    enum tv_code code = tv_question_scope(asking, &options->shared, &opts.scope, &err);
    if (code == TV_OK)
        code = format ? write_out(asking, options, format, &opts, &result, &err)
                      : tv_preview_print(asking, &opts, &err);
    tv_progress_clear(&shown);
    if (code != TV_OK)
        return tv_asking_fail(asking, &err);
    return format ? tv_warn_of_export(asking->cli, asking->file, format->name, &result)
                  : TV_STATUS_FINE;
}

/* Sorts out the options before the trace is read. Without a format, which only --preview allows,
 * what redaction would do is printed. */
static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    struct export_options options = *(const struct export_options *)values;
    const char *name = arguments->of[0];
    struct tv_index index;
    struct tv_asking asking;
    const struct tv_export *format = NULL;
    enum tv_export_table table = TV_EXPORT_CALLS;
    const char *excess = read_to(&options);
    if (excess)
        return tv_cli_misuse(cli, "export: --to %s: it was given before, as a format or as a time",
                             excess);
    const char *lacking = tv_redact_lacking(&options.redact);
    if (options.preview && !options.redact.is_on)
        lacking = "--preview";
    if (lacking)
        return tv_cli_misuse(cli, "export: %s is for --redact", lacking);
    int status = options.preview ? TV_STATUS_FINE : choose_format(cli, &options, &format);
    if (status == TV_STATUS_FINE && format)
        status = choose_table(cli, &options, format, &table);
    if (status != TV_STATUS_FINE)
        return status;
    tv_index_init(&index);
    status = tv_load_for_verb(cli, name, TV_WARNINGS_TOLD, &index);
    if (status == TV_STATUS_FINE) {
        tv_asking_init(&asking, cli, name, &index);
        status = answer(&asking, &options, format, table);
        tv_asking_release(&asking);
    }
    tv_index_release(&index);
    return status;
}

static const struct export_options defaults = {.out = "-"};

static const struct tv_option option_table[] = {
    {.name = "as",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct export_options, format),
     .argument = "FORMAT",
     .help = "the format; else --to, or the name of OUT, tells it"},
    {.letter = 'o',
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct export_options, out),
     .argument = "OUT",
     .help = "the file to write (standard output)",
     .group = TV_GROUP_OUTPUT},
    {.name = "table",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct export_options, table),
     .argument = "TABLE",
     .help = "of csv, jsonl, parquet, arrow: calls, nodes, methods or threads (calls)",
     .choices = tv_export_table_words},
    {.name = "depth",
     .kind = TV_OPTION_COUNT,
     .field = offsetof(struct export_options, depth),
     .argument = "LEVELS",
     .help = "only so many levels of calls; 0 is all (0)",
     .most = UINT32_MAX,
     .group = TV_GROUP_PART},
    {.name = "with-manifest",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct export_options, with_manifest),
     .argument = "SYSTEM",
     .help = "perfetto: an archive (tar) with this system trace, which Perfetto 58 opens as one",
     .group = TV_GROUP_OUTPUT},
    TV_REDACT_OPTIONS(struct export_options, redact),
    {.name = "preview",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct export_options, preview),
     .help = "of --redact: write nothing, and print what it would do",
     .group = TV_GROUP_OUTPUT},
    TV_PART_OPTIONS(struct export_options, {.name = "to",
                                            .kind = TV_OPTION_TEXTS,
                                            .field = offsetof(struct export_options, to),
                                            .argument = "FORMAT|TIME",
                                            .help = "the format; or a time: only up to then",
                                            .group = TV_GROUP_PART}),
    TV_SET_OPTIONS(struct export_options),
};

const struct tv_verb tv_verb_export = {
    .name = "export",
    .summary = "the trace, or a part of it, for another tool",
    .arguments = "FILE",
    .argument_count = 1,
    .uses_index = true,
    .lists_formats = true,
    .options = TV_OPTIONS(option_table),
    .defaults = &defaults,
    .values_len = TV_VALUES_LEN(struct export_options),
    .notes = "OUT is packed where its name ends in .gz or .zst. What the format cannot hold\n"
             "is told on stderr; status 3 says that numbers changed.\n"
             "speedscope sorts the events of chrome, and of those of one moment it finds other\n"
             "ends: --to speedscope is for it.",
    .examples = {{"traceview export app.trace --to folded -o app.folded",
                  "stacks for flamegraph.pl and its like"},
                 {"traceview export app.trace --thread main --from 20ms --to folded",
                  "the same of a part, on standard output"}},
    .run = run,
};
