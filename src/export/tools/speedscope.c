/*
 * speedscope's own format: JSON with the methods once, as frames, and for each thread and clock one
 * profile of events, which open and close frames.
 *
 * Events stand in the order in which calls were entered and left, and speedscope takes them in that
 * order, so calls of length zero and calls that touch keep their callers. Times are nanoseconds.
 * The profiles of the clock that is asked for stand first, and of these the file names main's as
 * the one to open. Source: the package's file-format-schema.json.
 */
#include "analysis/insights/insights.h"
#include "base/error.h"
#include "base/str.h"
#include "base/text/json.h"
#include "export/export_context.h"
#include "export/formats.h"
#include "export/tools/shown_methods.h"
#include "export/walk/call_walk.h"

/* speedscope sorts and draws trees by recursion, and its work for an event grows with the depth. */
#define LEVELS_MOST 1024u

struct scoping {
    struct tv_export_context *context;
    struct tv_shown_methods methods;
    struct tv_call_walk walk;
    bool has_profile; /* so that a comma comes before the next one */
};

/* A name is written once, in the list of frames, and events refer to it by number. */
static enum tv_code put_frame(struct scoping *scoping, uint32_t method_ix, struct tv_buffer *name,
                              struct tv_error *err)
{
    const struct tv_export_method *method = &scoping->context->names.methods[method_ix];
    struct tv_json json;
    TV_TRY(tv_export_whole_name(method, name, err));
    tv_json_init(&json, tv_out_sink(&scoping->context->out));
    tv_json_open_object(&json);
    tv_json_key_str(&json, "name", tv_buffer_view(name));
    if (method->file.len)
        tv_json_key_str(&json, "file", method->file);
    if (method->line > 0)
        tv_json_key_i64(&json, "line", method->line);
    tv_json_close_object(&json);
    return tv_json_finish(&json, err);
}

/* In the order of the numbers that tv_shown_methods_find gave. */
static enum tv_code put_frames(struct scoping *scoping, struct tv_error *err)
{
    struct tv_buffer name;
    enum tv_code code = TV_OK;
    tv_buffer_init(&name, scoping->context->alloc);
    for (uint32_t i = 0; i < scoping->methods.count && code == TV_OK; i++) {
        if (i)
            tv_out_text(&scoping->context->out, TV_STR(","));
        code = put_frame(scoping, scoping->methods.methods[i], &name, err);
    }
    tv_buffer_release(&name);
    return code;
}

/* The time that a profile is about: the same for all threads on the wall clock, so that they can be
 * compared. */
static void find_ends(const struct scoping *scoping, uint32_t thread_ix, enum tv_clock clock,
                      uint64_t *start_ns, uint64_t *end_ns)
{
    const struct tv_index *index = scoping->context->index;
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    const struct tv_thread_range *range = &scoping->walk.range;
    const bool is_axis = clock == TV_CLOCK_WALL && index->info->has_common_axis;
    *start_ns = is_axis ? 0 : thread->first[clock] * index->info->unit_ns;
    *end_ns = is_axis ? tv_axis_len_ns(index) : thread->last[clock] * index->info->unit_ns;
    if (!scoping->walk.has_range)
        return;
    if (*start_ns < range->from_ns[clock])
        *start_ns = range->from_ns[clock];
    if (*end_ns > range->to_ns[clock])
        *end_ns = range->to_ns[clock];
}

/* What speedscope calls the profile: "app: main (tid 1), wall". */
static enum tv_code put_title(struct scoping *scoping, uint32_t thread_ix, enum tv_clock clock,
                              struct tv_error *err)
{
    const struct tv_index *index = scoping->context->index;
    uint32_t process = index->threads[thread_ix].process;
    struct tv_buffer title;
    struct tv_json json;
    struct tv_out out;
    tv_buffer_init(&title, scoping->context->alloc);
    tv_out_init(&out, tv_buffer_sink(&title));
    if (process != TV_NONE) {
        tv_out_text(&out, scoping->context->names.processes[process]);
        tv_out_text(&out, TV_STR(": "));
    }
    tv_out_text(&out, scoping->context->names.threads[thread_ix]);
    tv_out_text(&out, TV_STR(" (tid "));
    tv_out_decimal(&out, index->threads[thread_ix].id);
    tv_out_text(&out, clock == TV_CLOCK_WALL ? TV_STR("), wall") : TV_STR("), CPU"));
    enum tv_code code = tv_out_finish(&out, err);
    if (code == TV_OK) {
        tv_json_init(&json, tv_out_sink(&scoping->context->out));
        tv_json_str(&json, tv_buffer_view(&title));
        code = tv_json_finish(&json, err);
    }
    tv_buffer_release(&title);
    return code;
}

