/*
 * -r: what the old viewer prints with its option -r, byte for byte, so that the dumps of both can
 * be compared. src/oldviewer makes the dump from the trace's records; no index is built.
 *
 * Whoever still compares dumps of the old viewer needs its output and its oddities; what a number
 * there means is not this program's to improve.
 */
#include "base/bounded_sink.h"
#include "base/error.h"
#include "base/memory/limit.h"
#include "cli/file/load.h"
#include "cli/file/output.h"
#include "cli/terminal/progress.h"
#include "cli/verb.h"
#include "cli/warnings.h"
#include "index/index.h"
#include "index/memory.h"
#include "oldviewer/regression.h"

/* The old viewer says nothing of what is odd in a file, but it never read packed files either. */
static void warn_of_cut(const struct tv_cli *cli, const char *file, const struct tv_trace *trace)
{
    struct tv_findings cut;
    tv_findings_init(&cut);
    cut.of[TV_FINDING_PACKED_CUT] = trace->findings.of[TV_FINDING_PACKED_CUT];
    tv_warn_of_findings(cli, file, &cut);
}

/* Dumps the trace within what a file that nobody trusts may take: bytes of the dump, and memory. */
static enum tv_code dump(struct tv_trace *trace, struct tv_sink sink,
                         struct tv_regression_result *result, struct tv_error *err)
{
    const struct tv_made_of of = tv_trace_made_of(trace);
    const uint64_t most = tv_bounded_sink_of(&of);
    struct tv_bounded_sink bound;
    struct tv_limit limit;
    tv_bounded_sink_init(&bound, sink, most);
    tv_limit_init(&limit, trace->alloc, of.is_trusted ? SIZE_MAX : tv_memory_of_index(&of));
    trace->alloc = &limit.alloc;
    enum tv_code code = tv_regression_dump(trace, &bound.sink, most, result, err);
    trace->alloc = limit.of;
    return tv_limit_tell(&limit, code,
                         "the dump takes too much memory: give --unpack-all if you trust it", err);
}

/* The dump is written as far as it goes even where the old viewer would refuse the trace, with a
 * note that says so: old scripts compare what they got. */
static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const char *file = arguments->of[0];
    struct tv_error err = {.code = TV_OK};
    struct tv_opened opened;
    struct tv_progress shown;
    const struct tv_open_opts opts = {
        .tell = tv_progress_tell, .ctx = &shown, .unpacks_all = cli->shared.unpack_all};
    struct tv_regression_result result = {.refused = 0};
    struct tv_output_file output;
    int status = TV_STATUS_FINE;
    (void)values;
    tv_opened_init(&opened, cli->alloc);
    tv_progress_init(&shown, cli, file);
    tv_progress_phase(&shown, "unpacking", 100);
    enum tv_code code = tv_opened_open(&opened, file, &opts, &err);
    tv_progress_clear(&shown);
    if (code == TV_OK)
        code = tv_output_open(&output, cli, "-", TV_OUTPUT_TEXT, &err);
    if (code == TV_OK) {
        code = dump(&opened.trace, tv_output_sink(&output), &result, &err);
    }
    code = tv_opened_check(&opened, code, &err);
    if (code == TV_OK)
        warn_of_cut(cli, file, &opened.trace);
    if (code != TV_OK)
        status = tv_cli_fail(cli, file, &err);
    else if (result.refused)
        tv_cli_note(cli, file,
                    "the old viewer refuses this trace: %llu exits match no call, the first at "
                    "offset %llu; "
                    "this is what it would print otherwise",
                    (unsigned long long)result.refused, (unsigned long long)result.refused_offset);
    tv_opened_release(&opened);
    return status;
}

const struct tv_verb tv_verb_regression = {
    .name = "-r",
    .summary = "the old viewer's regression dump (its option -r)",
    .arguments = "FILE",
    .argument_count = 1,
    .examples = {{"traceview -r app.trace > app.dump",
                  "a dump that can be compared with the old viewer's"},
                 {"traceview -r app.trace | head -n 1", "the total of CPU time"}},
    .run = run,
};
