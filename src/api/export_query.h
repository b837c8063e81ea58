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
#include "export/export.h"
#include "index/index.h"

/* The names that tv_query_export reads, for the list of a route. */
#define TV_EXPORT_PARAMS TV_SCOPE_PARAMS, "format", "depth", "gzip"

/* What is asked for. Lists are in the arena of the parameters. */
struct tv_export_query {
    const struct tv_export *format;
    bool is_gzip;               /* the file is to be packed, in a format that leaves it open */
    struct tv_export_opts opts; /* `file`, `tell` and `ctx` are the caller's to set */
};

enum tv_code tv_query_export(const struct tv_params *params, const struct tv_index *index,
                             struct tv_export_query *query, struct tv_error *err) TV_MUST_CHECK;

/* Longest name of an export's file, with the NUL. */
#define TV_EXPORT_NAME_CAP 240u

/*
 * Writes the name of the file: that of the trace, what part it is, and the suffix of the format,
 * "app-main-10-20ms.folded.gz". It is valid UTF-8 and fit for every file system: what one of them
 * forbids, what cannot be seen, and a leading dot are "_".
 */
void tv_export_file_name(const struct tv_export_query *query, const struct tv_index *index,
                         char out[TV_EXPORT_NAME_CAP]);

#endif
