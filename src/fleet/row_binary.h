/*
 * ClickHouse's format RowBinary: rows of columns without heads or lengths. A number has eight
 * bytes, the lowest first, and a text stands behind its length as a varint.
 *
 * It is what both directions take: a reader knows the columns that it asked for, and an INSERT
 * those of the table, so that the blocks of `Native`, with names, types and lengths of columns,
 * would say what is known, and would have a whole batch turned round in memory.
 */
#ifndef TV_FLEET_ROW_BINARY_H
#define TV_FLEET_ROW_BINARY_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/sql_value.h"
#include "base/str.h"

/* Rows that were read. The bytes are borrowed. */
struct tv_row_binary {
    const struct tv_alloc *alloc;
    struct tv_str bytes;
    size_t columns, count;
    size_t *offs; /* where each cell is, row by row; NULL: all are numbers */
    size_t cap;
};

/* Reads rows of columns: n a number, t a text. TV_ERR_FORMAT: the bytes are none, or end within a
 * row. tv_row_binary_release follows in any case. */
enum tv_code tv_row_binary_read(struct tv_row_binary *rows, struct tv_str bytes,
                                const char *columns, const struct tv_alloc *alloc,
                                struct tv_error *err) TV_MUST_CHECK;
void tv_row_binary_release(struct tv_row_binary *rows); /* one that is all 0, too */
int64_t tv_row_binary_number(const struct tv_row_binary *rows, size_t row, size_t column);
struct tv_str tv_row_binary_text(const struct tv_row_binary *rows, size_t row, size_t column);

/* Appends a cell. */
enum tv_code tv_row_binary_add(struct tv_buffer *rows, const struct tv_sql_value *value,
                               struct tv_error *err) TV_MUST_CHECK;

#endif
