/*
 * Trace events as JSON: two events for each call, its enter ("ph":"B") and its exit ("ph":"E"), in
 * the order in which they happened on their thread. What chrome://tracing read first, and many
 * viewers since.
 *
 * One complete event ("ph":"X") for each call would be shorter, but readers sort those by start and
 * duration. Among calls of the same moment, of which a microsecond clock has many, they would find
 * other callers. Enters and exits of one thread keep their order in the file: chrome://tracing
 * takes them as they stand, and Perfetto sorts by time, then by place, as long as no complete event
 * is in the file.
 */
#include "base/error.h"
#include "base/str.h"
#include "base/text/json.h"
#include "export/export_context.h"
#include "export/formats.h"
#include "export/tools/json_names.h"
#include "export/walk/call_walk.h"

/*
 * `ts` is microseconds on the axis clock, with nanoseconds behind the point. `tts` is the same of
 * the thread's CPU clock where the trace has both. What is odd about a call is its category, since
 * speedscope takes arguments for a part of the name. Source: the document "Trace Event Format" of
 * the Chromium project.
 */

/* The levels that Perfetto keeps of a track (kMaxDepth of its slice tracker); it drops what is
 * deeper. */
#define LEVELS_MOST 512u

struct chroming {
    struct tv_export_context *context;
    struct tv_json_names names;
    struct tv_call_walk walk;
    struct tv_buffer ids; /* ,"pid":1,"tid":2} of the thread that is written: the end of an event */
    enum tv_clock axis;
    bool has_cpu;   /* beside the axis */
    bool has_event; /* so that a comma comes before the next one */
};

static void begin_event(struct chroming *chroming)
{
    if (chroming->has_event)
        tv_out_text(&chroming->context->out, TV_STR(","));
    chroming->has_event = true;
}

/* An event that says something about a thread, or about its process. `text` is what it says where
 * it has bytes, else `number`. */
static enum tv_code put_metadata(struct chroming *chroming, const char *name, uint32_t thread_ix,
                                 struct tv_str text, uint64_t number, struct tv_error *err)
{
    const struct tv_export_context *context = chroming->context;
    struct tv_json json;
    begin_event(chroming);
    tv_json_init(&json, tv_out_sink(&chroming->context->out));
    tv_json_open_object(&json);
    tv_json_key_text(&json, "ph", "M");
    tv_json_key_text(&json, "name", name);
    tv_json_key_u64(&json, "pid", tv_export_shown_pid(&context->names, context->index, thread_ix));
    tv_json_key_u64(&json, "tid", context->index->threads[thread_ix].id);
    tv_json_key(&json, "args");
    tv_json_open_object(&json);
    if (text.at)
        tv_json_key_str(&json, "name", text);
    else
        tv_json_key_u64(&json, "sort_index", number);
    tv_json_close_object(&json);
    tv_json_close_object(&json);
    return tv_json_finish(&json, err);
}

/* Says what a thread is called and which place it has among the others, and the same of its process
 * where the trace names it. A process is named with each of its threads: readers take it again. */
static enum tv_code name_thread(struct chroming *chroming, uint32_t thread_ix, uint32_t place,
                                struct tv_error *err)
{
    const struct tv_index *index = chroming->context->index;
    const struct tv_str none = {NULL, 0};
    uint32_t process = index->threads[thread_ix].process;
    struct tv_str process_name =
        tv_export_process_name(&chroming->context->names, index, thread_ix);
    if (process_name.len)
        TV_TRY(put_metadata(chroming, "process_name", thread_ix, process_name, 0, err));
    if (process != TV_NONE)
        TV_TRY(put_metadata(chroming, "process_sort_index", thread_ix, none, process, err));
    TV_TRY(put_metadata(chroming, "thread_name", thread_ix,
                        chroming->context->names.threads[thread_ix], 0, err));
    return put_metadata(chroming, "thread_sort_index", thread_ix, none, place, err);
}

/* The end of every event of a thread is the same text, so it is made once. */
static enum tv_code make_ids(struct chroming *chroming, uint32_t thread_ix, struct tv_error *err)
{
    const struct tv_index *index = chroming->context->index;
    struct tv_out out;
    chroming->ids.len = 0;
    tv_out_init(&out, tv_buffer_sink(&chroming->ids));
    tv_out_text(&out, TV_STR(",\"pid\":"));
    tv_out_decimal(&out, tv_export_shown_pid(&chroming->context->names, index, thread_ix));
    tv_out_text(&out, TV_STR(",\"tid\":"));
    tv_out_decimal(&out, index->threads[thread_ix].id);
    tv_out_text(&out, TV_STR("}\n"));
    return tv_out_finish(&out, err);
}

/* What is not as it looks, as a category: the call began or ended elsewhere. */
static void put_category(struct tv_out *out, const struct tv_call_event *call)
{
    static const char *const words[] = {"began_before", "open_at_end", "cut"};
    const bool is_so[] = {call->is_adopted, call->is_open_at_end, call->is_cut};
    bool has_word = false;
    for (size_t i = 0; i < TV_COUNT_OF(words); i++) {
        if (!is_so[i])
            continue;
        tv_out_text(out, has_word ? TV_STR(",") : TV_STR(",\"cat\":\""));
        tv_out_text(out, tv_str_from(words[i]));
        has_word = true;
    }
    if (has_word)
        tv_out_text(out, TV_STR("\""));
}

