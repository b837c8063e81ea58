/*
 * The parameters of a trace as one page (docs/api.md, "Saving as one page"): the part of the trace,
 * and what is said about it. The server and the engine in a page make the page from them.
 */
#ifndef TV_API_REPORT_QUERY_H
#define TV_API_REPORT_QUERY_H

#include "api/export_query.h"
#include "api/params.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "export/single_file/single_file.h"
#include "index/index.h"

/* The names of the parameters, for tv_params_parse. */
extern const char *const tv_report_params[];

/* It must not be moved: `part` has a pointer into itself. */
struct tv_report_query {
    struct tv_export_query part;
    struct tv_single_file report;  /* without the page, the engine and the trace */
    char name[TV_EXPORT_NAME_CAP]; /* of the file */
};

/* `file` is the name of the trace's file. Texts are in the arena of the parameters. */
enum tv_code tv_query_report(const struct tv_params *params, const struct tv_index *index,
                             struct tv_str file, struct tv_report_query *query,
                             struct tv_error *err) TV_MUST_CHECK;

#endif
