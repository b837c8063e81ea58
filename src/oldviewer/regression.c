/*
 * The old viewer's reading of a trace, kept apart from ours on purpose: see regression.h and, for
 * every rule here, docs/formats/regression.md. Names of rules in brackets are headings of that
 * page.
 *
 * One pass over the records makes the list of calls in the order of creation. Each call knows the
 * call below it on its thread's stack, so the stacks need no memory of their own. A walk back over
 * the list then adds up times ("Adding up"): callees stand after their callers, so a call's callees
 * are finished before the call. In thread-cpu mode, a log of pushes and pops is replayed between
 * the two to make wall times ("The time line of thread-cpu traces").
 *
 * Java's arithmetic wraps, so this one does. Where the old viewer depends on the order of a
 * java.util.HashMap, that order is computed ("The output").
 */
#include "oldviewer/regression.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "oldviewer/regression_calls.h"

#define MIN_SLEEP_US 100 /* a thread that slept longer gets a "(context switch)" */

/* An entry of the log of thread-cpu mode: a call's ordinal times 2, plus 1 for a pop; or a thread's
 * ordinal with this bit, when the thread's root is pushed. */
#define LOG_ROOT (UINT64_C(1) << 63)

/* One record with its times as the old viewer took them. */
struct old_record {
    uint32_t thread_ix;
    uint32_t method_ix;
    unsigned action;
    uint64_t offset;
    int64_t time[TV_OLD_COUNT];
};

/* Sum and difference as Java has them: they wrap. */
static int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t minus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* The place in the list is the order of insertion, on which that of the output depends ("The
 * output"). */
static enum tv_code add_method(struct tv_old_trace *old, uint64_t id, uint32_t *method_ix,
                               struct tv_error *err)
{
    TV_TRY(tv_alloc_grow(old->alloc, &old->methods, &old->method_cap, old->method_count + 1,
                         sizeof(*old->methods), err));
    *method_ix = (uint32_t)old->method_count;
    old->methods[old->method_count++] =
        (struct tv_old_method){.id = id, .listed_ix = TV_OLD_NO_ENTRY};
    return TV_OK;
}

/* The method of a key. Methods without a line in the file are added as they are met. */
static enum tv_code find_method(struct tv_old_trace *old, uint32_t key, uint32_t *method_ix,
                                struct tv_error *err)
{
    uint64_t id;

    *method_ix = tv_map_get(&old->method_of_key, key);
    if (*method_ix != TV_MAP_NONE)
        return TV_OK;
    id = tv_trace_id_of_key(old->trace, key);
    /* The old viewer keeps (toplevel) under id 0, and finds it there unless a line of the file
     * has that id. */
    if (id == 0 && tv_map_get(&old->trace->method_of_id, 0) == TV_MAP_NONE)
        *method_ix = TV_OLD_TOPLEVEL_IX;
    else
        TV_TRY(add_method(old, id, method_ix, err));
    return tv_map_put(&old->method_of_key, key, *method_ix, err);
}

/* A thread that the file does not list has records all the same, and is printed without a name. */
static enum tv_code find_thread(struct tv_old_trace *old, int32_t id, uint32_t *thread_ix,
                                struct tv_error *err)
{
    *thread_ix = tv_map_get(&old->thread_of_id, (uint32_t)id);
    if (*thread_ix != TV_MAP_NONE)
        return TV_OK;
    TV_TRY(tv_alloc_grow(old->alloc, &old->threads, &old->thread_cap, old->thread_count + 1,
                         sizeof(*old->threads), err));
    *thread_ix = (uint32_t)old->thread_count;
    old->threads[old->thread_count++] =
        (struct tv_old_thread){.id = id, .listed_ix = TV_OLD_NO_ENTRY, .top = TV_OLD_NO_CALL};
    return tv_map_put(&old->thread_of_id, (uint32_t)id, *thread_ix, err);
}

/* Replayed once all records are read; see replay_log. */
static enum tv_code log_action(struct tv_old_trace *old, uint64_t action, struct tv_error *err)
{
    if (old->has_clock[TV_OLD_WALL])
        return TV_OK; /* only thread-cpu mode replays */
    TV_TRY(tv_alloc_grow(old->alloc, &old->log, &old->log_cap, old->log_count + 1,
                         sizeof(*old->log), err));
    old->log[old->log_count++] = action;
    return TV_OK;
}

/* The count of a method's calls on a thread's stack, which tells recursion without a look
 * at the stack. */
static enum tv_code find_open_count(struct tv_old_trace *old, uint32_t thread_ix,
                                    uint32_t method_ix, uint32_t **slot, struct tv_error *err)
{
    return tv_map_slot(&old->open_count, (uint64_t)thread_ix << 32 | method_ix, 0, slot, err);
}

/* Appends a call on top of a thread's stack. Its times are set by the caller. */
static enum tv_code push_call(struct tv_old_trace *old, uint32_t thread_ix, uint32_t method_ix,
                              struct tv_error *err)
{
    struct tv_old_thread *thread = &old->threads[thread_ix];
    uint32_t *open_count;

    if (old->call_count == TV_OLD_NO_CALL)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "-r takes at most %u calls",
                       TV_OLD_NO_CALL);
    if (!thread->has_calls)
        TV_TRY(log_action(old, LOG_ROOT | thread_ix, err));
    thread->has_calls = true;
    TV_TRY(tv_alloc_grow(old->alloc, &old->calls, &old->call_cap, old->call_count + 1,
                         sizeof(*old->calls), err));
    TV_TRY(log_action(old, (uint64_t)old->call_count << 1, err));
    TV_TRY(find_open_count(old, thread_ix, method_ix, &open_count, err));
    old->calls[old->call_count] = (struct tv_old_call){
        .thread_ix = thread_ix,
        .method_ix = method_ix,
        .caller = thread->top,
        .is_recursive = *open_count > 0,
    };
    ++*open_count;
    thread->top = (uint32_t)old->call_count++;
    return TV_OK;
}

