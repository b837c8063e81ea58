/*
 * Traces and the answers about them; see engine/engine.h and docs/engine.md.
 *
 * A trace comes in three steps: reserve gives the page a block to write the file into, load reads
 * it and builds the index, and then the bytes of the file are released, because an index needs none
 * of them. A failure leaves no trace, and the texts of failures are written for people in front of
 * a page.
 */
#include "engine/engine.h"

#include "format/trace.h"
#include "index/build/build.h"

#define MIB ((uint64_t)1 << 20)

void tv_engine_init(struct tv_engine *engine, const struct tv_alloc *alloc,
                    const struct tv_engine_progress *progress)
{
    *engine = (struct tv_engine){.alloc = alloc, .progress = *progress};
    for (size_t i = 0; i < TV_ENGINE_TRACES; i++) {
        tv_index_init(&engine->traces[i].index);
        tv_lean_cache_init(&engine->traces[i].leans, alloc, 1);
        tv_buffer_init(&engine->traces[i].name, alloc);
    }
    tv_api_response_init(&engine->answer, alloc);
    tv_single_file_part_init(&engine->part, alloc);
}

static void release_bytes(struct tv_engine *engine)
{
    tv_alloc_release(engine->alloc, &engine->bytes, engine->bytes_cap, 1);
    engine->bytes_cap = 0;
}

static void release_trace(struct tv_engine *engine)
{
    struct tv_engine_trace *trace = tv_engine_meant(engine);
    tv_engine_report_release(engine);
    tv_lean_cache_release(&trace->leans);
    tv_index_release(&trace->index);
    tv_index_init(&trace->index);
    trace->has_index = false;
    trace->file_len = 0;
    tv_buffer_release(&trace->name);
    tv_api_response_release(&engine->answer);
    tv_api_response_init(&engine->answer, engine->alloc);
}

/* A mapping that no trace was read by is only a block: its names are made with the trace's. */
void tv_engine_release(struct tv_engine *engine)
{
    release_trace(engine);
    release_bytes(engine);
    tv_alloc_release(engine->alloc, &engine->mapping.text, engine->mapping.cap, 1);
    engine->mapping = (struct tv_engine_mapping){.begin = NULL};
}

static unsigned long long mib(uint64_t len)
{
    return (len + MIB - 1) / MIB;
}

static enum tv_code fail_for_memory(uint64_t len, struct tv_error *err)
{
    return tv_fail(err, TV_ERR_MEMORY, TV_NO_OFFSET,
                   "the browser gives no memory for a trace of %llu MiB: close other tabs, or open "
                   "it with the program (traceview FILE)",
                   mib(len));
}

/* Whether a page can hold a trace of `len` bytes, beside the others where there are some. */
static enum tv_code check_len(const struct tv_engine *engine, uint64_t len, struct tv_error *err)
{
    if (len > TV_ENGINE_TRACE_MOST)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                       "a trace of %llu MiB is too long for a page, which takes %llu MiB: open it "
                       "with the program (traceview FILE), or cut a part out of it there "
                       "(traceview export --from TIME --to TIME --as trace)",
                       mib(len), mib(TV_ENGINE_TRACE_MOST));
    uint64_t all = len;
    for (size_t i = 0; i < TV_ENGINE_TRACES; i++)
        if (i != engine->meant)
            all += engine->traces[i].file_len;
    if (all > TV_ENGINE_TRACE_MOST)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                       "%llu MiB of traces are too long for one page, which takes %llu MiB: "
                       "compare them with the program (traceview OLD NEW)",
                       mib(all), mib(TV_ENGINE_TRACE_MOST));
    return TV_OK;
}

enum tv_code tv_engine_reserve(struct tv_engine *engine, uint64_t len, uint8_t **at,
                               struct tv_error *err)
{
    release_trace(engine);
    TV_TRY(check_len(engine, len, err));
    /* An empty file is a block, too. */
    size_t cap = len ? (size_t)len : 1;
    if (cap > engine->bytes_cap) {
        uint8_t *block =
            engine->alloc->resize(engine->alloc->ctx, engine->bytes, engine->bytes_cap, cap);
        if (!block)
            return fail_for_memory(len, err);
        engine->bytes = block;
        engine->bytes_cap = cap;
    }
    *at = engine->bytes;
    return TV_OK;
}

static enum tv_code read_trace(struct tv_engine *engine, struct tv_trace *trace, size_t len,
                               enum tv_engine_file file, struct tv_error *err)
{
    const struct tv_read_opts read_opts = {.is_packed_cut = file == TV_ENGINE_FILE_CUT};
    const struct tv_build_opts build_opts = {.progress = engine->progress.tell,
                                             .progress_ctx = engine->progress.ctx};
    TV_TRY(tv_trace_open(trace, engine->bytes, len, &read_opts, err));
    if (engine->mapping.begin)
        TV_TRY(engine->mapping.begin(engine, trace, err));
    return tv_index_build(&tv_engine_meant(engine)->index, trace, &build_opts, err);
}

/* The bytes go whether reading succeeded or not: the memory is needed for answers. */
enum tv_code tv_engine_load(struct tv_engine *engine, struct tv_str name, size_t len,
                            enum tv_engine_file file, struct tv_error *err)
{
    struct tv_trace trace;
    if (len > engine->bytes_cap)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "%zu bytes are to be read, where room was made for %zu", len,
                       engine->bytes_cap);
    TV_TRY(tv_buffer_append(&tv_engine_meant(engine)->name, name.at, name.len, err));
    tv_trace_init(&trace, engine->alloc);
    engine->mapping.is_refused = false;
    enum tv_code code = read_trace(engine, &trace, len, file, err);
    if (engine->mapping.end)
        code = engine->mapping.end(engine, code, err);
    tv_trace_release(&trace);
    release_bytes(engine);
    tv_engine_meant(engine)->has_index = code == TV_OK;
    tv_engine_meant(engine)->file_len = len;
    if (code != TV_OK)
        release_trace(engine);
    return code == TV_ERR_MEMORY ? fail_for_memory(len, err) : code;
}

enum tv_code tv_engine_need_index(struct tv_engine *engine, struct tv_error *err)
{
    if (tv_engine_meant(engine)->has_index)
        return TV_OK;
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no trace is open");
}

/* A question may name any of the engine's traces; one without an index is there as NULL. */
enum tv_code tv_engine_ask(struct tv_engine *engine, struct tv_str route, struct tv_str query,
                           struct tv_error *err)
{
    TV_TRY(tv_engine_need_index(engine, err));
    static const char names[TV_ENGINE_TRACES + 1] = "0123456789abcdefghijklmnopqrstuv";
    struct tv_api_trace traces[TV_ENGINE_TRACES];
    for (size_t i = 0; i < TV_ENGINE_TRACES; i++) {
        struct tv_engine_trace *trace = &engine->traces[i];
        traces[i] = (struct tv_api_trace){.name = {&names[i], 1},
                                          .index = trace->has_index ? &trace->index : NULL,
                                          .file = tv_buffer_view(&trace->name),
                                          .leans = &trace->leans};
    }
    const struct tv_api api = {.alloc = engine->alloc,
                               .traces = traces,
                               .trace_count = TV_ENGINE_TRACES,
                               .meant = engine->meant};
    return tv_api_get(&api, route, query, &engine->answer, err);
}
