/* Counting calls per level; see index/chunk_scan.h. */
#include "index/chunk_scan.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/error.h"
#include "format/wire.h"
#include "index/build.h"

#define FIRST_LEVELS 8u
#define LONGEST_RUN 65536u

static enum tv_code add_thread(struct tv_chunk_scan *scan, uint32_t id, struct tv_error *err)
{
    TV_TRY(tv_alloc_grow(scan->alloc, &scan->threads, &scan->thread_cap, scan->thread_count + 1,
                         sizeof(*scan->threads), err));
    struct tv_chunk_thread *thread = &scan->threads[scan->thread_count];
    *thread = (struct tv_chunk_thread){.id = id, .before = TV_NONE};
    scan->thread_count++;
    TV_TRY(tv_alloc_new(scan->alloc, &thread->levels, FIRST_LEVELS, sizeof(*thread->levels), err));
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
    struct tv_chunk_level *levels;
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

/* Opens the lowest call of the chunk, or one that has no room yet. */
static TV_NOINLINE enum tv_code open_more(struct tv_chunk_scan *scan,
                                          struct tv_chunk_thread *thread, uint32_t key,
                                          uint64_t record, struct tv_error *err)
{
    TV_TRY(tv_alloc_grow(scan->alloc, &thread->opened, &thread->opened_cap, thread->depth + 1,
                         sizeof(*thread->opened), err));
    if (thread->cell + 1 == thread->levels + thread->level_cap)
        TV_TRY(add_levels(scan, thread, false, err));
    if (!thread->depth)
        thread->root_record = record;
    thread->opened[thread->depth++] = key;
    thread->cell++->count[0]++;
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

TV_INLINE uint32_t id_at(const uint8_t *record, struct shape shape)
{
    return shape.thread_len == 1 ? record[0] : tv_load_le16(record);
}

TV_INLINE uint32_t time_at(const uint8_t *record, struct shape shape, unsigned clock)
{
    return shape.time_at[clock] ? tv_load_le32(record + shape.time_at[clock]) : 0;
}

/* The record's thread, at its first record in the chunk or after one of another thread. */
static TV_NOINLINE enum tv_code switch_thread(struct tv_chunk_scan *scan, const uint8_t *record,
                                              struct shape shape, struct tv_error *err)
{
    uint32_t id = id_at(record, shape);
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
        thread->raw_first[clock] = time_at(record, shape, clock);
        thread->raw_last[clock] = thread->raw_first[clock];
    }
    scan->gaps_zero--; /* its first record will be counted as one without a gap, and has none */
    scan->last_thread = (uint32_t)scan->thread_count - 1;
    return TV_OK;
}

/* A clock that went down, or very far up; false for a fall. */
static TV_NOINLINE bool take_step(struct tv_chunk_thread *thread, unsigned clock, uint32_t last,
                                  uint32_t raw, uint64_t record)
{
    if (raw - last > TV_LARGEST_STEP)
        return false;
    if (raw >= last)
        return true;
    if (!thread->wraps[0] && !thread->wraps[1])
        thread->wrap_record = record;
    thread->wraps[clock]++;
    return true;
}

static enum tv_code mark_odd(struct tv_chunk_scan *scan)
{
    scan->is_odd = true;
    return TV_OK;
}

/* What the loop over a run of records of one thread keeps in registers. */
struct run {
    uint32_t *opened;             /* of the thread */
    struct tv_chunk_level *cells; /* of the levels of opened[0] on */
    size_t depth;                 /* calls opened */
    size_t room; /* while depth is above 0 and below it, opening and closing need no more */
};

static struct run begin_run(const struct tv_chunk_thread *thread)
{
    struct run run = {
        .opened = thread->opened, .cells = thread->cell - thread->depth, .depth = thread->depth};
    size_t levels = (size_t)(thread->levels + thread->level_cap - 1 - run.cells);
    run.room = thread->opened_cap < levels ? thread->opened_cap : levels;
    return run;
}

/* An enter or exit at the edge of what the run has room for. */
static TV_NOINLINE enum tv_code cross_edge(struct tv_chunk_scan *scan,
                                           struct tv_chunk_thread *thread, uint32_t word,
                                           uint64_t ordinal, struct tv_error *err)
{
    uint32_t key = word & ~TV_WIRE_ACTION_MASK;
    if ((word & TV_WIRE_ACTION_MASK) == TV_ACTION_ENTER)
        return open_more(scan, thread, key, ordinal, err);
    if (!thread->depth)
        return exit_earlier(scan, thread, key, ordinal, err);
    scan->is_odd |= thread->opened[--thread->depth] != key;
    thread->cell--;
    return TV_OK;
}

/*
 * The records from *at on that are of the thread of the first; *at is then behind them. Whether a
 * record is an enter or an exit is what no processor can guess, so both do the same: an enter
 * writes its key where an exit finds its own.
 */
TV_MUST_CHECK TV_INLINE enum tv_code scan_run(struct tv_chunk_scan *scan,
                                              struct tv_chunk_thread *thread, const uint8_t **at,
                                              const uint8_t *end, struct shape shape,
                                              struct tv_error *err)
{
    const uint64_t small_gap = scan->small_gap;
    const bool is_wall = shape.time_at[TV_CLOCK_WALL];
    const uint8_t *i = *at;
    struct run run = begin_run(thread);
    uint32_t id = id_at(i, shape);
    uint32_t last0 = thread->raw_last[0];
    uint32_t last1 = thread->raw_last[1];
    uint64_t ordinal = scan->first_record + scan->scanned;
    uint64_t gaps_zero = 0;
    uint64_t gaps_small = 0;
    uint32_t actions = 0;
    uint32_t odd = 0;
    do {
        uint32_t word = tv_load_le32(i + shape.thread_len);
        uint32_t time0 = time_at(i, shape, 0);
        uint32_t time1 = time_at(i, shape, 1);
        uint32_t key = word & ~TV_WIRE_ACTION_MASK;
        uint64_t steps = ((uint64_t)time0 - last0) | ((uint64_t)time1 - last1);
        uint32_t gap = is_wall ? time0 - last0 : time1 - last1;
        if (TV_UNLIKELY(steps >> 31))
            odd |= !take_step(thread, 0, last0, time0, ordinal) ||
                   !take_step(thread, 1, last1, time1, ordinal);
        last0 = time0;
        last1 = time1;
        tv_builder_count_gap(gap, small_gap, &gaps_zero, &gaps_small);
        actions |= 1u << (word & TV_WIRE_ACTION_MASK);
        odd |= key == TV_WIRE_NEVER_WRITTEN;
        if (TV_LIKELY(run.depth - 1 < run.room - 1)) {
            uint32_t is_exit = (word & TV_WIRE_ACTION_MASK) != TV_ACTION_ENTER;
            size_t depth = run.depth - is_exit;
            odd |= is_exit & (run.opened[depth] != key);
            run.opened[depth] = key;
            run.cells[depth].count[is_exit]++;
            run.depth = depth + !is_exit;
        } else {
            thread->depth = run.depth;
            thread->cell = run.cells + run.depth;
            TV_TRY(cross_edge(scan, thread, word, ordinal, err));
            run = begin_run(thread);
        }
        i += shape.len;
        ordinal++;
    } while (i != end && id_at(i, shape) == id);
    thread->depth = run.depth;
    thread->cell = run.cells + run.depth;
    thread->raw_last[0] = last0;
    thread->raw_last[1] = last1;
    thread->records += ordinal - scan->first_record - scan->scanned;
    scan->scanned = ordinal - scan->first_record;
    scan->gaps_zero += gaps_zero;
    scan->gaps_small += gaps_small;
    scan->has_unwind |= (actions & 1u << TV_ACTION_UNWIND) != 0;
    scan->is_odd |= odd || actions & 1u << TV_ACTION_RESERVED;
    *at = i;
    return TV_OK;
}

TV_MUST_CHECK TV_INLINE enum tv_code scan_records(struct tv_chunk_scan *scan, const uint8_t *at,
                                                  struct shape shape, struct tv_error *err)
{
    const uint8_t *end = at + scan->record_count * shape.len;
    while (at != end && !scan->is_odd) {
        if (!id_at(at, shape))
            return mark_odd(scan);
        TV_TRY(switch_thread(scan, at, shape, err));
        /* A long run is cut, so that what is odd is seen soon. */
        const uint8_t *stop = (size_t)(end - at) / shape.len > LONGEST_RUN
                                  ? at + (size_t)LONGEST_RUN * shape.len
                                  : end;
        TV_TRY(scan_run(scan, &scan->threads[scan->last_thread], &at, stop, shape, err));
    }
    return TV_OK;
}

static enum tv_code scan_chunk(struct tv_chunk_scan *scan, const struct tv_trace *trace,
                               struct tv_error *err)
{
    const struct tv_fixed_records *fixed = &trace->fixed;
    const uint8_t *at = trace->bytes + fixed->first_off + scan->first_record * fixed->len;
    struct shape shape = {fixed->len, fixed->thread_len, {fixed->time_at[0], fixed->time_at[1]}};
    static const struct shape dual = {
        TV_WIRE_TWO_TIMES_RECORD, 2, {[TV_CLOCK_WALL] = 10, [TV_CLOCK_CPU] = 6}};
    TV_TRY(tv_alloc_new(scan->alloc, &scan->thread_of_id, TV_THREAD_IDS, sizeof(uint32_t), err));
    if (memcmp(&shape, &dual, sizeof(shape)) == 0)
        return scan_records(scan, at, (struct shape){14, 2, {10, 6}}, err);
    return scan_records(scan, at, shape, err);
}

static void settle_levels(struct tv_chunk_thread *thread)
{
    size_t from = thread->origin - thread->exit_count;
    size_t end = thread->level_cap;
    while (end > from && !thread->levels[end - 1].count[0])
        end--;
    thread->level_count = end > thread->origin ? end - thread->origin : 0;
}

void tv_chunk_scan(struct tv_chunk_scan *scan, const struct tv_trace *trace)
{
    scan->last_thread = TV_NONE;
    scan->code = scan_chunk(scan, trace, &scan->error);
    tv_alloc_free(scan->alloc, scan->thread_of_id, TV_THREAD_IDS, sizeof(uint32_t));
    scan->thread_of_id = NULL;
    for (size_t i = 0; i < scan->thread_count && scan->code == TV_OK; i++)
        settle_levels(&scan->threads[i]);
}

void tv_chunk_thread_forget(struct tv_chunk_thread *thread, const struct tv_alloc *alloc)
{
    tv_alloc_free(alloc, thread->opened, thread->opened_cap, sizeof(*thread->opened));
    tv_alloc_free(alloc, thread->exits, thread->exit_cap, sizeof(*thread->exits));
    tv_alloc_free(alloc, thread->levels, thread->level_cap, sizeof(*thread->levels));
    thread->opened = NULL;
    thread->levels = NULL;
    thread->level_cap = 0;
    thread->exits = NULL;
    thread->opened_cap = 0;
    thread->exit_cap = 0;
}

void tv_chunk_scan_release(struct tv_chunk_scan *scan)
{
    for (size_t i = 0; i < scan->thread_count; i++) {
        tv_chunk_thread_forget(&scan->threads[i], scan->alloc);
    }
    tv_alloc_free(scan->alloc, scan->threads, scan->thread_cap, sizeof(*scan->threads));
    *scan = (struct tv_chunk_scan){.alloc = scan->alloc};
}