/* Takes the call on top of a thread's stack off; there must be one. */
static enum tv_code pop_call(struct tv_old_trace *old, uint32_t thread_ix, struct tv_error *err)
{
    struct tv_old_thread *thread = &old->threads[thread_ix];
    struct tv_old_call *call = &old->calls[thread->top];
    uint32_t *open_count;

    TV_TRY(log_action(old, (uint64_t)thread->top << 1 | 1, err));
    TV_TRY(find_open_count(old, thread_ix, call->method_ix, &open_count, err));
    --*open_count;
    thread->top = call->caller;
    return TV_OK;
}

/* Notes the time of a record on one clock; returns the time since the thread's record before, 0
 * for its first. */
static int64_t advance_clock(struct tv_old_thread *thread, enum tv_old_clock clock, int64_t time)
{
    int64_t elapsed = thread->has_time[clock] ? minus(time, thread->last[clock]) : 0;

    if (!thread->has_time[clock]) {
        thread->first[clock] = time;
        if (clock == TV_OLD_CPU)
            thread->replay_cpu = time;
    }
    thread->has_time[clock] = true;
    thread->last[clock] = time;
    return elapsed;
}

/* Thread-cpu mode ("Context switches"): a record of another thread than before means that the
 * processor went from one to the other. So the thread before gets a switch that stays open, and the
 * new thread's open switch ends. */
static enum tv_code switch_threads(struct tv_old_trace *old, uint32_t thread_ix, int64_t elapsed,
                                   struct tv_error *err)
{
    const struct tv_old_thread *thread = &old->threads[thread_ix];
    struct tv_old_call *call;

