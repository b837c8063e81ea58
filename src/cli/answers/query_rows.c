/*
 * Rows of an answer in SQL; see cli/answers/query_rows.h. Numbers have all their digits and no
 * marks, so that they can be copied into the next statement.
 */
#include "cli/answers/query_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "export/tables/csv_rows.h"

/* Bytes of a blob that a table shows. */
#define BLOB_SHOWN 200u

/* A blob as SQL writes it: x'00ff'. */
static enum tv_code blob_text(struct tv_query_rows *rows, struct tv_str bytes, struct tv_str *text,
                              struct tv_error *err)
{
    const char digits[] = "0123456789abcdef";
    rows->room.len = 0;
    TV_TRY(tv_buffer_append(&rows->room, "x'", 2, err));
    for (size_t i = 0; i < bytes.len; i++) {
        const unsigned char byte = (unsigned char)bytes.at[i];
        const char pair[2] = {digits[byte >> 4], digits[byte & 15]};
        TV_TRY(tv_buffer_append(&rows->room, pair, 2, err));
    }
    TV_TRY(tv_buffer_append(&rows->room, "'", 1, err));
    *text = tv_buffer_view(&rows->room);
    return TV_OK;
}

/* JSON */

/* Infinity has no digits in JSON: null stands for it, as in JavaScript. */
static enum tv_code json_cell(struct tv_query_rows *rows, const struct tv_sql_cell *cell,
                              struct tv_error *err)
{
    struct tv_str text = cell->text;
    switch (cell->kind) {
    case TV_CELL_OF_INT:
        tv_json_i64(&rows->json, cell->number);
        break;
    case TV_CELL_OF_REAL:
        if (text.len && memchr(text.at, 'I', text.len))
            tv_json_null(&rows->json);
        else
            tv_json_digits(&rows->json, text);
        break;
    case TV_CELL_OF_BLOB:
        TV_TRY(blob_text(rows, cell->text, &text, err));
        tv_json_str(&rows->json, text);
        break;
    case TV_CELL_OF_TEXT:
        tv_json_str(&rows->json, text);
        break;
    case TV_CELL_OF_NULL:
        tv_json_null(&rows->json);
        break;
    }
    return TV_OK;
}

static enum tv_code json_row(struct tv_query_rows *rows, const struct tv_sql_cell *cells,
                             struct tv_error *err)
{
    tv_json_open_object(&rows->json);
    for (size_t c = 0; c < rows->count; c++) {
        tv_json_key(&rows->json, rows->names[c]);
        TV_TRY(json_cell(rows, &cells[c], err));
    }
    tv_json_close_object(&rows->json);
    if (rows->json.error.code != TV_OK) {
        *err = rows->json.error;
        return err->code;
    }
    return TV_OK;
}

/* CSV */

static enum tv_code csv_cell(struct tv_query_rows *rows, const struct tv_sql_cell *cell,
                             struct tv_error *err)
{
    char digits[32];
    struct tv_str text = cell->text;
    switch (cell->kind) {
    case TV_CELL_OF_NULL:
        return TV_OK;
    case TV_CELL_OF_INT:
        (void)snprintf(digits, sizeof(digits), "%" PRId64, cell->number);
        text = tv_str_from(digits);
        break;
    case TV_CELL_OF_TEXT:
        rows->room.len = 0;
        TV_TRY(tv_csv_append_text(cell->text, &rows->room, err));
        text = tv_buffer_view(&rows->room);
        break;
    case TV_CELL_OF_BLOB:
        TV_TRY(blob_text(rows, cell->text, &text, err));
        break;
    case TV_CELL_OF_REAL:
        break;
    }
    return rows->sink.write(rows->sink.ctx, text.at, text.len, err);
}

static enum tv_code csv_row(struct tv_query_rows *rows, const struct tv_sql_cell *cells,
                            struct tv_error *err)
{
    for (size_t c = 0; c < rows->count; c++) {
        if (c)
            TV_TRY(rows->sink.write(rows->sink.ctx, ",", 1, err));
        TV_TRY(csv_cell(rows, &cells[c], err));
    }
    return rows->sink.write(rows->sink.ctx, "\r\n", 2, err);
}

static enum tv_code csv_head(struct tv_query_rows *rows, struct tv_error *err)
{
    struct tv_sql_cell cells[TV_SQL_COLUMNS];
    for (size_t c = 0; c < rows->count; c++)
        cells[c] =
            (struct tv_sql_cell){.kind = TV_CELL_OF_TEXT, .text = tv_str_from(rows->names[c])};
    return csv_row(rows, cells, err);
}

/* A table */

/* No column is left out on a narrow terminal: they are what was asked for. */
static void add_columns(struct tv_query_rows *rows, const struct tv_sql_cell *first)
{
    for (size_t c = 0; c < rows->count && !rows->has_columns; c++) {
        const bool is_number =
            first && (first[c].kind == TV_CELL_OF_INT || first[c].kind == TV_CELL_OF_REAL);
        tv_table_column(&rows->table, rows->names[c], is_number ? TV_ALIGN_RIGHT : TV_ALIGN_LEFT);
        if (is_number)
            tv_table_keep(&rows->table);
        else
            tv_table_share(&rows->table);
    }
    rows->has_columns = true;
}

