/*
 * Counting calls per depth; see index/build/chunks/chunk_scan.h.
 *
 * Records are taken in quads. The actions of the four records are an ordinal into a table that says
 * where the quad leads, and one count stands for all four. Their times are compared in vectors,
 * which find a fall, a wrap and the gaps between records. A quad is plain when all four records are
 * of the same thread and neither clock went back or far ahead; any other record is taken alone.
 */
#include "index/build/chunks/chunk_scan.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/error.h"
#include "format/wire.h"
#include "index/build/builder.h"
#include "index/build/chunks/chunk_depths.h"
#include "index/build/chunks/record_shape.h"

/* Depths that a thread has room for at first, and the place of depth 0 among them. */
#define FIRST_DEPTHS 16u
#define FIRST_ORIGIN 2u
/* A chunk of packed records may have PACKED_DEPTHS depths, and one more for every
 * PACKED_RECORDS_PER_DEPTH records. A depth takes far more bytes than a packed record, so deeper
 * chunks are left to the serial builder. */
#define PACKED_DEPTHS 65536u
#define PACKED_RECORDS_PER_DEPTH 16u
/* The largest step of a 64-bit time that its low halves alone can tell from a step back. */
#define LARGEST_WIDE_STEP UINT64_C(0x7fffffff)

/* Adds a thread to the chunk, with room for a few depths. */
static enum tv_code add_thread(struct tv_chunk_scan *scan, uint32_t id, struct tv_error *err)
{
    TV_TRY(tv_alloc_grow(scan->alloc, &scan->threads, &scan->thread_cap, scan->thread_count + 1,
                         sizeof(*scan->threads), err));
    scan->threads[scan->thread_count] = (struct tv_chunk_thread){.id = id,
                                                                 .before = TV_NONE,
                                                                 .origin = FIRST_ORIGIN,
                                                                 .depth = FIRST_ORIGIN,
                                                                 .lowest = FIRST_ORIGIN};
    struct tv_chunk_thread *thread = &scan->threads[scan->thread_count++];
    scan->thread_of_id[id] = (uint32_t)scan->thread_count;
    return tv_chunk_depths_resize(thread, scan->alloc, FIRST_DEPTHS, 0, err);
}

/* Both times in one number, CPU in the low half and wall in the high half, which is how a record
 * with two clocks has them. A clock that the trace lacks is 0. */
TV_INLINE uint64_t times_at(const uint8_t *record, struct tv_fixed_shape shape)
{
    uint32_t cpu_at = shape.time_at[TV_CLOCK_CPU];
    uint32_t wall_at = shape.time_at[TV_CLOCK_WALL];
    if (cpu_at && wall_at == cpu_at + 4)
        return tv_load_le64(record + cpu_at);
    uint64_t cpu = cpu_at ? tv_load_le32(record + cpu_at) : 0;
    uint64_t wall = wall_at ? tv_load_le32(record + wall_at) : 0;
    return cpu | wall << 32;
}

/* Where times_at has each clock. */
static const unsigned time_shift[TV_CLOCK_COUNT] = {[TV_CLOCK_WALL] = 32, [TV_CLOCK_CPU] = 0};

/* Makes the thread of a record the current one, and adds it at its first record in the chunk. */
static TV_NOINLINE enum tv_code switch_thread(struct tv_chunk_scan *scan, const uint8_t *record,
                                              struct tv_fixed_shape shape, struct tv_error *err)
{
    uint32_t id = tv_fixed_thread_id(record, shape);
    uint32_t slot = scan->thread_of_id[id];
    if (slot) {
        scan->last_thread = slot - 1;
        return TV_OK;
    }
    TV_TRY(add_thread(scan, id, err));
    struct tv_chunk_thread *thread = &scan->threads[scan->thread_count - 1];
    if (scan->last_thread != TV_NONE) {
        const struct tv_chunk_thread *before = &scan->threads[scan->last_thread];
        thread->before = scan->last_thread;
        thread->before_wall = before->raw_last[TV_CLOCK_WALL];
        thread->before_wraps = before->wraps[TV_CLOCK_WALL];
    }
    thread->first_record = scan->first_record + scan->scanned;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        thread->raw_first[clock] = (uint32_t)(times_at(record, shape) >> time_shift[clock]);
        thread->raw_last[clock] = thread->raw_first[clock];
    }
    scan->gaps_zero--; /* its first record will be counted as one without a gap, and has none */
    scan->last_thread = (uint32_t)scan->thread_count - 1;
    return TV_OK;
}