static void begin_profile(struct scoping *scoping)
{
    tv_out_text(&scoping->context->out, scoping->has_profile ? TV_STR(",\n") : TV_STR("\n"));
    tv_out_text(&scoping->context->out,
                TV_STR("{\"type\":\"evented\",\"unit\":\"nanoseconds\",\"name\":"));
    scoping->has_profile = true;
}

static void put_ends(struct scoping *scoping, uint64_t start_ns, uint64_t end_ns)
{
    struct tv_out *out = &scoping->context->out;
    tv_out_text(out, TV_STR(",\"startValue\":"));
    tv_out_decimal(out, start_ns);
    tv_out_text(out, TV_STR(",\"endValue\":"));
    tv_out_decimal(out, end_ns);
    tv_out_text(out, TV_STR(",\"events\":["));
}

/* Opens and closes in the order of time. speedscope refuses a file in which they are not properly
 * nested; the walk gives them so. */
static enum tv_code put_events(struct scoping *scoping, enum tv_clock clock, struct tv_error *err)
{
    struct tv_out *out = &scoping->context->out;
    struct tv_call_event event;
    for (bool is_first = true;; is_first = false) {
        tv_call_walk_next(&scoping->walk, &event);
        if (event.kind == TV_CALL_END)
            return TV_OK;
        const bool is_enter = event.kind == TV_CALL_ENTER;
        tv_out_text(out, is_first ? TV_STR("\n") : TV_STR(",\n"));
        tv_out_text(out, is_enter ? TV_STR("{\"type\":\"O\",\"frame\":")
                                  : TV_STR("{\"type\":\"C\",\"frame\":"));
        tv_out_decimal(out, scoping->methods.number_of[event.method]);
        tv_out_text(out, TV_STR(",\"at\":"));
        tv_out_decimal(out, is_enter ? event.start_ns[clock] : event.end_ns[clock]);
        tv_out_text(out, TV_STR("}"));
        if (!is_enter)
            TV_TRY(tv_export_context_tell(scoping->context, 1, err));
    }
}

/* One profile for each thread and clock, because speedscope shows one at a time and lets the user
 * switch. */
static enum tv_code put_profile(struct scoping *scoping, uint32_t thread_ix, enum tv_clock clock,
                                struct tv_error *err)
{
    uint64_t start_ns, end_ns;
    TV_TRY(tv_call_walk_begin(&scoping->walk, scoping->context, thread_ix, err));
    find_ends(scoping, thread_ix, clock, &start_ns, &end_ns);
    begin_profile(scoping);
    TV_TRY(put_title(scoping, thread_ix, clock, err));
    put_ends(scoping, start_ns, end_ns);
    TV_TRY(put_events(scoping, clock, err));
    tv_out_text(&scoping->context->out, TV_STR("\n]}"));
    return TV_OK;
}

static enum tv_code put_profiles(struct scoping *scoping, enum tv_clock clock, struct tv_error *err)
{
    struct tv_export_context *context = scoping->context;
    for (uint32_t i = 0; i < tv_export_context_thread_count(context); i++) {
        uint32_t thread_ix = tv_export_context_ordered(context, i);
        if (thread_ix != TV_NONE)
            TV_TRY(put_profile(scoping, thread_ix, clock, err));
    }
    return TV_OK;
}

