/*
 * A Perfetto trace: two track events for each call, its begin and its end, on a track for each
 * thread. What ui.perfetto.dev and its trace processor read.
 *
 * Packets of a thread stand together, in the order of time, and are a sequence of their own: names
 * are interned in it when they are first used, and all that its events have in common stands in its
 * first packet. Readers sort the sequences into one order, and keep the order of events of equal
 * times.
 *
 * Source: protos/perfetto/trace of the Perfetto project, and how its trace processor reads them.
 */
#include "base/bytes/protobuf_out.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/str.h"
#include "export/export_context.h"
#include "export/formats.h"
#include "export/walk/call_walk.h"

/*
 * Times are nanoseconds on the axis clock. Where the trace says when it began, a first packet makes
 * that clock the trace's own, monotonic or the date, and times are absolute on it, as Perfetto
 * reads the plain file: so both stand beside a system trace where they belong. Else times count
 * from the trace's zero. Events carry the thread's CPU clock as the value of a counter track, from
 * which readers make the CPU time of each slice; it also is an annotation.
 */

/* The trace processor drops slices at depth 512 and deeper, its kMaxDepth, and ends
 * those above in their stead. */
#define LEVELS_MOST 512u

/* Of a trace. */
#define TRACE_PACKET 1u
/* Of a packet. */
#define PACKET_CLOCK_SNAPSHOT 6u
#define PACKET_TIMESTAMP 8u
#define PACKET_SEQUENCE_ID 10u
#define PACKET_TRACK_EVENT 11u
#define PACKET_INTERNED_DATA 12u
#define PACKET_SEQUENCE_FLAGS 13u
#define PACKET_DEFAULTS 59u
#define PACKET_TRACK_DESCRIPTOR 60u
#define PACKET_IS_FIRST_ON_SEQUENCE 87u
/* Sequence flags. */
#define STATE_CLEARED 1u
#define NEEDS_STATE 2u
/* Of a clock snapshot, and of a clock in it. */
#define SNAPSHOT_CLOCKS 1u
#define SNAPSHOT_PRIMARY_CLOCK 2u
#define CLOCK_ID 1u
#define CLOCK_TIMESTAMP 2u
/* Clocks. */
#define CLOCK_REALTIME 1u
#define CLOCK_MONOTONIC 3u
/* Of the defaults of a packet, and of track events. */
#define DEFAULTS_TRACK_EVENT 11u
#define EVENT_DEFAULTS_TRACK_UUID 11u
#define EVENT_DEFAULTS_COUNTER_UUIDS 31u
/* Of a track descriptor. */
#define TRACK_UUID 1u
#define TRACK_PROCESS 3u
#define TRACK_THREAD 4u
#define TRACK_PARENT_UUID 5u
#define TRACK_COUNTER 8u
#define TRACK_DESCRIPTION 14u
/* Of what a track is of. */
#define PROCESS_PID 1u
#define PROCESS_NAME 6u
#define THREAD_PID 1u
#define THREAD_TID 2u
#define THREAD_NAME 5u
#define COUNTER_TYPE 1u
#define COUNTER_THREAD_TIME_NS 1u
/* Of interned data, and of its entries. */
#define INTERNED_EVENT_NAMES 2u
#define INTERNED_ANNOTATION_NAMES 3u
#define INTERNED_SOURCE_LOCATIONS 4u
#define ENTRY_IID 1u
#define ENTRY_NAME 2u
#define SOURCE_FILE_NAME 2u
#define SOURCE_FUNCTION_NAME 3u
#define SOURCE_LINE_NUMBER 4u
/* Of a track event. */
#define EVENT_ANNOTATIONS 4u
#define EVENT_TYPE 9u
#define EVENT_NAME_IID 10u
#define EVENT_COUNTER_VALUES 12u
#define EVENT_SOURCE_LOCATION_IID 34u
#define SLICE_BEGIN 1u
#define SLICE_END 2u
/* Of an annotation. */
#define ANNOTATION_NAME_IID 1u
#define ANNOTATION_BOOL 2u
#define ANNOTATION_UINT 3u

