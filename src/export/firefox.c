/*
 * A processed profile of the Firefox Profiler, version 70: JSON with tables of columns. All threads
 * share one table of stacks, which are the nodes of the index; each thread has samples and markers.
 *
 * A sample is a segment (export/segment_walk.h): it begins where its stack becomes the thread's,
 * its weight is how long the stack stays, and the CPU time since the sample before is that
 * sample's. So the profiler adds up exact times. A last sample without a stack ends a thread. The
 * columns of the samples are written one after the other, each by a walk of its own. Markers are
 * the longest calls of a thread.
 *
 * Times are milliseconds on the axis clock, CPU times nanoseconds. Source: the types of
 * profiles, and the list of changes to formats, in the repository firefox-devtools/profiler.
 */
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/str.h"
#include "base/text_map.h"
#include "export/exporting.h"
#include "export/formats.h"
#include "export/longest_calls.h"
#include "export/segment_walk.h"
#include "export/shown_methods.h"

#define PROCESSED_VERSION 70u
/* That of the browser's own profiles at the same time. */
#define GECKO_VERSION 36u
/* Digits of a nanosecond in milliseconds. */
#define MS_PLACES 6u
/* A call makes two segments, and each stands in four columns. */
#define SAMPLES_A_CALL 8u
/* A marker that has a start and an end. */
#define MARKER_INTERVAL TV_STR("1")

struct profiling {
    struct tv_exporting *exporting;
    struct tv_out *out;
    struct tv_shown_methods methods;
    struct tv_segment_walk walk;
    struct tv_longest_calls longest;
    struct tv_text_map file_of_name; /* number of a source file */
    struct tv_str *files;            /* file_count of them, room for one per method */
    uint32_t *stack_of;              /* one per node of the index: its number; TV_NONE: not shown */
    uint32_t file_count;
    uint32_t stack_count;
    enum tv_clock axis;
    bool has_cpu; /* beside the axis */
};

static void put(struct profiling *profiling, struct tv_str text)
{
    tv_out_text(profiling->out, text);
}

static void put_comma(struct profiling *profiling, bool is_first)
{
    if (!is_first)
        put(profiling, TV_STR(","));
}

static enum tv_code put_quoted(struct profiling *profiling, struct tv_str text,
                               struct tv_error *err)
{
    struct tv_json json;
    tv_json_init(&json, tv_out_sink(profiling->out));
    tv_json_str(&json, text);
    return tv_json_finish(&json, err);
}

/* A column that has the same value in all rows. */
static void put_same(struct profiling *profiling, struct tv_str key, struct tv_str value,
                     uint32_t count)
{
    put(profiling, key);
    put(profiling, TV_STR("["));
    for (uint32_t i = 0; i < count; i++) {
        put_comma(profiling, !i);
        put(profiling, value);
    }
    put(profiling, TV_STR("],\n"));
}

/* A column of row numbers. */
static void put_numbers(struct profiling *profiling, struct tv_str key, uint32_t count)
{
    put(profiling, key);
    put(profiling, TV_STR("["));
    for (uint32_t i = 0; i < count; i++) {
        put_comma(profiling, !i);
        tv_out_decimal(profiling->out, i);
    }
    put(profiling, TV_STR("],\n"));
}