/* An enter is "B" and an exit "E", and both name the method: viewers match them by their order, and
 * the name shows where a file was cut. */
static enum tv_code put_event(struct chroming *chroming, const struct tv_call_event *call,
                              struct tv_error *err)
{
    struct tv_out *out = &chroming->context->out;
    const bool is_enter = call->kind == TV_CALL_ENTER;
    const uint64_t *time_ns = is_enter ? call->start_ns : call->end_ns;
    struct tv_str name;
    TV_TRY(tv_json_names_method(&chroming->names, call->method, &name, err));
    begin_event(chroming);
    tv_out_text(out,
                is_enter ? TV_STR("{\"ph\":\"B\",\"name\":") : TV_STR("{\"ph\":\"E\",\"name\":"));
    tv_out_text(out, name);
    tv_out_text(out, TV_STR(",\"ts\":"));
    tv_out_fraction(out, time_ns[chroming->axis], 3);
    if (chroming->has_cpu) {
        tv_out_text(out, TV_STR(",\"tts\":"));
        tv_out_fraction(out, time_ns[TV_CLOCK_CPU], 3);
    }
    put_category(out, call);
    tv_out_text(out, tv_buffer_view(&chroming->ids));
    return TV_OK;
}

/* Progress is told at exits, because each call has one. */
static enum tv_code put_thread(struct chroming *chroming, uint32_t thread_ix, uint32_t place,
                               struct tv_error *err)
{
    struct tv_call_event event;
    TV_TRY(name_thread(chroming, thread_ix, place, err));
    TV_TRY(make_ids(chroming, thread_ix, err));
    TV_TRY(tv_call_walk_begin(&chroming->walk, chroming->context, thread_ix, err));
    for (;;) {
        tv_call_walk_next(&chroming->walk, &event);
        if (event.kind == TV_CALL_END)
            return TV_OK;
        TV_TRY(put_event(chroming, &event, err));
        if (event.kind == TV_CALL_EXIT)
            TV_TRY(tv_export_context_tell(chroming->context, 1, err));
    }
}

/* Where the events come from: readers show it beside them. */
static enum tv_code put_origin(struct chroming *chroming, struct tv_error *err)
{
    struct tv_json json;
    tv_json_init(&json, tv_out_sink(&chroming->context->out));
    tv_json_open_object(&json);
    tv_json_key_text(&json, "source", "traceview");
    tv_json_key_str(&json, "trace", chroming->context->names.file);
    tv_json_key_text(&json, "clock", chroming->axis == TV_CLOCK_WALL ? "wall" : "cpu");
    tv_json_close_object(&json);
    return tv_json_finish(&json, err);
}

/* An object and not a bare list, since only an object can have metadata. */
static enum tv_code put_all(struct chroming *chroming, struct tv_error *err)
{
    struct tv_export_context *context = chroming->context;
    TV_TRY(tv_json_names_begin(&chroming->names, &context->names, err));
    tv_out_text(&context->out, TV_STR("{\"displayTimeUnit\":\"ms\",\"metadata\":"));
    TV_TRY(put_origin(chroming, err));
    tv_out_text(&context->out, TV_STR(",\"traceEvents\":[\n"));
    for (uint32_t i = 0; i < tv_export_context_thread_count(context); i++) {
        uint32_t thread_ix = tv_export_context_ordered(context, i);
        if (thread_ix != TV_NONE)
            TV_TRY(put_thread(chroming, thread_ix, i, err));
    }
    tv_out_text(&context->out, TV_STR("]}\n"));
    return TV_OK;
}

/* CPU time is written as the second clock (tts) only where the first one is wall time. */
static enum tv_code write_chrome(struct tv_export_context *context, struct tv_error *err)
{
    const struct tv_index *index = context->index;
    struct chroming chroming = {.context = context, .axis = tv_index_axis(index)};
    chroming.has_cpu = chroming.axis == TV_CLOCK_WALL && index->info->has_clock[TV_CLOCK_CPU];
    tv_json_names_init(&chroming.names, context->alloc);
    tv_buffer_init(&chroming.ids, context->alloc);
    tv_call_walk_init(&chroming.walk, context->alloc);
    enum tv_code code = put_all(&chroming, err);
    tv_call_walk_release(&chroming.walk);
    tv_buffer_release(&chroming.ids);
    tv_json_names_release(&chroming.names);
    return code;
}

const struct tv_export tv_export_chrome = {
    .name = "chrome",
    .suffix = ".trace.json",
    .media_type = "application/json",
    .summary = "trace events, JSON: chrome://tracing, Perfetto; not speedscope",
    .is_text = true,
    .levels_most = LEVELS_MOST,
    .call_names = 2,
    .held_names = TV_HELD_UTF8,
    .names_processes = true,
    .nests_calls = true,
    .write = write_chrome,
};
