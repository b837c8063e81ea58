/*
 * A table as CSV (RFC 4180): names of columns in the first line, lines end with CR LF, cells with a
 * comma, a quote or a line end are quoted. A text that a spreadsheet would take for a formula gets
 * a quote in front, as in the files that the page writes. An absent cell is empty.
 */
#ifndef TV_EXPORT_TABLES_CSV_ROWS_H
#define TV_EXPORT_TABLES_CSV_ROWS_H

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/str.h"
#include "export/tables/table.h"

extern const struct tv_table_form tv_csv_rows;

/* Appends a text as a cell of CSV. */
enum tv_code tv_csv_append_text(struct tv_str text, struct tv_buffer *out,
                                struct tv_error *err) TV_MUST_CHECK;

#endif
