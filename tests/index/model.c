/* See model.h. Plain and slow: meant to be checked by eye against the design's sentences. */
#include "index/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/finding.h"
#include "format/trace.h"

#define WRAP ((int64_t)1 << 32)
#define MINUTE_USEC 60000000

static void *take_room(size_t count, size_t elem_len)
{
    void *room = NULL;
    if (tv_alloc_new(tv_alloc_libc(), &room, count + 1, elem_len, NULL) != TV_OK)
        fail_msg("no memory");
    return room;
}

static void note(struct model *m, enum tv_finding_kind kind, uint64_t offset)
{
    tv_findings_add(&m->findings, kind, 1, offset);
}

/* "clock_backwards counts the threads with a fall of the wall clock, cpu_clock_backwards those with
 * one of the CPU clock." */
static void note_fall(struct model *m, struct model_thread *thread, unsigned clock, uint64_t offset)
{
    if (thread->has_fallen[clock])
        return;
    note(m, clock == TV_CLOCK_CPU ? TV_FINDING_CPU_CLOCK_BACKWARDS : TV_FINDING_CLOCK_BACKWARDS,
         offset);
    thread->has_fallen[clock] = true;
}

/* "Within a thread a 32-bit value goes forward by (value - previous) mod 2^32; a step of more than
 * 2^32 us less 60 s is a fall, and so is one over a wrap that would put a wall time more than 60 s
 * behind the elapsed time (64-bit values fall whenever they are smaller)." */
static void move_clock(struct model *m, struct model_thread *thread, unsigned clock, uint64_t value,
                       uint64_t offset)
{
    int64_t step = (int64_t)(value - thread->raw[clock]);
    if (m->facts.clock_bits == 32) {
        step = (int64_t)((value - thread->raw[clock]) & UINT32_MAX);
        int64_t elapsed = (int64_t)(m->facts.elapsed_ns / m->facts.unit_ns);
        bool is_too_late = clock == TV_CLOCK_WALL && elapsed && value < thread->raw[clock] &&
                           thread->now[clock] + step > elapsed + MINUTE_USEC;
        if (step > WRAP - MINUTE_USEC || is_too_late)
            step -= WRAP;
    }
    if (step < 0)
        note_fall(m, thread, clock, offset);
    int64_t before = thread->high[clock];
    thread->raw[clock] = value;
    thread->now[clock] += step;
    if (thread->now[clock] > before)
        thread->high[clock] = thread->now[clock];
    bool is_wrap = m->facts.clock_bits == 32 && before / WRAP != thread->high[clock] / WRAP;
    if (is_wrap && !thread->has_wrapped) {
        note(m, TV_FINDING_CLOCK_WRAPPED, offset);
        thread->has_wrapped = true;
    }
}

static unsigned axis_of(const struct model *m)
{
    return m->facts.has_clock[TV_CLOCK_WALL] ? TV_CLOCK_WALL : TV_CLOCK_CPU;
}

static void add_thread(struct model *m, const struct listed_record *record, uint32_t before)
{
    struct model_thread *thread = &m->threads[m->thread_count++];
    *thread = (struct model_thread){
        .id = record->thread, .first_offset = record->offset, .top = TV_NONE, .before = before};
    if (before != TV_NONE)
        thread->before_wall = m->threads[before].high[TV_CLOCK_WALL];
    const uint64_t value[TV_CLOCK_COUNT] = {
        [TV_CLOCK_WALL] = record->wall, [TV_CLOCK_CPU] = record->cpu};
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        int64_t first = (int64_t)value[clock];
        thread->raw[clock] = value[clock];
        thread->now[clock] = first;
        thread->first[clock] = first < 0 ? 0 : first; /* the trace began at 0 */
        thread->high[clock] = thread->first[clock];
        if (first < 0)
            note_fall(m, thread, clock, record->offset);
    }
    thread->segment_start = (uint64_t)thread->first[axis_of(m)];
}

static void count_gap(struct model *m, uint64_t gap)
{
    m->gaps++;
    m->gaps_zero += gap == 0;
    m->gaps_small += gap && gap < 100000 / m->facts.unit_ns;
}

