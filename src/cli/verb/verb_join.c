/*
 * join: one .trace from the key and the data file of very old traces, which are its two halves: the
 * joined bytes are those of the key file with those of the data file behind them. Most of this file
 * is about refusing two files that are no such pair.
 *
 * A key file describes threads and methods, a data file has the records. Both begin with words by
 * which they are told apart, so two swapped names are refused with a sentence that says so.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/error.h"
#include "cli/file/load.h"
#include "cli/file/output.h"
#include "cli/verb.h"
#include "cli/warnings.h"
#include "format/trace.h"
#include "format/wire.h"

struct join_options {
    const char *out;
};

/* Reads every record, since a wrong half may begin well. */
static enum tv_code read_all(const struct tv_cli *cli, struct tv_trace *trace,
                             const struct tv_buffer *bytes, struct tv_error *err)
{
    struct tv_batch *batch;
    TV_TRY(tv_trace_open(trace, bytes->bytes, bytes->len, NULL, err));
    TV_TRY(tv_alloc_new(cli->alloc, &batch, 1, sizeof(*batch), err));
    enum tv_code code;
    do {
        code = tv_trace_next(trace, batch, err);
    } while (code == TV_OK && batch->count);
    tv_alloc_release(cli->alloc, &batch, 1, sizeof(*batch));
    return code;
}

/* Reads the joined bytes as a trace, and warns of what is odd in it: a mistaken pair then shows
 * here and not in the next tool. */
static enum tv_code prove(const struct tv_cli *cli, const char *name, const struct tv_buffer *bytes,
                          struct tv_error *err)
{
    struct tv_trace trace;
    if (bytes->len >= TV_WIRE_MAGIC_LEN && tv_load_le32(bytes->bytes) == TV_WIRE_MAGIC)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "is a data file: the key file comes first, then the data file");
    tv_trace_init(&trace, cli->alloc);
    enum tv_code code = read_all(cli, &trace, bytes, err);
    if (code == TV_OK)
        tv_warn_of_findings(cli, name, &trace.findings);
    tv_trace_release(&trace);
    return code;
}

/* The bytes are copied because both files are joined in memory, where the reader of traces proves
 * them. */
static enum tv_code append_file(struct tv_buffer *bytes, const struct tv_cli *cli, const char *name,
                                struct tv_error *err)
{
    const struct tv_file_opts opts = {.unpack = {.is_trusted = cli->shared.unpack_all}};
    struct tv_file file;
    tv_file_init(&file, cli->alloc);
    enum tv_code code = tv_file_open_alone(&file, name, &opts, err);
    if (code == TV_OK)
        code = tv_file_check(&file, tv_buffer_append(bytes, file.bytes, file.len, err), err);
    tv_file_release(&file);
    return code;
}

/* Appends the data file. A second whole trace is refused as such: its bytes behind those of another
 * trace would open, too, as a trace that was cut short. */
static enum tv_code append_data(struct tv_buffer *bytes, const struct tv_cli *cli, const char *name,
                                struct tv_error *err)
{
    static const char first_section[] = "*version";
    size_t key_len = bytes->len;
    TV_TRY(append_file(bytes, cli, name, err));
    if (bytes->len - key_len >= sizeof(first_section) &&
        memcmp(bytes->bytes + key_len, first_section, sizeof(first_section) - 1) == 0 &&
        !(key_len >= TV_WIRE_MAGIC_LEN && tv_load_le32(bytes->bytes) == TV_WIRE_MAGIC))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "is no data file: it begins with a list of methods, as key files and whole "
                       "traces do");
    return TV_OK;
}

/* -o may name the file of either half by another path; the one that it would replace is passed on
 * and refused. */
static enum tv_code write_joined(const struct tv_cli *cli, const struct tv_buffer *bytes,
                                 const char *path, const char *const of[2], struct tv_error *err)
{
    struct tv_output_file output;
    /* Neither half may be replaced. */
    const char *half = tv_output_replaces(path, of[0]) ? of[0] : of[1];
    TV_TRY(tv_output_open_beside(&output, cli, path, TV_OUTPUT_TRACE, half, err));
    struct tv_sink sink = tv_output_sink(&output);
    enum tv_code code = sink.write(sink.ctx, bytes->bytes, bytes->len, err);
    return tv_output_close(&output, code, err);
}

/* `subject` is the file that a failure is about; it changes as the work goes on. The joined bytes
 * are read as a trace before they are written, so that a pair that does not belong together is
 * refused. */
static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct join_options *options = values;
    const char *subject = arguments->of[0];
    struct tv_error err = {.code = TV_OK};
    struct tv_buffer bytes;
    tv_buffer_init(&bytes, cli->alloc);
    enum tv_code code = append_file(&bytes, cli, subject, &err);
    if (code == TV_OK) {
        subject = arguments->of[1];
        code = append_data(&bytes, cli, subject, &err);
    }
    if (code == TV_OK) {
        subject = arguments->of[0]; /* offsets count in the joined bytes, which begin here */
        code = prove(cli, subject, &bytes, &err);
    }
    if (code == TV_OK)
        code = write_joined(cli, &bytes, options->out, arguments->of, &err);
    int status = code == TV_OK ? TV_STATUS_FINE : tv_cli_fail(cli, subject, &err);
    tv_buffer_release(&bytes);
    return status;
}

static const struct join_options defaults = {.out = "-"};

static const struct tv_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct join_options, out),
     .argument = "OUT",
     .help = "write to OUT, which is standard output by default"},
};

const struct tv_verb tv_verb_join = {
    .name = "join",
    .summary = "one .trace from the .key and .data files of very old traces",
    .arguments = "KEY DATA",
    .argument_count = 2,
    .options = TV_OPTIONS(options),
    .defaults = &defaults,
    .values_len = TV_VALUES_LEN(struct join_options),
    .examples = {{"traceview join -o app.trace app.key app.data", "one trace from its two halves"},
                 {"traceview join app.key app.data > app.trace", "the same through the shell"}},
    .run = run,
};
