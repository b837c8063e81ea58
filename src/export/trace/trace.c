/*
 * A trace as a trace: the part that is exported, as v3 or as packets, so that one file shows a
 * problem and holds nothing else. Only threads and methods that occur in it are listed.
 *
 * With a range the times begin at its start; the start time of the header moves as much, and the
 * property cut-from-nsec says how much. A call that began before the range or before the trace gets
 * an enter at the edge, unless reading the file makes it begin there. A call that went on behind
 * the range, or never ended, has no exit. What the records do not say of such calls, the property
 * cut-threads says (format/cut_threads.h).
 *
 * The calls are walked over twice: once to count records, since v3 has their number before them,
 * and once to write them in the order of time.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/str.h"
#include "export/export_context.h"
#include "export/formats.h"
#include "export/trace/merged_walk.h"
#include "export/walk/call_walk.h"
#include "format/cut_threads.h"
#include "format/last_seen.h"
#include "format/write/compose.h"

#define CUT_FROM TV_STR("cut-from-nsec")
/* Calls that are not in the file, though their time is in calls that are. */
#define LEFT_OUT TV_STR("calls-left-out")
#define WRAP (UINT64_C(1) << 32)
/* The most threads that cut-threads names, since the summary of packets has room for 60,000 bytes
 * of options; calls of others get exits. */
#define CUT_THREADS_MOST 500u
/* A step of more than this, of 32-bit microseconds, is read as a fall (docs/numbers.md, "Clocks").
 */
#define STEP_MOST (WRAP - UINT64_C(60000000))

/* What the versions differ in. */
struct version {
    const char *as;
    uint32_t unit_ns;
    bool has_bare_exits; /* an exit names no method, so each needs its enter */
    bool has_wraps;      /* times have 32 bits, and go on from 0 */
    uint64_t time_most;  /* else: the latest time */
};

/* A thread of the export. */
struct cut_thread {
    uint32_t ordinal;                  /* in the output; TV_NONE: it has no calls in the part */
    uint64_t shift_ns[TV_CLOCK_COUNT]; /* what is subtracted from its times */
    bool has_record;
    uint64_t first[TV_CLOCK_COUNT]; /* of its records that are certain, in the output's unit */
    uint64_t last[TV_CLOCK_COUNT];
    uint64_t adopted;     /* calls that began before the trace did, uncut */
    bool is_adopted_open; /* one of these ends behind the range */
    uint64_t begun;       /* calls that the beginning of the range cuts */
    uint64_t open;        /* calls that never ended, or that the end of the range cuts */
    uint64_t open_end[TV_CLOCK_COUNT];
    uint64_t seen[TV_CLOCK_COUNT]; /* until when something is known of the thread */
    bool enters_adopted;           /* adopted calls get enters */
    bool tells_edges;              /* cut-threads names it */
    bool closes_open;              /* open calls get exits */
    bool has_begun; /* the second walk met a record of the thread, whose times are in `last` */
};

struct cutting {
    struct tv_export_context *context;
    const struct version *version;
    struct tv_composer *composer;
    struct cut_thread *threads; /* by position among the threads of the export */
    uint32_t thread_count;
    uint32_t *methods; /* ordinal in the output of each method of the index; TV_NONE: not in it */
    uint32_t method_count;
    uint64_t certain;             /* records whatever is decided about calls without an end */
    uint64_t cut;                 /* calls that an edge of the range cuts */
    uint64_t shift_ns;            /* of the axis clock */
    char cut_from[24];            /* of the property */
    char left_out[24];            /* of the other one */
    struct tv_buffer cut_threads; /* of that one */
    uint64_t elapsed;             /* in the output's unit; 0: not known */
    uint64_t last_in_file;        /* time of the last record that was written, on the wall clock */
    bool has_last_in_file;
    uint64_t rounded, ambiguous, too_late; /* records */
    struct tv_write_result result;
};

static bool has_clock(const struct cutting *cutting, unsigned clock)
{
    return cutting->context->index->info->has_clock[clock];
}

/* A time in the output's unit, since its own zero. */
static uint64_t in_output(const struct cutting *cutting, const struct cut_thread *thread,
                          unsigned clock, uint64_t time_ns)
{
    uint64_t time = (time_ns - thread->shift_ns[clock]) / cutting->version->unit_ns;
    const uint64_t most = cutting->version->time_most;
    return most && time > most ? most : time;
}