static void put_length(struct profiling *profiling, uint32_t count)
{
    put(profiling, TV_STR("\"length\":"));
    tv_out_decimal(profiling->out, count);
    put(profiling, TV_STR("}"));
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

/* What stands in front of the tables. */
static enum tv_code put_meta(struct profiling *profiling, struct tv_error *err)
{
    struct tv_json json;
    put(profiling, TV_STR("{\"meta\":"));
    tv_json_init(&json, tv_out_sink(profiling->out));
    tv_json_open_object(&json);
    tv_json_key_str(&json, "product", profiling->exporting->names.file);
    tv_json_key_text(&json, "importedFrom", "traceview");
    tv_json_key_u64(&json, "interval", 1);
    tv_json_key_u64(&json, "startTime", 0);
    tv_json_key_u64(&json, "processType", 0);
    tv_json_key_u64(&json, "stackwalk", 1);
    tv_json_key_u64(&json, "version", GECKO_VERSION);
    tv_json_key_u64(&json, "preprocessedProfileVersion", PROCESSED_VERSION);
    tv_json_key_truth(&json, "symbolicated", true);
    tv_json_key_truth(&json, "symbolicationNotSupported", true);
    tv_json_key_truth(&json, "usesOnlyOneStackType", true);
    tv_json_key_truth(&json, "sourceCodeIsNotOnSearchfox", true);
    tv_json_key_truth(&json, "keepProfileThreadOrder", true);
    tv_json_key(&json, "categories");
    tv_json_open_array(&json);
    tv_json_open_object(&json);
    tv_json_key_text(&json, "name", "Other");
    tv_json_key_text(&json, "color", "grey");
    tv_json_key(&json, "subcategories");
    tv_json_open_array(&json);
    tv_json_text(&json, "Other");
    tv_json_close_array(&json);
    tv_json_close_object(&json);
    tv_json_close_array(&json);
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

/* Numbers the source files of the methods. */
static enum tv_code number_files(struct profiling *profiling, struct tv_error *err)
{
    const struct tv_shown_methods *methods = &profiling->methods;
    TV_TRY(tv_alloc_new(profiling->exporting->alloc, &profiling->files, methods->count,
                        sizeof(*profiling->files), err));
    for (uint32_t i = 0; i < methods->count; i++) {
        struct tv_str file = profiling->exporting->names.methods[methods->methods[i]].file;
        uint32_t *number;
        if (!file.len)
            continue;
        TV_TRY(
            tv_text_map_slot(&profiling->file_of_name, file, profiling->file_count, &number, err));
        if (*number == profiling->file_count)
            profiling->files[profiling->file_count++] = file;
    }
    return TV_OK;
}

static enum tv_code put_strings(struct profiling *profiling, struct tv_error *err)
{
    const struct tv_shown_methods *methods = &profiling->methods;
    const struct tv_export_names *names = &profiling->exporting->names;
    struct tv_buffer name;
    enum tv_code code = TV_OK;
    tv_buffer_init(&name, profiling->exporting->alloc);
    put(profiling, TV_STR("\"stringArray\":["));
    for (uint32_t i = 0; i < methods->count && code == TV_OK; i++) {
        code = tv_export_whole_name(&names->methods[methods->methods[i]], &name, err);
        put_comma(profiling, !i);
        if (code == TV_OK)
            code = put_quoted(profiling, tv_buffer_view(&name), err);
    }
    for (uint32_t i = 0; i < profiling->file_count && code == TV_OK; i++) {
        put_comma(profiling, !i && !methods->count);
        code = put_quoted(profiling, profiling->files[i], err);
    }
    put_comma(profiling, !methods->count);
    put(profiling, TV_STR("\"Long call\"],\n"));
    tv_buffer_release(&name);
    return code;
}

/* Files have the strings behind those of the methods. */
static void put_sources(struct profiling *profiling)
{
    const uint32_t count = profiling->file_count;
    put(profiling, TV_STR("\"sources\":{\"filename\":["));
    for (uint32_t i = 0; i < count; i++) {
        put_comma(profiling, !i);
        tv_out_decimal(profiling->out, profiling->methods.count + i);
    }
    put(profiling, TV_STR("],\n"));
    put_same(profiling, TV_STR("\"id\":"), TV_STR("null"), count);
    put_same(profiling, TV_STR("\"startLine\":"), TV_STR("1"), count);
    put_same(profiling, TV_STR("\"startColumn\":"), TV_STR("1"), count);
    put_same(profiling, TV_STR("\"sourceMapURL\":"), TV_STR("null"), count);
    put_same(profiling, TV_STR("\"content\":"), TV_STR("null"), count);
    put_length(profiling, count);
    put(profiling, TV_STR(",\n\"sourceLocationTable\":"
                          "{\"source\":[],\"line\":[],\"column\":[],\"length\":0},\n"));
}

/* A method is a function, and a frame of it: a trace says where a method begins, and not where it
 * was. */
static void put_functions(struct profiling *profiling)
{
    const uint32_t count = profiling->methods.count;
    put_numbers(profiling, TV_STR("\"frameTable\":{\"func\":"), count);
    put_same(profiling, TV_STR("\"address\":"), TV_STR("-1"), count);
    put_same(profiling, TV_STR("\"lib\":"), TV_STR("-1"), count);
    put_same(profiling, TV_STR("\"inlineDepth\":"), TV_STR("0"), count);
    put_same(profiling, TV_STR("\"category\":"), TV_STR("0"), count);
    put_same(profiling, TV_STR("\"subcategory\":"), TV_STR("0"), count);
    put_same(profiling, TV_STR("\"nativeSymbol\":"), TV_STR("null"), count);
    put_same(profiling, TV_STR("\"innerWindowID\":"), TV_STR("0"), count);
    put_same(profiling, TV_STR("\"line\":"), TV_STR("null"), count);
    put_same(profiling, TV_STR("\"column\":"), TV_STR("null"), count);
    put_same(profiling, TV_STR("\"originalLocation\":"), TV_STR("null"), count);
    put_length(profiling, count);
    put_numbers(profiling, TV_STR(",\n\"funcTable\":{\"name\":"), count);
    put_same(profiling, TV_STR("\"isJS\":"), TV_STR("false"), count);
    put_same(profiling, TV_STR("\"relevantForJS\":"), TV_STR("false"), count);
    put_same(profiling, TV_STR("\"resource\":"), TV_STR("-1"), count);
    put_same(profiling, TV_STR("\"columnNumber\":"), TV_STR("null"), count);
    put_same(profiling, TV_STR("\"originalLocation\":"), TV_STR("null"), count);
}

/* The two columns of functions that differ between methods. */
static enum tv_code put_places(struct profiling *profiling, struct tv_error *err)
{
    const struct tv_shown_methods *methods = &profiling->methods;
    const struct tv_export_method *named = profiling->exporting->names.methods;
    put(profiling, TV_STR("\"source\":["));
    for (uint32_t i = 0; i < methods->count; i++) {
        struct tv_str file = named[methods->methods[i]].file;
        uint32_t *number;
        put_comma(profiling, !i);
        if (!file.len) {
            put(profiling, TV_STR("null"));
            continue;
        }
        TV_TRY(tv_text_map_slot(&profiling->file_of_name, file, 0, &number, err));
        tv_out_decimal(profiling->out, *number);
    }
    put(profiling, TV_STR("],\n\"lineNumber\":["));
    for (uint32_t i = 0; i < methods->count; i++) {
        int32_t line = named[methods->methods[i]].line;
        put_comma(profiling, !i);
        if (line > 0)
            tv_out_decimal(profiling->out, (uint64_t)line);
        else
            put(profiling, TV_STR("null"));
    }
    put(profiling, TV_STR("],\n"));
    put_length(profiling, methods->count);
    return TV_OK;
}

/* The nearest caller of a node that is shown, in the numbering of the sums. */
static uint32_t shown_parent(const struct tv_sums *sums, uint32_t node)
{
    for (node = sums->parent[node]; node != TV_NONE; node = sums->parent[node]) {
        if (tv_sums_is_touched(sums, node))
            return node;
    }
    return TV_NONE;
}

static uint32_t index_node(const struct tv_sums *sums, uint32_t node)
{
    return sums->index_node ? sums->index_node[node] : node;
}

/* Writes one column of the stacks: the method's number, or how many stacks the caller stands
 * before its callee, 0 for a root. */
static void put_stack_column(struct profiling *profiling, bool is_frame)
{
    const struct tv_sums *sums = &profiling->exporting->stacks.sums;
    uint32_t number = 0;
    for (uint32_t i = 0; i < tv_exporting_thread_count(profiling->exporting); i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++) {
            if (!tv_sums_is_touched(sums, node))
                continue;
            put_comma(profiling, !number);
            uint32_t parent = is_frame ? TV_NONE : shown_parent(sums, node);
            uint32_t value = is_frame ? profiling->methods.number_of[sums->method[node]] : 0;
            if (parent != TV_NONE)
                value = number - profiling->stack_of[index_node(sums, parent)];
            tv_out_decimal(profiling->out, value);
            number++;
        }
    }
}

static enum tv_code number_stacks(struct profiling *profiling, struct tv_error *err)
{
    const struct tv_sums *sums = &profiling->exporting->stacks.sums;
    TV_TRY(tv_alloc_new(profiling->exporting->alloc, &profiling->stack_of,
                        profiling->exporting->index->node_count, sizeof(*profiling->stack_of),
                        err));
    for (uint32_t node = 0; node < profiling->exporting->index->node_count; node++)
        profiling->stack_of[node] = TV_NONE;
    for (uint32_t i = 0; i < tv_exporting_thread_count(profiling->exporting); i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++) {
            if (tv_sums_is_touched(sums, node))
                profiling->stack_of[index_node(sums, node)] = profiling->stack_count++;
        }
    }
    return TV_OK;
}