/* Moves a clock of a thread to a value; false where it falls. */
static bool take_time(struct tv_chunk_thread *thread, unsigned clock, uint32_t raw, uint64_t record)
{
    uint32_t last = thread->raw_last[clock];
    thread->raw_last[clock] = raw;
    if (raw - last > TV_LARGEST_STEP)
        return false;
    if (raw >= last)
        return true;
    if (!thread->wraps[0] && !thread->wraps[1])
        thread->wrap_record = record;
    thread->wraps[clock]++;
    return true;
}

/* Doubles the room for depths of a thread, `shift` places of it in front; or says that the trace
 * needs the serial builder, where the chunk is too deep for its records. */
static enum tv_code double_depths(struct tv_chunk_scan *scan, struct tv_chunk_thread *thread,
                                  size_t shift, struct tv_error *err)
{
    scan->needs_serial |= scan->depths_left < thread->depth_cap;
    if (scan->needs_serial)
        return TV_OK;
    scan->depths_left -= thread->depth_cap;
    return tv_chunk_depths_resize(thread, scan->alloc, thread->depth_cap * 2, shift, err);
}

/* An exit of a call that was opened before the chunk: the thread goes below its lowest depth. There
 * is always room for one depth more below the lowest: the second reading has a slot there. */
static enum tv_code take_cross_chunk_exit(struct tv_chunk_scan *scan,
                                          struct tv_chunk_thread *thread, uint32_t key,
                                          uint64_t record, struct tv_error *err)
{
    scan->needs_serial |= key == TV_WIRE_NEVER_WRITTEN;
    TV_TRY(tv_alloc_grow(scan->alloc, &thread->exits, &thread->exit_cap, thread->exit_count + 1,
                         sizeof(*thread->exits), err));
    thread->exits[thread->exit_count++] =
        (struct tv_cross_chunk_exit){.record = record, .key = key};
    if (thread->lowest == 1)
        TV_TRY(double_depths(scan, thread, thread->depth_cap, err));
    if (thread->lowest == 1)
        return TV_OK;
    thread->lowest--;
    thread->depth--;
    return TV_OK;
}

/* Takes the next record of a thread alone. */
static TV_NOINLINE enum tv_code take_one(struct tv_chunk_scan *scan, struct tv_chunk_thread *thread,
                                         const uint8_t *at, struct tv_fixed_shape shape,
                                         struct tv_error *err)
{
    uint64_t record = scan->first_record + scan->scanned;
    uint32_t word = tv_load_le32(at + shape.thread_len);
    uint32_t action = word & TV_WIRE_ACTION_MASK;
    uint64_t times = times_at(at, shape);
    enum tv_clock axis = tv_fixed_axis(shape);
    uint32_t gap = (uint32_t)(times >> time_shift[axis]) - thread->raw_last[axis];
    tv_builder_count_gap(gap, scan->small_gap, &scan->gaps_zero, &scan->gaps_small);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        uint32_t raw = (uint32_t)(times >> time_shift[clock]);
        scan->needs_serial |= !take_time(thread, clock, raw, record);
    }
    scan->needs_serial |= action == TV_ACTION_RESERVED;
    scan->has_unwind |= action == TV_ACTION_UNWIND;
    uint32_t ordinal = (uint32_t)scan->scanned++;
    if (action == TV_ACTION_ENTER)
        return tv_chunk_depths_enter(thread, scan->alloc, ordinal, err);
    if (thread->depth == thread->lowest)
        return take_cross_chunk_exit(scan, thread, word & ~TV_WIRE_ACTION_MASK, record, err);
    thread->depth--;
    return TV_OK;
}

/* The next four records, if they are a plain quad. */
struct quad {
    struct tv_quad_step step;
    tv_u32x4 gaps;       /* before each record, on the axis clock */
    uint64_t last_times; /* of the last record */
    bool is_plain;
};

/* Loads the four records from `at` on. first_word: the first 8 bytes of any record of the thread.
 * last_times: the times of the record before. */
