/*
 * From records to calls: one stack of open calls per thread, by the rules of docs/numbers.md,
 * "Calls" and "Clocks".
 *
 * The hot path is an enter, or an exit of the method on top, on the thread of the record before.
 * All other records leave it for functions that are not inline. The call on top of the stack is the
 * last one of its row, so opening a call appends an entry, and closing it writes the durations
 * there.
 *
 * No record takes longer than what records before it have paid for. An exit that closes several
 * calls pops what enters pushed. An exit whose method is nowhere on the stack is known by a count
 * of open calls per method, which a thread keeps from its first exit on that is not of the top
 * call. An adopting call moves no call (add_row_in_front, tv_nodes_adopt).
 */
#include "index/build/records/records.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/finding.h"
#include "index/build/builder.h"
#include "index/build/segment_groups_write.h"

/* The record that is being taken. */
struct step {
    struct tv_builder *builder;
    struct tv_build_thread *thread;
    uint64_t now[TV_CLOCK_COUNT]; /* `high` of the thread's clocks */
    uint64_t axis;                /* now on the axis clock */
    uint64_t offset;              /* bytes from the start of the file */
    uint32_t key;
};

/* Counts the thread in the finding of falls of the clock, once. */
static void report_fall(struct tv_builder *b, struct tv_build_thread *thread, enum tv_clock clock,
                        uint64_t offset)
{
    static const enum tv_finding_kind kinds[TV_CLOCK_COUNT] = {
        [TV_CLOCK_WALL] = TV_FINDING_CLOCK_BACKWARDS,
        [TV_CLOCK_CPU] = TV_FINDING_CPU_CLOCK_BACKWARDS};
    if (!thread->has_fallen[clock])
        tv_findings_add(&b->findings, kinds[clock], 1, offset);
    thread->has_fallen[clock] = true;
}

static enum tv_clock clock_of(const struct tv_build_thread *thread,
                              const struct tv_thread_clock *clock)
{
    return clock == &thread->clock[TV_CLOCK_WALL] ? TV_CLOCK_WALL : TV_CLOCK_CPU;
}

/* Adds the thread of record i, which is its first record. */
static enum tv_code add_thread(struct tv_builder *b, const struct tv_batch *batch, size_t i,
                               struct tv_error *err)
{
    struct tv_build_thread *thread;
    TV_TRY(tv_builder_add_thread(b, batch->thread_id[i], &thread, err));
    thread->first_offset = tv_batch_offset(batch, i);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        uint64_t raw = batch->time[clock][i];
        int64_t first = (int64_t)raw;
        if (first < 0) { /* a damaged 64-bit time before the start of the trace is raised to it */
            first = 0;
            report_fall(b, thread, (enum tv_clock)clock, thread->first_offset);
        }
        if (first > b->latest) {
            first = b->latest;
            tv_builder_report_far(b, thread, thread->first_offset);
        }
        thread->clock[clock] =
            (struct tv_thread_clock){.raw = raw, .cur = first, .high = first, .first = first};
    }
    thread->before_ix = b->last_ix;
    thread->before_wall = b->last->clock[TV_CLOCK_WALL].high;
    enum tv_clock axis = b->trace->has_clock[TV_CLOCK_WALL] ? TV_CLOCK_WALL : TV_CLOCK_CPU;
    thread->segment_start = (uint64_t)thread->clock[axis].first;
    return TV_OK;
}

/* Makes the thread of record i the current one, when it is not that of the record before. */
static TV_NOINLINE enum tv_code switch_thread(struct tv_builder *b, const struct tv_batch *batch,
                                              size_t i, struct tv_error *err)
{
    uint32_t id = batch->thread_id[i];
    uint32_t thread_ix = tv_map_get(&b->thread_of_id, id);
    if (thread_ix == TV_MAP_NONE) {
        thread_ix = (uint32_t)b->thread_count;
        TV_TRY(add_thread(b, batch, i, err));
    }
    b->last = b->threads[thread_ix];
    b->last_ix = thread_ix;
    return TV_OK;
}