/* Names of annotations, by the numbers under which each sequence interns them. */
enum annotation { CPU_NS = 1, BEGAN_BEFORE, OPEN_AT_END, CUT };
static const char *const annotation_names[] = {[CPU_NS] = "cpu_ns",
                                               [BEGAN_BEFORE] = "began_before",
                                               [OPEN_AT_END] = "open_at_end",
                                               [CUT] = "cut"};

/* The sequence of packets that belong to no thread. */
#define TRACE_SEQUENCE 1u

struct tracking {
    struct tv_export_context *context;
    struct tv_message_out message;
    struct tv_buffer name;
    uint8_t *has_process; /* one per process, and one for the trace's own: its track is written */
    uint32_t *interned; /* one per method: the last sequence that interned its name; 0: none did */
    uint32_t sequence;  /* of the thread that is written */
    enum tv_clock axis;
    uint64_t
        start_ns; /* added to all times of the axis clock; 0: they count from the trace's zero */
    bool has_cpu; /* beside the axis */
};

/* Tracks are numbered from 1: processes first, then each thread, with its counter behind it. */
static uint64_t process_uuid(const struct tv_index *index, uint32_t process_ix)
{
    return 1 + (uint64_t)(process_ix == TV_NONE ? index->process_count : process_ix);
}

static uint64_t thread_uuid(const struct tv_index *index, uint32_t thread_ix)
{
    return process_uuid(index, TV_NONE) + 1 + 2 * (uint64_t)thread_ix;
}

static uint64_t counter_uuid(const struct tv_index *index, uint32_t thread_ix)
{
    return thread_uuid(index, thread_ix) + 1;
}

static void put_given_text(struct tracking *tracking, uint32_t field, struct tv_str text)
{
    if (text.len)
        tv_message_text(&tracking->message, field, text);
}

/* Says which clock all packets are on, and what it showed at the zero of the trace. */
static void put_clock(struct tracking *tracking, uint32_t clock)
{
    struct tv_message_out *message = &tracking->message;
    tv_message_begin(message, TRACE_PACKET);
    tv_message_begin(message, PACKET_CLOCK_SNAPSHOT);
    tv_message_begin(message, SNAPSHOT_CLOCKS);
    tv_message_number(message, CLOCK_ID, clock);
    tv_message_number(message, CLOCK_TIMESTAMP, tracking->start_ns);
    tv_message_end(message);
    tv_message_number(message, SNAPSHOT_PRIMARY_CLOCK, clock);
    tv_message_end(message);
    tv_message_number(message, PACKET_SEQUENCE_ID, TRACE_SEQUENCE);
    tv_message_end(message);
}

/* Times are absolute where the trace says when it began and all threads share the clock. */
static void choose_clock(struct tracking *tracking)
{
    const struct tv_export_context *context = tracking->context;
    const enum tv_start_clock clock = tv_export_context_start_clock(context);
    if (clock == TV_START_UNKNOWN || tracking->axis != TV_CLOCK_WALL)
        return;
    tracking->start_ns = context->index->info->start_time_ns;
    put_clock(tracking, clock == TV_START_DATE ? CLOCK_REALTIME : CLOCK_MONOTONIC);
}

/* A process is described once, before its first thread. */
static void put_process(struct tracking *tracking, uint32_t thread_ix)
{
    const struct tv_export_context *context = tracking->context;
    const struct tv_index *index = context->index;
    struct tv_message_out *message = &tracking->message;
    uint32_t process_ix = index->threads[thread_ix].process;
    uint64_t uuid = process_uuid(index, process_ix);
    if (tracking->has_process[uuid - 1])
        return;
    tracking->has_process[uuid - 1] = 1;
    tv_message_begin(message, TRACE_PACKET);
    tv_message_number(message, PACKET_SEQUENCE_ID, TRACE_SEQUENCE);
    tv_message_begin(message, PACKET_TRACK_DESCRIPTOR);
    tv_message_number(message, TRACK_UUID, uuid);
    tv_message_begin(message, TRACK_PROCESS);
    tv_message_number(message, PROCESS_PID, tv_export_shown_pid(&context->names, index, thread_ix));
    put_given_text(tracking, PROCESS_NAME,
                   tv_export_process_name(&context->names, index, thread_ix));
    tv_message_end(message);
    tv_message_end(message);
    tv_message_end(message);
}

