/*
 * dmtracedump: the options and the reports of the program of that name, which Android's tools had.
 * The program takes these options, too, when it is called by that name. docs/dmtracedump.md says
 * what differs.
 *
 * Reports come from an index (report()), for -d the report of each trace is kept and both are
 * compared; a dump of records comes from the trace itself, without an index. The graph is drawn by
 * graphviz, a program of the machine that gets the graph on its standard input and a limit of time;
 * where it is missing, the reports are printed all the same, and the status tells.
 */
#include <stdio.h>
#include <string.h>

#include "base/bounded_sink.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/memory/limit.h"
#include "cli/file/load.h"
#include "cli/file/output.h"
#include "cli/terminal/progress.h"
#include "cli/verb.h"
#include "cli/warnings.h"
#include "export/names.h"
#include "export/report/dot.h"
#include "export/report/html.h"
#include "export/report/report.h"
#include "export/report/report_diff.h"
#include "export/report/report_text.h"
#include "index/build/build.h"
#include "index/memory.h"
#include "oldviewer/record_dump.h"
#include "os/file/paths.h"
#include "os/memory/mapping.h"
#include "os/process/program.h"

/* What dmtracedump takes where -t says nothing, or nothing that it understands. */
#define USUAL_PERCENT 20u
/* A graph of TV_DOT_NODES nodes takes a few seconds. */
#define MOST_DRAWING_SECONDS 60u

struct dump_options {
    bool html;
    bool dump;
    const char *sortable;
    const char *diff;
    const char *graph;
    bool keep;
    uint64_t percent;
    const char *clock;
};

static const char *const clock_words[] = {"wall", "cpu", NULL};

/* A trace and its report. */
struct reported {
    struct tv_index index;
    struct tv_limit limit; /* what names and report may take (docs/index.md, "Memory") */
    struct tv_export_names names;
    struct tv_report report;
};

static void init_reported(struct reported *reported, const struct tv_alloc *alloc)
{
    tv_index_init(&reported->index);
    tv_export_names_init(&reported->names, alloc);
    tv_report_init(&reported->report, alloc);
}

/* From here on names and report take no more memory than an answer may. Only the index knows how
 * much that is. */
static void limit_reported(struct reported *reported, const struct tv_alloc *alloc)
{
    tv_limit_init(&reported->limit, alloc, tv_memory_of_answer(&reported->index));
    tv_export_names_init(&reported->names, &reported->limit.alloc);
    tv_report_init(&reported->report, &reported->limit.alloc);
}

static void release_reported(struct reported *reported)
{
    tv_report_release(&reported->report);
    tv_export_names_release(&reported->names);
    tv_index_release(&reported->index);
}

/* The clock that is asked for, else the one that tables show first. */
static enum tv_code choose_clock(const char *word, const uint32_t has_clock[TV_CLOCK_COUNT],
                                 enum tv_clock usual, enum tv_clock *clock, struct tv_error *err)
{
    *clock = !word ? usual : word[0] == 'w' ? TV_CLOCK_WALL : TV_CLOCK_CPU;
    if (word && !has_clock[*clock])
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "this trace has no %s clock",
                       *clock == TV_CLOCK_WALL ? "wall" : "CPU");
    return TV_OK;
}

/* The top level above all threads belongs to the reports of dmtracedump. The index may be a mapped
 * file, so it is looked at once more at the end: numbers of a file that was cut meanwhile are not
 * printed. */
static enum tv_code make_report(struct reported *reported, const struct dump_options *options,
                                const struct tv_cli *cli, struct tv_error *err)
{
    const struct tv_selection all = {.has_range = false};
    struct tv_report_opts opts = {.has_toplevel = true};
    struct tv_sums sums;
    TV_TRY(choose_clock(options->clock, reported->index.info->has_clock,
                        tv_index_default_clock(&reported->index), &opts.clock, err));
    TV_TRY(tv_export_names_make(&reported->names, &reported->index, TV_STR(""), NULL, err));
    tv_sums_init(&sums, reported->report.alloc);
    enum tv_code code = tv_sums_compute(&sums, &reported->index, &all, cli->pool, err);
    if (code == TV_OK)
        code = tv_report_make(&reported->report, &sums, &reported->names, &opts, err);
    tv_sums_release(&sums);
    return code == TV_OK ? tv_mapping_check(reported->index.block, err) : code;
}