static enum tv_code put_shared(struct profiling *profiling, struct tv_error *err)
{
    put(profiling, TV_STR(",\"libs\":[],\n\"shared\":{"));
    TV_TRY(put_strings(profiling, err));
    put_sources(profiling);
    put_functions(profiling);
    TV_TRY(put_places(profiling, err));
    put(profiling,
        TV_STR(",\n\"resourceTable\":{\"name\":[],\"host\":[],\"type\":[],\"length\":0},\n"
               "\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],"
               "\"functionSize\":[],\"length\":0},\n"
               "\"stackTable\":{\"frame\":["));
    put_stack_column(profiling, true);
    put(profiling, TV_STR("],\n\"prefixOffset\":["));
    put_stack_column(profiling, false);
    put(profiling, TV_STR("],\n"));
    put_length(profiling, profiling->stack_count);
    put(profiling, TV_STR("},\n"));
    return TV_OK;
}

/* Writes a sample's cell of one column; `before_ns` is when the sample before began. */
typedef void (*put_cell)(struct profiling *profiling, const struct tv_segment *segment,
                         const uint64_t before_ns[TV_CLOCK_COUNT]);

static void put_stack(struct profiling *profiling, const struct tv_segment *segment,
                      const uint64_t before_ns[TV_CLOCK_COUNT])
{
    (void)before_ns;
    if (segment->node == TV_NONE)
        put(profiling, TV_STR("null"));
    else
        tv_out_decimal(profiling->out, profiling->stack_of[segment->node]);
}

