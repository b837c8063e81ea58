/*
 * Trace events as JSON: one complete event ("ph":"X") for each call, in the order of time on each
 * thread. What chrome://tracing read first, and many viewers since.
 *
 * `ts` and `dur` are microseconds on the axis clock, with nanoseconds behind the point. `tts` and
 * `tdur` are the same of the thread's CPU clock where the trace has both. Source: the document
 * "Trace Event Format" of the Chromium project.
 */
#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/json.h"
#include "base/str.h"
#include "export/call_walk.h"
#include "export/exporting.h"
#include "export/formats.h"

#include <string.h>

struct chroming {
    struct tv_exporting *exporting;
    struct tv_arena texts;
    struct tv_buffer name;
    struct tv_buffer quoted;
    struct tv_str *quoted_names; /* one per method; without bytes as long as not used */
    bool has_event;              /* so that a comma comes before the next one */
};

/* A name as a JSON string, quotes included, which lives as long as the arena. */
static enum tv_code quote(struct chroming *chroming, struct tv_str name, struct tv_str *quoted,
                          struct tv_error *err)
{
    struct tv_json json;
    char *kept;
    chroming->quoted.len = 0;
    tv_json_init(&json, tv_buffer_sink(&chroming->quoted));
    tv_json_str(&json, name);
    TV_TRY(tv_json_finish(&json, err));
    size_t len = chroming->quoted.len - 1; /* without the line end */
    TV_TRY(tv_arena_take(&chroming->texts, len, &kept, err));
    memcpy(kept, chroming->quoted.bytes, len);
    *quoted = (struct tv_str){kept, len};
    return TV_OK;
}

static enum tv_code quoted_method(struct chroming *chroming, uint32_t method_ix,
                                  struct tv_error *err)
{
    if (chroming->quoted_names[method_ix].at)
        return TV_OK;
    TV_TRY(
        tv_export_whole_name(&chroming->exporting->names.methods[method_ix], &chroming->name, err));
    return quote(chroming, tv_buffer_view(&chroming->name), &chroming->quoted_names[method_ix],
                 err);
}

/* Microseconds, with three digits behind the point. */
static void put_us(struct tv_out *out, struct tv_str key, uint64_t time_ns)
{
    uint64_t rest = time_ns % 1000;
    const char digits[4] = {'.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
                            (char)('0' + rest % 10)};
    tv_out_text(out, key);
    tv_out_decimal(out, time_ns / 1000);
    if (rest)
        tv_out_bytes(out, digits, sizeof(digits));
}

static void begin_event(struct chroming *chroming)
{
    tv_out_text(&chroming->exporting->out, chroming->has_event ? TV_STR(",\n") : TV_STR("\n"));
    chroming->has_event = true;
}

static void put_ids(struct chroming *chroming, uint32_t thread_ix)
{
    const struct tv_index *index = chroming->exporting->index;
    struct tv_out *out = &chroming->exporting->out;
    tv_out_text(out, TV_STR(",\"pid\":"));
    tv_out_decimal(out, tv_export_pid(&chroming->exporting->names, index, thread_ix));
    tv_out_text(out, TV_STR(",\"tid\":"));
    tv_out_decimal(out, index->threads[thread_ix].id);
}

static enum tv_code put_thread_name(struct chroming *chroming, uint32_t thread_ix,
                                    struct tv_error *err)
{
    struct tv_out *out = &chroming->exporting->out;
    struct tv_str name;
    TV_TRY(quote(chroming, chroming->exporting->names.threads[thread_ix], &name, err));
    begin_event(chroming);
    tv_out_text(out, TV_STR("{\"ph\":\"M\",\"name\":\"thread_name\""));
    put_ids(chroming, thread_ix);
    tv_out_text(out, TV_STR(",\"args\":{\"name\":"));
    tv_out_text(out, name);
    tv_out_text(out, TV_STR("}}"));
    return TV_OK;
}

/* What is not as it looks: the call began or ended elsewhere. */
static void put_flags(struct tv_out *out, const struct tv_call_event *call)
{
    if (!call->is_adopted && !call->is_open_at_end && !call->is_cut)
        return;
    tv_out_text(out, TV_STR(",\"args\":{"));
    if (call->is_adopted)
        tv_out_text(out, TV_STR("\"began_before\":true"));
    if (call->is_open_at_end)
        tv_out_text(out, call->is_adopted ? TV_STR(",\"open_at_end\":true")
                                          : TV_STR("\"open_at_end\":true"));
    if (call->is_cut)
        tv_out_text(out, call->is_adopted || call->is_open_at_end ? TV_STR(",\"cut\":true")
                                                                  : TV_STR("\"cut\":true"));
    tv_out_text(out, TV_STR("}"));
}