/* Moves a 32-bit clock to a value below its last one, or far above: a wrap, or a fall. */
static TV_NOINLINE void take_wrap_or_fall(struct tv_builder *b, struct tv_build_thread *thread,
                                          struct tv_thread_clock *clock, uint32_t raw,
                                          uint64_t offset)
{
    uint32_t step = raw - (uint32_t)clock->raw;
    int64_t before = clock->high;
    const int64_t from = clock_of(thread, clock) == TV_CLOCK_CPU ? clock->first : 0;
    bool is_set_back = raw < clock->raw &&
                       tv_wrap_is_too_late(clock->cur + step - from, tv_trace_elapsed(b->trace));
    /* A large step forward modulo 2^32 is a small step back. */
    if (step > TV_LARGEST_STEP || is_set_back) {
        clock->cur -= (int64_t)(uint32_t)(0u - step);
        report_fall(b, thread, clock_of(thread, clock), offset);
    } else {
        clock->cur += step;
    }
    clock->raw = raw;
    if (clock->cur > clock->high)
        clock->high = clock->cur;
    /* Judged after raising: a fall and a wrap back to the same time are no wrap. */
    if (before >> 32 != clock->high >> 32 && !thread->has_wrapped) {
        thread->has_wrapped = true;
        tv_findings_add(&b->findings, TV_FINDING_CLOCK_WRAPPED, 1, offset);
    }
}

/* Moves a clock to the value of a record. Calls get clock->high, which never falls. */
TV_INLINE void take_time(struct tv_builder *b, struct tv_build_thread *thread,
                         struct tv_thread_clock *clock, uint64_t raw, unsigned clock_bits,
                         uint64_t offset)
{
    if (clock_bits == 32) {
        if (TV_UNLIKELY(raw < clock->raw || raw - clock->raw > TV_LARGEST_STEP)) {
            take_wrap_or_fall(b, thread, clock, (uint32_t)raw, offset);
            return;
        }
        clock->cur += (int64_t)(raw - clock->raw);
        clock->raw = raw;
        clock->high = clock->cur > clock->high ? clock->cur : clock->high;
        return;
    }
    if (TV_UNLIKELY((int64_t)raw < (int64_t)clock->raw))
        report_fall(b, thread, clock_of(thread, clock), offset);
    clock->raw = raw;
    clock->high = (int64_t)raw > clock->high ? (int64_t)raw : clock->high;
}

/* Lowers times beyond the latest one to it. What the file's next values count from stays. */
static void lower_times(struct tv_builder *b, struct tv_build_thread *thread, uint64_t offset)
{
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (thread->clock[clock].high <= b->latest)
            continue;
        thread->clock[clock].high = b->latest;
        tv_builder_report_far(b, thread, offset);
    }
}

/* Ends the current segment at the record: a segment of the call on top, or an idle one. */
TV_INLINE void end_segment(struct tv_build_thread *thread, uint64_t axis)
{
    uint64_t len = axis - thread->segment_start;
    struct tv_build_segment_group *group = thread->group;
    group->segments++;
    if (thread->depth) {
        if (len > group->longest_len || group->longest_depth == TV_NONE) {
            group->longest_len = len;
            group->longest_start = thread->segment_start;
            group->longest_depth = (uint32_t)thread->depth - 1;
            group->longest_epoch = (uint32_t)thread->adopting_count;
            group->longest_ordinal = thread->rows[thread->depth - 1].count - 1;
        }
    } else if (len > group->idle_len) {
        group->idle_len = len;
        group->idle_start = thread->segment_start;
        group->idle_epoch = (uint32_t)thread->adopting_count;
    }
    thread->segment_start = axis;
}

/* Like tv_alloc_grow, but the first time for exactly what is needed: a file may name very many
 * threads, most of which need one element. */
static enum tv_code grow_from_one(const struct tv_builder *b, void *pointer, size_t *cap,
                                  size_t need, size_t elem_len, struct tv_error *err)
{
    if (*cap)
        return tv_alloc_grow(b->alloc, pointer, cap, need, elem_len, err);
    TV_TRY(tv_alloc_new(b->alloc, pointer, need, elem_len, err));
    *cap = need;
    return TV_OK;
}

