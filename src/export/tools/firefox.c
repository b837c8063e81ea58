/*
 * A processed profile of the Firefox Profiler, version 70: JSON with tables of columns. All threads
 * share one table of stacks, which are the nodes of the index; each thread has samples and markers.
 *
 * A sample is a segment (export/walk/segment_walk.h): it begins where its stack becomes the
 * thread's, its weight is how long the stack stays, and the CPU time since the sample before is
 * that sample's. So the profiler adds up exact times. A last sample without a stack ends a thread.
 * The columns of the samples are written one after the other, each by a walk of its own. Markers
 * are the longest calls of a thread.
 *
 * Times are milliseconds on the axis clock, CPU times nanoseconds. Source: the types of
 * profiles, and the list of changes to formats, in the repository firefox-devtools/profiler.
 */
#include "export/tools/firefox.h"

#include "base/error.h"
#include "base/text/json.h"
#include "export/formats.h"

#define PROCESSED_VERSION 70u
/* The version that the browser's own profiles have beside version 70 of the processed format. */
#define GECKO_VERSION 36u

enum tv_code tv_firefox_put_quoted(struct tv_firefox *profiling, struct tv_str text,
                                   struct tv_error *err)
{
    struct tv_json json;
    tv_json_init(&json, tv_out_sink(profiling->out));
    tv_json_str(&json, text);
    return tv_json_finish(&json, err);
}

void tv_firefox_put_same(struct tv_firefox *profiling, struct tv_str key, struct tv_str value,
                         uint32_t count)
{
    tv_firefox_put(profiling, key);
    tv_firefox_put(profiling, TV_STR("["));
    for (uint32_t i = 0; i < count; i++) {
        tv_firefox_put_comma(profiling, !i);
        tv_firefox_put(profiling, value);
    }
    tv_firefox_put(profiling, TV_STR("],\n"));
}

void tv_firefox_put_length(struct tv_firefox *profiling, uint32_t count)
{
    tv_firefox_put(profiling, TV_STR("\"length\":"));
    tv_out_decimal(profiling->out, count);
    tv_firefox_put(profiling, TV_STR("}"));
}

static void put_field(struct tv_json *json, const char *key, const char *label, const char *format)
{
    tv_json_open_object(json);
    tv_json_key_text(json, "key", key);
    tv_json_key_text(json, "label", label);
    tv_json_key_text(json, "format", format);
    tv_json_close_object(json);
}

/* How the profiler shows the markers. */
static void put_schema(struct tv_json *json, bool has_cpu)
{
    tv_json_key(json, "markerSchema");
    tv_json_open_array(json);
    tv_json_open_object(json);
    tv_json_key_text(json, "name", "Long call");
    tv_json_key_text(json, "tooltipLabel", "{marker.data.method}");
    tv_json_key_text(json, "tableLabel", "{marker.data.method}");
    tv_json_key_text(json, "chartLabel", "{marker.data.method}");
    tv_json_key(json, "display");
    tv_json_open_array(json);
    tv_json_text(json, "marker-chart");
    tv_json_text(json, "marker-table");
    tv_json_close_array(json);
    tv_json_key(json, "fields");
    tv_json_open_array(json);
    put_field(json, "method", "Method", "unique-string");
    if (has_cpu)
        put_field(json, "cpu", "CPU time", "nanoseconds");
    put_field(json, "note", "Note", "string");
    tv_json_close_array(json);
    tv_json_key_text(json, "description", "The 256 longest calls of the thread");
    tv_json_key_truth(json, "isStackBased", true);
    tv_json_close_object(json);
    tv_json_close_array(json);
}

/* Says which clock times are on: the profiler shows it where it tells about the profile. */
static void put_clock(struct tv_json *json, enum tv_clock axis)
{
    tv_json_key(json, "extra");
    tv_json_open_array(json);
    tv_json_open_object(json);
    tv_json_key_text(json, "label", "Trace");
    tv_json_key(json, "entries");
    tv_json_open_array(json);
    tv_json_open_object(json);
    tv_json_key_text(json, "label", "Clock");
    tv_json_key_text(json, "format", "string");
    tv_json_key_text(json, "value", axis == TV_CLOCK_WALL ? "wall" : "cpu");
    tv_json_close_object(json);
    tv_json_close_array(json);
    tv_json_close_object(json);
    tv_json_close_array(json);
}

/* A date in milliseconds since 1970, or how long the device had been running. Times of the profile
 * count from there. */
static void put_start(struct tv_json *json, const struct tv_export_context *context)
{
    const uint64_t start_ns = context->index->info->start_time_ns;
    const enum tv_start_clock clock = tv_export_context_start_clock(context);
    tv_json_key_u64(json, "startTime", clock == TV_START_DATE ? start_ns / TV_NS_PER_MS : 0);
    if (clock == TV_START_MONOTONIC)
        tv_json_key_u64(json, "startTimeAsClockMonotonicNanosecondsSinceBoot", start_ns);
}