static enum tv_code put_call(struct chroming *chroming, uint32_t thread_ix,
                             const struct tv_call_event *call, struct tv_error *err)
{
    const struct tv_index *index = chroming->exporting->index;
    struct tv_out *out = &chroming->exporting->out;
    enum tv_clock axis = tv_index_axis(index);
    TV_TRY(quoted_method(chroming, call->method, err));
    begin_event(chroming);
    tv_out_text(out, TV_STR("{\"ph\":\"X\",\"name\":"));
    tv_out_text(out, chroming->quoted_names[call->method]);
    put_us(out, TV_STR(",\"ts\":"), call->start_ns[axis]);
    put_us(out, TV_STR(",\"dur\":"), call->end_ns[axis] - call->start_ns[axis]);
    if (axis == TV_CLOCK_WALL && index->info->has_clock[TV_CLOCK_CPU]) {
        put_us(out, TV_STR(",\"tts\":"), call->start_ns[TV_CLOCK_CPU]);
        put_us(out, TV_STR(",\"tdur\":"),
               call->end_ns[TV_CLOCK_CPU] - call->start_ns[TV_CLOCK_CPU]);
    }
    put_ids(chroming, thread_ix);
    put_flags(out, call);
    tv_out_text(out, TV_STR("}"));
    return TV_OK;
}

static enum tv_code put_thread(struct chroming *chroming, struct tv_call_walk *walk,
                               uint32_t thread_ix, struct tv_error *err)
{
    struct tv_call_event event;
    TV_TRY(put_thread_name(chroming, thread_ix, err));
    TV_TRY(tv_call_walk_begin(walk, chroming->exporting, thread_ix, err));
    for (;;) {
        tv_call_walk_next(walk, &event);
        if (event.kind == TV_CALL_END)
            return TV_OK;
        if (event.kind == TV_CALL_EXIT)
            continue;
        TV_TRY(put_call(chroming, thread_ix, &event, err));
        TV_TRY(tv_exporting_tell(chroming->exporting, 1, err));
    }
}

static enum tv_code put_all(struct chroming *chroming, struct tv_call_walk *walk,
                            struct tv_error *err)
{
    struct tv_exporting *exporting = chroming->exporting;
    TV_TRY(tv_alloc_new(exporting->alloc, &chroming->quoted_names, exporting->index->method_count,
                        sizeof(*chroming->quoted_names), err));
    tv_out_text(&exporting->out, TV_STR("{\"displayTimeUnit\":\"ms\",\"traceEvents\":["));
    for (uint32_t i = 0; i < tv_exporting_thread_count(exporting); i++) {
        uint32_t thread_ix = tv_exporting_thread(exporting, i);
        if (thread_ix != TV_NONE)
            TV_TRY(put_thread(chroming, walk, thread_ix, err));
    }
    tv_out_text(&exporting->out, TV_STR("\n]}\n"));
    return TV_OK;
}

static enum tv_code write_chrome(struct tv_exporting *exporting, struct tv_error *err)
{
    struct chroming chroming = {.exporting = exporting};
    struct tv_call_walk walk;
    tv_arena_init(&chroming.texts, exporting->alloc);
    tv_buffer_init(&chroming.name, exporting->alloc);
    tv_buffer_init(&chroming.quoted, exporting->alloc);
    tv_call_walk_init(&walk, exporting->alloc);
    enum tv_code code = put_all(&chroming, &walk, err);
    tv_alloc_release(exporting->alloc, &chroming.quoted_names, exporting->index->method_count,
                     sizeof(*chroming.quoted_names));
    tv_call_walk_release(&walk);
    tv_buffer_release(&chroming.quoted);
    tv_buffer_release(&chroming.name);
    tv_arena_release(&chroming.texts);
    return code;
}

const struct tv_export tv_export_chrome = {
    .name = "chrome",
    .suffix = ".trace.json",
    .media_type = "application/json",
    .summary = "trace events, JSON: chrome://tracing, Perfetto, speedscope",
    .is_text = true,
    .write = write_chrome,
};