static void end_segment(struct model *m, uint32_t thread_ix)
{
    struct model_thread *thread = &m->threads[thread_ix];
    uint64_t now = (uint64_t)thread->high[axis_of(m)];
    m->segments[m->segment_count++] = (struct model_segment){.thread = thread_ix,
                                                             .call = thread->top,
                                                             .start = thread->segment_start,
                                                             .len = now - thread->segment_start};
    thread->segment_start = now;
}

static void open_call(struct model *m, uint32_t thread_ix, const struct listed_record *record)
{
    struct model_thread *thread = &m->threads[thread_ix];
    struct model_call call = {
        .thread = thread_ix, .method = record->method, .parent = thread->top, .is_open = true};
    call.offset = record->offset;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        call.start[clock] = (uint64_t)thread->high[clock];
    thread->top = m->call_count;
    m->calls[m->call_count++] = call;
}

static void close_top(struct model *m, struct model_thread *thread)
{
    struct model_call *call = &m->calls[thread->top];
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        call->end[clock] = (uint64_t)thread->high[clock];
    call->is_open = false;
    thread->top = call->parent;
}

/* "It becomes a call from the thread's first record to this one, and every call of the thread so
 * far lies inside it." */
static void adopt_all(struct model *m, uint32_t thread_ix, const struct listed_record *record)
{
    struct model_thread *thread = &m->threads[thread_ix];
    uint32_t adopter = m->call_count++;
    m->calls[adopter] = (struct model_call){
        .thread = thread_ix, .method = record->method, .parent = TV_NONE, .began_before = true};
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        m->calls[adopter].start[clock] = (uint64_t)thread->first[clock];
        m->calls[adopter].end[clock] = (uint64_t)thread->high[clock];
    }
    for (uint32_t i = 0; i < adopter; i++) {
        if (m->calls[i].thread == thread_ix && m->calls[i].parent == TV_NONE)
            m->calls[i].parent = adopter;
    }
    for (uint32_t i = 0; i < m->segment_count; i++) {
        if (m->segments[i].thread == thread_ix && m->segments[i].call == TV_NONE)
            m->segments[i].call = adopter;
    }
    note(m, TV_FINDING_EXIT_WITHOUT_ENTER, record->offset);
}

static void take_exit(struct model *m, uint32_t thread_ix, const struct listed_record *record)
{
    struct model_thread *thread = &m->threads[thread_ix];
    uint32_t match = thread->top;
    while (match != TV_NONE && m->calls[match].method != record->method)
        match = m->calls[match].parent;
    if (match == TV_NONE && thread->top != TV_NONE) {
        note(m, TV_FINDING_EXIT_NOT_ON_STACK, record->offset);
        return;
    }
    end_segment(m, thread_ix);
    if (match == TV_NONE) {
        adopt_all(m, thread_ix, record);
        return;
    }
    if (match != thread->top)
        note(m, TV_FINDING_EXIT_CLOSED_OTHERS, record->offset);
    while (thread->top != match)
        close_top(m, thread);
    close_top(m, thread);
}

static uint32_t find_thread(const struct model *m, uint32_t id)
{
    for (uint32_t i = 0; i < m->thread_count; i++) {
        if (m->threads[i].id == id)
            return i;
    }
    return TV_NONE;
}

static uint32_t take_record(struct model *m, const struct listed_record *record, uint32_t before)
{
    uint32_t thread_ix = find_thread(m, record->thread);
    if (thread_ix == TV_NONE) {
        thread_ix = m->thread_count;
        add_thread(m, record, before);
    }
    struct model_thread *thread = &m->threads[thread_ix];
    uint64_t axis_before = (uint64_t)thread->high[axis_of(m)];
    move_clock(m, thread, TV_CLOCK_WALL, record->wall, record->offset);
    move_clock(m, thread, TV_CLOCK_CPU, record->cpu, record->offset);
    if (thread->records++)
        count_gap(m, (uint64_t)thread->high[axis_of(m)] - axis_before);
    m->has_unwind |= record->action == UNWIND;
    if (record->action == ENTER) {
        end_segment(m, thread_ix);
        open_call(m, thread_ix, record);
    } else if (record->action == RESERVED) {
        note(m, TV_FINDING_RESERVED_ACTION, record->offset);
    } else {
        take_exit(m, thread_ix, record);
    }
    return thread_ix;
}

