/*
 * Threads of a profile; see export/tools/firefox.h.
 *
 * Each column of the samples is written by a walk of its own over the segments of the thread, so no
 * segment is kept in memory. The first of these walks also finds the longest calls, which become
 * the thread's markers.
 */
#include <string.h>

#include "base/error.h"
#include "base/text/json.h"
#include "export/tools/firefox.h"

/* Digits of a nanosecond in milliseconds. */
#define MS_PLACES 6u
/* A call makes two segments, and each stands in four columns. */
#define SAMPLES_A_CALL 8u
/* A marker that has a start and an end. */
#define MARKER_INTERVAL TV_STR("1")

/* Writes a sample's cell of one column; `before_ns` is when the sample before began. */
typedef void (*put_cell)(struct tv_firefox *profiling, const struct tv_shown_segment *segment,
                         const uint64_t before_ns[TV_CLOCK_COUNT]);

static void put_stack(struct tv_firefox *profiling, const struct tv_shown_segment *segment,
                      const uint64_t before_ns[TV_CLOCK_COUNT])
{
    (void)before_ns;
    if (segment->node == TV_NONE)
        tv_firefox_put(profiling, TV_STR("null"));
    else
        tv_out_decimal(profiling->out, profiling->stack_of[segment->node]);
}

static void put_delta(struct tv_firefox *profiling, const struct tv_shown_segment *segment,
                      const uint64_t before_ns[TV_CLOCK_COUNT])
{
    enum tv_clock axis = profiling->axis;
    tv_out_fraction(profiling->out, segment->from_ns[axis] - before_ns[axis], MS_PLACES);
}

static void put_weight(struct tv_firefox *profiling, const struct tv_shown_segment *segment,
                       const uint64_t before_ns[TV_CLOCK_COUNT])
{
    (void)before_ns;
    enum tv_clock axis = profiling->axis;
    tv_out_fraction(profiling->out, segment->to_ns[axis] - segment->from_ns[axis], MS_PLACES);
}

static void put_cpu_delta(struct tv_firefox *profiling, const struct tv_shown_segment *segment,
                          const uint64_t before_ns[TV_CLOCK_COUNT])
{
    tv_out_decimal(profiling->out, segment->from_ns[TV_CLOCK_CPU] - before_ns[TV_CLOCK_CPU]);
}

/* Writes one column of a thread's samples, and counts them. */
static enum tv_code put_column(struct tv_firefox *profiling, uint32_t thread_ix, struct tv_str key,
                               put_cell put_one, uint64_t *count, struct tv_error *err)
{
    uint64_t before_ns[TV_CLOCK_COUNT] = {0};
    TV_TRY(tv_segment_walk_begin(&profiling->walk, profiling->context, thread_ix, err));
    tv_firefox_put(profiling, key);
    tv_firefox_put(profiling, TV_STR("["));
    *count = 0;
    for (bool has_more = true; has_more;) {
        struct tv_shown_segment segment;
        has_more = tv_segment_walk_next(&profiling->walk, &segment);
        if (!has_more && !*count)
            break;
        if (!*count)
            before_ns[TV_CLOCK_CPU] = segment.from_ns[TV_CLOCK_CPU];
        tv_firefox_put_comma(profiling, !*count);
        put_one(profiling, &segment, before_ns);
        memcpy(before_ns, segment.from_ns, sizeof(before_ns));
        (*count)++;
        if (*count % SAMPLES_A_CALL == 0)
            TV_TRY(tv_export_context_tell(profiling->context, 1, err));
    }
    tv_firefox_put(profiling, TV_STR("],\n"));
    return TV_OK;
}

/* One walk for each column: a column is written whole before the next begins, and a walk needs no
 * memory for its rows. The longest calls are collected by the first walk. */
static enum tv_code put_samples(struct tv_firefox *profiling, uint32_t thread_ix,
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
    tv_firefox_put(profiling, TV_STR("\"weightType\":\"tracing-ms\",\"length\":"));
    tv_out_decimal(profiling->out, count);
    tv_firefox_put(profiling, TV_STR("},\n"));
    return TV_OK;
}

/* What a marker says beside its time. */
static void put_marker_data(struct tv_firefox *profiling, const struct tv_call_event *call)
{
    tv_firefox_put(profiling, TV_STR("{\"type\":\"Long call\",\"method\":"));
    tv_out_decimal(profiling->out, profiling->methods.number_of[call->method]);
    if (profiling->has_cpu) {
        tv_firefox_put(profiling, TV_STR(",\"cpu\":"));
        tv_out_decimal(profiling->out, call->end_ns[TV_CLOCK_CPU] - call->start_ns[TV_CLOCK_CPU]);
    }
    if (call->is_cut)
        tv_firefox_put(profiling, TV_STR(",\"note\":\"cut by the range\""));
    else if (call->is_open_at_end)
        tv_firefox_put(profiling, TV_STR(",\"note\":\"open at the end\""));
    else if (call->is_adopted)
        tv_firefox_put(profiling, TV_STR(",\"note\":\"began before the trace\""));
    tv_firefox_put(profiling, TV_STR("}"));
}

