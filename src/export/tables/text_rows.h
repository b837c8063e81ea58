/*
 * Rows as lines of text: what CSV and lines of JSON have in common. A form says what stands around
 * the cells, and how a text is written; the cells are put together here. Each text is written once,
 * when the table begins, so that a row costs little more than copying it.
 */
#ifndef TV_EXPORT_TABLES_TEXT_ROWS_H
#define TV_EXPORT_TABLES_TEXT_ROWS_H

#include "base/memory/buffer.h"
#include "export/tables/table.h"

struct tv_text_form {
    /* Appends what stands before the first row. */
    enum tv_code (*append_head)(const struct tv_table *table, struct tv_buffer *out,
                                struct tv_error *err);
    /* Appends what stands before the cell of a column, in each row. */
    enum tv_code (*append_before)(const struct tv_table *table, size_t column,
                                  struct tv_buffer *out, struct tv_error *err);
    /* Appends a text as a cell. */
    enum tv_code (*append_text)(struct tv_str text, struct tv_buffer *out, struct tv_error *err);
    struct tv_str row_end;
    struct tv_str absent;
};

/* As struct tv_table_form has them. */
enum tv_code tv_text_rows_begin(const struct tv_text_form *form, const struct tv_table *table,
                                const struct tv_table_target *target, void **state,
                                struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_text_rows_take(void *state, const struct tv_rows *rows,
                               struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_text_rows_finish(void *state, struct tv_error *err) TV_MUST_CHECK;
void tv_text_rows_release(void *state);

#endif
