/*
 * Names as JSON strings; see export/tools/json_names.h.
 *
 * A name is escaped when it is first asked for and kept in an arena, since a method has many calls
 * and each writes its name. A string that was not made yet has no bytes (`at` is NULL); a made one
 * has at least its quotes.
 */
#include "export/tools/json_names.h"

#include "base/text/json.h"

void tv_json_names_init(struct tv_json_names *json_names, const struct tv_alloc *alloc)
{
    *json_names = (struct tv_json_names){.alloc = alloc};
    tv_arena_init(&json_names->texts, alloc);
    tv_buffer_init(&json_names->name, alloc);
    tv_buffer_init(&json_names->quoted, alloc);
}

void tv_json_names_release(struct tv_json_names *json_names)
{
    if (json_names->names)
        tv_alloc_release(json_names->alloc, &json_names->methods, json_names->names->method_count,
                         sizeof(*json_names->methods));
    tv_buffer_release(&json_names->name);
    tv_buffer_release(&json_names->quoted);
    tv_arena_release(&json_names->texts);
}

enum tv_code tv_json_names_begin(struct tv_json_names *json_names,
                                 const struct tv_export_names *names, struct tv_error *err)
{
    json_names->names = names;
    return tv_alloc_new(json_names->alloc, &json_names->methods, names->method_count,
                        sizeof(*json_names->methods), err);
}

/* Keeps the name as a JSON string. */
static enum tv_code keep_quoted(struct tv_json_names *json_names, struct tv_str *quoted,
                                struct tv_error *err)
{
    struct tv_json json;
    json_names->quoted.len = 0;
    tv_json_init(&json, tv_buffer_sink(&json_names->quoted));
    tv_json_str(&json, tv_buffer_view(&json_names->name));
    TV_TRY(tv_json_finish(&json, err));
    size_t len = json_names->quoted.len - 1; /* without the line end */
    return tv_arena_keep(&json_names->texts,
                         (struct tv_str){(const char *)json_names->quoted.bytes, len}, quoted, err);
}

/* A name is quoted once and then copied for every event that has it, millions of times. */
enum tv_code tv_json_names_method(struct tv_json_names *json_names, uint32_t method_ix,
                                  struct tv_str *quoted, struct tv_error *err)
{
    struct tv_str *known = &json_names->methods[method_ix];
    if (!known->at) {
        TV_TRY(
            tv_export_whole_name(&json_names->names->methods[method_ix], &json_names->name, err));
        TV_TRY(keep_quoted(json_names, known, err));
    }
    *quoted = *known;
    return TV_OK;
}