/* Whether the range begins after the call does, or ends before it does. */
static bool is_start_cut(const struct cutting *cutting, const struct tv_call_event *event,
                         uint32_t thread_ix)
{
    const struct tv_index *index = cutting->context->index;
    enum tv_clock axis = tv_index_axis(index);
    return event->is_cut &&
           event->start_ns[axis] >
               tv_index_start(index, &index->threads[thread_ix], axis, event->call) *
                   index->info->unit_ns;
}

static bool is_end_cut(const struct cutting *cutting, const struct tv_call_event *event,
                       uint32_t thread_ix)
{
    const struct tv_index *index = cutting->context->index;
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    enum tv_clock axis = tv_index_axis(index);
    uint64_t end = tv_index_start(index, thread, axis, event->call) +
                   tv_index_duration(index, thread, axis, event->call);
    return event->is_cut && event->end_ns[axis] < end * index->info->unit_ns;
}

/* What an event becomes. */
enum fate { FATE_CERTAIN, FATE_ENTER_OF_ADOPTED, FATE_EXIT_OF_OPEN };

static enum fate fate_of(const struct cutting *cutting, const struct tv_call_event *event,
                         uint32_t thread_ix)
{
    if (event->kind == TV_CALL_ENTER && event->is_adopted &&
        !is_start_cut(cutting, event, thread_ix))
        return FATE_ENTER_OF_ADOPTED;
    if (event->kind == TV_CALL_EXIT &&
        (event->is_open_at_end || is_end_cut(cutting, event, thread_ix)))
        return FATE_EXIT_OF_OPEN;
    return FATE_CERTAIN;
}

static const uint64_t *times_of(const struct tv_call_event *event)
{
    return event->kind == TV_CALL_ENTER ? event->start_ns : event->end_ns;
}

/* First walk. */

/* What a record becomes (fate_of) depends on whether the ends of its call were in the file and lie
 * in the part. The records of each fate are counted, and the first and last certain times noted. */
static void count_event(struct cutting *cutting, struct cut_thread *thread,
                        const struct tv_call_event *event, uint32_t thread_ix)
{
    enum fate fate = fate_of(cutting, event, thread_ix);
    cutting->methods[event->method] = 0;
    cutting->cut += event->kind == TV_CALL_EXIT && (is_start_cut(cutting, event, thread_ix) ||
                                                    is_end_cut(cutting, event, thread_ix));
    thread->adopted += fate == FATE_ENTER_OF_ADOPTED;
    thread->begun += event->kind == TV_CALL_ENTER && is_start_cut(cutting, event, thread_ix);
    /* Of calls of length zero at its last moment, one that is open may be met before another. */
    thread->closes_open = thread->closes_open || (thread->open && fate != FATE_EXIT_OF_OPEN);
    thread->open += fate == FATE_EXIT_OF_OPEN;
    thread->is_adopted_open =
        thread->is_adopted_open || (fate == FATE_EXIT_OF_OPEN && event->is_adopted);
    cutting->certain += fate == FATE_CERTAIN;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        uint64_t time = in_output(cutting, thread, clock, times_of(event)[clock]);
        if (!has_clock(cutting, clock))
            continue;
        if (fate == FATE_EXIT_OF_OPEN)
            thread->open_end[clock] = time;
        if (fate != FATE_CERTAIN)
            continue;
        if (!thread->has_record)
            thread->first[clock] = time;
        thread->last[clock] = time;
    }
    thread->has_record = thread->has_record || fate == FATE_CERTAIN;
}

/* Where the axis begins for the thread. Records between edges keep whole units. */
static void shift_thread(const struct cutting *cutting, struct cut_thread *thread,
                         uint32_t thread_ix)
{
    const struct tv_selection *selection = &cutting->context->opts->scope.selection;
    if (!selection->has_range)
        return;
    struct tv_thread_range range =
        tv_thread_range_of(cutting->context->index, thread_ix, selection);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        thread->shift_ns[clock] =
            range.from_ns[clock] - range.from_ns[clock] % cutting->version->unit_ns;
}

/* An adopted call is read as one that began at its thread's first record, by its exit. */
static bool needs_enters(const struct cutting *cutting, const struct cut_thread *thread,
                         uint32_t thread_ix)
{
    const struct tv_index *index = cutting->context->index;
    if (!thread->adopted || thread->is_adopted_open || cutting->version->has_bare_exits)
        return true;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        uint64_t start = index->threads[thread_ix].first[clock] * index->info->unit_ns;
        if (has_clock(cutting, clock) &&
            (!thread->has_record ||
             thread->first[clock] != in_output(cutting, thread, clock, start)))
            return true;
    }
    return false;
}