/* Begins the thread's next segment group, behind the one that is full. */
static TV_NOINLINE enum tv_code begin_group(const struct tv_builder *b,
                                            struct tv_build_thread *thread, uint64_t axis,
                                            struct tv_error *err)
{
    thread->group_count += thread->group && thread->group->segments;
    TV_TRY(grow_from_one(b, &thread->groups, &thread->group_cap, thread->group_count + 1,
                         sizeof(*thread->groups), err));
    thread->group = &thread->groups[thread->group_count];
    size_t depth = thread->depth;
    *thread->group = (struct tv_build_segment_group){
        .start = axis,
        .first_depth = depth ? (uint32_t)depth - 1 : TV_NONE,
        .first_epoch = (uint32_t)thread->adopting_count,
        .first_ordinal = depth ? thread->rows[depth - 1].count - 1 : 0,
        .longest_depth = TV_NONE,
    };
    return TV_OK;
}

/* Widens all rows of a thread, whose times no longer fit 32 bits. */
static TV_NOINLINE enum tv_code widen_thread(const struct tv_builder *b,
                                             struct tv_build_thread *thread, struct tv_error *err)
{
    /* A failure half-way leaves rows of both widths; the build ends, and releasing pages works for
     * either. */
    for (size_t i = 0; i < thread->row_count; i++)
        TV_TRY(tv_row_widen(&thread->rows[i], b->alloc, err));
    thread->is_wide = 1;
    return TV_OK;
}

/* Whether times of the thread up to this record fit 32 bits. */
TV_INLINE bool fits_narrow(const struct step *step)
{
    const struct tv_thread_clock *clock = step->thread->clock;
    uint64_t span =
        (uint64_t)(clock[0].high - clock[0].first) | (uint64_t)(clock[1].high - clock[1].first);
    return span <= UINT32_MAX;
}

/* Adds a row behind the deepest one. */
static TV_NOINLINE enum tv_code add_row(const struct tv_builder *b, struct tv_build_thread *thread,
                                        struct tv_error *err)
{
    if (thread->row_front + thread->row_count == thread->row_cap) {
        TV_TRY(tv_alloc_grow(b->alloc, &thread->row_room, &thread->row_cap, thread->row_cap + 1,
                             sizeof(*thread->row_room), err));
        thread->rows = thread->row_room + thread->row_front;
    }
    thread->rows[thread->row_count++] = (struct tv_call_row){.tail = NULL};
    return TV_OK;
}

/* Adds a row in front, so all rows are one deeper and rows[0] is new. The room in front doubles, so
 * the rows are copied no more often than by any array that grows by doubling. */
static enum tv_code add_row_in_front(const struct tv_builder *b, struct tv_build_thread *thread,
                                     struct tv_error *err)
{
    if (!thread->row_front) {
        size_t front = thread->row_count + 1;
        struct tv_call_row *room;
        size_t cap = front + thread->row_count;
        TV_TRY(tv_alloc_new(b->alloc, &room, cap, sizeof(*room), err));
        if (thread->row_count)
            memcpy(room + front, thread->rows, thread->row_count * sizeof(*room));
        tv_alloc_release(b->alloc, &thread->row_room, thread->row_cap, sizeof(*room));
        thread->row_room = room;
        thread->row_cap = cap;
        thread->row_front = front;
    }
    thread->row_front--;
    thread->row_count++;
    thread->rows = thread->row_room + thread->row_front;
    thread->rows[0] = (struct tv_call_row){.tail = NULL};
    return TV_OK;
}

/* Bytes of an entry in the thread's rows. */
TV_INLINE size_t call_len_of(const struct tv_build_thread *thread)
{
    return thread->is_wide ? sizeof(struct tv_wide_call) : sizeof(struct tv_narrow_call);
}

/* Writes the entry of the last call of a row. time: units since the thread's first record. */
TV_INLINE void set_call(const struct tv_build_thread *thread, struct tv_call_row *row,
                        uint32_t node, const uint64_t time[4])
{
    if (TV_LIKELY(!thread->is_wide)) {
        struct tv_narrow_call call = {
            .node = node,
            .time = {(uint32_t)time[0], (uint32_t)time[1], (uint32_t)time[2], (uint32_t)time[3]}};
        memcpy(row->tail, &call, sizeof(call));
        return;
    }
    struct tv_wide_call call = {.node = node, .time = {time[0], time[1], time[2], time[3]}};
    memcpy(row->tail, &call, sizeof(call));
}