static void put_entry(struct tv_message_out *message, uint32_t field, uint64_t iid,
                      struct tv_str name)
{
    tv_message_begin(message, field);
    tv_message_number(message, ENTRY_IID, iid);
    tv_message_text(message, ENTRY_NAME, name);
    tv_message_end(message);
}

/* What the later packets of the sequence need: names of annotations, and what their events have in
 * common. */
static void put_state(struct tracking *tracking, uint32_t thread_ix)
{
    const struct tv_index *index = tracking->context->index;
    struct tv_message_out *message = &tracking->message;
    tv_message_begin(message, PACKET_INTERNED_DATA);
    for (uint32_t iid = CPU_NS; iid <= CUT; iid++)
        put_entry(message, INTERNED_ANNOTATION_NAMES, iid, tv_str_from(annotation_names[iid]));
    tv_message_end(message);
    tv_message_number(message, PACKET_SEQUENCE_FLAGS, STATE_CLEARED);
    tv_message_begin(message, PACKET_DEFAULTS);
    tv_message_begin(message, DEFAULTS_TRACK_EVENT);
    tv_message_number(message, EVENT_DEFAULTS_TRACK_UUID, thread_uuid(index, thread_ix));
    if (tracking->has_cpu)
        tv_message_number(message, EVENT_DEFAULTS_COUNTER_UUIDS, counter_uuid(index, thread_ix));
    tv_message_end(message);
    tv_message_end(message);
}

/* The first packet of a sequence: the track of its thread. */
static void put_thread_track(struct tracking *tracking, uint32_t thread_ix)
{
    const struct tv_export_context *context = tracking->context;
    const struct tv_index *index = context->index;
    struct tv_message_out *message = &tracking->message;
    tv_message_begin(message, TRACE_PACKET);
    tv_message_number(message, PACKET_SEQUENCE_ID, tracking->sequence);
    put_state(tracking, thread_ix);
    tv_message_begin(message, PACKET_TRACK_DESCRIPTOR);
    tv_message_number(message, TRACK_UUID, thread_uuid(index, thread_ix));
    tv_message_begin(message, TRACK_THREAD);
    tv_message_number(message, THREAD_PID, tv_export_shown_pid(&context->names, index, thread_ix));
    tv_message_number(message, THREAD_TID, index->threads[thread_ix].id);
    put_given_text(tracking, THREAD_NAME, context->names.threads[thread_ix]);
    tv_message_end(message);
    tv_message_number(message, TRACK_PARENT_UUID,
                      process_uuid(index, index->threads[thread_ix].process));
    if (tracking->axis == TV_CLOCK_CPU)
        tv_message_text(message, TRACK_DESCRIPTION, TV_STR("The time is the thread's CPU time."));
    tv_message_end(message);
    tv_message_number(message, PACKET_IS_FIRST_ON_SEQUENCE, true);
    tv_message_end(message);
}

/* CPU time of a thread, as a counter whose values are written with the slices and not as packets of
 * their own. */
static void put_counter_track(struct tracking *tracking, uint32_t thread_ix)
{
    const struct tv_index *index = tracking->context->index;
    struct tv_message_out *message = &tracking->message;
    tv_message_begin(message, TRACE_PACKET);
    tv_message_number(message, PACKET_SEQUENCE_ID, tracking->sequence);
    tv_message_begin(message, PACKET_TRACK_DESCRIPTOR);
    tv_message_number(message, TRACK_UUID, counter_uuid(index, thread_ix));
    tv_message_number(message, TRACK_PARENT_UUID, thread_uuid(index, thread_ix));
    tv_message_begin(message, TRACK_COUNTER);
    tv_message_number(message, COUNTER_TYPE, COUNTER_THREAD_TIME_NS);
    tv_message_end(message);
    tv_message_end(message);
    tv_message_end(message);
}

