/*
 * Writing calls to their final places; see index/build/chunks/chunk_write.h.
 *
 * This is the hot loop of building. A record costs some fifty instructions; what it waits for is
 * memory: the node of a call, and the ends of the columns of each row, which grow in as many places
 * as there are rows. So the loop keeps its state in registers, prefetches columns, and is made once
 * for each shape of records and each width of durations.
 */
#include "index/build/chunks/chunk_write.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/error.h"
#include "format/wire.h"
#include "index/block.h"
#include "index/build/chunks/chunk_write_cursor.h"
#include "index/build/chunks/record_shape.h"

/* Bytes of a column from a call to what is prefetched for later calls: two lines of the cache. */
#define AHEAD 128u

/* The cursors of the chunk's threads. */
struct cursors {
    struct tv_write_cursor *at; /* one for each of the chunk's threads */
    uint32_t *of_id;            /* by id: place in `at` + 1; 0 for a thread that the chunk lacks */
};

/* The records of the chunk that are still to be taken. */
struct records {
    const uint8_t *bytes; /* of the file, for offsets */
    const uint8_t *at, *end;
    uint32_t exit_mask; /* bits of a call's key that its exit has: all, or none in layout E */
    bool needs_serial;  /* the record at `at` needs the serial builder */
};

/* Time of a record since the thread's first record. A narrow thread spans less than 2^32 units, so
 * there the difference of low halves is right whatever wrapped between; a wide thread counts wraps.
 */
TV_INLINE uint64_t since_first(struct tv_write_cursor *cursor, const uint8_t *record,
                               struct tv_fixed_shape shape, unsigned clock, bool is_wide)
{
    if (!shape.time_at[clock])
        return 0;
    uint32_t raw = tv_load_le32(record + shape.time_at[clock]);
    if (!is_wide)
        return raw - cursor->raw_first[clock];
    if (raw < cursor->raw_last[clock])
        cursor->wide_base[clock] += (uint64_t)1 << 32;
    cursor->raw_last[clock] = raw;
    return cursor->wide_base[clock] + raw - cursor->raw_first[clock];
}

/* Writes a time of `len` bytes. */
TV_INLINE void store_time(char *column, uint64_t call, uint64_t value, uint32_t len)
{
    if (len == 2) {
        uint16_t stored = (uint16_t)value; /* tv_write_cursor_close_long corrects a long one */
        memcpy(column + call * 2, &stored, 2);
    } else if (len == 8) {
        memcpy(column + call * 8, &value, 8);
    } else {
        uint32_t narrow = (uint32_t)value;
        memcpy(column + call * 4, &narrow, 4);
    }
}

/* Writes times on both clocks to the columns of starts (which: 0) or of durations (which: 1). */
TV_INLINE void store_times(char *const time[4], uint64_t call, struct tv_fixed_shape shape,
                           unsigned which, const uint64_t value[TV_CLOCK_COUNT], uint32_t len)
{
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (shape.time_at[clock])
            store_time(time[2 * clock + which], call, value[clock], len);
    }
}

/* Prefetches what later calls of the row will write. Until then hundreds of calls of other rows are
 * written, so the lines are there in time. */
TV_INLINE void fetch_ahead(const uint32_t *node, char *const time[4], uint64_t call,
                           struct tv_fixed_shape shape, uint32_t start_len, uint32_t duration_len)
{
    TV_PREFETCH_WRITE(node + call + AHEAD / sizeof(*node));
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (!shape.time_at[clock])
            continue;
        TV_PREFETCH_WRITE(time[2 * clock] + call * start_len + AHEAD);
        TV_PREFETCH_WRITE(time[2 * clock + 1] + call * duration_len + AHEAD);
    }
}

/* The length from which on a segment is offered to the group. */
TV_INLINE uint64_t threshold_of(const struct tv_index_segment_group *group)
{
    return group->longest_depth == TV_NONE ? 0 : group->longest_len + 1;
}

/* Whether `record` closes, after a short time, the call that the record before it opened. More than
 * half of all calls are such leaves: they are written at once, and no slot has to hold them. id: of
 * the enter. key: what the exit of the call has. */
TV_INLINE bool closes_leaf(const uint8_t *record, struct tv_fixed_shape shape, uint32_t id,
                           uint32_t key, const uint64_t duration[TV_CLOCK_COUNT],
                           uint64_t threshold)
{
    /* 0 or 1 for an exit or unwind of the key; huge for any other word. */
    uint32_t beyond_enter = tv_load_le32(record + shape.thread_len) - key - 1;
    uint64_t len = duration[tv_fixed_axis(shape)];
    return beyond_enter < TV_WIRE_ACTION_MASK && tv_fixed_thread_id(record, shape) == id &&
           (duration[0] | duration[1]) < TV_LONG_DURATION && len < threshold;
}