/* "The multiple of 2^32 nearest to the record before it in the file for which the thread's last
 * record, too, lies within the header's elapsed time; ties go to the smaller." */
static uint64_t multiple_of(const struct model *m, const struct model_thread *thread)
{
    const struct listed_facts *facts = &m->facts;
    if (!facts->has_elapsed || !facts->has_common_axis || !facts->has_clock[TV_CLOCK_WALL] ||
        facts->clock_bits != 32 || thread->before == TV_NONE)
        return 0;
    int64_t elapsed = (int64_t)(facts->elapsed_ns / facts->unit_ns);
    int64_t before = thread->before_wall + (int64_t)m->threads[thread->before].multiple;
    int64_t best = 0;
    for (int64_t multiple = 0; thread->high[TV_CLOCK_WALL] + multiple <= elapsed;
         multiple += WRAP) {
        int64_t off = thread->first[TV_CLOCK_WALL] + multiple - before;
        int64_t best_off = thread->first[TV_CLOCK_WALL] + best - before;
        if ((off < 0 ? -off : off) < (best_off < 0 ? -best_off : best_off))
            best = multiple;
    }
    return (uint64_t)best;
}

static void move_to_multiple(struct model *m, uint32_t thread_ix)
{
    uint64_t multiple = multiple_of(m, &m->threads[thread_ix]);
    m->threads[thread_ix].multiple = multiple;
    for (uint32_t i = 0; i < m->call_count; i++) {
        if (m->calls[i].thread == thread_ix) {
            m->calls[i].start[TV_CLOCK_WALL] += multiple;
            m->calls[i].end[TV_CLOCK_WALL] += multiple;
        }
    }
    for (uint32_t i = 0; i < m->segment_count && m->facts.has_clock[TV_CLOCK_WALL]; i++) {
        if (m->segments[i].thread == thread_ix)
            m->segments[i].start += multiple;
    }
}

static uint64_t last_of(const struct model_thread *thread, unsigned clock)
{
    return (uint64_t)thread->high[clock] + (clock == TV_CLOCK_WALL ? thread->multiple : 0);
}

/* "A call still open at the end lasts, on the wall clock, to the latest wall time of any record
 * and, on the CPU clock, to its thread's last record." */
static void close_open(struct model *m, uint32_t thread_ix)
{
    struct model_thread *thread = &m->threads[thread_ix];
    uint64_t end[TV_CLOCK_COUNT] = {last_of(thread, 0), last_of(thread, 1)};
    for (uint32_t i = 0; i < m->thread_count && m->facts.has_common_axis; i++) {
        if (last_of(&m->threads[i], TV_CLOCK_WALL) > end[TV_CLOCK_WALL])
            end[TV_CLOCK_WALL] = last_of(&m->threads[i], TV_CLOCK_WALL);
    }
    if (thread->top == TV_NONE)
        return;
    unsigned axis = axis_of(m);
    uint64_t start = thread->segment_start + (axis == TV_CLOCK_WALL ? thread->multiple : 0);
    m->segments[m->segment_count++] = (struct model_segment){
        .thread = thread_ix, .call = thread->top, .start = start, .len = end[axis] - start};
    for (uint32_t call = thread->top; call != TV_NONE; call = m->calls[call].parent) {
        note(m, TV_FINDING_OPEN_AT_END, m->calls[call].offset);
        m->calls[call].end[TV_CLOCK_WALL] = end[TV_CLOCK_WALL];
        m->calls[call].end[TV_CLOCK_CPU] = end[TV_CLOCK_CPU];
    }
}

static void set_depths(struct model *m)
{
    for (uint32_t i = 0; i < m->call_count; i++) {
        m->calls[i].depth = 0;
        for (uint32_t above = m->calls[i].parent; above != TV_NONE; above = m->calls[above].parent)
            m->calls[i].depth++;
    }
}