/* A place in the source has the number of its method, plus one, since 0 stands for none. */
static void put_source(struct tracking *tracking, uint32_t method_ix)
{
    const struct tv_export_method *method = &tracking->context->names.methods[method_ix];
    struct tv_message_out *message = &tracking->message;
    tv_message_begin(message, INTERNED_SOURCE_LOCATIONS);
    tv_message_number(message, ENTRY_IID, (uint64_t)method_ix + 1);
    tv_message_text(message, SOURCE_FILE_NAME, method->file);
    tv_message_text(message, SOURCE_FUNCTION_NAME, method->name);
    if (method->line > 0)
        tv_message_number(message, SOURCE_LINE_NUMBER, (uint64_t)method->line);
    tv_message_end(message);
}

/* Interns what a method is called, under method_ix + 1, where the sequence has not done so yet. */
static enum tv_code intern_method(struct tracking *tracking, uint32_t method_ix,
                                  struct tv_error *err)
{
    struct tv_export_context *context = tracking->context;
    const struct tv_export_method *method = &context->names.methods[method_ix];
    struct tv_message_out *message = &tracking->message;
    if (tracking->interned[method_ix] == tracking->sequence)
        return TV_OK;
    tracking->interned[method_ix] = tracking->sequence;
    TV_TRY(tv_export_whole_name(method, &tracking->name, err));
    tv_message_begin(message, PACKET_INTERNED_DATA);
    tv_message_begin(message, INTERNED_EVENT_NAMES);
    tv_message_number(message, ENTRY_IID, (uint64_t)method_ix + 1);
    tv_message_text(message, ENTRY_NAME, tv_buffer_view(&tracking->name));
    tv_message_end(message);
    if (method->file.len)
        put_source(tracking, method_ix);
    tv_message_end(message);
    return TV_OK;
}

static void put_annotation(struct tv_message_out *message, enum annotation name, uint32_t field,
                           uint64_t value)
{
    tv_message_begin(message, EVENT_ANNOTATIONS);
    tv_message_number(message, ANNOTATION_NAME_IID, name);
    tv_message_number(message, field, value);
    tv_message_end(message);
}

/* What a slice cannot say by its ends: that a call began before the recording, was still open at
 * its end, or was cut at the part's edge. */
static void put_annotations(struct tracking *tracking, const struct tv_call_event *call)
{
    struct tv_message_out *message = &tracking->message;
    if (tracking->has_cpu)
        put_annotation(message, CPU_NS, ANNOTATION_UINT,
                       call->end_ns[TV_CLOCK_CPU] - call->start_ns[TV_CLOCK_CPU]);
    if (call->is_adopted)
        put_annotation(message, BEGAN_BEFORE, ANNOTATION_BOOL, true);
    if (call->is_open_at_end)
        put_annotation(message, OPEN_AT_END, ANNOTATION_BOOL, true);
    if (call->is_cut)
        put_annotation(message, CUT, ANNOTATION_BOOL, true);
}

/* The name is interned in the packet of the first event that uses it, and events name it by the
 * method's ordinal plus 1. */
static enum tv_code put_begin(struct tracking *tracking, const struct tv_call_event *call,
                              struct tv_error *err)
{
    struct tv_message_out *message = &tracking->message;
    const uint64_t iid = (uint64_t)call->method + 1;
    tv_message_begin(message, TRACE_PACKET);
    tv_message_number(message, PACKET_TIMESTAMP,
                      tracking->start_ns + call->start_ns[tracking->axis]);
    tv_message_number(message, PACKET_SEQUENCE_ID, tracking->sequence);
    tv_message_begin(message, PACKET_TRACK_EVENT);
    put_annotations(tracking, call);
    tv_message_number(message, EVENT_TYPE, SLICE_BEGIN);
    tv_message_number(message, EVENT_NAME_IID, iid);
    if (tracking->has_cpu)
        tv_message_number(message, EVENT_COUNTER_VALUES, call->start_ns[TV_CLOCK_CPU]);
    if (tracking->context->names.methods[call->method].file.len)
        tv_message_number(message, EVENT_SOURCE_LOCATION_IID, iid);
    tv_message_end(message);
    TV_TRY(intern_method(tracking, call->method, err));
    tv_message_number(message, PACKET_SEQUENCE_FLAGS, NEEDS_STATE);
    tv_message_end(message);
    return TV_OK;
}

/* NEEDS_STATE: the packet refers to names and defaults that an earlier packet of the sequence has
 * given. */
