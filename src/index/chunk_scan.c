/* Counting calls per level; see index/chunk_scan.h. */
#include "index/chunk_scan.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/error.h"
#include "format/wire.h"
#include "index/build.h"

#define FIRST_LEVELS 8u

static enum tv_code add_thread(struct tv_chunk_scan *scan, uint32_t id, struct tv_error *err)
{
    TV_TRY(tv_alloc_grow(scan->alloc, &scan->threads, &scan->thread_cap, scan->thread_count + 1,
                         sizeof(*scan->threads), err));
    struct tv_chunk_thread *thread = &scan->threads[scan->thread_count];
    *thread = (struct tv_chunk_thread){.id = id, .before = TV_NONE};
    scan->thread_count++;
    TV_TRY(tv_alloc_new(scan->alloc, &thread->levels, FIRST_LEVELS, sizeof(uint64_t), err));
    thread->level_cap = FIRST_LEVELS;
    thread->origin = FIRST_LEVELS / 2;
    thread->cell = thread->levels + thread->origin;
    scan->thread_of_id[id] = (uint32_t)scan->thread_count;
    return TV_OK;
}

/* Doubles the levels, with the new room at the end or in front. */
static enum tv_code add_levels(struct tv_chunk_scan *scan, struct tv_chunk_thread *thread,
                               bool in_front, struct tv_error *err)
{
    uint64_t *levels;
    size_t cap = thread->level_cap * 2;
    size_t shift = in_front ? thread->level_cap : 0;
    TV_TRY(tv_alloc_new(scan->alloc, &levels, cap, sizeof(*levels), err));
    memcpy(levels + shift, thread->levels, thread->level_cap * sizeof(*levels));
    size_t at = (size_t)(thread->cell - thread->levels);
    tv_alloc_free(scan->alloc, thread->levels, thread->level_cap, sizeof(*levels));
    thread->levels = levels;
    thread->level_cap = cap;
    thread->origin += shift;
    thread->cell = levels + at + shift;
    return TV_OK;
}

static TV_NOINLINE enum tv_code open_more(struct tv_chunk_scan *scan,
                                          struct tv_chunk_thread *thread, struct tv_error *err)
{
    TV_TRY(tv_alloc_grow(scan->alloc, &thread->opened, &thread->opened_cap, thread->depth + 1,
                         sizeof(*thread->opened), err));
    if (thread->cell + 1 == thread->levels + thread->level_cap)
        TV_TRY(add_levels(scan, thread, false, err));
    return TV_OK;
}

static TV_NOINLINE enum tv_code exit_earlier(struct tv_chunk_scan *scan,
                                             struct tv_chunk_thread *thread, uint32_t key,
                                             uint64_t record, struct tv_error *err)
{
    TV_TRY(tv_alloc_grow(scan->alloc, &thread->exits, &thread->exit_cap, thread->exit_count + 1,
                         sizeof(*thread->exits), err));
    thread->exits[thread->exit_count++] = (struct tv_chunk_exit){.record = record, .key = key};
    if (thread->cell <= thread->levels + 1) /* the second pass looks one level below */
        TV_TRY(add_levels(scan, thread, true, err));
    thread->cell--;
    return TV_OK;
}

/* Where the fields of a record are, constants in the specialised loop. */
struct shape {
    uint32_t len, thread_len;
    uint32_t time_at[TV_CLOCK_COUNT];
};

struct loaded {
    uint32_t id, word;
    uint32_t time[TV_CLOCK_COUNT];
};

TV_INLINE struct loaded load(const uint8_t *at, struct shape shape)
{
    struct loaded record;
    record.id = shape.thread_len == 1 ? at[0] : tv_load_le16(at);
    record.word = tv_load_le32(at + shape.thread_len);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        record.time[clock] = shape.time_at[clock] ? tv_load_le32(at + shape.time_at[clock]) : 0;
    return record;
}