    if (old->previous != TV_OLD_NO_ENTRY && old->previous != thread_ix) {
        TV_TRY(push_call(old, old->previous, TV_OLD_SWITCH_IX, err));
        old->calls[old->call_count - 1].start[TV_OLD_CPU] =
            old->threads[old->previous].last[TV_OLD_CPU];
        if (thread->top != TV_OLD_NO_CALL &&
            old->calls[thread->top].method_ix == TV_OLD_SWITCH_IX) {
            call = &old->calls[thread->top];
            TV_TRY(pop_call(old, thread_ix, err));
            call->start[TV_OLD_CPU] = plus(call->start[TV_OLD_CPU], elapsed / 2);
            call->end[TV_OLD_CPU] = call->start[TV_OLD_CPU];
        }
    }
    old->previous = thread_ix;
    return TV_OK;
}

/* Two clocks ("Context switches"): inserts a call without CPU time for the wall time in which the
 * thread did not run. */
static enum tv_code insert_sleep(struct tv_old_trace *old, const struct old_record *record,
                                 int64_t cpu_elapsed, int64_t wall_elapsed, struct tv_error *err)
{
    int64_t before = cpu_elapsed / 2;
    int64_t after = minus(cpu_elapsed, before);
    struct tv_old_call *call;

    TV_TRY(push_call(old, record->thread_ix, TV_OLD_SWITCH_IX, err));
    call = &old->calls[old->call_count - 1];
    call->start[TV_OLD_WALL] = plus(minus(record->time[TV_OLD_WALL], wall_elapsed), before);
    call->end[TV_OLD_WALL] = minus(record->time[TV_OLD_WALL], after);
    call->start[TV_OLD_CPU] = minus(record->time[TV_OLD_CPU], after);
    call->end[TV_OLD_CPU] = call->start[TV_OLD_CPU];
    return pop_call(old, record->thread_ix, err);
}

/* "One record", steps 1 and 2: the CPU time since the thread's last record goes to the call on top,
 * perhaps the root. */
static enum tv_code advance_clocks(struct tv_old_trace *old, const struct old_record *record,
                                   struct tv_error *err)
{
    struct tv_old_thread *thread = &old->threads[record->thread_ix];
    int64_t wall_elapsed = 0;
    int64_t cpu_elapsed;

    if (old->has_clock[TV_OLD_WALL])
        wall_elapsed = advance_clock(thread, TV_OLD_WALL, record->time[TV_OLD_WALL]);
    if (!old->has_clock[TV_OLD_CPU])
        return TV_OK;
    cpu_elapsed = advance_clock(thread, TV_OLD_CPU, record->time[TV_OLD_CPU]);
    if (!old->has_clock[TV_OLD_WALL])
        TV_TRY(switch_threads(old, record->thread_ix, cpu_elapsed, err));
    else if (minus(wall_elapsed, cpu_elapsed) > MIN_SLEEP_US)
        TV_TRY(insert_sleep(old, record, cpu_elapsed, wall_elapsed, err));

    if (thread->top == TV_OLD_NO_CALL) {
        thread->root_exclusive_cpu = plus(thread->root_exclusive_cpu, cpu_elapsed);
        thread->root_inclusive[TV_OLD_CPU] = plus(thread->root_inclusive[TV_OLD_CPU], cpu_elapsed);
    } else {
        struct tv_old_call *top = &old->calls[thread->top];

        top->cpu_exclusive = plus(top->cpu_exclusive, cpu_elapsed);
        top->inclusive[TV_OLD_CPU] = plus(top->inclusive[TV_OLD_CPU], cpu_elapsed);
    }
    return TV_OK;
}

/* Counts a record at which the old viewer would have refused the file. */
static void note_refused(struct tv_old_trace *old, const struct old_record *record)
{
    if (old->result->refused++ == 0)
        old->result->refused_offset = record->offset;
}

/* "One record", step 4, and what happens instead of a refusal. */
static enum tv_code apply_exit(struct tv_old_trace *old, const struct old_record *record,
                               struct tv_error *err)
{
    struct tv_old_thread *thread = &old->threads[record->thread_ix];
    const uint32_t *open_count;
    uint32_t *slot;
    bool is_closed = false;