TV_INLINE struct quad load_quad(const struct tv_chunk_scan *scan, const uint8_t *at,
                                struct tv_fixed_shape shape, uint64_t first_word,
                                uint64_t last_times)
{
    const unsigned id_bits = shape.thread_len * 8;
    const uint64_t id_mask = ((uint64_t)1 << id_bits) - 1;
    uint64_t word[TV_QUAD_LEN];
    uint64_t time[TV_QUAD_LEN];
    uint64_t others = 0; /* its low bits are not 0 where a record is of another thread */
    unsigned actions = 0;
    for (unsigned i = 0; i < TV_QUAD_LEN; i++) {
        word[i] = tv_load_le64(at + (size_t)i * shape.len);
        time[i] = times_at(at + (size_t)i * shape.len, shape);
        others |= word[i] ^ first_word;
        actions |= (unsigned)(word[i] >> id_bits & TV_WIRE_ACTION_MASK) << (2 * i);
    }
    const tv_u32x4 now[2] = {(tv_u32x4)(tv_u64x2){time[0], time[1]},
                             (tv_u32x4)(tv_u64x2){time[2], time[3]}};
    const tv_u32x4 before[2] = {(tv_u32x4)(tv_u64x2){last_times, time[0]},
                                (tv_u32x4)(tv_u64x2){time[1], time[2]}};
    struct quad quad = {.step = scan->steps[actions], .last_times = time[TV_QUAD_LEN - 1]};
    const tv_u32x4 steps[2] = {now[0] - before[0], now[1] - before[1]};
    const tv_u32x4 suspect = steps[0] | steps[1] | (before[0] & ~now[0]) | (before[1] & ~now[1]);
    quad.gaps = tv_fixed_axis(shape) == TV_CLOCK_WALL ? TV_LANES(steps[0], steps[1], 1, 3, 5, 7)
                                                      : TV_LANES(steps[0], steps[1], 0, 2, 4, 6);
    /* A value with the highest bit before, and without it now, has wrapped or fallen. Any other
     * step back is 2^31 or more, modulo 2^32. So a quad is plain where no clock lost that bit and
     * no step has it; a step forward of 2^31 or more is taken alone, too. */
    const uint64_t high_bits = (uint64_t)1 << 63 | (uint64_t)1 << 31;
    uint64_t any = ((tv_u64x2)suspect)[0] | ((tv_u64x2)suspect)[1];
    quad.is_plain = !((others & id_mask) | (any & high_bits));
    return quad;
}

/* What the loop over quads keeps in registers. */
struct quad_loop {
    size_t depth, lowest, room; /* room: how far above `lowest` the bottom of a quad may be */
    uint64_t last_times;
    tv_u32x4 zero, small; /* counts of gaps of 0, and of gaps of 0 or below small_gap, by lane */
    uint32_t flags;       /* of all quads so far */
};

/* Takes the state of the loop from the thread, and gives it back. */
TV_INLINE void load_loop(const struct tv_chunk_thread *thread, struct quad_loop *loop)
{
    loop->depth = thread->depth;
    loop->lowest = thread->lowest;
    loop->room = thread->depth_cap - 2 * TV_QUAD_LEN - 1 - thread->lowest;
    loop->last_times =
        (uint64_t)thread->raw_last[TV_CLOCK_WALL] << 32 | thread->raw_last[TV_CLOCK_CPU];
}

static void store_loop(struct tv_chunk_thread *thread, const struct quad_loop *loop)
{
    thread->depth = loop->depth;
    thread->raw_last[TV_CLOCK_WALL] = (uint32_t)(loop->last_times >> 32);
    thread->raw_last[TV_CLOCK_CPU] = (uint32_t)loop->last_times;
}