/* Adds a call behind the last one of a row. */
TV_MUST_CHECK TV_INLINE enum tv_code append_call(const struct tv_builder *b,
                                                 struct tv_build_thread *thread,
                                                 struct tv_call_row *row, uint32_t node,
                                                 const uint64_t time[4], struct tv_error *err)
{
    if (TV_UNLIKELY(!row->room))
        TV_TRY(tv_row_add_buffer(row, b->alloc, call_len_of(thread), err));
    row->tail += call_len_of(thread);
    row->room--;
    row->last_count++;
    row->count++;
    thread->calls++;
    set_call(thread, row, node, time);
    return TV_OK;
}

/* Count an open call of a method, and one less, in a thread that counts them. */
static enum tv_code count_open(struct tv_build_thread *thread, uint32_t key, struct tv_error *err)
{
    uint32_t *count;
    TV_TRY(tv_map_slot(thread->open_counts, key, 0, &count, err));
    ++*count;
    return TV_OK;
}

static void uncount_open(struct tv_build_thread *thread, uint32_t key)
{
    uint32_t *count;
    /* The key was counted when the call was opened, so the map has its slot and does not grow. */
    if (tv_map_get(thread->open_counts, key) != TV_MAP_NONE &&
        tv_map_slot(thread->open_counts, key, 0, &count, NULL) == TV_OK)
        --*count;
}

/* Keeps the offset of the first record whose method nothing describes. Called for the first record
 * of each node, among which is the first record of each method. */
static TV_NOINLINE void check_described(struct tv_builder *b, uint32_t key, uint64_t offset)
{
    const struct tv_trace *trace = b->trace;
    if (b->unknown_offset == TV_NO_OFFSET &&
        tv_map_get(&trace->method_of_id, tv_trace_id_of_key(trace, key)) == TV_MAP_NONE)
        b->unknown_offset = offset;
}

/* An enter: opens a call on top of the stack. */
TV_MUST_CHECK TV_INLINE enum tv_code open_call(const struct step *step, struct tv_error *err)
{
    struct tv_build_thread *thread = step->thread;
    size_t depth = thread->depth;
    uint32_t parent = depth ? thread->stack[depth - 1].node : thread->root;
    uint32_t node;
    const size_t nodes = thread->nodes.count;
    TV_TRY(tv_nodes_child(&thread->nodes, parent, step->key, step->offset, &node, err));
    if (TV_UNLIKELY(thread->nodes.count != nodes))
        check_described(step->builder, step->key, step->offset);
    if (TV_UNLIKELY(depth == thread->stack_cap))
        TV_TRY(tv_alloc_grow(step->builder->alloc, &thread->stack, &thread->stack_cap, depth + 1,
                             sizeof(*thread->stack), err));
    if (TV_UNLIKELY(depth == thread->row_count))
        TV_TRY(add_row(step->builder, thread, err));
    if (TV_UNLIKELY(thread->open_counts))
        TV_TRY(count_open(thread, step->key, err));
    if (!depth)
        thread->root_enter_offset = step->offset;
    const uint64_t time[4] = {step->now[0] - (uint64_t)thread->clock[0].first, 0,
                              step->now[1] - (uint64_t)thread->clock[1].first, 0};
    TV_TRY(append_call(step->builder, thread, &thread->rows[depth], node, time, err));
    thread->stack[depth] = (struct tv_stacked_call){.key = step->key, .node = node};
    thread->depth = depth + 1;
    return TV_OK;
}

/* Closes the call on top, and takes it off the stack. */
TV_INLINE void close_top(struct tv_build_thread *thread, const uint64_t now[TV_CLOCK_COUNT])
{
    size_t depth = --thread->depth;
    const uint64_t end[TV_CLOCK_COUNT] = {now[0] - (uint64_t)thread->clock[0].first,
                                          now[1] - (uint64_t)thread->clock[1].first};
    tv_build_close(thread, depth, end);
    if (TV_UNLIKELY(thread->open_counts))
        uncount_open(thread, thread->stack[depth].key);
}