/* Stops at a record that needs the serial builder. */
static TV_NOINLINE enum tv_code mark_for_serial(struct records *records, const uint8_t *at)
{
    records->at = at;
    records->needs_serial = true;
    return TV_OK;
}

/*
 * Writes the records from the first one on that are of its thread, up to the end of the segment
 * group. All that a record needs is in registers or in two or three lines of the cache: the slot,
 * the node, and the places in the columns.
 */
/* NOLINTNEXTLINE(readability-function-*): one loop, all of whose state is to stay in registers */
TV_MUST_CHECK TV_INLINE enum tv_code write_run(const struct tv_chunk_writer *writer,
                                               struct tv_write_cursor *cursor,
                                               struct records *records, struct tv_fixed_shape shape,
                                               uint32_t duration_len, struct tv_error *err)
{
    const bool is_wide = duration_len == 8;
    const uint32_t start_len = is_wide ? 8 : 4;
    struct tv_writer_thread *thread = cursor->thread;
    struct tv_writer_slot *top = cursor->top;
    const struct tv_node *nodes = thread->nodes.at;
    const struct tv_siblings *siblings = thread->nodes.siblings;
    uint32_t *node = cursor->node;
    char *const time[4] = {cursor->time[0], cursor->time[1], cursor->time[2], cursor->time[3]};
    const uint8_t *i = records->at;
    const uint32_t id = tv_fixed_thread_id(i, shape);
    const uint32_t exit_mask = records->exit_mask;
    uint64_t segment_start = thread->segment_start;
    uint64_t threshold = threshold_of(cursor->group);
    const uint64_t group_left = TV_SEGMENT_GROUP_LEN - thread->record % TV_SEGMENT_GROUP_LEN;
    const bool is_cut = (uint64_t)(records->end - i) < group_left * shape.len;
    const uint8_t *const stop = is_cut ? records->end : i + group_left * shape.len;
    /* `i` is before `stop` and is a record of the thread. */
    do {
        uint32_t word = tv_load_le32(i + shape.thread_len);
        uint64_t now0 = since_first(cursor, i, shape, 0, is_wide);
        uint64_t now1 = since_first(cursor, i, shape, 1, is_wide);
        uint64_t axis = shape.time_at[TV_CLOCK_WALL] ? now0 : now1;
        if (TV_UNLIKELY(axis - segment_start >= threshold)) {
            tv_write_cursor_offer_segment(cursor, top, segment_start, axis);
            threshold = threshold_of(cursor->group);
        }
        segment_start = axis;
        if ((word & TV_WIRE_ACTION_MASK) == TV_ACTION_ENTER) {
            uint32_t key = word & ~TV_WIRE_ACTION_MASK;
            /* More calls than the scan has counted here: the file has changed. */
            if (TV_UNLIKELY(top->next == top->end))
                return mark_for_serial(records, i);
            /* The slot below the top has the node of the caller. */
            uint32_t child = tv_nodes_near_child(nodes, siblings, top[-1].node, key);
            if (TV_UNLIKELY(!child)) {
                uint32_t found;
                /* Only here: no node is ever made for this key, so every such enter comes here. */
                if (key == TV_WIRE_NEVER_WRITTEN)
                    return mark_for_serial(records, i);
                TV_TRY(tv_nodes_find_child(&thread->nodes, top[-1].node, key,
                                           (uint64_t)(i - records->bytes), &found, err));
                child = found;
                nodes = thread->nodes.at;
                siblings = thread->nodes.siblings;
            }
            uint64_t call = top->next++;
            fetch_ahead(node, time, call, shape, start_len, duration_len);
            node[call] = child - TV_FIRST_CHILD;
            store_times(time, call, shape, 0, (uint64_t[]){now0, now1}, start_len);
            /* Wide threads count wraps record by record, so they do not look ahead. */
            const uint8_t *next = i + shape.len;
            if (!is_wide && next != stop) {
                const uint64_t duration[TV_CLOCK_COUNT] = {
                    since_first(cursor, next, shape, 0, is_wide) - now0,
                    since_first(cursor, next, shape, 1, is_wide) - now1};
                if (closes_leaf(next, shape, id, key & exit_mask, duration, threshold)) {
                    store_times(time, call, shape, 1, duration, duration_len);
                    segment_start += duration[tv_fixed_axis(shape)];
                    i = next + shape.len;
                    continue;
                }
            }
            top->start[0] = now0;
            top->start[1] = now1;
            top->node = child;
            top->key = key;
            top++;
        } else {
            top--;
            if (TV_LIKELY(top >= cursor->own_slots)) {
                if (TV_UNLIKELY((top->key & exit_mask) != (word & ~TV_WIRE_ACTION_MASK)))
                    return mark_for_serial(records, i);
                uint64_t call = top->next - 1;
                const uint64_t duration[TV_CLOCK_COUNT] = {now0 - top->start[0],
                                                           now1 - top->start[1]};
                store_times(time, call, shape, 1, duration, duration_len);
                if (duration_len == 2 &&
                    TV_UNLIKELY((duration[0] | duration[1]) >= TV_LONG_DURATION))
                    TV_TRY(tv_write_cursor_close_long(cursor, top, duration, writer->alloc, err));
            } else {
                const uint64_t now[TV_CLOCK_COUNT] = {now0, now1};
                /* Lower than the scan went: the file has changed. */
                if (top == thread->slots)
                    return mark_for_serial(records, i);
                TV_TRY(tv_write_cursor_add_cross_close(cursor, top, now, writer->alloc, err));
            }
        }
        i += shape.len;
    } while (i != stop && tv_fixed_thread_id(i, shape) == id);
    cursor->top = top;
    thread->segment_start = segment_start;
    thread->record += (uint64_t)(i - records->at) / shape.len;
    if (thread->record % TV_SEGMENT_GROUP_LEN == 0)
        tv_write_cursor_begin_group(cursor, segment_start);
    records->at = i;
    return TV_OK;
}