/* Loads a trace and makes its report. Returns a status; a failure is printed. */
static int report(const struct tv_cli *cli, const char *name, const struct dump_options *options,
                  struct reported *reported)
{
    struct tv_error err = {.code = TV_OK};
    int status = tv_load_for_verb(cli, name, TV_WARNINGS_TOLD, &reported->index);
    if (status != TV_STATUS_FINE)
        return status;
    limit_reported(reported, cli->alloc);
    enum tv_code code = make_report(reported, options, cli, &err);
    code = tv_memory_tell(&reported->limit, code, &reported->index,
                          "the reports take too much memory: record a shorter trace", &err);
    if (code == TV_OK)
        return TV_STATUS_FINE;
    (void)tv_cli_fail(cli, name, &err);
    return tv_cli_status(code);
}

/* The form that graphviz is asked for: dmtracedump's is PNG, whatever the name. */
static const char *form_of(const char *path)
{
    static const char *const forms[][2] = {{".svg", "-Tsvg"}, {".pdf", "-Tpdf"}};
    for (size_t i = 0; i < TV_COUNT_OF(forms); i++) {
        if (tv_str_ends_with(tv_str_from(path), tv_str_from(forms[i][0])))
            return forms[i][1];
    }
    return "-Tpng";
}

/* Writes a file whole, or not at all. */
static enum tv_code keep_file(const struct tv_cli *cli, const char *path, struct tv_str bytes,
                              struct tv_error *err)
{
    struct tv_output_file output;
    TV_TRY(tv_output_open(&output, cli, path, TV_OUTPUT_TEXT, err));
    struct tv_sink sink = tv_output_sink(&output);
    enum tv_code code = sink.write(sink.ctx, bytes.at, bytes.len, err);
    return tv_output_close(&output, code, err);
}

/* Has graphviz draw the graph into a file. */
static enum tv_code draw(const struct tv_cli *cli, const char *path, struct tv_str graph,
                         struct tv_error *err)
{
    const char *const words[] = {"dot", form_of(path), NULL};
    struct tv_output_file output;
    TV_TRY(tv_output_open(&output, cli, path, TV_OUTPUT_TRACE, err));
    enum tv_code code =
        tv_program_run(words, graph, fileno(output.file), MOST_DRAWING_SECONDS, err);
    if (code == TV_ERR_NOT_FOUND)
        code = tv_fail(err, code, TV_NO_OFFSET,
                       "graphviz is not installed, so no graph can be drawn: -k keeps it as "
                       "text in %.100s.dot",
                       path);
    return tv_output_close(&output, code, err);
}

/* The graph is written to memory first, since both the file that is kept and dot(1) get the same
 * bytes. */
static enum tv_code write_graph(const struct tv_cli *cli, const struct dump_options *options,
                                const char *name, const struct tv_report *report,
                                struct tv_error *err)
{
    char dot_path[TV_PATH_CAP];
    struct tv_buffer graph;
    unsigned percent = options->percent < 100 ? (unsigned)options->percent : USUAL_PERCENT;
    int len = snprintf(dot_path, sizeof(dot_path), "%s.dot", options->graph);
    if (strcmp(options->graph, "-") == 0)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "-g names a file: standard output has the reports");
    if (len < 0 || (size_t)len >= sizeof(dot_path))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "the name of the graph is too long");
    if (tv_output_replaces(options->graph, name) ||
        (options->keep && tv_output_replaces(dot_path, name)))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "the graph would replace the trace: name another file");
    tv_buffer_init(&graph, cli->alloc);
    enum tv_code code = tv_dot_write(report, percent, TV_DOT_WHOLE_MS, tv_buffer_sink(&graph), err);
    if (code == TV_OK && options->keep)
        code = keep_file(cli, dot_path, tv_buffer_view(&graph), err);
    if (code == TV_OK)
        code = draw(cli, options->graph, tv_buffer_view(&graph), err);
    tv_buffer_release(&graph);
    return code;
}