/* Until when something is known of a thread whose calls are open: to its last record, or when it
 * was last seen, and to the end of the range. All of its open calls take CPU time until the same
 * moment. */
static void find_seen(const struct cutting *cutting, struct cut_thread *thread, uint32_t thread_ix)
{
    const struct tv_index *index = cutting->context->index;
    const struct tv_selection *selection = &cutting->context->opts->scope.selection;
    uint64_t last_ns = index->threads[thread_ix].last[TV_CLOCK_WALL] * index->info->unit_ns;
    if (selection->has_range) {
        struct tv_thread_range range = tv_thread_range_of(index, thread_ix, selection);
        const uint64_t from_ns = range.from_ns[TV_CLOCK_WALL], to_ns = range.to_ns[TV_CLOCK_WALL];
        last_ns = last_ns < from_ns ? from_ns : last_ns > to_ns ? to_ns : last_ns;
    }
    thread->seen[TV_CLOCK_WALL] = in_output(cutting, thread, TV_CLOCK_WALL, last_ns);
    thread->seen[TV_CLOCK_CPU] = thread->open_end[TV_CLOCK_CPU];
}

/* A thread without events keeps the ordinal TV_NONE and is not listed in the output. */
static enum tv_code survey_thread(struct cutting *cutting, struct tv_call_walk *walk, uint32_t i,
                                  struct tv_error *err)
{
    struct cut_thread *thread = &cutting->threads[i];
    uint32_t thread_ix = tv_export_context_thread(cutting->context, i);
    thread->ordinal = TV_NONE;
    if (thread_ix == TV_NONE)
        return TV_OK;
    shift_thread(cutting, thread, thread_ix);
    TV_TRY(tv_call_walk_begin(walk, cutting->context, thread_ix, err));
    struct tv_call_event event;
    for (tv_call_walk_next(walk, &event); event.kind != TV_CALL_END;
         tv_call_walk_next(walk, &event)) {
        thread->ordinal = 0;
        count_event(cutting, thread, &event, thread_ix);
    }
    thread->enters_adopted = needs_enters(cutting, thread, thread_ix);
    if (thread->open)
        find_seen(cutting, thread, thread_ix);
    return TV_OK;
}

/* A call without an end is read as one that lasts to the latest wall time of all threads, and to
 * its thread's last record on the CPU clock, and nothing is known of the thread behind that record.
 * `recorded` is the latest time of records, `latest` also of ends of open calls. */
static bool needs_ends(const struct cutting *cutting, const struct cut_thread *thread,
                       uint64_t recorded, uint64_t latest)
{
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (has_clock(cutting, clock) &&
            (!thread->has_record || thread->seen[clock] != thread->last[clock]))
            return true;
    }
    return has_clock(cutting, TV_CLOCK_WALL) &&
           (thread->open_end[TV_CLOCK_WALL] != latest || recorded != latest);
}

static void raise(uint64_t *most, uint64_t value)
{
    if (*most < value)
        *most = value;
}

/* Decides how the edges of threads are told. */
static void choose_edges(struct cutting *cutting)
{
    uint64_t recorded = 0, latest = 0;
    uint32_t told = 0;
    for (uint32_t i = 0; i < cutting->thread_count; i++) {
        const struct cut_thread *thread = &cutting->threads[i];
        if (thread->has_record)
            raise(&recorded, thread->last[TV_CLOCK_WALL]);
        if (thread->closes_open)
            raise(&recorded, thread->open_end[TV_CLOCK_WALL]);
        raise(&latest, thread->open_end[TV_CLOCK_WALL]);
    }
    raise(&latest, recorded);
    for (uint32_t i = 0; i < cutting->thread_count; i++) {
        struct cut_thread *thread = &cutting->threads[i];
        const bool is_open_told =
            thread->open && !thread->closes_open && needs_ends(cutting, thread, recorded, latest);
        const bool is_begun_told = thread->begun || (thread->adopted && thread->enters_adopted);
        thread->tells_edges = (is_open_told || is_begun_told) && told < CUT_THREADS_MOST;
        thread->closes_open = thread->closes_open || (is_open_told && !thread->tells_edges);
        told += thread->tells_edges;
    }
}