/* Lists the method of a record that made no node, so that it is among the methods of the index. */
static enum tv_code add_nodeless_key(struct tv_builder *b, uint32_t key, uint64_t offset,
                                     struct tv_error *err)
{
    if (tv_map_get(&b->nodeless_keys, key) != TV_MAP_NONE)
        return TV_OK;
    check_described(b, key, offset);
    return tv_map_put(&b->nodeless_keys, key, (uint32_t)b->nodeless_keys.count, err);
}

/* An exit with an empty stack: makes an adopting call, from the thread's first record to this one,
 * around all calls of the thread so far. */
static enum tv_code adopt_all(const struct step *step, struct tv_error *err)
{
    struct tv_build_thread *thread = step->thread;
    struct tv_builder *b = step->builder;
    TV_TRY(grow_from_one(b, &thread->adopting_nodes, &thread->adopting_node_cap,
                         thread->adopting_count + 1, sizeof(*thread->adopting_nodes), err));
    end_segment(thread, step->axis);
    tv_build_segment_group_adopt(thread->group);
    TV_TRY(add_row_in_front(b, thread, err));
    uint32_t adopter = thread->root;
    TV_TRY(tv_nodes_adopt(&thread->nodes, &thread->root, step->key, step->offset, err));
    check_described(b, step->key, step->offset);
    const uint64_t time[4] = {0, step->now[0] - (uint64_t)thread->clock[0].first, 0,
                              step->now[1] - (uint64_t)thread->clock[1].first};
    TV_TRY(append_call(b, thread, &thread->rows[0], adopter, time, err));
    thread->adopting_nodes[thread->adopting_count++] = adopter;
    tv_findings_add(&b->findings, TV_FINDING_EXIT_WITHOUT_ENTER, 1, step->offset);
    return TV_OK;
}

/* Begins to count open calls per method, with those that are open now. */
static enum tv_code start_counting_open(struct tv_build_thread *thread,
                                        const struct tv_alloc *alloc, struct tv_error *err)
{
    TV_TRY(tv_alloc_new(alloc, &thread->open_counts, 1, sizeof(*thread->open_counts), err));
    tv_map_init(thread->open_counts, alloc);
    for (size_t i = 0; i < thread->depth; i++)
        TV_TRY(count_open(thread, thread->stack[i].key, err));
    return TV_OK;
}

/* An exit that is not of the call on top: closes all calls above the innermost call of its method,
 * and that call; is left out where no call of the method is open; or makes an adopting call. */
static TV_NOINLINE enum tv_code close_mismatched(const struct step *step, struct tv_error *err)
{
    struct tv_build_thread *thread = step->thread;
    if (!thread->depth)
        return adopt_all(step, err);
    if (!thread->open_counts)
        TV_TRY(start_counting_open(thread, step->builder->alloc, err));
    uint32_t open = tv_map_get(thread->open_counts, step->key);
    if (open == TV_MAP_NONE || !open) {
        tv_findings_add(&step->builder->findings, TV_FINDING_EXIT_NOT_ON_STACK, 1, step->offset);
        return add_nodeless_key(step->builder, step->key, step->offset, err);
    }
    tv_findings_add(&step->builder->findings, TV_FINDING_EXIT_CLOSED_OTHERS, 1, step->offset);
    end_segment(thread, step->axis);
    while (thread->stack[thread->depth - 1].key != step->key)
        close_top(thread, step->now);
    close_top(thread, step->now);
    return TV_OK;
}

/* A record with action 3 is left out. */
static TV_NOINLINE enum tv_code drop_reserved(const struct step *step, struct tv_error *err)
{
    tv_findings_add(&step->builder->findings, TV_FINDING_RESERVED_ACTION, 1, step->offset);
    return add_nodeless_key(step->builder, step->key, step->offset, err);
}