/* The first thread, which is the busiest, is the one that is chosen: the profiler's own choice goes
 * by numbers of samples, which say nothing of these. */
static void put_first_thread(struct tv_json *json, const struct tv_export_context *context)
{
    bool has_thread = false;
    for (uint32_t i = 0; i < tv_export_context_thread_count(context); i++)
        has_thread |= tv_export_context_ordered(context, i) != TV_NONE;
    if (!has_thread)
        return;
    tv_json_key(json, "initialSelectedThreads");
    tv_json_open_array(json);
    tv_json_u64(json, 0);
    tv_json_close_array(json);
}

/* What stands in front of the tables. */
static enum tv_code put_meta(struct tv_firefox *profiling, struct tv_error *err)
{
    struct tv_json json;
    tv_firefox_put(profiling, TV_STR("{\"meta\":"));
    tv_json_init(&json, tv_out_sink(profiling->out));
    tv_json_open_object(&json);
    tv_json_key_str(&json, "product", profiling->context->names.file);
    tv_json_key_text(&json, "importedFrom", "traceview");
    tv_json_key_u64(&json, "interval", 1);
    put_start(&json, profiling->context);
    tv_json_key_u64(&json, "processType", 0);
    tv_json_key_u64(&json, "stackwalk", 1);
    tv_json_key_u64(&json, "version", GECKO_VERSION);
    tv_json_key_u64(&json, "preprocessedProfileVersion", PROCESSED_VERSION);
    tv_json_key_truth(&json, "symbolicated", true);
    tv_json_key_truth(&json, "symbolicationNotSupported", true);
    tv_json_key_truth(&json, "usesOnlyOneStackType", true);
    tv_json_key_truth(&json, "sourceCodeIsNotOnSearchfox", true);
    tv_json_key_truth(&json, "keepProfileThreadOrder", true);
    put_first_thread(&json, profiling->context);
    tv_json_key(&json, "categories");
    tv_firefox_categories_put(&profiling->categories, &json);
    tv_json_key(&json, "sampleUnits");
    tv_json_open_object(&json);
    tv_json_key_text(&json, "time", "ms");
    tv_json_key_text(&json, "eventDelay", "ms");
    tv_json_key_text(&json, "threadCPUDelta", "ns");
    tv_json_close_object(&json);
    put_schema(&json, profiling->has_cpu);
    put_clock(&json, profiling->axis);
    tv_json_close_object(&json);
    return tv_json_finish(&json, err);
}

static enum tv_code put_profile(struct tv_firefox *profiling, struct tv_error *err)
{
    TV_TRY(tv_shown_methods_find(&profiling->methods, profiling->context, err));
    TV_TRY(tv_firefox_categories_find(&profiling->categories, &profiling->context->names,
                                      profiling->context->alloc, err));
    TV_TRY(tv_firefox_number_files(profiling, err));
    TV_TRY(tv_firefox_number_stacks(profiling, err));
    TV_TRY(put_meta(profiling, err));
    TV_TRY(tv_firefox_put_shared(profiling, err));
    return tv_firefox_put_threads(profiling, err);
}

/* The tables of names and stacks come before all threads, which refer to them by number: so the
 * whole trace is numbered first and written then. */
static enum tv_code write_firefox(struct tv_export_context *context, struct tv_error *err)
{
    const struct tv_index *index = context->index;
    struct tv_firefox profiling = {
        .context = context, .out = &context->out, .axis = tv_index_axis(index)};
    profiling.has_cpu = profiling.axis == TV_CLOCK_WALL && index->info->has_clock[TV_CLOCK_CPU];
    tv_shown_methods_init(&profiling.methods, context->alloc);
    tv_segment_walk_init(&profiling.walk, context->alloc);
    tv_text_map_init(&profiling.file_of_name, context->alloc);
    enum tv_code code = put_profile(&profiling, err);
    tv_alloc_release(context->alloc, &profiling.files, profiling.methods.count,
                     sizeof(*profiling.files));
    tv_alloc_release(context->alloc, &profiling.stack_of, index->node_count,
                     sizeof(*profiling.stack_of));
    tv_text_map_release(&profiling.file_of_name);
    tv_segment_walk_release(&profiling.walk);
    tv_shown_methods_release(&profiling.methods);
    return code;
}

const struct tv_export tv_export_firefox = {
    .name = "firefox",
    .suffix = ".firefox.json",
    .media_type = "application/json",
    .summary = "processed profile, JSON: profiler.firefox.com",
    .is_text = true,
    .held_names = TV_HELD_UTF8,
    .names_files = true,
    .names_processes = true,
    .write = write_firefox,
};
