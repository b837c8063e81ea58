/*
 * An export of the trace, made where the trace is; see engine/engine.h.
 *
 * The query is the one that the server takes (api/export_query.h). The pieces of the file go to the
 * host's sink; the answer of the engine is JSON with the name of the file and what the format could
 * not say. With `check`, only the name is told.
 */
#include "api/export_query.h"
#include "api/params.h"
#include "base/memory/arena.h"
#include "base/memory/limit.h"
#include "base/text/json.h"
#include "engine/engine.h"
#include "export/export.h"
#include "index/memory.h"

static const char *const export_params[] = {TV_EXPORT_PARAMS, "check", NULL};

/* An export while it is made. */
struct export_context {
    struct tv_engine *engine;
    struct tv_arena *arena;
    const struct tv_alloc *alloc;
    struct tv_export_query query;
    struct tv_export_result result;
};

/* Takes what is asked for. *is_check: only the name is wanted. */
static enum tv_code take_query(struct export_context *export_context, struct tv_str text,
                               bool *is_check, struct tv_error *err)
{
    struct tv_engine *engine = export_context->engine;
    struct tv_export_query *query = &export_context->query;
    struct tv_params params;
    TV_TRY(tv_params_parse(&params, export_context->arena, text, export_params, err));
    TV_TRY(tv_params_truth(&params, "check", is_check, err));
    TV_TRY(tv_query_export(&params, &tv_engine_meant(engine)->index, query, err));
    query->opts.file = tv_buffer_view(&tv_engine_meant(engine)->name);
    query->opts.tell = engine->progress.tell;
    query->opts.ctx = engine->progress.ctx;
    return TV_OK;
}

/* What stands in the answer about a file that was made, beside its name. */
static void tell_made(const struct export_context *export_context, struct tv_json *json)
{
    const struct tv_export_query *query = &export_context->query;
    tv_json_key_text(json, "type", query->is_gzip ? "application/gzip" : query->format->media_type);
    tv_json_key_truth(json, "gzip", query->is_gzip || query->format->is_gzip);
    tv_export_result_write(&export_context->result, json);
}

static enum tv_code tell_export(const struct export_context *export_context, bool is_check,
                                struct tv_error *err)
{
    struct tv_api_response *answer = &export_context->engine->answer;
    char name[TV_EXPORT_NAME_CAP];
    struct tv_json json;
    tv_export_file_name(&export_context->query, &tv_engine_meant(export_context->engine)->index,
                        name);
    answer->content_type = "application/json";
    tv_json_init(&json, tv_buffer_sink(&answer->body));
    tv_json_open_object(&json);
    tv_json_key_text(&json, "name", name);
    if (!is_check)
        tell_made(export_context, &json);
    tv_json_close_object(&json);
    return tv_json_finish(&json, err);
}

static enum tv_code run_export(struct export_context *export_context, struct tv_str text,
                               struct tv_sink sink, struct tv_error *err)
{
    const struct tv_export_query *query = &export_context->query;
    bool is_check = false;
    TV_TRY(take_query(export_context, text, &is_check, err));
    if (is_check)
        return tell_export(export_context, true, err);
    TV_TRY(tv_export_run(query->format, &tv_engine_meant(export_context->engine)->index,
                         &query->opts, export_context->alloc, NULL, sink, &export_context->result,
                         err));
    return tell_export(export_context, false, err);
}

/* A failure becomes the engine's answer, so the page shows it as it shows a failure of the server.
 */
enum tv_code tv_engine_export(struct tv_engine *engine, struct tv_str query, struct tv_sink sink,
                              struct tv_error *err)
{
    struct tv_error why = {.code = TV_OK};
    struct tv_limit limit;
    struct tv_arena arena;
    TV_TRY(tv_engine_need_index(engine, err));
    engine->answer.body.len = 0;
    tv_limit_init(&limit, engine->alloc, tv_memory_of_answer(&tv_engine_meant(engine)->index));
    tv_arena_init(&arena, &limit.alloc);
    struct export_context export_context = {
        .engine = engine, .arena = &arena, .alloc = &limit.alloc};
    enum tv_code code = run_export(&export_context, query, sink, &why);
    code = tv_memory_tell(&limit, code, &tv_engine_meant(engine)->index,
                          "the export takes too much memory: ask for a smaller part", &why);
    tv_arena_release(&arena);
    return tv_api_response_end(&engine->answer, code, &why, err);
}
