/*
 * Rows as lines of text; see export/tables/text_rows.h.
 *
 * Before the first row every text of the dictionaries is written once as a cell, with its escapes,
 * so a row only copies cells. Output waits in one room: `row_most` is the most that a row takes
 * without its texts, and there is always that much room at the start of a row, so short cells are
 * put without a check.
 */
#include "export/tables/text_rows.h"

#include <string.h>

#include "base/decimal.h"

/* A number of 64 bits has at most 20 characters. */
#define NUMBER_MOST 20u
/* What waits to be written. */
#define ROOM_LEN 65536u

/* The texts of a dictionary as cells: the i-th is in `bytes` from starts[i] to starts[i + 1]. */
struct text_cells {
    struct tv_buffer bytes;
    size_t *starts; /* one more than there are texts */
};

struct text_rows {
    const struct tv_text_form *form;
    const struct tv_table *table;
    struct tv_table_target target;
    struct tv_str before[TV_COLUMN_LIMIT]; /* each cell; in `befores` */
    struct tv_buffer befores;
    struct text_cells cells[TV_COLUMN_LIMIT];
    size_t row_most; /* bytes of a row without its texts, at most */
    size_t len;      /* bytes that wait in room */
    char room[ROOM_LEN];
};

static enum tv_code flush(struct text_rows *rows, struct tv_error *err)
{
    size_t len = rows->len;
    rows->len = 0;
    return len ? rows->target.sink.write(rows->target.sink.ctx, rows->room, len, err) : TV_OK;
}

/* Puts bytes of any length, and leaves room for a row without its texts. */
static enum tv_code put_long(struct text_rows *rows, const void *bytes, size_t len,
                             struct tv_error *err)
{
    if (rows->len + len + rows->row_most > ROOM_LEN)
        TV_TRY(flush(rows, err));
    if (len + rows->row_most > ROOM_LEN)
        return rows->target.sink.write(rows->target.sink.ctx, bytes, len, err);
    if (len)
        memcpy(rows->room + rows->len, bytes, len);
    rows->len += len;
    return TV_OK;
}

/* Puts bytes of which a row has at most row_most: there is room for them. */
static void put_short(struct text_rows *rows, struct tv_str text)
{
    memcpy(rows->room + rows->len, text.at, text.len);
    rows->len += text.len;
}

