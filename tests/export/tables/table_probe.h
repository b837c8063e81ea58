/* A small table with a column of each type, written in a form. */
#ifndef TESTS_EXPORT_TABLES_TABLE_PROBE_H
#define TESTS_EXPORT_TABLES_TABLE_PROBE_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory/buffer.h"
#include "export/tables/table.h"

/* Columns id (u32), time (i64, may be absent), open (truth), name (text). */
#define TABLE_PROBE_COLUMNS 4u

/* Writes `count` rows, whose cells stand row by row. */
void table_probe_write(const struct tv_table_form *form, const struct tv_str *names,
                       uint32_t name_count, const int64_t *cells, size_t count,
                       struct tv_buffer *out);

#endif