/* speedscope fails on a file without profiles, so a part without calls is one empty profile. */
static void put_empty_profile(struct scoping *scoping)
{
    begin_profile(scoping);
    tv_out_text(&scoping->context->out, TV_STR("\"no calls\""));
    put_ends(scoping, 0, 0);
    tv_out_text(&scoping->context->out, TV_STR("]}"));
}

/* The text is the trace's own name, so it goes through the writer of JSON. */
static enum tv_code put_head(struct scoping *scoping, struct tv_error *err)
{
    struct tv_out *out = &scoping->context->out;
    struct tv_json json;
    tv_out_text(out, TV_STR("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
                            "\"exporter\":\"traceview\",\"name\":"));
    tv_json_init(&json, tv_out_sink(out));
    tv_json_str(&json, scoping->context->names.file);
    TV_TRY(tv_json_finish(&json, err));
    tv_out_text(out, TV_STR(",\"shared\":{\"frames\":["));
    TV_TRY(put_frames(scoping, err));
    tv_out_text(out, TV_STR("]},\"profiles\":["));
    return TV_OK;
}

/* Whether there is a profile of a clock: a trace without any has calls without times. */
static bool has_profiles(const struct tv_index *index, enum tv_clock clock)
{
    return clock == TV_CLOCK_CPU
               ? index->info->has_clock[TV_CLOCK_CPU] && !tv_index_has_idle_cpu(index)
               : index->info->has_clock[TV_CLOCK_WALL] || !index->info->has_clock[TV_CLOCK_CPU];
}

/* The number of main's profile on the first clock, which speedscope opens. 0, the profile of the
 * busiest thread, where the part has no calls of main. */
static uint32_t main_profile(const struct tv_export_context *context)
{
    const uint32_t main_thread = tv_main_thread(context->index);
    uint32_t profile = 0;
    for (uint32_t i = 0; i < tv_export_context_thread_count(context); i++) {
        uint32_t thread_ix = tv_export_context_ordered(context, i);
        if (thread_ix != TV_NONE && thread_ix == main_thread)
            return profile;
        profile += thread_ix != TV_NONE;
    }
    return 0;
}

/* Profiles of the chosen clock come first. A part without calls has one empty profile. */
static enum tv_code scope(struct scoping *scoping, struct tv_error *err)
{
    struct tv_export_context *context = scoping->context;
    bool is_cpu_first = context->opts->scope.measure == TV_MEASURE_CPU;
    const enum tv_clock clocks[] = {is_cpu_first ? TV_CLOCK_CPU : TV_CLOCK_WALL,
                                    is_cpu_first ? TV_CLOCK_WALL : TV_CLOCK_CPU};
    TV_TRY(tv_shown_methods_find(&scoping->methods, context, err));
    TV_TRY(put_head(scoping, err));
    for (size_t i = 0; i < TV_COUNT_OF(clocks); i++) {
        if (has_profiles(context->index, clocks[i]))
            TV_TRY(put_profiles(scoping, clocks[i], err));
    }
    if (!scoping->has_profile)
        put_empty_profile(scoping);
    tv_out_text(&context->out, TV_STR("\n],\"activeProfileIndex\":"));
    tv_out_decimal(&context->out, main_profile(context));
    tv_out_text(&context->out, TV_STR("}\n"));
    return TV_OK;
}

static enum tv_code write_speedscope(struct tv_export_context *context, struct tv_error *err)
{
    struct scoping scoping = {.context = context};
    tv_shown_methods_init(&scoping.methods, context->alloc);
    tv_call_walk_init(&scoping.walk, context->alloc);
    enum tv_code code = scope(&scoping, err);
    tv_call_walk_release(&scoping.walk);
    tv_shown_methods_release(&scoping.methods);
    return code;
}

const struct tv_export tv_export_speedscope = {
    .name = "speedscope",
    .suffix = ".speedscope.json",
    .media_type = "application/json",
    .summary = "events of each thread and clock, JSON: speedscope",
    .is_text = true,
    .levels_most = LEVELS_MOST,
    .held_names = TV_HELD_UTF8,
    .names_files = true,
    .names_processes = true,
    .nests_calls = true,
    .write = write_speedscope,
};
