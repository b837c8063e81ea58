/*
 * CSV; see export/tables/csv_rows.h.
 *
 * A form of text_rows.c: it says what stands around the cells and how a text is quoted. Texts come
 * from a trace, which may be hostile: what a spreadsheet would run as a formula gets a quote in
 * front.
 */
#include "export/tables/csv_rows.h"

#include <string.h>

#include "export/formats.h"
#include "export/tables/text_rows.h"
#include "export/tables/trace_tables.h"

static bool needs_quotes(struct tv_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] == ',' || text.at[i] == '"' || text.at[i] == '\r' || text.at[i] == '\n')
            return true;
    }
    return false;
}

/* A cell that begins like a formula gets an apostrophe, since spreadsheets run formulas of files
 * that they open; a name of a trace is anybody's text. */
enum tv_code tv_csv_append_text(struct tv_str text, struct tv_buffer *out, struct tv_error *err)
{
    bool is_formula = text.len && strchr("=+-@\t\r", text.at[0]);
    bool is_quoted = needs_quotes(text);
    if (is_quoted)
        TV_TRY(tv_buffer_append(out, "\"", 1, err));
    if (is_formula)
        TV_TRY(tv_buffer_append(out, "'", 1, err));
    size_t from = 0;
    for (size_t i = 0; is_quoted && i < text.len; i++) {
        if (text.at[i] != '"')
            continue;
        TV_TRY(tv_buffer_append(out, text.at + from, i + 1 - from, err));
        from = i; /* the quote once more, with what follows it */
    }
    TV_TRY(tv_buffer_append(out, text.at + from, text.len - from, err));
    return is_quoted ? tv_buffer_append(out, "\"", 1, err) : TV_OK;
}

static enum tv_code append_before(const struct tv_table *table, size_t column,
                                  struct tv_buffer *out, struct tv_error *err)
{
    (void)table;
    return column ? tv_buffer_append(out, ",", 1, err) : TV_OK;
}

static enum tv_code append_head(const struct tv_table *table, struct tv_buffer *out,
                                struct tv_error *err)
{
    for (size_t c = 0; c < table->column_count; c++) {
        const char *name = table->columns[c].name;
        TV_TRY(append_before(table, c, out, err));
        TV_TRY(tv_buffer_append(out, name, strlen(name), err));
    }
    return tv_buffer_append(out, "\r\n", 2, err);
}

/* Line ends are those of RFC 4180; a cell without a value is empty. */
static enum tv_code begin(const struct tv_table *table, const struct tv_table_target *target,
                          void **state, struct tv_error *err)
{
    static const struct tv_text_form form = {
        .append_head = append_head,
        .append_before = append_before,
        .append_text = tv_csv_append_text,
        .row_end = {"\r\n", 2},
        .absent = {"", 0},
    };
    return tv_text_rows_begin(&form, table, target, state, err);
}

const struct tv_table_form tv_csv_rows = {
    .begin = begin,
    .take = tv_text_rows_take,
    .finish = tv_text_rows_finish,
    .release = tv_text_rows_release,
};

static enum tv_code write_csv(struct tv_export_context *context, struct tv_error *err)
{
    return tv_trace_table_export(context, &tv_csv_rows, err);
}

const struct tv_export tv_export_csv = {
    .name = "csv",
    .suffix = ".csv",
    .media_type = "text/csv; charset=utf-8",
    .summary = "a table as CSV: spreadsheets, every language",
    .is_text = true,
    .has_tables = true,
    .call_names = 1,
    .held_names = TV_HELD_UTF8_WITHOUT_NUL,
    .names_files = true,
    .write = write_csv,
};