/* One of two forms of the same report; which one says -h. */
static enum tv_code print_report(const struct tv_cli *cli, const struct dump_options *options,
                                 const char *name, const struct tv_report *report,
                                 struct tv_error *err)
{
    struct tv_output_file output;
    TV_TRY(tv_output_open(&output, cli, "-", TV_OUTPUT_TEXT, err));
    struct tv_sink sink = tv_output_sink(&output);
    const struct tv_scope_part whole = {.levels = 0};
    return options->html ? tv_report_write_html(report, tv_file_label(name), &whole, sink, err)
                         : tv_report_write_text(report, sink, err);
}

/* Prints the reports of one trace, behind its graph. Where graphviz is missing, they are printed
 * all the same. */
static enum tv_code print_reports(const struct tv_cli *cli, const struct dump_options *options,
                                  const char *name, const struct tv_report *report,
                                  struct tv_error *err)
{
    enum tv_code drawn = options->graph ? write_graph(cli, options, name, report, err) : TV_OK;
    if (drawn != TV_OK && drawn != TV_ERR_NOT_FOUND)
        return drawn;
    enum tv_code code = print_report(cli, options, name, report, drawn ? NULL : err);
    return drawn ? drawn : code;
}

/* Compares two reports. Both must be of one clock: each chose its own where none was asked for. */
static enum tv_code print_diff(const struct tv_cli *cli, const struct dump_options *options,
                               const char *name, const struct tv_report *before,
                               const struct tv_report *after, struct tv_error *err)
{
    const struct tv_diff_sources sources = {
        .names = {tv_file_label(options->diff), tv_file_label(name)}};
    struct tv_report_diff diff;
    struct tv_output_file output;
    if (before->opts.clock != after->opts.clock)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "the traces are compared by CPU time, and one of them has none: --clock "
                       "wall");
    tv_report_diff_init(&diff, cli->alloc);
    enum tv_code code = tv_report_diff_make(&diff, before, after, err);
    if (code == TV_OK)
        code = tv_output_open(&output, cli, "-", TV_OUTPUT_TEXT, err);
    if (code == TV_OK && options->html)
        code = tv_report_diff_write_html(&diff, &sources, tv_output_sink(&output), err);
    else if (code == TV_OK)
        code = tv_report_diff_write_text(&diff, tv_output_sink(&output), err);
    tv_report_diff_release(&diff);
    return code;
}

/* The trace that is named is the newer one; the one of -d is loaded after it, and only if the first
 * could be read. */
static int run_reports(const struct tv_cli *cli, const struct dump_options *options,
                       const char *name)
{
    struct tv_error err = {.code = TV_OK};
    struct reported before;
    struct reported after;
    init_reported(&before, cli->alloc);
    init_reported(&after, cli->alloc);
    int status = report(cli, name, options, &after);
    if (status == TV_STATUS_FINE && options->diff)
        status = report(cli, options->diff, options, &before);
    if (status == TV_STATUS_FINE) {
        enum tv_code code =
            options->diff ? print_diff(cli, options, name, &before.report, &after.report, &err)
                          : print_reports(cli, options, name, &after.report, &err);
        if (code != TV_OK)
            (void)tv_cli_fail(cli, name, &err);
        status = tv_cli_status(code);
    }
    release_reported(&after);
    release_reported(&before);
    return status;
}

/* What is printed is bounded by the length of the file, as its index is: a small packed file cannot
 * fill the disk. */
