/*
 * The parameters of an export, and the name that its file gets (docs/api.md, "Downloads"). The
 * server streams what they ask for; the bytes are made by export/export.h.
 */
#ifndef TV_API_EXPORT_QUERY_H
#define TV_API_EXPORT_QUERY_H

#include <stdbool.h>

#include "api/params.h"
#include "api/query.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/text/json.h"
#include "export/export.h"
#include "index/index.h"

/* The names that the functions below read, for the list of a route. */
#define TV_EXPORT_PART_PARAMS TV_SCOPE_PARAMS, "depth", "keep"
#define TV_EXPORT_PARAMS TV_EXPORT_PART_PARAMS, "format", "table", "gzip", "redact"

/* What is asked for. Lists and texts are in the arena of the parameters. It must not be moved,
 * since opts.redact may point to `redact`. */
struct tv_export_query {
    const struct tv_export *format;
    struct tv_redact_opts redact;
    bool is_gzip;               /* the file is to be packed, in a format that leaves it open */
    struct tv_export_opts opts; /* `file`, `tell` and `ctx` are the caller's to set */
};

/* Takes what part is asked for, and what redaction would keep; opts.redact stays NULL. */
enum tv_code tv_query_export_part(const struct tv_params *params, const struct tv_index *index,
                                  struct tv_export_query *query,
                                  struct tv_error *err) TV_MUST_CHECK;

enum tv_code tv_query_export(const struct tv_params *params, const struct tv_index *index,
                             struct tv_export_query *query, struct tv_error *err) TV_MUST_CHECK;

/* Longest name of an export's file, with the NUL. */
#define TV_EXPORT_NAME_CAP 240u

/*
 * Writes the name of the file: that of the trace, what part it is, and the suffix of the format,
 * "app-main-10-20ms.folded.gz". Where names are redacted, it tells neither that of the trace nor of
 * a thread: "trace-1-thread-redacted.folded". It is valid UTF-8 and fit for every file system: what
 * one of them forbids, what cannot be seen, and a leading dot are "_".
 */
void tv_export_file_name(const struct tv_export_query *query, const struct tv_index *index,
                         char out[TV_EXPORT_NAME_CAP]);

/* Writes what the format says in another way than the trace, as the member "changes". */
void tv_export_result_write(const struct tv_export_result *result, struct tv_json *json);

#endif