static void put_delta(struct profiling *profiling, const struct tv_segment *segment,
                      const uint64_t before_ns[TV_CLOCK_COUNT])
{
    enum tv_clock axis = profiling->axis;
    tv_out_fraction(profiling->out, segment->from_ns[axis] - before_ns[axis], MS_PLACES);
}

static void put_weight(struct profiling *profiling, const struct tv_segment *segment,
                       const uint64_t before_ns[TV_CLOCK_COUNT])
{
    (void)before_ns;
    enum tv_clock axis = profiling->axis;
    tv_out_fraction(profiling->out, segment->to_ns[axis] - segment->from_ns[axis], MS_PLACES);
}

static void put_cpu_delta(struct profiling *profiling, const struct tv_segment *segment,
                          const uint64_t before_ns[TV_CLOCK_COUNT])
{
    tv_out_decimal(profiling->out, segment->from_ns[TV_CLOCK_CPU] - before_ns[TV_CLOCK_CPU]);
}

/* Writes one column of a thread's samples, and counts them. */
static enum tv_code put_column(struct profiling *profiling, uint32_t thread_ix, struct tv_str key,
                               put_cell put_one, uint64_t *count, struct tv_error *err)
{
    uint64_t before_ns[TV_CLOCK_COUNT] = {0};
    TV_TRY(tv_segment_walk_begin(&profiling->walk, profiling->exporting, thread_ix, err));
    put(profiling, key);
    put(profiling, TV_STR("["));
    *count = 0;
    for (bool has_more = true; has_more;) {
        struct tv_segment segment;
        has_more = tv_segment_walk_next(&profiling->walk, &segment);
        if (!has_more && !*count)
            break;
        if (!*count)
            before_ns[TV_CLOCK_CPU] = segment.from_ns[TV_CLOCK_CPU];
        put_comma(profiling, !*count);
        put_one(profiling, &segment, before_ns);
        memcpy(before_ns, segment.from_ns, sizeof(before_ns));
        (*count)++;
        if (*count % SAMPLES_A_CALL == 0)
            TV_TRY(tv_exporting_tell(profiling->exporting, 1, err));
    }
    put(profiling, TV_STR("],\n"));
    return TV_OK;
}