/* A first walk over the whole part: which methods and threads occur, and what becomes of each
 * record. Only then can the head of the file be written. */
static enum tv_code survey(struct cutting *cutting, struct tv_error *err)
{
    const struct tv_alloc *alloc = cutting->context->alloc;
    const struct tv_index *index = cutting->context->index;
    cutting->thread_count = tv_export_context_thread_count(cutting->context);
    cutting->method_count = index->method_count;
    TV_TRY(tv_alloc_new(alloc, &cutting->threads, cutting->thread_count, sizeof(*cutting->threads),
                        err));
    TV_TRY(tv_alloc_new(alloc, &cutting->methods, cutting->method_count, sizeof(*cutting->methods),
                        err));
    for (uint32_t i = 0; i < cutting->method_count; i++)
        cutting->methods[i] = TV_NONE;
    struct tv_call_walk walk;
    enum tv_code code = TV_OK;
    tv_call_walk_init(&walk, alloc);
    for (uint32_t i = 0; i < cutting->thread_count && code == TV_OK; i++)
        code = survey_thread(cutting, &walk, i, err);
    tv_call_walk_release(&walk);
    choose_edges(cutting);
    return code;
}

/* What stands before the records. */

/* methods[] turns from "is used" into the number in the new file. */
static enum tv_code add_methods(struct cutting *cutting, struct tv_error *err)
{
    const struct tv_index *index = cutting->context->index;
    uint32_t count = 0;
    for (uint32_t i = 0; i < cutting->method_count; i++) {
        const struct tv_export_method *named = &cutting->context->names.methods[i];
        struct tv_trace_method method = {.id = index->methods[i].id,
                                         .class_name = named->class_name,
                                         .name = named->name,
                                         .signature = named->signature,
                                         .file = named->file,
                                         .line = named->line};
        if (cutting->methods[i] == TV_NONE)
            continue;
        cutting->methods[i] = count++;
        TV_TRY(tv_composer_add_method(cutting->composer, &method, index->methods[i].is_known, err));
    }
    return TV_OK;
}

/* Threads without a record in the part are left out, so they have no number. */
static enum tv_code add_threads(struct cutting *cutting, struct tv_error *err)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < cutting->thread_count; i++) {
        uint32_t thread_ix = tv_export_context_thread(cutting->context, i);
        if (cutting->threads[i].ordinal == TV_NONE)
            continue;
        cutting->threads[i].ordinal = count++;
        TV_TRY(tv_composer_add_thread(cutting->composer,
                                      cutting->context->index->threads[thread_ix].id,
                                      cutting->context->names.threads[thread_ix], err));
    }
    return TV_OK;
}

/* The text has to last until the composer begins. */
static enum tv_code add_number(struct cutting *cutting, struct tv_str key, uint64_t number,
                               char text[24], struct tv_error *err)
{
    const int len = snprintf(text, 24, "%" PRIu64, number);
    return tv_composer_add_property(cutting->composer, key, (struct tv_str){text, (size_t)len},
                                    err);
}

/* By the ids of the trace; the writer says new ones where the version has none like them. */
static enum tv_code add_cut_threads(struct cutting *cutting, struct tv_error *err)
{
    const uint64_t unit_ns = cutting->version->unit_ns;
    for (uint32_t i = 0; i < cutting->thread_count; i++) {
        const struct cut_thread *thread = &cutting->threads[i];
        char text[128];
        if (!thread->tells_edges)
            continue;
        const uint64_t per_unit = thread->open ? unit_ns : 0;
        const uint32_t thread_ix = tv_export_context_thread(cutting->context, i);
        int len = snprintf(
            text, sizeof(text), "%s%" PRIu32 ":%" PRIu64 ":%" PRIu64 ":%" PRIu64 ":%" PRIu64,
            cutting->cut_threads.len ? ";" : "", cutting->context->index->threads[thread_ix].id,
            thread->begun + thread->adopted, thread->open_end[TV_CLOCK_WALL] * per_unit,
            thread->seen[TV_CLOCK_WALL] * per_unit, thread->seen[TV_CLOCK_CPU] * per_unit);
        TV_TRY(tv_buffer_append(&cutting->cut_threads, text, (size_t)len, err));
    }
    if (!cutting->cut_threads.len)
        return TV_OK;
    return tv_composer_add_property(cutting->composer, TV_STR(TV_CUT_THREADS_KEY),
                                    tv_buffer_view(&cutting->cut_threads), err);
}