    if (thread->top == TV_OLD_NO_CALL)
        return TV_OK; /* the call began before tracing did; the old viewer ignores it */
    if (old->calls[thread->top].method_ix != record->method_ix) {
        note_refused(old, record);
        TV_TRY(find_open_count(old, record->thread_ix, record->method_ix, &slot, err));
        open_count = slot;
        if (*open_count == 0)
            return TV_OK;
    }
    while (!is_closed) {
        struct tv_old_call *call = &old->calls[thread->top];

        is_closed = call->method_ix == record->method_ix;
        memcpy(call->end, record->time, sizeof(call->end));
        TV_TRY(pop_call(old, record->thread_ix, err));
    }
    return TV_OK;
}

/* The clocks move before the record is applied, also for a record that is refused. */
static enum tv_code apply_record(struct tv_old_trace *old, const struct old_record *record,
                                 struct tv_error *err)
{
    TV_TRY(advance_clocks(old, record, err));
    switch ((enum tv_action)record->action) {
    case TV_ACTION_ENTER:
        TV_TRY(push_call(old, record->thread_ix, record->method_ix, err));
        memcpy(old->calls[old->call_count - 1].start, record->time, sizeof(record->time));
        return TV_OK;
    case TV_ACTION_EXIT:
    case TV_ACTION_UNWIND:
        return apply_exit(old, record, err);
    case TV_ACTION_RESERVED:
        note_refused(old, record);
        return TV_OK;
    }
    return TV_OK;
}

/* The id as Java read it: a signed byte, short or int. */
static int32_t signed_id(uint32_t id, unsigned bits)
{
    if (bits == 8)
        return (int8_t)(uint8_t)id;
    if (bits == 16)
        return (int16_t)(uint16_t)id;
    return (int32_t)id;
}

/* A time in microseconds, which the old viewer counts in; a 32-bit time is signed there. */
static int64_t old_time(const struct tv_trace *trace, uint64_t time)
{
    int64_t value = trace->clock_bits == 32 ? (int32_t)(uint32_t)time : (int64_t)time;

    return trace->unit_ns == 1 ? value / 1000 : value;
}

/* Turns records into what the old viewer read, and applies them in the order of the file. */
static enum tv_code apply_batch(struct tv_old_trace *old, const struct tv_batch *batch,
                                struct tv_error *err)
{
    for (size_t i = 0; i < batch->count; i++) {
        struct old_record record = {.action = batch->key_action[i] & 3,
                                    .offset = tv_batch_offset(batch, i)};

        TV_TRY(
            find_thread(old, signed_id(batch->thread_id[i], old->id_bits), &record.thread_ix, err));
        TV_TRY(find_method(old, batch->key_action[i] & ~UINT32_C(3), &record.method_ix, err));
        for (int clock = 0; clock < TV_OLD_COUNT; clock++)
            if (old->has_clock[clock])
                record.time[clock] = old_time(old->trace, batch->time[old->column[clock]][i]);
        TV_TRY(apply_record(old, &record, err));
    }
    return TV_OK;
}

static enum tv_code read_records(struct tv_old_trace *old, struct tv_error *err)
{
    struct tv_batch *batch = NULL;
    enum tv_code code = tv_alloc_new(old->alloc, &batch, 1, sizeof(*batch), err);

    while (code == TV_OK) {
        code = tv_trace_next(old->trace, batch, err);
        if (code != TV_OK || batch->count == 0)
            break;
        code = apply_batch(old, batch, err);
    }
    tv_alloc_release(old->alloc, &batch, 1, sizeof(*batch));
    return code;
}

/* Listed threads without records are printed too. A streamed trace lists threads among its records,
 * so this comes after. */
static enum tv_code list_threads(struct tv_old_trace *old, struct tv_error *err)
{
    for (size_t i = 0; i < old->trace->thread_count; i++) {
        uint32_t thread_ix;

        TV_TRY(find_thread(old, (int32_t)old->trace->threads[i].id, &thread_ix, err));
        old->threads[thread_ix].listed_ix = (uint32_t)i;
    }
    return TV_OK;
}