static enum tv_code put_samples(struct profiling *profiling, uint32_t thread_ix,
                                struct tv_error *err)
{
    uint64_t count;
    profiling->longest.axis = profiling->axis;
    profiling->longest.count = 0;
    profiling->walk.longest = &profiling->longest;
    TV_TRY(put_column(profiling, thread_ix, TV_STR("\"samples\":{\"stack\":"), put_stack, &count,
                      err));
    profiling->walk.longest = NULL;
    TV_TRY(put_column(profiling, thread_ix, TV_STR("\"timeDeltas\":"), put_delta, &count, err));
    TV_TRY(put_column(profiling, thread_ix, TV_STR("\"weight\":"), put_weight, &count, err));
    if (profiling->has_cpu)
        TV_TRY(put_column(profiling, thread_ix, TV_STR("\"threadCPUDelta\":"), put_cpu_delta,
                          &count, err));
    put(profiling, TV_STR("\"weightType\":\"tracing-ms\",\"length\":"));
    tv_out_decimal(profiling->out, count);
    put(profiling, TV_STR("},\n"));
    return TV_OK;
}

/* What a marker says beside its time. */
static void put_marker_data(struct profiling *profiling, const struct tv_call_event *call)
{
    put(profiling, TV_STR("{\"type\":\"Long call\",\"method\":"));
    tv_out_decimal(profiling->out, profiling->methods.number_of[call->method]);
    if (profiling->has_cpu) {
        put(profiling, TV_STR(",\"cpu\":"));
        tv_out_decimal(profiling->out, call->end_ns[TV_CLOCK_CPU] - call->start_ns[TV_CLOCK_CPU]);
    }
    if (call->is_cut)
        put(profiling, TV_STR(",\"note\":\"cut by the range\""));
    else if (call->is_open_at_end)
        put(profiling, TV_STR(",\"note\":\"open at the end\""));
    else if (call->is_adopted)
        put(profiling, TV_STR(",\"note\":\"began before the trace\""));
    put(profiling, TV_STR("}"));
}

static void put_marker_times(struct profiling *profiling)
{
    const struct tv_longest_calls *longest = &profiling->longest;
    for (unsigned is_end = 0; is_end < 2; is_end++) {
        put(profiling, is_end ? TV_STR("\"endTime\":[") : TV_STR("\"startTime\":["));
        for (size_t i = 0; i < longest->count; i++) {
            const struct tv_call_event *call = &longest->calls[i];
            put_comma(profiling, !i);
            tv_out_fraction(profiling->out,
                            (is_end ? call->end_ns : call->start_ns)[profiling->axis], MS_PLACES);
        }
        put(profiling, TV_STR("],\n"));
    }
}

static void put_markers(struct profiling *profiling)
{
    tv_longest_calls_sort(&profiling->longest);
    const uint32_t count = (uint32_t)profiling->longest.count;
    put(profiling, TV_STR("\"markers\":{\"data\":["));
    for (uint32_t i = 0; i < count; i++) {
        put_comma(profiling, !i);
        put_marker_data(profiling, &profiling->longest.calls[i]);
    }
    put(profiling, TV_STR("],\n\"name\":["));
    for (uint32_t i = 0; i < count; i++) {
        put_comma(profiling, !i);
        tv_out_decimal(profiling->out, profiling->methods.count + profiling->file_count);
    }
    put(profiling, TV_STR("],\n"));
    put_marker_times(profiling);
    put_same(profiling, TV_STR("\"phase\":"), MARKER_INTERVAL, count);
    put_same(profiling, TV_STR("\"category\":"), TV_STR("0"), count);
    put_length(profiling, count);
}