/* All starts, then all ends, because tables are columns. */
static void put_marker_times(struct tv_firefox *profiling)
{
    const struct tv_longest_calls *longest = &profiling->longest;
    for (unsigned is_end = 0; is_end < 2; is_end++) {
        tv_firefox_put(profiling, is_end ? TV_STR("\"endTime\":[") : TV_STR("\"startTime\":["));
        for (size_t i = 0; i < longest->count; i++) {
            const struct tv_call_event *call = &longest->calls[i];
            tv_firefox_put_comma(profiling, !i);
            tv_out_fraction(profiling->out,
                            (is_end ? call->end_ns : call->start_ns)[profiling->axis], MS_PLACES);
        }
        tv_firefox_put(profiling, TV_STR("],\n"));
    }
}

/* Only the longest calls are markers (export/walk/longest_calls.h). */
static void put_markers(struct tv_firefox *profiling)
{
    tv_longest_calls_sort(&profiling->longest);
    const uint32_t count = (uint32_t)profiling->longest.count;
    tv_firefox_put(profiling, TV_STR("\"markers\":{\"data\":["));
    for (uint32_t i = 0; i < count; i++) {
        tv_firefox_put_comma(profiling, !i);
        put_marker_data(profiling, &profiling->longest.calls[i]);
    }
    tv_firefox_put(profiling, TV_STR("],\n\"name\":["));
    for (uint32_t i = 0; i < count; i++) {
        tv_firefox_put_comma(profiling, !i);
        tv_out_decimal(profiling->out, profiling->methods.count + profiling->file_count);
    }
    tv_firefox_put(profiling, TV_STR("],\n"));
    put_marker_times(profiling);
    tv_firefox_put_same(profiling, TV_STR("\"phase\":"), MARKER_INTERVAL, count);
    tv_firefox_put(profiling, TV_STR("\"category\":["));
    for (uint32_t i = 0; i < count; i++) {
        tv_firefox_put_comma(profiling, !i);
        tv_out_decimal(profiling->out,
                       tv_firefox_category_of(profiling, profiling->longest.calls[i].method));
    }
    tv_firefox_put(profiling, TV_STR("],\n"));
    tv_firefox_put_length(profiling, count);
}

/* Who the thread is. Process ids are texts. */
static enum tv_code put_thread_head(struct tv_firefox *profiling, uint32_t thread_ix,
                                    struct tv_error *err)
{
    const struct tv_export_context *context = profiling->context;
    const struct tv_index_thread *thread = &context->index->threads[thread_ix];
    const uint64_t pid = tv_export_shown_pid(&context->names, context->index, thread_ix);
    const struct tv_str name = context->names.threads[thread_ix];
    bool is_main = tv_str_equal(name, TV_STR("main")) || thread->id == pid;
    tv_firefox_put(profiling, TV_STR("{\"processType\":\"default\",\"processStartupTime\":0,"
                                     "\"processShutdownTime\":null,\"registerTime\":0,"
                                     "\"unregisterTime\":null,\"pausedRanges\":[],\"name\":"));
    TV_TRY(tv_firefox_put_quoted(profiling, name, err));
    struct tv_str process_name = tv_export_process_name(&context->names, context->index, thread_ix);
    if (process_name.len) {
        tv_firefox_put(profiling, TV_STR(",\"processName\":"));
        TV_TRY(tv_firefox_put_quoted(profiling, process_name, err));
    }
    tv_firefox_put(profiling, is_main ? TV_STR(",\"isMainThread\":true,\"pid\":\"")
                                      : TV_STR(",\"isMainThread\":false,\"pid\":\""));
    tv_out_decimal(profiling->out, pid);
    tv_firefox_put(profiling, TV_STR("\",\"tid\":"));
    tv_out_decimal(profiling->out, thread->id);
    tv_firefox_put(profiling, TV_STR(",\n"));
    return TV_OK;
}

/* A thread outside the part is left out, and commas go by what was written. */
enum tv_code tv_firefox_put_threads(struct tv_firefox *profiling, struct tv_error *err)
{
    const struct tv_export_context *context = profiling->context;
    bool is_first = true;
    tv_firefox_put(profiling, TV_STR("\"threads\":["));
    for (uint32_t i = 0; i < tv_export_context_thread_count(context); i++) {
        uint32_t thread_ix = tv_export_context_ordered(context, i);
        if (thread_ix == TV_NONE)
            continue;
        tv_firefox_put_comma(profiling, is_first);
        is_first = false;
        TV_TRY(put_thread_head(profiling, thread_ix, err));
        TV_TRY(put_samples(profiling, thread_ix, err));
        put_markers(profiling);
        tv_firefox_put(profiling, TV_STR("}\n"));
    }
    tv_firefox_put(profiling, TV_STR("]}\n"));
    return TV_OK;
}
