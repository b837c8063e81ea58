/* Rows of ClickHouse; see fleet/row_binary.h. Each length is held against what is left, where it is
 * read; afterwards a cell is found by its offset alone. */
#include "fleet/row_binary.h"

#include <string.h>

#include "base/bytes.h"
#include "base/bytes/cursor.h"

#define NUMBER_LEN 8u

static enum tv_code damaged(struct tv_error *err, size_t off)
{
    return tv_fail(err, TV_ERR_FORMAT, off, "the rows that ClickHouse sent end within a row");
}

/* The length before a text, a varint; moves *off behind it. */
static enum tv_code read_length(struct tv_str bytes, size_t *off, size_t *len, struct tv_error *err)
{
    struct tv_cursor cursor = {(const uint8_t *)bytes.at, bytes.len, *off};
    uint64_t value;
    if (!tv_cursor_take_uleb(&cursor, &value) || value > tv_cursor_left(&cursor))
        return damaged(err, cursor.pos);
    *off = cursor.pos;
    *len = (size_t)value;
    return TV_OK;
}

static enum tv_code pass_cell(struct tv_str bytes, char column, size_t *off, struct tv_error *err)
{
    size_t len = NUMBER_LEN;
    if (column == 't')
        TV_TRY(read_length(bytes, off, &len, err));
    if (len > bytes.len - *off)
        return damaged(err, *off);
    *off += len;
    return TV_OK;
}

static enum tv_code find_cells(struct tv_row_binary *rows, const char *columns,
                               struct tv_error *err)
{
    size_t off = 0;
    while (off < rows->bytes.len) {
        const size_t first = rows->count * rows->columns;
        TV_TRY(tv_alloc_grow(rows->alloc, &rows->offs, &rows->cap, first + rows->columns,
                             sizeof(*rows->offs), err));
        for (size_t i = 0; i < rows->columns; i++) {
            rows->offs[first + i] = off;
            TV_TRY(pass_cell(rows->bytes, columns[i], &off, err));
        }
        rows->count++;
    }
    return TV_OK;
}

enum tv_code tv_row_binary_read(struct tv_row_binary *rows, struct tv_str bytes,
                                const char *columns, const struct tv_alloc *alloc,
                                struct tv_error *err)
{
    *rows = (struct tv_row_binary){.alloc = alloc, .bytes = bytes, .columns = strlen(columns)};
    if (!rows->columns)
        return bytes.len ? damaged(err, 0) : TV_OK;
    if (strchr(columns, 't'))
        return find_cells(rows, columns, err);
    const size_t row_len = NUMBER_LEN * rows->columns;
    if (bytes.len % row_len)
        return damaged(err, bytes.len);
    rows->count = bytes.len / row_len;
    return TV_OK;
}

void tv_row_binary_release(struct tv_row_binary *rows)
{
    if (rows->offs)
        tv_alloc_release(rows->alloc, &rows->offs, rows->cap, sizeof(*rows->offs));
    *rows = (struct tv_row_binary){.count = 0};
}

static size_t off_of(const struct tv_row_binary *rows, size_t row, size_t column)
{
    const size_t cell = row * rows->columns + column;
    return rows->offs ? rows->offs[cell] : cell * NUMBER_LEN;
}

int64_t tv_row_binary_number(const struct tv_row_binary *rows, size_t row, size_t column)
{
    return (int64_t)tv_load_le64((const uint8_t *)rows->bytes.at + off_of(rows, row, column));
}

struct tv_str tv_row_binary_text(const struct tv_row_binary *rows, size_t row, size_t column)
{
    size_t off = off_of(rows, row, column);
    size_t len = 0;
    /* The length was checked when the cells were found, so this does not fail. */
    if (read_length(rows->bytes, &off, &len, NULL) != TV_OK)
        return (struct tv_str){"", 0};
    return (struct tv_str){rows->bytes.at + off, len};
}

enum tv_code tv_row_binary_add(struct tv_buffer *rows, const struct tv_sql_value *value,
                               struct tv_error *err)
{
    uint8_t head[TV_LEB_MOST];
    if (value->kind != TV_SQL_TEXT) {
        tv_store_le64(head, value->kind == TV_SQL_INT ? (uint64_t)value->number : 0);
        return tv_buffer_append(rows, head, NUMBER_LEN, err);
    }
    const size_t len = tv_store_uleb(head, value->text.len);
    TV_TRY(tv_buffer_append(rows, head, len, err));
    return tv_buffer_append(rows, value->text.at, value->text.len, err);
}