static void put_end(struct tracking *tracking, const struct tv_call_event *call)
{
    struct tv_message_out *message = &tracking->message;
    tv_message_begin(message, TRACE_PACKET);
    tv_message_number(message, PACKET_TIMESTAMP, tracking->start_ns + call->end_ns[tracking->axis]);
    tv_message_number(message, PACKET_SEQUENCE_ID, tracking->sequence);
    tv_message_begin(message, PACKET_TRACK_EVENT);
    tv_message_number(message, EVENT_TYPE, SLICE_END);
    if (tracking->has_cpu)
        tv_message_number(message, EVENT_COUNTER_VALUES, call->end_ns[TV_CLOCK_CPU]);
    tv_message_end(message);
    tv_message_number(message, PACKET_SEQUENCE_FLAGS, NEEDS_STATE);
    tv_message_end(message);
}

/* Each thread is a sequence of packets of its own, so that times and names of one thread do not
 * depend on another's. */
static enum tv_code put_thread(struct tracking *tracking, struct tv_call_walk *walk,
                               uint32_t thread_ix, struct tv_error *err)
{
    struct tv_call_event event;
    put_process(tracking, thread_ix);
    tracking->sequence++;
    put_thread_track(tracking, thread_ix);
    if (tracking->has_cpu)
        put_counter_track(tracking, thread_ix);
    TV_TRY(tv_call_walk_begin(walk, tracking->context, thread_ix, err));
    for (;;) {
        tv_call_walk_next(walk, &event);
        if (event.kind == TV_CALL_END)
            return TV_OK;
        if (event.kind == TV_CALL_EXIT) {
            put_end(tracking, &event);
            continue;
        }
        TV_TRY(put_begin(tracking, &event, err));
        TV_TRY(tv_export_context_tell(tracking->context, 1, err));
    }
}

/* has_process is one longer than there are processes, for threads that name none. */
static enum tv_code put_all(struct tracking *tracking, struct tv_call_walk *walk,
                            struct tv_error *err)
{
    struct tv_export_context *context = tracking->context;
    const struct tv_index *index = context->index;
    TV_TRY(tv_alloc_new(context->alloc, &tracking->interned, index->method_count,
                        sizeof(*tracking->interned), err));
    TV_TRY(tv_alloc_new(context->alloc, &tracking->has_process, (size_t)index->process_count + 1, 1,
                        err));
    tracking->sequence = TRACE_SEQUENCE;
    tracking->axis = tv_index_axis(index);
    tracking->has_cpu = tracking->axis == TV_CLOCK_WALL && index->info->has_clock[TV_CLOCK_CPU];
    choose_clock(tracking);
    for (uint32_t i = 0; i < tv_export_context_thread_count(context); i++) {
        uint32_t thread_ix = tv_export_context_ordered(context, i);
        if (thread_ix != TV_NONE)
            TV_TRY(put_thread(tracking, walk, thread_ix, err));
    }
    return TV_OK;
}

/* Packets are put together in a message first, since a packet's length stands before it. */
static enum tv_code write_perfetto(struct tv_export_context *context, struct tv_error *err)
{
    struct tracking tracking = {.context = context};
    struct tv_call_walk walk;
    tv_message_init(&tracking.message, &context->out, context->alloc);
    tv_buffer_init(&tracking.name, context->alloc);
    tv_call_walk_init(&walk, context->alloc);
    enum tv_code code = put_all(&tracking, &walk, err);
    tv_alloc_release(context->alloc, &tracking.interned, context->index->method_count,
                     sizeof(*tracking.interned));
    tv_alloc_release(context->alloc, &tracking.has_process,
                     (size_t)context->index->process_count + 1, 1);
    tv_call_walk_release(&walk);
    tv_buffer_release(&tracking.name);
    tv_message_release(&tracking.message);
    return code;
}

const struct tv_export tv_export_perfetto = {
    .name = "perfetto",
    .suffix = ".perfetto-trace",
    .media_type = "application/octet-stream",
    .summary = "track events, protobuf: ui.perfetto.dev, trace_processor",
    .levels_most = LEVELS_MOST,
    .held_names = TV_HELD_UTF8,
    .names_files = true,
    .names_processes = true,
    .nests_calls = true,
    .write = write_perfetto,
};