/* "Adding up": calls that are still open end at their thread's last times. */
static void close_open_calls(struct tv_old_trace *old)
{
    for (size_t i = 0; i < old->thread_count; i++) {
        const struct tv_old_thread *thread = &old->threads[i];

        for (uint32_t call_ix = thread->top; call_ix != TV_OLD_NO_CALL;
             call_ix = old->calls[call_ix].caller)
            memcpy(old->calls[call_ix].end, thread->last, sizeof(thread->last));
    }
}

/* Thread-cpu mode: makes wall times from the log, as if one processor had run one
 * thread at a time. */
static void replay_log(struct tv_old_trace *old)
{
    int64_t wall = 0;

    for (size_t i = 0; i < old->log_count; i++) {
        uint64_t action = old->log[i];
        bool is_root = (action & LOG_ROOT) != 0;
        bool is_pop = !is_root && (action & 1) != 0;
        struct tv_old_call *call = is_root ? NULL : &old->calls[action >> 1];
        struct tv_old_thread *thread =
            &old->threads[is_root ? action & ~LOG_ROOT : call->thread_ix];
        int64_t cpu = is_root ? 0 : is_pop ? call->end[TV_OLD_CPU] : call->start[TV_OLD_CPU];

        wall = plus(wall, minus(cpu, thread->replay_cpu));
        thread->replay_cpu = cpu;
        if (!thread->has_time[TV_OLD_WALL])
            thread->first[TV_OLD_WALL] = wall;
        thread->has_time[TV_OLD_WALL] = true;
        if (is_pop) {
            call->end[TV_OLD_WALL] = wall;
            thread->last[TV_OLD_WALL] = wall;
        } else if (!is_root) {
            call->start[TV_OLD_WALL] = wall;
        }
    }
}

/* Finishes a call and adds it to its caller and its method ("Adding up"). */
static void finish_call(struct tv_old_trace *old, struct tv_old_call *call)
{
    int64_t wall = minus(call->end[TV_OLD_WALL], call->start[TV_OLD_WALL]);
    int64_t wall_exclusive = minus(wall, call->inclusive[TV_OLD_WALL]);
    struct tv_old_method *method = &old->methods[call->method_ix];
    int64_t *into = call->caller == TV_OLD_NO_CALL ? old->threads[call->thread_ix].root_inclusive
                                                   : old->calls[call->caller].inclusive;

    call->inclusive[TV_OLD_WALL] = wall;
    method->exclusive[TV_OLD_CPU] = plus(method->exclusive[TV_OLD_CPU], call->cpu_exclusive);
    if (wall_exclusive > 0)
        method->exclusive[TV_OLD_WALL] = plus(method->exclusive[TV_OLD_WALL], wall_exclusive);
    for (int clock = 0; clock < TV_OLD_COUNT; clock++) {
        into[clock] = plus(into[clock], call->inclusive[clock]);
        if (!call->is_recursive)
            method->inclusive[clock] = plus(method->inclusive[clock], call->inclusive[clock]);
    }
    if (call->is_recursive)
        method->recursive_calls++;
    else
        method->calls++;
}

/* The newest call first, so that callees come before their callers; then the threads' roots. */
static void finish_calls(struct tv_old_trace *old)
{
    struct tv_old_method *toplevel = &old->methods[TV_OLD_TOPLEVEL_IX];

    for (size_t i = old->call_count; i-- > 0;)
        finish_call(old, &old->calls[i]);
    for (size_t i = 0; i < old->thread_count; i++) {
        const struct tv_old_thread *thread = &old->threads[i];

        toplevel->calls++;
        toplevel->exclusive[TV_OLD_CPU] =
            plus(toplevel->exclusive[TV_OLD_CPU], thread->root_exclusive_cpu);
        for (int clock = 0; clock < TV_OLD_COUNT; clock++) {
            toplevel->inclusive[clock] =
                plus(toplevel->inclusive[clock], thread->root_inclusive[clock]);
            old->total[clock] = plus(old->total[clock], thread->root_inclusive[clock]);
        }
    }
}