/* Who the thread is. Process ids are texts. */
static enum tv_code put_thread_head(struct profiling *profiling, uint32_t thread_ix,
                                    struct tv_error *err)
{
    const struct tv_exporting *exporting = profiling->exporting;
    const struct tv_index_thread *thread = &exporting->index->threads[thread_ix];
    const uint64_t pid = tv_export_pid(&exporting->names, exporting->index, thread_ix);
    const struct tv_str name = exporting->names.threads[thread_ix];
    bool is_main = tv_str_equal(name, TV_STR("main")) || thread->id == pid;
    put(profiling, TV_STR("{\"processType\":\"default\",\"processStartupTime\":0,"
                          "\"processShutdownTime\":null,\"registerTime\":0,"
                          "\"unregisterTime\":null,\"pausedRanges\":[],\"name\":"));
    TV_TRY(put_quoted(profiling, name, err));
    if (thread->process != TV_NONE) {
        put(profiling, TV_STR(",\"processName\":"));
        TV_TRY(put_quoted(profiling, exporting->names.processes[thread->process], err));
    }
    put(profiling, is_main ? TV_STR(",\"isMainThread\":true,\"pid\":\"")
                           : TV_STR(",\"isMainThread\":false,\"pid\":\""));
    tv_out_decimal(profiling->out, pid);
    put(profiling, TV_STR("\",\"tid\":"));
    tv_out_decimal(profiling->out, thread->id);
    put(profiling, TV_STR(",\n"));
    return TV_OK;
}

static enum tv_code put_threads(struct profiling *profiling, struct tv_error *err)
{
    const struct tv_exporting *exporting = profiling->exporting;
    bool is_first = true;
    put(profiling, TV_STR("\"threads\":["));
    for (uint32_t i = 0; i < tv_exporting_thread_count(exporting); i++) {
        uint32_t thread_ix = tv_exporting_thread(exporting, i);
        if (thread_ix == TV_NONE)
            continue;
        put_comma(profiling, is_first);
        is_first = false;
        TV_TRY(put_thread_head(profiling, thread_ix, err));
        TV_TRY(put_samples(profiling, thread_ix, err));
        put_markers(profiling);
        put(profiling, TV_STR("}\n"));
    }
    put(profiling, TV_STR("]}\n"));
    return TV_OK;
}

static enum tv_code put_profile(struct profiling *profiling, struct tv_error *err)
{
    TV_TRY(tv_shown_methods_find(&profiling->methods, profiling->exporting, err));
    TV_TRY(number_files(profiling, err));
    TV_TRY(number_stacks(profiling, err));
    TV_TRY(put_meta(profiling, err));
    TV_TRY(put_shared(profiling, err));
    return put_threads(profiling, err);
}

static enum tv_code write_firefox(struct tv_exporting *exporting, struct tv_error *err)
{
    const struct tv_index *index = exporting->index;
    struct profiling profiling = {
        .exporting = exporting, .out = &exporting->out, .axis = tv_index_axis(index)};
    profiling.has_cpu = profiling.axis == TV_CLOCK_WALL && index->info->has_clock[TV_CLOCK_CPU];
    tv_shown_methods_init(&profiling.methods, exporting->alloc);
    tv_segment_walk_init(&profiling.walk, exporting->alloc);
    tv_text_map_init(&profiling.file_of_name, exporting->alloc);
    enum tv_code code = put_profile(&profiling, err);
    tv_alloc_release(exporting->alloc, &profiling.files, profiling.methods.count,
                     sizeof(*profiling.files));
    tv_alloc_release(exporting->alloc, &profiling.stack_of, index->node_count,
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
    .write = write_firefox,
};