/* Writes records that stand side by side, up to one that needs the serial builder. The width of
 * durations is a constant in each loop. */
TV_MUST_CHECK TV_INLINE enum tv_code write_records(const struct tv_chunk_writer *writer,
                                                   struct cursors cursors, struct records *records,
                                                   struct tv_fixed_shape shape,
                                                   struct tv_error *err)
{
    while (records->at != records->end && !records->needs_serial) {
        uint32_t cursor_no = cursors.of_id[tv_fixed_thread_id(records->at, shape)];
        if (!cursor_no)
            return mark_for_serial(records, records->at);
        struct tv_write_cursor *cursor = &cursors.at[cursor_no - 1];
        if (cursor->duration_len == 2)
            TV_TRY(write_run(writer, cursor, records, shape, 2, err));
        else if (cursor->duration_len == 4)
            TV_TRY(write_run(writer, cursor, records, shape, 4, err));
        else
            TV_TRY(write_run(writer, cursor, records, shape, 8, err));
    }
    return TV_OK;
}

/* write_records for the shape of nearly all traces, which is then a constant in its loop; the
 * function below is for any other shape. Both are called anew for every stretch of records: a
 * browser compiles a hot function better while it runs, and uses the better code from the next call
 * on. */
TV_MUST_CHECK static TV_NOINLINE enum tv_code
write_dual_records(const struct tv_chunk_writer *writer, struct cursors cursors,
                   struct records *records, struct tv_error *err)
{
    return write_records(writer, cursors, records, TV_FIXED_DUAL, err);
}

TV_MUST_CHECK static TV_NOINLINE enum tv_code
write_other_records(const struct tv_chunk_writer *writer, struct cursors cursors,
                    struct records *records, struct tv_fixed_shape shape, struct tv_error *err)
{
    return write_records(writer, cursors, records, shape, err);
}

/* Makes all threads of the chunk ready. */
static enum tv_code open_cursors(const struct tv_chunk_writer *writer, struct cursors cursors,
                                 const struct tv_trace *trace, const struct tv_layout *layout,
                                 const struct tv_index *index, struct tv_error *err)
{
    const struct tv_chunk_scan *scan = writer->scan;
    for (size_t i = 0; i < scan->thread_count; i++) {
        TV_TRY(
            tv_write_cursor_open(&cursors.at[i], &writer->threads[i], trace, layout, index, err));
        cursors.of_id[scan->threads[i].id] = (uint32_t)i + 1;
    }
    return TV_OK;
}

/* Takes the 64-bit times of a record. The records of the same thread behind it are known by the low
 * halves of their times (tv_fixed_part.time). */
static void take_wide_times(struct cursors cursors, const uint8_t *record,
                            struct tv_fixed_shape shape, const uint64_t time[TV_CLOCK_COUNT])
{
    uint32_t cursor_no = cursors.of_id[tv_fixed_thread_id(record, shape)];
    for (unsigned clock = 0; cursor_no && clock < TV_CLOCK_COUNT; clock++) {
        struct tv_write_cursor *cursor = &cursors.at[cursor_no - 1];
        cursor->raw_last[clock] = (uint32_t)time[clock];
        cursor->wide_base[clock] =
            tv_write_cursor_wide_base(cursor, clock, time[clock] >> 32 << 32);
    }
}