/* Whether a property of the trace is one of what is written. Those of threads are in its calls, and
 * sums over the whole recording are none of a part. */
static bool keeps_property(const struct cutting *cutting, struct tv_str key)
{
    static const char *const of_threads[] = {TV_LAST_SEEN_KEY, TV_CUT_THREADS_KEY};
    static const char *const sums[] = {"allocated-bytes", "record-writing-nsec"};
    const struct tv_scope_part part = tv_export_part(cutting->context->opts);
    for (size_t i = 0; i < TV_COUNT_OF(of_threads); i++) {
        if (tv_str_equal(key, tv_str_from(of_threads[i])))
            return false;
    }
    for (size_t i = 0; i < TV_COUNT_OF(sums); i++) {
        if (tv_str_equal(key, tv_str_from(sums[i])))
            return !tv_scope_is_part(&part);
    }
    return true;
}

/* A part of a part tells where it stands in the whole, and one with hidden calls that there were
 * more. */
static enum tv_code add_properties(struct cutting *cutting, struct tv_error *err)
{
    const struct tv_export_names *names = &cutting->context->names;
    uint64_t cut_from = cutting->shift_ns, left_out = cutting->context->stacks.sums.left_out_calls;
    const bool leaves_out = left_out != 0;
    for (uint32_t i = 0; i < names->property_count; i++) {
        const struct tv_export_property *property = &names->properties[i];
        uint64_t before;
        if (tv_str_equal(property->key, CUT_FROM) && tv_str_to_u64(property->value, 10, &before))
            cut_from += before;
        if (tv_str_equal(property->key, LEFT_OUT) && tv_str_to_u64(property->value, 10, &before))
            left_out += before;
        if (!keeps_property(cutting, property->key) ||
            (leaves_out && tv_str_equal(property->key, LEFT_OUT)))
            continue;
        TV_TRY(tv_composer_add_property(cutting->composer, property->key, property->value, err));
    }
    if (leaves_out)
        TV_TRY(add_number(cutting, LEFT_OUT, left_out, cutting->left_out, err));
    if (!cutting->context->opts->scope.selection.has_range)
        return TV_OK;
    return add_number(cutting, CUT_FROM, cut_from, cutting->cut_from, err);
}

/* The head of the file has the number of records before the records come. */
static uint64_t count_records(const struct cutting *cutting)
{
    uint64_t count = cutting->certain;
    for (uint32_t i = 0; i < cutting->thread_count; i++) {
        const struct cut_thread *thread = &cutting->threads[i];
        count += thread->enters_adopted ? thread->adopted : 0;
        count += thread->closes_open ? thread->open : 0;
    }
    return count;
}

/* Whatever could tell who recorded the trace (start time, process id, virtual machine) is left out
 * where names are redacted. */
static enum tv_code begin(struct cutting *cutting, struct tv_error *err)
{
    const struct tv_export_context *context = cutting->context;
    const struct tv_index *index = context->index;
    const struct tv_index_info *info = index->info;
    const struct tv_selection *selection = &context->opts->scope.selection;
    const bool is_redacted = context->names.is_redacted;
    struct tv_compose_facts facts = {
        .has_clock = {info->has_clock[TV_CLOCK_WALL], info->has_clock[TV_CLOCK_CPU]},
        .start_time_ns =
            is_redacted || !info->start_time_ns ? 0 : info->start_time_ns + cutting->shift_ns,
        .has_elapsed = info->has_elapsed,
        .elapsed_ns = info->elapsed_ns,
        .is_cut_early = info->is_cut_early,
        .found = &info->findings,
        .has_pid = info->has_pid && !is_redacted,
        .pid = info->pid,
        .vm = is_redacted ? TV_STR("") : tv_index_text(index, info->vm_off, info->vm_len),
        .clock_overhead_ns = info->clock_overhead_ns,
        .records = count_records(cutting),
        .is_by_thread = true};
    if (selection->has_range) {
        uint64_t end = tv_axis_len_ns(index);
        facts.has_elapsed = true;
        facts.elapsed_ns = (selection->to_ns < end ? selection->to_ns : end) - cutting->shift_ns;
    }
    cutting->elapsed = facts.has_elapsed ? facts.elapsed_ns / cutting->version->unit_ns : 0;
    TV_TRY(add_methods(cutting, err));
    TV_TRY(add_threads(cutting, err));
    TV_TRY(add_properties(cutting, err));
    TV_TRY(add_cut_threads(cutting, err));
    return tv_composer_begin(cutting->composer, &facts, err);
}