void model_take(struct model *m, const struct listed_facts *facts,
                const struct listed_record *records, size_t count)
{
    *m = (struct model){.facts = *facts, .record_count = count};
    m->threads = take_room(count, sizeof(*m->threads));
    m->calls = take_room(count, sizeof(*m->calls));
    m->segments = take_room(2 * count, sizeof(*m->segments));
    tv_findings_init(&m->findings);
    uint32_t before = TV_NONE;
    for (size_t i = 0; i < count; i++) {
        const struct listed_record *record = &records[i];
        bool is_zero = !record->method && !record->action && !record->cpu && !record->wall;
        if (!record->thread)
            note(m, is_zero ? TV_FINDING_EMPTY_RECORD : TV_FINDING_THREAD_ZERO, record->offset);
        if (record->thread || !is_zero)
            before = take_record(m, record, before);
    }
    for (uint32_t i = 0; i < m->thread_count; i++)
        move_to_multiple(m, i);
    for (uint32_t i = 0; i < m->thread_count; i++) {
        close_open(m, i);
        m->records += m->threads[i].records;
    }
    set_depths(m);
}

static size_t list_records(struct tv_trace *trace, struct listed_record *records)
{
    struct tv_batch *batch = take_room(1, sizeof(*batch));
    size_t count = 0;
    do {
        assert_int_equal(tv_trace_next(trace, batch, NULL), TV_OK);
        for (size_t i = 0; i < batch->count; i++) {
            records[count++] = (struct listed_record){.thread = batch->thread_id[i],
                                                      .method = batch->key_action[i] & ~3u,
                                                      .action = batch->key_action[i] & 3u,
                                                      .cpu = batch->time[TV_CLOCK_CPU][i],
                                                      .wall = batch->time[TV_CLOCK_WALL][i],
                                                      .offset = tv_batch_offset(batch, i)};
        }
    } while (batch->count);
    tv_alloc_release(tv_alloc_libc(), &batch, 2, sizeof(*batch));
    return count;
}

/* Threads and methods that records name and no line describes. */
static void note_unknown(struct model *m, const struct tv_trace *trace,
                         const struct listed_record *records, size_t count)
{
    struct tv_map seen;
    tv_map_init(&seen, tv_alloc_libc());
    for (uint32_t i = 0; i < m->thread_count; i++) {
        if (tv_map_get(&trace->thread_of_id, m->threads[i].id) == TV_MAP_NONE)
            note(m, TV_FINDING_UNKNOWN_THREAD, m->threads[i].first_offset);
    }
    for (size_t i = 0; i < count; i++) {
        const struct listed_record *record = &records[i];
        if (!record->thread && !record->method && !record->action && !record->cpu && !record->wall)
            continue;
        if (tv_map_get(&trace->method_of_id, record->method) != TV_MAP_NONE ||
            tv_map_get(&seen, record->method) != TV_MAP_NONE)
            continue;
        assert_int_equal(tv_map_put(&seen, record->method, 1, NULL), TV_OK);
        note(m, TV_FINDING_UNKNOWN_METHOD, record->offset);
    }
    tv_map_release(&seen);
}

void model_read(struct model *m, const struct tv_buffer *bytes)
{
    struct tv_trace trace;
    tv_trace_init(&trace, tv_alloc_libc());
    assert_int_equal(tv_trace_open(&trace, bytes->bytes, bytes->len, NULL, NULL), TV_OK);
    size_t cap = bytes->len / 9; /* the shortest record */
    struct listed_record *records = take_room(cap, sizeof(*records));
    size_t count = list_records(&trace, records);
    struct listed_facts facts = {.has_clock = {trace.has_clock[0], trace.has_clock[1]},
                                 .has_common_axis = trace.has_common_axis,
                                 .clock_bits = trace.clock_bits,
                                 .unit_ns = trace.unit_ns,
                                 .has_elapsed = trace.has_elapsed,
                                 .elapsed_ns = trace.elapsed_ns};
    model_take(m, &facts, records, count);
    note_unknown(m, &trace, records, count);
    tv_alloc_release(tv_alloc_libc(), &records, cap + 1, sizeof(*records));
    tv_trace_release(&trace);
}

void model_release(struct model *m)
{
    size_t room = m->record_count + 1;
    tv_alloc_release(tv_alloc_libc(), &m->threads, room, sizeof(*m->threads));
    tv_alloc_release(tv_alloc_libc(), &m->calls, room, sizeof(*m->calls));
    tv_alloc_release(tv_alloc_libc(), &m->segments, room + m->record_count, sizeof(*m->segments));
}