/* The record's thread, at its first record in the chunk or after one of another thread. */
static TV_NOINLINE enum tv_code switch_thread(struct tv_chunk_scan *scan,
                                              const struct loaded *record, uint64_t ordinal,
                                              struct tv_error *err)
{
    uint32_t slot = scan->thread_of_id[record->id];
    if (slot) {
        scan->last_thread = slot - 1;
        return TV_OK;
    }
    TV_TRY(add_thread(scan, record->id, err));
    struct tv_chunk_thread *thread = &scan->threads[scan->thread_count - 1];
    if (scan->last_thread != TV_NONE) {
        const struct tv_chunk_thread *before = &scan->threads[scan->last_thread];
        thread->before = scan->last_thread;
        thread->before_wall = before->raw_last[TV_CLOCK_WALL];
        thread->before_wraps = before->wraps[TV_CLOCK_WALL];
    }
    thread->first_record = ordinal;
    memcpy(thread->raw_first, record->time, sizeof(thread->raw_first));
    memcpy(thread->raw_last, record->time, sizeof(thread->raw_last));
    scan->last_thread = (uint32_t)scan->thread_count - 1;
    return TV_OK;
}

/* A clock that went down, or very far up; false for a fall. */
static TV_NOINLINE bool take_wrap(struct tv_chunk_thread *thread, unsigned clock, uint32_t raw,
                                  uint64_t record)
{
    if (raw - thread->raw_last[clock] > TV_LARGEST_STEP)
        return false;
    if (!thread->wraps[0] && !thread->wraps[1])
        thread->wrap_record = record;
    thread->wraps[clock]++;
    return true;
}

TV_INLINE bool take_time(struct tv_chunk_thread *thread, unsigned clock, uint32_t raw,
                         uint64_t record)
{
    uint32_t last = thread->raw_last[clock];
    if (TV_UNLIKELY(raw < last || raw - last > TV_LARGEST_STEP) &&
        !take_wrap(thread, clock, raw, record))
        return false;
    thread->raw_last[clock] = raw;
    return true;
}

static enum tv_code mark_odd(struct tv_chunk_scan *scan)
{
    scan->is_odd = true;
    return TV_OK;
}

TV_MUST_CHECK TV_INLINE enum tv_code scan_records(struct tv_chunk_scan *scan, const uint8_t *at,
                                                  struct shape shape, uint64_t small_gap,
                                                  struct tv_error *err)
{
    const unsigned axis = shape.time_at[TV_CLOCK_WALL] ? TV_CLOCK_WALL : TV_CLOCK_CPU;
    uint64_t gaps_zero = 0;
    uint64_t gaps_small = 0;
    uint32_t actions = 0;
    uint32_t last_id = TV_NONE;
    struct tv_chunk_thread *thread = NULL;
    uint64_t end = scan->first_record + scan->record_count;
    for (uint64_t i = scan->first_record; i < end; i++, at += shape.len) {
        struct loaded record = load(at, shape);
        uint32_t key = record.word & ~TV_WIRE_ACTION_MASK;
        uint32_t action = record.word & TV_WIRE_ACTION_MASK;
        if (TV_UNLIKELY(record.id != last_id)) {
            if (!record.id)
                return mark_odd(scan);
            TV_TRY(switch_thread(scan, &record, i, err));
            thread = &scan->threads[scan->last_thread];
            last_id = record.id;
        }
        if (TV_UNLIKELY(action == TV_ACTION_RESERVED || key == TV_WIRE_NEVER_WRITTEN))
            return mark_odd(scan);
        uint32_t before = thread->raw_last[axis];
        if (!take_time(thread, 0, record.time[0], i) || !take_time(thread, 1, record.time[1], i))
            return mark_odd(scan);
        if (TV_LIKELY(thread->records++))
            tv_builder_count_gap(record.time[axis] - before, small_gap, &gaps_zero, &gaps_small);
        actions |= 1u << action;
        if (action == TV_ACTION_ENTER) {
            if (TV_UNLIKELY(thread->depth == thread->opened_cap ||
                            thread->cell + 1 == thread->levels + thread->level_cap))
                TV_TRY(open_more(scan, thread, err));
            if (!thread->depth)
                thread->root_record = i;
            thread->opened[thread->depth++] = key;
            ++*thread->cell++;
        } else if (TV_LIKELY(thread->depth)) {
            if (TV_UNLIKELY(thread->opened[--thread->depth] != key))
                return mark_odd(scan);
            thread->cell--;
        } else {
            TV_TRY(exit_earlier(scan, thread, key, i, err));
        }
    }
    scan->gaps_zero = gaps_zero;
    scan->gaps_small = gaps_small;
    scan->has_unwind = actions & 1u << TV_ACTION_UNWIND;
    return TV_OK;
}

