/*
 * The formats that dmtracedump's reports are: one HTML file with the four of them, and the graph of
 * who calls whom. 100 % is what it is in every view: the root calls.
 */
#include "base/error.h"
#include "export/export_context.h"
#include "export/formats.h"
#include "export/report/dot.h"
#include "export/report/html.h"
#include "export/report/report.h"

/* A callee is drawn from this share of its caller's time on, as by dmtracedump -g. */
#define PERCENT 20u

/* Wait is no clock of its own: who asks for it gets wall time first. */
static enum tv_clock clock_of(const struct tv_export_context *context)
{
    bool is_cpu = context->opts->scope.measure == TV_MEASURE_CPU;
    return is_cpu && context->index->info->has_clock[TV_CLOCK_CPU] ? TV_CLOCK_CPU : TV_CLOCK_WALL;
}

static enum tv_code make_report(struct tv_export_context *context, struct tv_report *report,
                                bool has_toplevel, struct tv_error *err)
{
    const struct tv_report_opts opts = {.clock = clock_of(context), .has_toplevel = has_toplevel};
    return tv_report_make(report, &context->stacks.sums, &context->names, &opts, err);
}

/* A report is made from the part's sums, as the tables of the viewer are. */
static enum tv_code write_html(struct tv_export_context *context, struct tv_error *err)
{
    const struct tv_scope_part part = tv_export_part(context->opts);
    struct tv_report report;
    tv_report_init(&report, context->alloc);
    enum tv_code code = make_report(context, &report, false, err);
    if (code == TV_OK)
        code = tv_report_write_html(&report, context->names.file, &part, context->out.sink, err);
    tv_report_release(&report);
    return code;
}

/* The graph needs the top level above all threads, as dmtracedump draws it. */
static enum tv_code write_dot(struct tv_export_context *context, struct tv_error *err)
{
    struct tv_report report;
    tv_report_init(&report, context->alloc);
    enum tv_code code = make_report(context, &report, true, err);
    if (code == TV_OK)
        code = tv_dot_write(&report, PERCENT, TV_DOT_WITH_UNITS, context->out.sink, err);
    tv_report_release(&report);
    return code;
}

const struct tv_export tv_export_html = {
    .name = "html",
    .suffix = ".html",
    .media_type = "text/html; charset=utf-8",
    .summary = "dmtracedump's four reports in one page: every browser",
    .is_text = true,
    .write = write_html,
};

const struct tv_export tv_export_dot = {
    .name = "dot",
    .suffix = ".dot",
    .media_type = "text/vnd.graphviz; charset=utf-8",
    .summary = "a graph of the methods that matter: graphviz",
    .is_text = true,
    .write = write_dot,
};
