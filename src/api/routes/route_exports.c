/*
 * exports: the formats that a trace can be exported in, with the tables of those that have some.
 * The page offers what this answer lists, so page and command have one table (export/export.h).
 */
#include "api/export_query.h"
#include "api/route.h"
#include "base/text/json.h"

static void write_tables(struct tv_json *json)
{
    tv_json_key(json, "tables");
    tv_json_open_array(json);
    for (size_t i = 0; tv_export_table_words[i]; i++)
        tv_json_text(json, tv_export_table_words[i]);
    tv_json_close_array(json);
}

/* The table of formats is part of the program, so this answer depends on no trace. */
static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    struct tv_json json;
    tv_json_init(&json, tv_buffer_sink(&request->response->body));
    tv_json_open_object(&json);
    tv_json_key(&json, "formats");
    tv_json_open_array(&json);
    for (size_t i = 0; tv_exports[i]; i++) {
        const struct tv_export *format = tv_exports[i];
        tv_json_open_object(&json);
        tv_json_key_text(&json, "name", format->name);
        tv_json_key_text(&json, "suffix", format->suffix);
        tv_json_key_text(&json, "summary", format->summary);
        tv_json_key_truth(&json, "packed", format->is_gzip);
        if (format->has_tables)
            write_tables(&json);
        tv_json_close_object(&json);
    }
    tv_json_close_array(&json);
    tv_json_close_object(&json);
    return tv_json_finish(&json, err);
}

static const char *const params[] = {NULL};

const struct tv_route tv_route_exports = {
    .name = "exports", .content_type = TV_TYPE_JSON, .params = params, .run = run};