/* Second walk. */

/* Whether 32 bits do not say which time is meant: readers take it for the one nearest to the record
 * before, of the thread, or of the file where it is the thread's first. */
static bool is_ambiguous(const struct cutting *cutting, const struct cut_thread *thread,
                         unsigned clock, uint64_t time)
{
    const uint64_t from = clock == TV_CLOCK_CPU ? thread->first[clock] : 0;
    if (!cutting->version->has_wraps)
        return false;
    if (thread->has_begun)
        return time - thread->last[clock] > STEP_MOST ||
               (time / WRAP != thread->last[clock] / WRAP &&
                tv_wrap_is_too_late((int64_t)(time - from), cutting->elapsed));
    if (time < WRAP)
        return false;
    bool is_placed = clock == TV_CLOCK_WALL && cutting->elapsed && cutting->has_last_in_file;
    return !is_placed || time - cutting->last_in_file >= WRAP / 2;
}

/* Counts what the version cannot say: times that are rounded to its unit, times beyond its latest
 * one, and steps that 32 bits make ambiguous. */
static enum tv_code put_event(struct cutting *cutting, struct cut_thread *thread,
                              const struct tv_call_event *event, struct tv_error *err)
{
    struct tv_compose_record record = {.thread = thread->ordinal,
                                       .method = cutting->methods[event->method],
                                       .action = event->kind == TV_CALL_ENTER ? TV_ACTION_ENTER
                                                                              : TV_ACTION_EXIT};
    bool is_rounded = false, is_unclear = false, is_late = false;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        uint64_t time_ns = times_of(event)[clock];
        if (!has_clock(cutting, clock))
            continue;
        uint64_t time = record.time[clock] = in_output(cutting, thread, clock, time_ns);
        is_rounded = is_rounded || time_ns % cutting->version->unit_ns;
        is_late = is_late || (cutting->version->time_most && time == cutting->version->time_most);
        is_unclear = is_unclear || is_ambiguous(cutting, thread, clock, time);
        thread->last[clock] = time;
    }
    cutting->rounded += is_rounded;
    cutting->ambiguous += is_unclear;
    cutting->too_late += is_late;
    thread->has_begun = true;
    cutting->has_last_in_file = true;
    cutting->last_in_file = record.time[TV_CLOCK_WALL];
    return tv_composer_put(cutting->composer, &record, err);
}

static bool is_written(const struct cutting *cutting, const struct cut_thread *thread,
                       const struct tv_call_event *event, uint32_t thread_ix)
{
    enum fate fate = fate_of(cutting, event, thread_ix);
    return fate == FATE_CERTAIN ||
           (fate == FATE_ENTER_OF_ADOPTED ? thread->enters_adopted : thread->closes_open);
}

/* Progress is told at exits, so each call counts once. */
static enum tv_code put_records(struct cutting *cutting, struct tv_merged_walk *walk,
                                struct tv_error *err)
{
    struct tv_call_event event;
    uint32_t position = 0;
    TV_TRY(tv_merged_walk_begin(walk, cutting->context, err));
    for (;;) {
        tv_merged_walk_next(walk, &event, &position);
        if (event.kind == TV_CALL_END)
            return TV_OK;
        struct cut_thread *thread = &cutting->threads[position];
        uint32_t thread_ix = tv_export_context_thread(cutting->context, position);
        if (is_written(cutting, thread, &event, thread_ix))
            TV_TRY(put_event(cutting, thread, &event, err));
        if (event.kind == TV_CALL_EXIT)
            TV_TRY(tv_export_context_tell(cutting->context, 1, err));
    }
}