/* Takes one record of a thread whose clocks are moved. */
TV_MUST_CHECK TV_INLINE enum tv_code take_record(const struct step *step, uint32_t action,
                                                 struct tv_error *err)
{
    struct tv_build_thread *thread = step->thread;
    if (action == TV_ACTION_ENTER) {
        end_segment(thread, step->axis);
        TV_TRY(open_call(step, err));
    } else if (TV_UNLIKELY(action == TV_ACTION_RESERVED)) {
        return drop_reserved(step, err);
    } else {
        if (action == TV_ACTION_UNWIND)
            step->builder->has_unwind = true;
        if (TV_LIKELY(thread->depth && thread->stack[thread->depth - 1].key == step->key)) {
            end_segment(thread, step->axis);
            close_top(thread, step->now);
        } else {
            TV_TRY(close_mismatched(step, err));
        }
    }
    if (TV_UNLIKELY(thread->group->segments >= TV_SEGMENT_GROUP_LEN))
        return begin_group(step->builder, thread, step->axis, err);
    return TV_OK;
}

/* A record of thread 0: true when it is all zero, and so was never written. */
static TV_NOINLINE bool is_empty_record(struct tv_builder *b, const struct tv_batch *batch,
                                        size_t i)
{
    uint64_t offset = tv_batch_offset(batch, i);
    if (!batch->key_action[i] && !batch->time[0][i] && !batch->time[1][i]) {
        tv_findings_add(&b->findings, TV_FINDING_EMPTY_RECORD, 1, offset);
        return true;
    }
    tv_findings_add(&b->findings, TV_FINDING_THREAD_ZERO, 1, offset);
    return false;
}

/* The loop over a batch. Inline in its callers, so that clock_bits and is_bounded are constants.
 * is_bounded: builder.latest lowers times. */
TV_MUST_CHECK TV_INLINE enum tv_code feed(struct tv_builder *b, const struct tv_batch *batch,
                                          unsigned clock_bits, bool is_bounded,
                                          struct tv_error *err)
{
    const unsigned axis = b->trace->has_clock[TV_CLOCK_WALL] ? TV_CLOCK_WALL : TV_CLOCK_CPU;
    for (size_t i = 0; i < batch->count; i++) {
        uint32_t id = batch->thread_id[i];
        if (TV_UNLIKELY(!id) && is_empty_record(b, batch, i))
            continue;
        if (TV_UNLIKELY(id != b->last->id))
            TV_TRY(switch_thread(b, batch, i, err));
        struct tv_build_thread *thread = b->last;
        struct step step = {.builder = b,
                            .thread = thread,
                            .offset = tv_batch_offset(batch, i),
                            .key = batch->key_action[i] & ~3u};
        uint64_t before = (uint64_t)thread->clock[axis].high;
        take_time(b, thread, &thread->clock[0], batch->time[0][i], clock_bits, step.offset);
        take_time(b, thread, &thread->clock[1], batch->time[1][i], clock_bits, step.offset);
        if (is_bounded)
            lower_times(b, thread, step.offset);
        step.now[0] = (uint64_t)thread->clock[0].high;
        step.now[1] = (uint64_t)thread->clock[1].high;
        step.axis = step.now[axis];
        if (TV_LIKELY(thread->records++))
            tv_builder_count_gap(step.axis - before, b->small_gap, &b->gaps_zero, &b->gaps_small);
        else
            TV_TRY(begin_group(b, thread, step.axis, err));
        if (TV_UNLIKELY(!thread->is_wide && !fits_narrow(&step)))
            TV_TRY(widen_thread(b, thread, err));
        TV_TRY(take_record(&step, batch->key_action[i] & 3u, err));
    }
    return TV_OK;
}

enum tv_code tv_builder_feed(struct tv_builder *builder, const struct tv_batch *batch,
                             struct tv_error *err)
{
    const bool is_narrow = builder->trace->clock_bits == 32;
    if (TV_UNLIKELY(builder->latest != INT64_MAX))
        return is_narrow ? feed(builder, batch, 32, true, err)
                         : feed(builder, batch, 64, true, err);
    return is_narrow ? feed(builder, batch, 32, false, err) : feed(builder, batch, 64, false, err);
}
