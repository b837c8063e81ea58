/*
 * A statement of somebody's own SQL on a database that is thrown away (sqlite/spooled.h): it reads
 * the tables, and can do nothing else. It writes no table and no file, opens no database and loads
 * no extension; large intermediate results go to files without names.
 */
#ifndef TV_SQLITE_SELECT_H
#define TV_SQLITE_SELECT_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/sql_rows.h"
#include "base/str.h"
#include "sqlite/spooled.h"

/* Whether the statement reads a table, itself or by a view. The tables are there already.
 * TV_ERR_ARGUMENT: there is not one statement, it is none that reads, or SQLite does not take it,
 * and the error has its words. */
enum tv_code tv_select_reads(struct tv_sqlite_file *sqlite, struct tv_str sql, const char *table,
                             bool *reads, struct tv_error *err) TV_MUST_CHECK;
/* Runs it, and gives its rows. */
enum tv_code tv_select_run(struct tv_sqlite_file *sqlite, struct tv_str sql,
                           const struct tv_sql_rows *rows, struct tv_error *err) TV_MUST_CHECK;

#endif