static uint64_t sum_lanes(tv_u32x4 lanes)
{
    return (uint64_t)lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

static void add_gaps(struct tv_chunk_scan *scan, const struct quad_loop *loop)
{
    scan->gaps_zero += sum_lanes(loop->zero);
    scan->gaps_small += sum_lanes(loop->small) - sum_lanes(loop->zero);
}

/*
 * Takes plain quads from *at on, as long as they end at or before `end`, do not go below the lowest
 * depth, and stay within the room for depths. Moves *at behind them.
 */
TV_INLINE void take_quads(struct tv_chunk_scan *scan, struct tv_chunk_thread *thread,
                          const uint8_t **at, const uint8_t *end, struct tv_fixed_shape shape)
{
    const size_t quad_len = (size_t)TV_QUAD_LEN * shape.len;
    const uint64_t first_word = tv_load_le64(*at);
    const int32_t small_gap = scan->small_gap ? (int32_t)scan->small_gap : 1;
    const tv_i32x4 small_gaps = {small_gap, small_gap, small_gap, small_gap};
    const uint8_t *i = *at;
    struct quad_loop loop = {.flags = 0};
    struct tv_chunk_depth *depths = thread->depths;
    uint32_t *marks = thread->marks;
    uint32_t mark = tv_chunk_mark((uint32_t)scan->scanned, false);
    load_loop(thread, &loop);
    while ((size_t)(end - i) >= quad_len) {
        struct quad quad = load_quad(scan, i, shape, first_word, loop.last_times);
        size_t bottom = loop.depth + (size_t)(ptrdiff_t)quad.step.bottom;
        /* One comparison for both bounds: below the lowest depth the difference is huge. */
        if (TV_UNLIKELY(!quad.is_plain || bottom - loop.lowest > loop.room))
            break;
        depths[loop.depth].quads[quad.step.exits]++;
        marks[loop.depth + (size_t)(ptrdiff_t)quad.step.lowest] = mark;
        loop.depth += (size_t)(ptrdiff_t)quad.step.rise;
        loop.flags |= quad.step.flags;
        loop.last_times = quad.last_times;
        /* A comparison of vectors gives -1 where it holds. */
        loop.zero -= (tv_u32x4)(quad.gaps == 0);
        loop.small -= (tv_u32x4)((tv_i32x4)quad.gaps < small_gaps);
        mark += TV_CHUNK_MARK_STEP * TV_QUAD_LEN;
        i += quad_len;
    }
    store_loop(thread, &loop);
    add_gaps(scan, &loop);
    scan->scanned += (size_t)(i - *at) / shape.len;
    scan->has_unwind |= loop.flags & TV_QUAD_UNWINDS;
    scan->needs_serial |= loop.flags & TV_QUAD_NEEDS_SERIAL;
    *at = i;
}

/* Takes records from *at on while they are of the thread of the first one, up to `end`. Moves *at
 * behind the records taken. */
TV_MUST_CHECK TV_INLINE enum tv_code scan_run(struct tv_chunk_scan *scan,
                                              struct tv_chunk_thread *thread, const uint8_t **at,
                                              const uint8_t *end, struct tv_fixed_shape shape,
                                              struct tv_error *err)
{
    const uint64_t first = scan->scanned;
    const uint32_t id = tv_fixed_thread_id(*at, shape);
    do {
        take_quads(scan, thread, at, end, shape);
        if (thread->depth + 2 * TV_QUAD_LEN >= thread->depth_cap)
            TV_TRY(double_depths(scan, thread, 0, err));
        if (scan->needs_serial)
            return TV_OK;
        /* The quads stopped at four records that are not plain, or before the end. */
        for (unsigned i = 0; i < TV_QUAD_LEN && *at != end && tv_fixed_thread_id(*at, shape) == id;
             i++) {
            TV_TRY(take_one(scan, thread, *at, shape, err));
            *at += shape.len;
        }
    } while (*at != end && tv_fixed_thread_id(*at, shape) == id);
    thread->records += scan->scanned - first;
    return TV_OK;
}

/* Takes the records [at, end), which stand side by side. */
TV_MUST_CHECK TV_INLINE enum tv_code scan_records(struct tv_chunk_scan *scan, const uint8_t *at,
                                                  const uint8_t *end, struct tv_fixed_shape shape,
                                                  struct tv_error *err)
{
    while (at != end && !scan->needs_serial) {
        if (!tv_fixed_thread_id(at, shape)) {
            scan->needs_serial = true;
            return TV_OK;
        }
        TV_TRY(switch_thread(scan, at, shape, err));
        TV_TRY(scan_run(scan, &scan->threads[scan->last_thread], &at, end, shape, err));
    }
    return TV_OK;
}

/* scan_records for the shape of nearly all traces, which is then a constant in its loop; the
 * function below is for any other shape. Both are called anew for every stretch of records
 * (chunk_write.c says why). */
TV_MUST_CHECK static TV_NOINLINE enum tv_code scan_dual_records(struct tv_chunk_scan *scan,
                                                                const uint8_t *at,
                                                                const uint8_t *end,
                                                                struct tv_error *err)
{
    return scan_records(scan, at, end, TV_FIXED_DUAL, err);
}

TV_MUST_CHECK static TV_NOINLINE enum tv_code
scan_other_records(struct tv_chunk_scan *scan, const uint8_t *at, const uint8_t *end,
                   struct tv_fixed_shape shape, struct tv_error *err)
{
    return scan_records(scan, at, end, shape, err);
}

/* Moves a clock of a thread to near a 64-bit time, so that the step to its low half is right; false
 * where the clock falls. */
static bool take_wide_step(struct tv_chunk_thread *thread, unsigned clock, uint64_t time)
{
    uint64_t high = (uint64_t)thread->high_first[clock] + thread->wraps[clock];
    uint64_t step = time - (high << 32 | thread->raw_last[clock]);
    if (step >> 63)
        return false;
    if (step <= LARGEST_WIDE_STEP)
        return true;
    /* A longer step than low halves can tell: the clock goes to LARGEST_WIDE_STEP before the time
     * at once. */
    uint64_t last = time - LARGEST_WIDE_STEP;
    thread->raw_last[clock] = (uint32_t)last;
    thread->wraps[clock] = (uint32_t)(last >> 32) - thread->high_first[clock];
    return true;
}

/* Takes the 64-bit times of a record. The records of the same thread behind it are known by the low
 * halves of their times (tv_fixed_part.time). */
static enum tv_code take_wide_times(struct tv_chunk_scan *scan, const uint8_t *record,
                                    struct tv_fixed_shape shape, struct tv_error *err)
{
    TV_TRY(switch_thread(scan, record, shape, err));
    struct tv_chunk_thread *thread = &scan->threads[scan->last_thread];
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (!thread->records)
            thread->high_first[clock] = (uint32_t)(scan->part.time[clock] >> 32);
        scan->needs_serial |= !take_wide_step(thread, clock, scan->part.time[clock]);
    }
    return TV_OK;
}