static enum tv_code dump_records(const struct tv_cli *cli, const struct dump_options *options,
                                 struct tv_trace *trace, struct tv_error *err)
{
    const uint32_t has_clock[TV_CLOCK_COUNT] = {
        [TV_CLOCK_WALL] = trace->has_clock[TV_CLOCK_WALL],
        [TV_CLOCK_CPU] = trace->has_clock[TV_CLOCK_CPU],
    };
    enum tv_clock clock;
    struct tv_output_file output;
    struct tv_bounded_sink bound;
    TV_TRY(choose_clock(options->clock, has_clock,
                        trace->has_clock[TV_CLOCK_CPU] ? TV_CLOCK_CPU : TV_CLOCK_WALL, &clock,
                        err));
    TV_TRY(tv_output_open(&output, cli, "-", TV_OUTPUT_TEXT, err));
    const struct tv_made_of of = tv_trace_made_of(trace);
    tv_bounded_sink_init(&bound, tv_output_sink(&output), tv_bounded_sink_of(&of));
    return tv_record_dump(trace, clock, bound.sink, err);
}

/* Prints the records of a trace; no index is built. */
static int run_dump(const struct tv_cli *cli, const struct dump_options *options, const char *name)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_opened opened;
    struct tv_progress shown;
    const struct tv_open_opts opts = {
        .tell = tv_progress_tell, .ctx = &shown, .unpacks_all = cli->shared.unpack_all};
    tv_opened_init(&opened, cli->alloc);
    tv_progress_init(&shown, cli, name);
    tv_progress_phase(&shown, "unpacking", 100);
    enum tv_code code = tv_opened_open(&opened, name, &opts, &err);
    tv_progress_clear(&shown);
    if (code == TV_OK)
        code = dump_records(cli, options, &opened.trace, &err);
    code = tv_opened_check(&opened, code, &err);
    if (code == TV_OK)
        tv_warn_of_findings(cli, name, &opened.trace.findings);
    else
        (void)tv_cli_fail(cli, name, &err);
    tv_opened_release(&opened);
    return tv_cli_status(code);
}

static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct dump_options *options = values;
    const char *name = arguments->of[0];
    if (options->graph && !options->graph[0])
        return tv_cli_misuse(cli, "dmtracedump: -g needs the name of a file");
    return options->dump ? run_dump(cli, options, name) : run_reports(cli, options, name);
}

static const struct dump_options defaults = {.percent = USUAL_PERCENT};

static const struct tv_option options[] = {
    {.letter = 'h',
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct dump_options, html),
     .help = "the reports, or the comparison, as a page for a browser"},
    {.letter = 'o',
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct dump_options, dump),
     .help = "the records of the trace, a line each, instead of the reports"},
    {.letter = 'd',
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct dump_options, diff),
     .argument = "FILE",
     .help = "compare with this trace, which is run 1"},
    {.letter = 'g',
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct dump_options, graph),
     .argument = "OUT",
     .help = "draw a graph into OUT as well, with graphviz: PNG, or by the name .svg, .pdf"},
    {.letter = 'k',
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct dump_options, keep),
     .help = "keep the text of the graph, OUT.dot"},
    {.letter = 't',
     .kind = TV_OPTION_COUNT,
     .field = offsetof(struct dump_options, percent),
     .argument = "PERCENT",
     .help = "draw callees with this share of their caller's time (20)"},
    {.letter = 's',
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct dump_options, sortable),
     .argument = "URL",
     .help = "taken and not needed: pages sort their tables themselves"},
    {.name = "clock",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct dump_options, clock),
     .argument = "CLOCK",
     .help = "wall or cpu (cpu where the trace has it, as in the old tool)",
     .choices = clock_words},
};

const struct tv_verb tv_verb_dmtracedump = {
    .name = "dmtracedump",
    .summary = "the reports of Android's dmtracedump, by its options",
    .arguments = "FILE",
    .argument_count = 1,
    .uses_index = true,
    .options = TV_OPTIONS(options),
    .defaults = &defaults,
    .values_len = TV_VALUES_LEN(struct dump_options),
    .notes = "Called by the name dmtracedump, the program takes these options and FILE without a "
             "verb. Letters may stand together: -kg OUT.",
    .examples = {{"traceview dmtracedump app.trace > app.txt",
                  "methods by exclusive and by inclusive time, by class and by name"},
                 {"traceview dmtracedump -d old.trace new.trace",
                  "what differs between two traces, method by method"}},
    .run = run,
};