static void put_number(struct text_rows *rows, int64_t value)
{
    char digits[NUMBER_MOST];
    char *at =
        tv_decimal_before(digits + NUMBER_MOST, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
    if (value < 0)
        *--at = '-';
    put_short(rows, (struct tv_str){at, (size_t)(digits + NUMBER_MOST - at)});
}

static enum tv_code put_text(struct text_rows *rows, const struct text_cells *cells, int64_t entry,
                             struct tv_error *err)
{
    size_t start = cells->starts[entry];
    size_t len = cells->starts[entry + 1] - start;
    /* Cells that are all empty have no bytes to point at. */
    return len ? put_long(rows, cells->bytes.bytes + start, len, err) : TV_OK;
}

/* The hot loop of text exports. A row goes into the room without checks, since the room has what
 * the longest row takes (row_most); it is flushed when another such row might not fit. */
static enum tv_code put_row(struct text_rows *rows, const struct tv_rows *from, size_t row,
                            struct tv_error *err)
{
    for (size_t c = 0; c < rows->table->column_count; c++) {
        int64_t cell = from->cells[c][row];
        put_short(rows, rows->before[c]);
        switch (rows->table->columns[c].type) {
        case TV_COLUMN_U32:
        case TV_COLUMN_I64:
            if (cell == TV_ABSENT)
                put_short(rows, rows->form->absent);
            else
                put_number(rows, cell);
            break;
        case TV_COLUMN_TRUTH:
            put_short(rows, cell ? TV_STR("true") : TV_STR("false"));
            break;
        case TV_COLUMN_TEXT:
            TV_TRY(put_text(rows, &rows->cells[c], cell, err));
            break;
        }
    }
    put_short(rows, rows->form->row_end);
    return rows->len + rows->row_most > ROOM_LEN ? flush(rows, err) : TV_OK;
}

enum tv_code tv_text_rows_take(void *state, const struct tv_rows *from, struct tv_error *err)
{
    struct text_rows *rows = state;
    for (size_t row = 0; row < from->len; row++)
        TV_TRY(put_row(rows, from, row, err));
    return TV_OK;
}

enum tv_code tv_text_rows_finish(void *state, struct tv_error *err)
{
    return flush(state, err);
}

/* The table is borrowed, so its columns still tell how much room was taken. */
void tv_text_rows_release(void *state)
{
    struct text_rows *rows = state;
    if (!rows)
        return;
    for (size_t c = 0; c < rows->table->column_count; c++) {
        tv_buffer_release(&rows->cells[c].bytes);
        tv_alloc_release(rows->target.alloc, &rows->cells[c].starts,
                         (size_t)rows->table->columns[c].dictionary.count + 1,
                         sizeof(*rows->cells[c].starts));
    }
    tv_buffer_release(&rows->befores);
    tv_alloc_release(rows->target.alloc, &rows, 1, sizeof(*rows));
}

/* Writes what stands before each cell once, and knows then how long a row may be. */
static enum tv_code write_befores(struct text_rows *rows, struct tv_error *err)
{
    size_t ends[TV_COLUMN_LIMIT];
    size_t start = 0;
    for (size_t c = 0; c < rows->table->column_count; c++) {
        TV_TRY(rows->form->append_before(rows->table, c, &rows->befores, err));
        ends[c] = rows->befores.len;
    }
    for (size_t c = 0; c < rows->table->column_count; c++) {
        rows->before[c] =
            (struct tv_str){(const char *)rows->befores.bytes + start, ends[c] - start};
        start = ends[c];
    }
    rows->row_most = start + rows->table->column_count * NUMBER_MOST + rows->form->row_end.len;
    tv_assert(rows->row_most < ROOM_LEN); /* names of columns are short */
    return TV_OK;
}

/* Each text of a dictionary is escaped once, and copied into every row that has it. */
static enum tv_code write_texts(struct text_rows *rows, size_t c, struct tv_error *err)
{
    const struct tv_dictionary *dictionary = &rows->table->columns[c].dictionary;
    struct text_cells *cells = &rows->cells[c];
    TV_TRY(tv_alloc_new(rows->target.alloc, &cells->starts, (size_t)dictionary->count + 1,
                        sizeof(*cells->starts), err));
    for (uint32_t i = 0; i < dictionary->count; i++) {
        TV_TRY(rows->form->append_text(dictionary->texts[i], &cells->bytes, err));
        cells->starts[i + 1] = cells->bytes.len;
    }
    return TV_OK;
}

/* The head of the table is made in the room of the first column's texts, which is still free. */
static enum tv_code prepare(struct text_rows *rows, struct tv_error *err)
{
    struct tv_buffer *head = &rows->cells[0].bytes; /* free until texts are written */
    TV_TRY(write_befores(rows, err));
    TV_TRY(rows->form->append_head(rows->table, head, err));
    TV_TRY(put_long(rows, head->bytes, head->len, err));
    head->len = 0;
    for (size_t c = 0; c < rows->table->column_count; c++) {
        if (rows->table->columns[c].type == TV_COLUMN_TEXT)
            TV_TRY(write_texts(rows, c, err));
    }
    return TV_OK;
}

/* What goes before each cell ("," or the name of the column) is made once, too. */
enum tv_code tv_text_rows_begin(const struct tv_text_form *form, const struct tv_table *table,
                                const struct tv_table_target *target, void **state,
                                struct tv_error *err)
{
    struct text_rows *rows;
    *state = NULL;
    TV_TRY(tv_alloc_new(target->alloc, &rows, 1, sizeof(*rows), err));
    rows->form = form;
    rows->table = table;
    rows->target = *target;
    tv_buffer_init(&rows->befores, target->alloc);
    for (size_t c = 0; c < table->column_count; c++)
        tv_buffer_init(&rows->cells[c].bytes, target->alloc);
    enum tv_code code = prepare(rows, err);
    if (code != TV_OK)
        tv_text_rows_release(rows);
    else
        *state = rows;
    return code;
}
