/*
 * convert: the same records in another version of the format, for tools that read no other. Records
 * are written as they are read, and no index is built.
 */
#include "base/error.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/verb.h"
#include "cli/warnings.h"
#include "format/write.h"

struct convert_options {
    const char *as;
    const char *clock;
};

/* The clocks to write: all that the trace and the version have, unless --clock names one. */
static enum tv_write_clocks clocks_of(const char *word)
{
    if (!word)
        return TV_WRITE_CLOCKS_ALL;
    return word[0] == 'w' ? TV_WRITE_CLOCKS_WALL : TV_WRITE_CLOCKS_CPU;
}

/* Writes the trace to its new place. What was odd in it is told by `findings`. */
static enum tv_code convert(const struct tv_cli *cli, const struct convert_options *options,
                            const struct tv_opened *opened, const char *path,
                            struct tv_findings *findings, struct tv_error *err)
{
    struct tv_output output;
    struct tv_write_opts opts = {.as = tv_str_from(options->as),
                                 .clocks = clocks_of(options->clock),
                                 .read = opened->trace.opts,
                                 .findings = findings};
    TV_TRY(tv_output_open(&output, cli, path, err));
    enum tv_code code = tv_write_trace(cli->alloc, opened->file.bytes, opened->file.len, &opts,
                                       tv_output_sink(&output), err);
    code = tv_opened_check(opened, code, err);
    return tv_output_close(&output, code, err);
}

static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const char *name = arguments->of[0];
    struct tv_error err = {.code = TV_OK};
    struct tv_opened opened;
    struct tv_findings findings;
    struct tv_progress shown;
    const struct tv_open_opts opts = {
        .tell = tv_progress_tell, .ctx = &shown, .unpacks_all = cli->shared.unpack_all};
    tv_opened_init(&opened, cli->alloc);
    tv_progress_init(&shown, cli, name);
    tv_progress_phase(&shown, "unpacking", 100);
    enum tv_code code = tv_opened_open(&opened, name, &opts, &err);
    tv_progress_clear(&shown);
    if (code == TV_OK)
        code = convert(cli, values, &opened, arguments->of[1], &findings, &err);
    int status = code == TV_OK ? TV_STATUS_FINE : tv_cli_fail(cli, name, &err);
    if (code == TV_OK)
        tv_warn_of_findings(cli, name, &findings);
    tv_opened_release(&opened);
    return status;
}

/* The names that format/write.h knows, spelled out because a table of options is static. */
static const char *const formats[] = {"v1", "v2", "v3", "stream", "packets", NULL};
static const char *const clocks[] = {"wall", "cpu", NULL};
static const struct convert_options defaults = {.as = "v3"};

static const struct tv_option options[] = {
    {.name = "as",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct convert_options, as),
     .argument = "FORMAT",
     .help = "v1, v2, v3 (the default), stream or packets",
     .choices = formats},
    {.name = "clock",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct convert_options, clock),
     .argument = "CLOCK",
     .help = "only wall or cpu; else all that the trace and the format have",
     .choices = clocks},
};

const struct tv_verb tv_verb_convert = {
    .name = "convert",
    .summary = "the same records in another version of the format",
    .arguments = "IN OUT",
    .argument_count = 2,
    .options = TV_OPTIONS(options),
    .defaults = &defaults,
    .values_len = sizeof(struct convert_options),
    .notes = "OUT may be '-'. It is written beside its place and takes its name when it is whole.",
    .examples = {{"traceview convert streamed.trace plain.trace",
                  "a plain trace, for tools that read no streams"},
                 {"traceview convert --as v2 --clock wall app.trace wall.trace",
                  "an older version with one clock"}},
    .run = run,
};
