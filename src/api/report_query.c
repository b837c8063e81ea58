/*
 * From a form to what a page of the trace is made of; see api/report_query.h. The part of the trace
 * is asked for as in an export, and the file is named as an export of it would be; title, note and
 * link are texts of the page alone.
 */
#include "api/report_query.h"

#include "api/query.h"

const char *const tv_report_params[] = {TV_SCOPE_PARAMS, "redact", "keep", "title",
                                        "note",          "link",   NULL};

/* How the file is named. Its bytes are of export/single_file. */
static const struct tv_export page_format = {.name = "page", .suffix = ".html"};

/* Reads the part of the trace as for an export, and the texts that the page of a report shows
 * besides. The texts stay borrowed from the query, which therefore lives until the report is
 * written. */
enum tv_code tv_query_report(const struct tv_params *params, const struct tv_index *index,
                             struct tv_str file, struct tv_report_query *query,
                             struct tv_error *err)
{
    bool is_redacted = false;
    *query = (struct tv_report_query){.part = {.format = &page_format}};
    TV_TRY(tv_params_truth(params, "redact", &is_redacted, err));
    TV_TRY(tv_query_export_part(params, index, &query->part, err));
    query->part.opts.file = file;
    query->part.opts.redact = is_redacted ? &query->part.redact : NULL;
    tv_single_file_init(&query->report, &query->part.opts);
    (void)tv_params_find(params, "title", &query->report.title);
    (void)tv_params_find(params, "note", &query->report.note);
    (void)tv_params_find(params, "link", &query->report.link);
    tv_export_file_name(&query->part, index, query->name);
    return TV_OK;
}