/* Scans all records of the chunk. */
static enum tv_code scan_runs(struct tv_chunk_scan *scan, const struct tv_trace *trace,
                              struct tv_error *err)
{
    const struct tv_fixed_shape shape = tv_fixed_shape_of(&trace->fixed);
    struct tv_fixed_part *part = &scan->part;
    while (part->first < part->end && !scan->needs_serial) {
        const uint8_t *end;
        const uint8_t *at = tv_fixed_take(part, &end);
        scan->needs_serial |= !at;
        if (at && part->has_times)
            TV_TRY(take_wide_times(scan, at, shape, err));
        if (scan->needs_serial)
            return TV_OK;
        if (tv_fixed_is_dual(shape))
            TV_TRY(scan_dual_records(scan, at, end, err));
        else
            TV_TRY(scan_other_records(scan, at, end, shape, err));
    }
    return TV_OK;
}

static enum tv_code scan_chunk(struct tv_chunk_scan *scan, const struct tv_trace *trace,
                               struct tv_error *err)
{
    tv_chunk_make_steps(scan->steps);
    TV_TRY(tv_alloc_new(scan->alloc, &scan->thread_of_id, TV_THREAD_IDS, sizeof(uint32_t), err));
    TV_TRY(tv_fixed_open(&scan->part, trace, scan->first_record,
                         scan->first_record + scan->record_count, err));
    tv_fixed_omit_keys(&scan->part);
    TV_TRY(scan_runs(scan, trace, err));
    for (size_t i = 0; i < scan->thread_count && !scan->needs_serial; i++)
        TV_TRY(tv_chunk_depths_finish(scan, &scan->threads[i], err));
    return TV_OK;
}

void tv_chunk_scan(struct tv_chunk_scan *scan, const struct tv_trace *trace)
{
    scan->last_thread = TV_NONE;
    scan->depths_left = trace->fixed.is_packed
                            ? PACKED_DEPTHS + scan->record_count / PACKED_RECORDS_PER_DEPTH
                            : UINT64_MAX;
    scan->code = scan_chunk(scan, trace, &scan->error);
    tv_fixed_close(&scan->part);
    tv_alloc_release(scan->alloc, &scan->thread_of_id, TV_THREAD_IDS, sizeof(uint32_t));
    scan->thread_of_id = NULL;
}

void tv_chunk_thread_release(struct tv_chunk_thread *thread, const struct tv_alloc *alloc)
{
    tv_chunk_depths_release(thread, alloc);
    tv_alloc_release(alloc, &thread->calls, thread->call_cap, sizeof(*thread->calls));
    tv_alloc_release(alloc, &thread->opened, thread->opened_count, sizeof(*thread->opened));
    tv_alloc_release(alloc, &thread->exits, thread->exit_cap, sizeof(*thread->exits));
    thread->calls = NULL;
    thread->call_cap = 0;
    thread->opened = NULL;
    thread->exits = NULL;
    thread->exit_cap = 0;
}

void tv_chunk_scan_release(struct tv_chunk_scan *scan)
{
    for (size_t i = 0; i < scan->thread_count; i++) {
        tv_chunk_thread_release(&scan->threads[i], scan->alloc);
    }
    tv_alloc_release(scan->alloc, &scan->threads, scan->thread_cap, sizeof(*scan->threads));
    *scan = (struct tv_chunk_scan){.alloc = scan->alloc};
}