/* Writes all records of the chunk. */
static enum tv_code write_runs(struct tv_chunk_writer *writer, struct cursors cursors,
                               struct tv_fixed_part *part, struct tv_error *err)
{
    const struct tv_fixed_shape shape = tv_fixed_shape_of(&part->trace->fixed);
    while (part->first < part->end && !writer->needs_serial) {
        struct records records = {.bytes = part->trace->bytes,
                                  .exit_mask = part->trace->fixed.has_bare_exits ? 0 : UINT32_MAX};
        records.at = tv_fixed_take(part, &records.end);
        if (!records.at) {
            writer->needs_serial = true;
            return TV_OK;
        }
        if (part->has_times)
            take_wide_times(cursors, records.at, shape, part->time);
        if (tv_fixed_is_dual(shape))
            TV_TRY(write_dual_records(writer, cursors, &records, err));
        else
            TV_TRY(write_other_records(writer, cursors, &records, shape, err));
        writer->needs_serial = records.needs_serial;
    }
    return TV_OK;
}

static enum tv_code write_part(struct tv_chunk_writer *writer, struct cursors cursors,
                               const struct tv_trace *trace, struct tv_error *err)
{
    const struct tv_chunk_scan *scan = writer->scan;
    struct tv_fixed_part part;
    enum tv_code code = tv_fixed_open(&part, trace, scan->first_record,
                                      scan->first_record + scan->record_count, err);
    if (code == TV_OK)
        code = write_runs(writer, cursors, &part, err);
    tv_fixed_close(&part);
    return code;
}

/* Whether the number of calls of each slot, and the numbers of records and of exits of earlier
 * calls of each thread, are those that the scan counted. The file is mapped, and another program
 * may have written to it since. */
static bool is_as_scanned(const struct tv_chunk_writer *writer)
{
    bool is_same = true;
    for (size_t i = 0; i < writer->scan->thread_count && is_same; i++) {
        const struct tv_writer_thread *thread = &writer->threads[i];
        is_same = thread->record == thread->record_end &&
                  thread->cross_close_count == thread->scan->exit_count;
        for (size_t slot = 0; slot < thread->slot_count; slot++)
            is_same = is_same && thread->slots[slot].next == thread->slots[slot].end;
    }
    return is_same;
}

/* A chunk whose records are not those of the scan is left to the serial builder: a mapped file may
 * have been changed by another program between the two readings. */
void tv_chunk_write(struct tv_chunk_writer *writer, const struct tv_trace *trace,
                    const struct tv_layout *layout, struct tv_index *index)
{
    struct cursors cursors = {NULL, NULL};
    size_t count = writer->scan->thread_count;
    writer->code =
        tv_alloc_new(writer->alloc, &cursors.at, count, sizeof(*cursors.at), &writer->error);
    if (writer->code == TV_OK)
        writer->code = tv_alloc_new(writer->alloc, &cursors.of_id, TV_THREAD_IDS,
                                    sizeof(*cursors.of_id), &writer->error);
    if (writer->code == TV_OK)
        writer->code = open_cursors(writer, cursors, trace, layout, index, &writer->error);
    if (writer->code == TV_OK)
        writer->code = write_part(writer, cursors, trace, &writer->error);
    if (writer->code == TV_OK)
        writer->needs_serial |= !is_as_scanned(writer);
    tv_alloc_release(writer->alloc, &cursors.of_id, TV_THREAD_IDS, sizeof(*cursors.of_id));
    tv_alloc_release(writer->alloc, &cursors.at, count, sizeof(*cursors.at));
}

void tv_chunk_writer_release(struct tv_chunk_writer *writer)
{
    for (size_t i = 0; writer->threads && i < writer->thread_cap; i++) {
        struct tv_writer_thread *thread = &writer->threads[i];
        const struct tv_alloc *alloc = writer->alloc;
        tv_alloc_release(alloc, &thread->slots, thread->slot_count + 1, sizeof(*thread->slots));
        tv_alloc_release(alloc, &thread->first_calls, thread->slot_count,
                         sizeof(*thread->first_calls));
        tv_alloc_release(alloc, &thread->open_keys, thread->open_key_cap,
                         sizeof(*thread->open_keys));
        tv_alloc_release(alloc, &thread->open_nodes, thread->open_count,
                         sizeof(*thread->open_nodes));
        tv_alloc_release(alloc, &thread->final_node, thread->final_cap,
                         sizeof(*thread->final_node));
        tv_alloc_release(alloc, &thread->cross_closes, thread->cross_close_cap,
                         sizeof(*thread->cross_closes));
        tv_alloc_release(alloc, &thread->long_calls, thread->long_cap, sizeof(*thread->long_calls));
        tv_nodes_release(&thread->nodes);
    }
    tv_alloc_release(writer->alloc, &writer->threads, writer->thread_cap, sizeof(*writer->threads));
    *writer = (struct tv_chunk_writer){.alloc = writer->alloc};
}
