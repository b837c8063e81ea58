/*
 * The tables of a trace: what their columns are called, and what stands in their rows. All formats
 * of tables write these and no others.
 *
 * `calls` has a row for each call that is shown, in the order in which calls end on each thread, so
 * a call comes behind those it made; `call` numbers them in the order in which they begin. `nodes`
 * has the calling contexts, `methods` the profile, `threads` the threads of the scope. A column of
 * a clock is there where the trace has the clock. docs/export.md lists the columns.
 */
#ifndef TV_EXPORT_TABLES_TRACE_TABLES_H
#define TV_EXPORT_TABLES_TRACE_TABLES_H

#include "base/compiler.h"
#include "base/error.h"
#include "export/export.h"
#include "export/export_context.h"
#include "export/tables/table.h"

/* Tells the name of a table, and its columns without their dictionaries. */
void tv_trace_table_describe(const struct tv_index *index, enum tv_export_table which,
                             struct tv_table *table);
/* Writes a table of the scope in a form to a target. After a failure, the target has received a
 * part of the table. */
enum tv_code tv_trace_table_write(struct tv_export_context *context, enum tv_export_table which,
                                  const struct tv_table_form *form,
                                  const struct tv_table_target *target,
                                  struct tv_error *err) TV_MUST_CHECK;
/* Writes the table that the options ask for to the sink of the export. */
enum tv_code tv_trace_table_export(struct tv_export_context *context,
                                   const struct tv_table_form *form,
                                   struct tv_error *err) TV_MUST_CHECK;

#endif
