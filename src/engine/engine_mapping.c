/*
 * Names of the source for the trace that a page reads next; see engine/engine.h.
 *
 * The page writes the mapping into the room where the trace comes after it, and the engine keeps
 * that block until the trace is read. Only the module that makes files has this
 * (engine/meson.build), so the engine reaches it through two functions, and the other module stays
 * short.
 */
#include "base/error.h"
#include "base/text/json.h"
#include "engine/engine.h"

static void forget(struct tv_engine *engine)
{
    struct tv_engine_mapping *mapping = &engine->mapping;
    if (!mapping->begin)
        return;
    tv_retracer_release(&mapping->retracer);
    tv_alloc_release(engine->alloc, &mapping->text, mapping->cap, 1);
    *mapping = (struct tv_engine_mapping){.is_refused = mapping->is_refused};
}

static enum tv_code begin(struct tv_engine *engine, struct tv_trace *trace, struct tv_error *err)
{
    struct tv_engine_mapping *mapping = &engine->mapping;
    const struct tv_str text = {(const char *)mapping->text, mapping->len};
    TV_TRY(tv_retracer_open(&mapping->retracer, text, err));
    tv_renaming_init(&mapping->renaming, &mapping->retracer);
    mapping->trace = trace;
    trace->opts.renaming = (struct tv_renaming_opts){
        .rename = tv_renaming_rename, .ctx = &mapping->renaming, .is_forced = mapping->is_forced};
    return TV_OK;
}

static enum tv_code tell(struct tv_engine *engine, struct tv_error *err)
{
    const struct tv_renaming *renaming = &engine->mapping.renaming;
    struct tv_json json;
    engine->answer.content_type = "application/json";
    tv_json_init(&json, tv_buffer_sink(&engine->answer.body));
    tv_json_open_object(&json);
    tv_json_key_truth(&json, "by_id", renaming->with_this_id > 0);
    tv_json_key_u64(&json, "renamed", renaming->renamed);
    tv_json_key_u64(&json, "asked", renaming->asked);
    tv_json_key_u64(&json, "known", renaming->known);
    tv_json_close_object(&json);
    return tv_json_finish(&json, err);
}

static enum tv_code check(const struct tv_engine_mapping *mapping, struct tv_error *reason)
{
    return mapping->trace->has_source_names
               ? tv_fail(reason, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                         "is not needed: the trace has the names of its source already")
               : tv_renaming_check(&mapping->renaming, reason);
}

/* Only when all methods are renamed can it be told whether the mapping fits. */
static enum tv_code end(struct tv_engine *engine, enum tv_code code, struct tv_error *err)
{
    struct tv_engine_mapping *mapping = &engine->mapping;
    struct tv_error reason = {.code = TV_OK};
    if (code == TV_OK && !mapping->is_forced && check(mapping, &reason) != TV_OK) {
        mapping->is_refused = true;
        code = tv_fail(err, reason.code, TV_NO_OFFSET, "the mapping %s", reason.text);
    }
    if (code == TV_OK)
        code = tell(engine, err);
    forget(engine);
    return code;
}

enum tv_code tv_engine_take_mapping(struct tv_engine *engine, size_t len, bool is_forced,
                                    struct tv_error *err)
{
    if (len > engine->bytes_cap)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "%zu bytes are to be a mapping, where room was made for %zu", len,
                       engine->bytes_cap);
    forget(engine);
    engine->mapping = (struct tv_engine_mapping){.begin = begin,
                                                 .end = end,
                                                 .text = engine->bytes,
                                                 .len = len,
                                                 .cap = engine->bytes_cap,
                                                 .is_forced = is_forced};
    tv_retracer_init(&engine->mapping.retracer, engine->alloc);
    engine->bytes = NULL;
    engine->bytes_cap = 0;
    return TV_OK;
}