static enum tv_code table_cell(struct tv_query_rows *rows, const struct tv_sql_cell *cell,
                               struct tv_error *err)
{
    struct tv_str text = cell->text;
    switch (cell->kind) {
    case TV_CELL_OF_INT:
        tv_text_add(&rows->table.cells, "%" PRId64, cell->number);
        break;
    case TV_CELL_OF_BLOB:
        if (text.len > BLOB_SHOWN)
            text.len = BLOB_SHOWN;
        TV_TRY(blob_text(rows, text, &text, err));
        tv_text_add_str(&rows->table.cells, text);
        if (cell->text.len > BLOB_SHOWN)
            tv_text_add(&rows->table.cells, "... (%zu bytes)", cell->text.len);
        break;
    case TV_CELL_OF_TEXT:
        tv_text_add_name(&rows->table.cells, text);
        break;
    case TV_CELL_OF_REAL:
        tv_text_add_str(&rows->table.cells, text);
        break;
    case TV_CELL_OF_NULL:
        break;
    }
    tv_table_end_cell(&rows->table);
    return TV_OK;
}

static enum tv_code table_row(struct tv_query_rows *rows, const struct tv_sql_cell *cells,
                              struct tv_error *err)
{
    add_columns(rows, cells);
    for (size_t c = 0; c < rows->count; c++)
        TV_TRY(table_cell(rows, &cells[c], err));
    return rows->table.cells.code == TV_OK
               ? TV_OK
               : tv_fail(err, rows->table.cells.code, TV_NO_OFFSET,
                         "not enough memory for the table: --csv and --json need none");
}

/* Columns are named by the statement, or by SQLite from its text. */
static enum tv_code keep_names(struct tv_query_rows *rows, const char *const *names, size_t count,
                               struct tv_error *err)
{
    TV_TRY(tv_arena_take(&rows->arena, count * sizeof(*rows->names), &rows->names, err));
    rows->count = count;
    for (size_t c = 0; c < count; c++) {
        struct tv_text shown;
        struct tv_str kept;
        tv_text_init(&shown, rows->table.cli->alloc);
        if (rows->form == TV_QUERY_TABLE)
            tv_text_add_name(&shown, tv_str_from(names[c]));
        else
            tv_text_add_str(&shown, tv_str_from(names[c]));
        tv_text_add_str(&shown, (struct tv_str){"", 1});
        enum tv_code code = shown.code;
        if (code == TV_OK)
            code = tv_arena_keep(&rows->arena, tv_text_view(&shown), &kept, err);
        else
            code = tv_fail(err, code, TV_NO_OFFSET, "not enough memory");
        tv_text_release(&shown);
        TV_TRY(code);
        rows->names[c] = kept.at;
    }
    return TV_OK;
}

static enum tv_code begin(void *ctx, const char *const *names, size_t count, struct tv_error *err)
{
    struct tv_query_rows *rows = ctx;
    if (rows->form == TV_QUERY_TABLE && count > TV_TABLE_COLUMNS)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "SQL: a table shows %u columns at most, and these are %zu: take --csv or "
                       "--json",
                       TV_TABLE_COLUMNS, count);
    TV_TRY(keep_names(rows, names, count, err));
    if (rows->form == TV_QUERY_JSON)
        tv_json_open_array(&rows->json);
    return rows->form == TV_QUERY_CSV ? csv_head(rows, err) : TV_OK;
}

static enum tv_code take(void *ctx, const struct tv_sql_cell *cells, struct tv_error *err)
{
    struct tv_query_rows *rows = ctx;
    if (rows->form == TV_QUERY_JSON)
        return json_row(rows, cells, err);
    return rows->form == TV_QUERY_CSV ? csv_row(rows, cells, err) : table_row(rows, cells, err);
}

void tv_query_rows_init(struct tv_query_rows *rows, const struct tv_cli *cli,
                        enum tv_query_form form, struct tv_sink sink)
{
    *rows = (struct tv_query_rows){.form = form, .sink = sink};
    tv_arena_init(&rows->arena, cli->alloc);
    tv_table_init(&rows->table, cli);
    tv_json_init(&rows->json, sink);
    tv_buffer_init(&rows->room, cli->alloc);
}

void tv_query_rows_release(struct tv_query_rows *rows)
{
    tv_buffer_release(&rows->room);
    tv_table_release(&rows->table);
    tv_arena_release(&rows->arena);
}

struct tv_sql_rows tv_query_rows_taker(struct tv_query_rows *rows)
{
    return (struct tv_sql_rows){begin, take, rows};
}

enum tv_code tv_query_rows_finish(struct tv_query_rows *rows, struct tv_text *out,
                                  struct tv_error *err)
{
    if (rows->form == TV_QUERY_CSV)
        return TV_OK;
    if (rows->form == TV_QUERY_JSON) {
        tv_json_close_array(&rows->json);
        return tv_json_finish(&rows->json, err);
    }
    add_columns(rows, NULL);
    return tv_table_write(&rows->table, out, err);
}