static enum tv_code scan_chunk(struct tv_chunk_scan *scan, const struct tv_trace *trace,
                               uint64_t small_gap, struct tv_error *err)
{
    const struct tv_fixed_records *fixed = &trace->fixed;
    const uint8_t *at = trace->bytes + fixed->first_off + scan->first_record * fixed->len;
    struct shape shape = {fixed->len, fixed->thread_len, {fixed->time_at[0], fixed->time_at[1]}};
    static const struct shape dual = {
        TV_WIRE_TWO_TIMES_RECORD, 2, {[TV_CLOCK_WALL] = 10, [TV_CLOCK_CPU] = 6}};
    TV_TRY(tv_alloc_new(scan->alloc, &scan->thread_of_id, TV_THREAD_IDS, sizeof(uint32_t), err));
    if (memcmp(&shape, &dual, sizeof(shape)) == 0)
        return scan_records(scan, at, (struct shape){14, 2, {10, 6}}, small_gap, err);
    return scan_records(scan, at, shape, small_gap, err);
}

/* Counts become running counts later; here only what was reached is settled. */
static void settle_levels(struct tv_chunk_thread *thread)
{
    size_t from = thread->origin - thread->exit_count;
    size_t end = thread->level_cap;
    while (end > from && !thread->levels[end - 1])
        end--;
    thread->level_count = end > thread->origin ? end - thread->origin : 0;
}

void tv_chunk_scan(struct tv_chunk_scan *scan, const struct tv_trace *trace, uint64_t small_gap)
{
    scan->last_thread = TV_NONE;
    scan->code = scan_chunk(scan, trace, small_gap, &scan->error);
    tv_alloc_free(scan->alloc, scan->thread_of_id, TV_THREAD_IDS, sizeof(uint32_t));
    scan->thread_of_id = NULL;
    for (size_t i = 0; i < scan->thread_count && scan->code == TV_OK; i++)
        settle_levels(&scan->threads[i]);
}

void tv_chunk_thread_forget(struct tv_chunk_thread *thread, const struct tv_alloc *alloc)
{
    tv_alloc_free(alloc, thread->opened, thread->opened_cap, sizeof(*thread->opened));
    tv_alloc_free(alloc, thread->exits, thread->exit_cap, sizeof(*thread->exits));
    thread->opened = NULL;
    thread->exits = NULL;
    thread->opened_cap = 0;
    thread->exit_cap = 0;
}

void tv_chunk_scan_release(struct tv_chunk_scan *scan)
{
    for (size_t i = 0; i < scan->thread_count; i++) {
        struct tv_chunk_thread *thread = &scan->threads[i];
        tv_chunk_thread_forget(thread, scan->alloc);
        tv_alloc_free(scan->alloc, thread->levels, thread->level_cap, sizeof(*thread->levels));
    }
    tv_alloc_free(scan->alloc, scan->threads, scan->thread_cap, sizeof(*scan->threads));
    *scan = (struct tv_chunk_scan){.alloc = scan->alloc};
}
