/*
 * preview: what redaction would do to a part of the trace, for its owner to look at before a
 * download leaves (export/preview.h). Each package has an example of a name before and after.
 * Packages beyond the room of an answer are counted.
 */
#include "analysis/selection/names.h"
#include "api/export_query.h"
#include "api/route.h"
#include "api/routes/answer_parts.h"
#include "base/error.h"
#include "export/preview.h"

/* One package, with a method of it as it is, and as it would be written. */
static enum tv_code write_package(struct tv_answer_writer *writer, const struct tv_preview *preview,
                                  const struct tv_preview_package *package, struct tv_error *err)
{
    struct tv_json *json = &writer->json;
    tv_json_open_object(json);
    tv_write_text(writer, "name", package->name);
    tv_json_key_truth(json, "kept", package->is_kept);
    tv_json_key_u64(json, "methods", package->methods);
    TV_TRY(tv_method_text(writer->index, package->example, &writer->text, err));
    tv_write_text(writer, "example", tv_buffer_view(&writer->text));
    TV_TRY(tv_export_whole_name(&preview->names.methods[package->example], &writer->text, err));
    tv_write_text(writer, "becomes", tv_buffer_view(&writer->text));
    tv_json_close_object(json);
    return TV_OK;
}

/* Packages come in the order of tv_preview_make. Those without room are counted and not written
 * half: the owner must see that the list is not all. */
static enum tv_code write_packages(struct tv_answer_writer *writer,
                                   const struct tv_preview *preview, struct tv_error *err)
{
    uint64_t left_out = 0;
    tv_json_key(&writer->json, "packages");
    tv_json_open_array(&writer->json);
    for (size_t i = 0; i < preview->package_count; i++) {
        if (!tv_writer_room(writer))
            left_out++;
        else
            TV_TRY(write_package(writer, preview, &preview->packages[i], err));
    }
    tv_json_close_array(&writer->json);
    tv_write_left_out(writer, left_out);
    return TV_OK;
}

/* A failure half-way releases the writer, and the answer becomes the error. */
static enum tv_code write_answer(struct tv_request *request, const struct tv_preview *preview,
                                 struct tv_error *err)
{
    struct tv_answer_writer writer;
    tv_writer_init(&writer, request->api, &request->response->body);
    struct tv_json *json = &writer.json;
    tv_json_open_object(json);
    tv_json_key_u64(json, "methods_kept", preview->methods_kept);
    tv_json_key_u64(json, "methods_replaced", preview->methods_replaced);
    tv_json_key_u64(json, "threads_kept", preview->threads_kept);
    tv_json_key_u64(json, "threads_replaced", preview->threads_replaced);
    tv_json_key_u64(json, "processes_replaced", preview->processes_replaced);
    tv_json_key_u64(json, "files_left_out", preview->files_left_out);
    tv_json_key_u64(json, "properties_left_out", preview->properties_left_out);
    enum tv_code code = write_packages(&writer, preview, err);
    if (code != TV_OK) {
        tv_writer_release(&writer);
        return code;
    }
    tv_json_close_object(json);
    return tv_writer_finish(&writer, err);
}

/* Redaction is switched on whatever the query says: without it there would be nothing to look at
 * before the file is sent. */
static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    struct tv_export_query query = {.format = NULL};
    struct tv_preview preview;
    TV_TRY(tv_query_export_part(&request->params, request->index, &query, err));
    query.opts.redact = &query.redact;
    tv_preview_init(&preview, request->alloc);
    enum tv_code code =
        tv_preview_make(&preview, request->index, &query.opts, request->api->pool, err);
    if (code == TV_OK)
        code = write_answer(request, &preview, err);
    tv_preview_release(&preview);
    return code;
}

static const char *const params[] = {TV_EXPORT_PART_PARAMS, NULL};

const struct tv_route tv_route_preview = {
    .name = "preview", .content_type = TV_TYPE_JSON, .params = params, .run = run};