/* Whether the old viewer reads the wall times of a file as CPU times: it knows three words for
 * clocks, and takes a text file with any other word, or none, for thread-cpu. */
static bool calls_wall_cpu(const struct tv_trace *trace)
{
    return trace->format_name[0] == 'v' && !trace->has_clock[TV_CLOCK_CPU] &&
           !tv_str_equal(tv_trace_property_of(trace, TV_STR("clock")), TV_STR("wall"));
}

/* Which times of a record the old viewer reads as CPU times and which as wall times. */
static void choose_clocks(struct tv_old_trace *old)
{
    const struct tv_trace *trace = old->trace;

    old->column[TV_OLD_CPU] = TV_CLOCK_CPU;
    old->column[TV_OLD_WALL] = TV_CLOCK_WALL;
    old->has_clock[TV_OLD_CPU] = trace->has_clock[TV_CLOCK_CPU];
    old->has_clock[TV_OLD_WALL] = trace->has_clock[TV_CLOCK_WALL];
    if (calls_wall_cpu(trace)) {
        old->column[TV_OLD_CPU] = TV_CLOCK_WALL;
        old->has_clock[TV_OLD_CPU] = true;
        old->has_clock[TV_OLD_WALL] = false;
    }
}

/* Ids of threads are signed, and as wide as in the records of their version:
 * docs/formats/regression.md has the rule. */
static void init_dump(struct tv_old_trace *old, struct tv_trace *trace,
                      struct tv_regression_result *result)
{
    *old = (struct tv_old_trace){
        .trace = trace, .alloc = trace->alloc, .previous = TV_OLD_NO_ENTRY, .result = result};
    *result = (struct tv_regression_result){.refused_offset = TV_NO_OFFSET};
    tv_arena_init(&old->names, old->alloc);
    tv_map_init(&old->method_of_key, old->alloc);
    tv_map_init(&old->thread_of_id, old->alloc);
    tv_map_init(&old->open_count, old->alloc);
    old->id_bits = strcmp(trace->format_name, "v1") == 0 ? 8 : trace->clock_bits == 32 ? 16 : 32;
    choose_clocks(old);
}

/* What the trace gave is not released: it is the caller's, and names point into it. */
static void release_dump(struct tv_old_trace *old)
{
    tv_alloc_release(old->alloc, &old->log, old->log_cap, sizeof(*old->log));
    tv_map_release(&old->open_count);
    tv_map_release(&old->thread_of_id);
    tv_map_release(&old->method_of_key);
    tv_alloc_release(old->alloc, &old->threads, old->thread_cap, sizeof(*old->threads));
    tv_alloc_release(old->alloc, &old->methods, old->method_cap, sizeof(*old->methods));
    tv_alloc_release(old->alloc, &old->calls, old->call_cap, sizeof(*old->calls));
    tv_arena_release(&old->names);
}

/* The order is that of the old viewer, whose numbers depend on it: calls that are open are closed
 * before times are summed. */
static enum tv_code read_and_write(struct tv_old_trace *old, const struct tv_sink *sink,
                                   uint64_t most_len, struct tv_error *err)
{
    uint32_t pseudo_ix;

    /* The two pseudo methods, which stand first in the table. */
    TV_TRY(add_method(old, 0, &pseudo_ix, err));
    TV_TRY(add_method(old, UINT32_MAX, &pseudo_ix, err));
    TV_TRY(read_records(old, err));
    TV_TRY(list_threads(old, err));
    close_open_calls(old);
    replay_log(old);
    finish_calls(old);
    return tv_old_print(old, sink, most_len, err);
}

enum tv_code tv_regression_dump(struct tv_trace *trace, const struct tv_sink *sink,
                                uint64_t most_len, struct tv_regression_result *result,
                                struct tv_error *err)
{
    struct tv_old_trace old;
    enum tv_code code;

    init_dump(&old, trace, result);
    code = read_and_write(&old, sink, most_len, err);
    release_dump(&old);
    return code;
}
