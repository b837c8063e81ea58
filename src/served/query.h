/*
 * SQL over a trace: the tables and views of an export into SQLite (docs/export.md), of which only
 * those are filled that the statement reads. They are in a file without a name, which is gone with
 * the answer.
 */
#ifndef TV_SERVED_QUERY_H
#define TV_SERVED_QUERY_H

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/pool.h"
#include "base/sql_rows.h"
#include "base/str.h"
#include "export/export.h"
#include "index/index.h"

/* Runs one statement that reads, over what the options choose of the trace, and gives its rows.
 * The database of the options is set here. pool may be NULL: one thread. Fails as an export does;
 * TV_ERR_ARGUMENT says what SQLite did not take, TV_ERR_UNSUPPORTED that there is no SQLite. */
enum tv_code tv_query_run(const struct tv_index *index, struct tv_export_opts *opts,
                          struct tv_str sql, const struct tv_sql_rows *rows,
                          const struct tv_alloc *alloc, const struct tv_pool *pool,
                          struct tv_export_result *result, struct tv_error *err) TV_MUST_CHECK;

#endif
