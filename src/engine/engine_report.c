/*
 * A page with a part of the trace in it, made where the trace is; see engine/engine.h.
 *
 * This takes two steps, because the browser packs: first the part is cut and given to the host, and
 * its index is kept; then the host brings template, engine and the packed part into one block, and
 * the page is written from these and the kept index.
 */
#include "api/report_query.h"
#include "base/memory/arena.h"
#include "base/text/json.h"
#include "engine/engine.h"
#include "export/single_file/single_file.h"

/* A page on its way. */
struct making {
    struct tv_engine *engine;
    struct tv_arena *arena;
    struct tv_report_query query;
    const struct tv_engine_pieces *pieces;
    struct tv_sink sink;
};

void tv_engine_report_release(struct tv_engine *engine)
{
    tv_single_file_part_release(&engine->part);
    tv_single_file_part_init(&engine->part, engine->alloc);
    tv_alloc_release(engine->alloc, &engine->pieces, engine->pieces_cap, 1);
    engine->pieces_cap = 0;
}

static enum tv_code take_form(struct making *making, struct tv_str form, struct tv_error *err)
{
    struct tv_engine *engine = making->engine;
    struct tv_report_query *query = &making->query;
    struct tv_params params;
    TV_TRY(tv_params_parse(&params, making->arena, form, tv_report_params, err));
    TV_TRY(tv_query_report(&params, &tv_engine_meant(engine)->index,
                           tv_buffer_view(&tv_engine_meant(engine)->name), query, err));
    query->part.opts.tell = engine->progress.tell;
    query->part.opts.ctx = engine->progress.ctx;
    return TV_OK;
}

static enum tv_code tell_name(const struct making *making, struct tv_error *err)
{
    struct tv_api_response *answer = &making->engine->answer;
    struct tv_json json;
    answer->content_type = "application/json";
    tv_json_init(&json, tv_buffer_sink(&answer->body));
    tv_json_open_object(&json);
    tv_json_key_text(&json, "name", making->query.name);
    tv_json_close_object(&json);
    return tv_json_finish(&json, err);
}

/* The bytes of the part are the host's; what is kept is their index. */
static enum tv_code cut(struct making *making, struct tv_error *err)
{
    struct tv_engine *engine = making->engine;
    struct tv_single_file_part *part = &engine->part;
    const struct tv_sink *sink = &making->sink;
    tv_engine_report_release(engine);
    TV_TRY(tv_single_file_part_cut(part, &tv_engine_meant(engine)->index, &making->query.part.opts,
                                   NULL, err));
    TV_TRY(sink->write(sink->ctx, part->bytes.bytes, part->bytes.len, err));
    TV_TRY(tv_single_file_part_read_back(part, NULL, err));
    tv_buffer_release(&part->bytes);
    return tell_name(making, err);
}

static enum tv_code write_page(struct making *making, struct tv_error *err)
{
    struct tv_engine *engine = making->engine;
    const struct tv_engine_pieces *pieces = making->pieces;
    struct tv_single_file *report = &making->query.report;
    const char *at = (const char *)(const void *)engine->pieces;
    report->page = (struct tv_str){at, pieces->template_len};
    report->engine = (struct tv_str){at + pieces->template_len, pieces->engine_len};
    report->trace = (struct tv_str){report->engine.at + pieces->engine_len, pieces->trace_len};
    TV_TRY(
        tv_single_file_write(report, &engine->part.index, engine->alloc, NULL, making->sink, err));
    return tell_name(making, err);
}

/* One step, whose refusal is an answer. */
static enum tv_code answer(struct making *making, struct tv_str form,
                           enum tv_code (*step)(struct making *, struct tv_error *),
                           struct tv_error *err)
{
    struct tv_engine *engine = making->engine;
    struct tv_error why = {.code = TV_OK};
    struct tv_arena arena;
    engine->answer.body.len = 0;
    tv_arena_init(&arena, engine->alloc);
    making->arena = &arena;
    enum tv_code code = take_form(making, form, &why);
    if (code == TV_OK)
        code = step(making, &why);
    making->arena = NULL;
    tv_arena_release(&arena);
    return tv_api_response_end(&engine->answer, code, &why, err);
}

enum tv_code tv_engine_report_cut(struct tv_engine *engine, struct tv_str form, struct tv_sink sink,
                                  struct tv_error *err)
{
    struct making making = {.engine = engine, .sink = sink};
    TV_TRY(tv_engine_need_index(engine, err));
    return answer(&making, form, cut, err);
}

enum tv_code tv_engine_report_reserve(struct tv_engine *engine, size_t len, uint8_t **at,
                                      struct tv_error *err)
{
    uint8_t *pieces = engine->alloc->resize(engine->alloc->ctx, engine->pieces, engine->pieces_cap,
                                            len ? len : 1);
    if (!pieces)
        return tv_fail(err, TV_ERR_MEMORY, TV_NO_OFFSET,
                       "the browser gives no memory for this page: save a shorter part, or make it "
                       "with the program (traceview report FILE)");
    engine->pieces = pieces;
    engine->pieces_cap = len ? len : 1;
    *at = pieces;
    return TV_OK;
}

static bool has_room(const struct tv_engine *engine, const struct tv_engine_pieces *pieces)
{
    const size_t cap = engine->pieces_cap;
    return pieces->template_len <= cap && pieces->engine_len <= cap - pieces->template_len &&
           pieces->trace_len <= cap - pieces->template_len - pieces->engine_len;
}

enum tv_code tv_engine_report_write(struct tv_engine *engine, struct tv_str form,
                                    const struct tv_engine_pieces *pieces, struct tv_sink sink,
                                    struct tv_error *err)
{
    struct making making = {.engine = engine, .sink = sink, .pieces = pieces};
    TV_TRY(tv_engine_need_index(engine, err));
    if (!engine->part.index.block || !has_room(engine, pieces))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "a page is written without its part, or without room for it");
    enum tv_code code = answer(&making, form, write_page, err);
    tv_engine_report_release(engine);
    return code;
}
