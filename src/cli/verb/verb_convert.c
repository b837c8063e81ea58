/*
 * convert: the same records in another version of the format, for tools that read no other. Records
 * are written as they are read, and no index is built.
 *
 * Older versions cannot hold everything: what was lost or changed is counted by the writer
 * (format/write) and told at the end, and its severity decides the status (cli/warnings.h).
 */
#include <string.h>

#include "base/bounded_sink.h"
#include "base/error.h"
#include "cli/file/load.h"
#include "cli/file/output.h"
#include "cli/file/redact_options.h"
#include "cli/terminal/progress.h"
#include "cli/verb.h"
#include "cli/warnings.h"
#include "format/write/write.h"

struct convert_options {
    const char *as;
    const char *layout;
    const char *clock;
    struct tv_redact_options redact;
};

/* The clocks to write: all that the trace and the version have, unless --clock names one. */
static enum tv_write_clocks clocks_of(const char *word)
{
    if (!word)
        return TV_WRITE_CLOCKS_ALL;
    return word[0] == 'w' ? TV_WRITE_CLOCKS_WALL : TV_WRITE_CLOCKS_CPU;
}

/* The name of the version for format/write/write.h. */
static const char *version_of(const struct convert_options *options)
{
    return options->layout && options->layout[0] == 'd' ? "packets-d" : options->as;
}

/* Says what the version cannot hold as the trace has it. Returns a status. */
static int tell_changes(const struct tv_cli *cli, const char *name, const char *version,
                        const struct tv_write_result *result)
{
    int worst = TV_STATUS_FINE;
    for (unsigned i = 0; i < TV_WRITE_CHANGE_COUNT; i++) {
        enum tv_write_change change = (enum tv_write_change)i;
        int status = tv_warn_of_change(cli, name, version, tv_write_change_severity(change),
                                       result->changes[i], tv_write_change_text(change));
        worst = status > worst ? status : worst;
    }
    return worst;
}

/* Writes the trace to its new place, of[1]. */
static enum tv_code convert(const struct tv_cli *cli, const struct convert_options *options,
                            const struct tv_opened *opened, const char *const of[2],
                            struct tv_write_result *result, struct tv_error *err)
{
    struct tv_output_file output;
    struct tv_bounded_sink bound;
    struct tv_redactor redactor;
    const struct tv_made_of of_file = tv_trace_made_of(&opened->trace);
    const struct tv_redact_opts redact = tv_redact_opts_of(&options->redact);
    const struct tv_write_names names = tv_redact_written(&redactor);
    struct tv_write_opts opts = {.as = tv_str_from(version_of(options)),
                                 .clocks = clocks_of(options->clock),
                                 .names = options->redact.is_on ? &names : NULL,
                                 .read = opened->trace.opts,
                                 .result = result};
    TV_TRY(tv_output_open_beside(&output, cli, of[1], TV_OUTPUT_TRACE, of[0], err));
    tv_bounded_sink_init(&bound, tv_output_sink(&output), tv_bounded_sink_of(&of_file));
    tv_redactor_init(&redactor, cli->alloc, &redact);
    enum tv_code code =
        tv_write_trace(cli->alloc, opened->file.bytes, opened->file.len, &opts, bound.sink, err);
    tv_redactor_release(&redactor);
    code = tv_opened_check(opened, code, err);
    return tv_output_close(&output, code, err);
}

/* No index is built: records go from the reader to the writer. What the new format cannot hold is
 * counted on the way and told at the end, with a status of its own. */
static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct convert_options *options = values;
    const char *name = arguments->of[0];
    struct tv_error err = {.code = TV_OK};
    struct tv_opened opened;
    struct tv_write_result result;
    struct tv_progress shown;
    const struct tv_open_opts opts = {
        .tell = tv_progress_tell, .ctx = &shown, .unpacks_all = cli->shared.unpack_all};
    if (options->layout && strcmp(options->as, "packets") != 0)
        return tv_cli_misuse(cli, "convert: --layout is for --as packets");
    if (tv_redact_lacking(&options->redact))
        return tv_cli_misuse(cli, "convert: %s is for --redact",
                             tv_redact_lacking(&options->redact));
    tv_opened_init(&opened, cli->alloc);
    tv_progress_init(&shown, cli, name);
    tv_progress_phase(&shown, "unpacking", 100);
    enum tv_code code = tv_opened_open(&opened, name, &opts, &err);
    tv_progress_clear(&shown);
    if (code == TV_OK)
        code = convert(cli, options, &opened, arguments->of, &result, &err);
    int status = code == TV_OK ? TV_STATUS_FINE : tv_cli_fail(cli, name, &err);
    if (code == TV_OK) {
        tv_warn_of_findings(cli, name, &result.findings);
        status = tell_changes(cli, name, version_of(options), &result);
    }
    tv_opened_release(&opened);
    return status;
}

/* The names that format/write/write.h knows, spelled out because a table of options is static. */
static const char *const formats[] = {"v1", "v2", "v3", "stream", "packets", NULL};
static const char *const clocks[] = {"wall", "cpu", NULL};
static const char *const layouts[] = {"e", "d", NULL};
static const struct convert_options defaults = {.as = "v3"};

static const struct tv_option options[] = {
    {.name = "as",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct convert_options, as),
     .argument = "FORMAT",
     .help = "v1, v2, v3 (the default), stream or packets",
     .choices = formats},
    {.name = "layout",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct convert_options, layout),
     .argument = "LAYOUT",
     .help = "of packets: e (the default), d as ART wrote in 2025",
     .choices = layouts},
    {.name = "clock",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct convert_options, clock),
     .argument = "CLOCK",
     .help = "only wall or cpu; else all that the trace and the format have",
     .choices = clocks},
    TV_REDACT_OPTIONS(struct convert_options, redact),
};

const struct tv_verb tv_verb_convert = {
    .name = "convert",
    .summary = "the same records in another version of the format",
    .arguments = "IN OUT",
    .argument_count = 2,
    .options = TV_OPTIONS(options),
    .defaults = &defaults,
    .values_len = TV_VALUES_LEN(struct convert_options),
    .notes = "Perfetto reads v2, v3, stream and packets (layout e); the Firefox Profiler\n"
             "v1 to v3 and stream; the old viewer and dmtracedump v1 to v3; nothing else\n"
             "reads layout d. OUT may be '-'; it is packed where its name ends in .gz or\n"
             ".zst. What FORMAT cannot hold is told on stderr; status 3 says that numbers\n"
             "changed.",
    .examples = {{"traceview convert streamed.trace plain.trace",
                  "a plain trace, for tools that read no streams"},
                 {"traceview convert --as packets app.trace app.trace.gz",
                  "for Perfetto in nanoseconds, packed"}},
    .run = run,
};
