/*
 * Lines of JSON; see export/tables/jsonl_rows.h.
 *
 * A form of text_rows.c: it says only what stands around the cells and how a text is escaped. The
 * keys of an object are written as they are, since names of columns are our own and need no
 * escapes.
 */
#include "export/tables/jsonl_rows.h"

#include <string.h>

#include "base/text/json.h"
#include "export/formats.h"
#include "export/tables/text_rows.h"
#include "export/tables/trace_tables.h"

static enum tv_code append_text(struct tv_str text, struct tv_buffer *out, struct tv_error *err)
{
    struct tv_json json;
    tv_json_init(&json, tv_buffer_sink(out));
    tv_json_str(&json, text);
    TV_TRY(tv_json_finish(&json, err));
    out->len--; /* the newline that ends a document */
    return TV_OK;
}

static enum tv_code append_before(const struct tv_table *table, size_t column,
                                  struct tv_buffer *out, struct tv_error *err)
{
    const char *name = table->columns[column].name;
    TV_TRY(tv_buffer_append(out, column ? ",\"" : "{\"", 2, err));
    TV_TRY(tv_buffer_append(out, name, strlen(name), err));
    return tv_buffer_append(out, "\":", 2, err);
}

static enum tv_code append_head(const struct tv_table *table, struct tv_buffer *out,
                                struct tv_error *err)
{
    (void)table;
    (void)out;
    (void)err;
    return TV_OK;
}

/* A cell without a value is null, so every line has all keys. */
static enum tv_code begin(const struct tv_table *table, const struct tv_table_target *target,
                          void **state, struct tv_error *err)
{
    static const struct tv_text_form form = {
        .append_head = append_head,
        .append_before = append_before,
        .append_text = append_text,
        .row_end = {"}\n", 2},
        .absent = {"null", 4},
    };
    return tv_text_rows_begin(&form, table, target, state, err);
}

const struct tv_table_form tv_jsonl_rows = {
    .begin = begin,
    .take = tv_text_rows_take,
    .finish = tv_text_rows_finish,
    .release = tv_text_rows_release,
};

static enum tv_code write_jsonl(struct tv_export_context *context, struct tv_error *err)
{
    return tv_trace_table_export(context, &tv_jsonl_rows, err);
}

const struct tv_export tv_export_jsonl = {
    .name = "jsonl",
    .suffix = ".jsonl",
    .media_type = "application/jsonl",
    .summary = "a table as lines of JSON: jq, DuckDB, every language",
    .is_text = true,
    .has_tables = true,
    .call_names = 1,
    .held_names = TV_HELD_UTF8_WITHOUT_NUL,
    .names_files = true,
    .write = write_jsonl,
};