/* What the file says in another way than the trace. */
static void tell_changes(const struct cutting *cutting)
{
    uint64_t *changes = cutting->context->result->changes;
    const uint64_t *written = cutting->result.changes;
    const struct tv_index_info *info = cutting->context->index->info;
    uint32_t threads = 0;
    for (uint32_t i = 0; i < cutting->thread_count; i++) {
        const struct cut_thread *thread = &cutting->threads[i];
        threads += thread->ordinal != TV_NONE;
        changes[TV_EXPORT_CALLS_OPENED] += thread->enters_adopted ? thread->adopted : 0;
        changes[TV_EXPORT_CALLS_CLOSED] += thread->closes_open ? thread->open : 0;
    }
    changes[TV_EXPORT_CALLS_CUT] = cutting->cut;
    changes[TV_EXPORT_TIMES_ROUNDED] = cutting->rounded;
    changes[TV_EXPORT_TIMES_CUT] = cutting->too_late;
    changes[TV_EXPORT_TIMES_AMBIGUOUS] = cutting->ambiguous;
    if (info->has_clock[TV_CLOCK_WALL] && !info->has_common_axis && threads > 1)
        changes[TV_EXPORT_AXES_JOINED] = threads;
    changes[TV_EXPORT_PROCESSES_LEFT_OUT] = cutting->context->index->process_count;
    changes[TV_EXPORT_NAMES_CHANGED] += written[TV_WRITE_NAMES_CHANGED];
    changes[TV_EXPORT_THREADS_NUMBERED] = written[TV_WRITE_THREADS_NUMBERED];
    changes[TV_EXPORT_METHODS_NUMBERED] = written[TV_WRITE_METHODS_NUMBERED];
    changes[TV_EXPORT_PROPERTIES_LEFT_OUT] = written[TV_WRITE_OPTIONS_LEFT_OUT];
}

/* Times of the new trace begin at the beginning of the part, in whole ticks of the version that is
 * written. */
static enum tv_code cut(struct cutting *cutting, struct tv_merged_walk *walk, struct tv_error *err)
{
    struct tv_export_context *context = cutting->context;
    const struct tv_index_info *info = context->index->info;
    const struct tv_selection *selection = &context->opts->scope.selection;
    if (!info->has_clock[TV_CLOCK_WALL] && !info->has_clock[TV_CLOCK_CPU])
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "the trace has no times");
    if (selection->has_range)
        cutting->shift_ns = selection->from_ns - selection->from_ns % cutting->version->unit_ns;
    TV_TRY(tv_composer_make(&cutting->composer, context->alloc, tv_str_from(cutting->version->as),
                            context->out.sink, err));
    TV_TRY(survey(cutting, err));
    TV_TRY(begin(cutting, err));
    TV_TRY(put_records(cutting, walk, err));
    TV_TRY(tv_composer_end(cutting->composer, &cutting->result, err));
    tell_changes(cutting);
    return TV_OK;
}

/* The survey's tables are as long as the trace has methods and threads, and released here. */
static enum tv_code write_as(struct tv_export_context *context, const struct version *version,
                             struct tv_error *err)
{
    struct cutting cutting = {.context = context, .version = version};
    struct tv_merged_walk walk;
    tv_merged_walk_init(&walk, context->alloc);
    tv_buffer_init(&cutting.cut_threads, context->alloc);
    enum tv_code code = cut(&cutting, &walk, err);
    tv_merged_walk_release(&walk);
    tv_composer_free(&cutting.composer);
    tv_buffer_release(&cutting.cut_threads);
    tv_alloc_release(context->alloc, &cutting.threads, cutting.thread_count,
                     sizeof(*cutting.threads));
    tv_alloc_release(context->alloc, &cutting.methods, cutting.method_count,
                     sizeof(*cutting.methods));
    return code;
}

static enum tv_code write_trace(struct tv_export_context *context, struct tv_error *err)
{
    static const struct version v3 = {.as = "v3", .unit_ns = 1000, .has_wraps = true};
    return write_as(context, &v3, err);
}

static enum tv_code write_packets(struct tv_export_context *context, struct tv_error *err)
{
    /* The action takes two bits of a time. */
    static const struct version packets = {
        .as = "packets", .unit_ns = 1, .has_bare_exits = true, .time_most = INT64_MAX >> 2};
    return write_as(context, &packets, err);
}

const struct tv_export tv_export_trace = {
    .name = "trace",
    .suffix = ".trace",
    .media_type = "application/octet-stream",
    .summary = "a method trace (v3): traceview, Perfetto, Firefox Profiler, dmtracedump",
    .nests_calls = true,
    .write = write_trace,
};

const struct tv_export tv_export_packets = {
    .name = "packets",
    .suffix = ".packets.trace",
    .media_type = "application/octet-stream",
    .summary = "a method trace in nanoseconds (packets): traceview, Perfetto",
    .nests_calls = true,
    .write = write_packets,
};
