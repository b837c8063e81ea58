/* One thread of a chunk with all that filling in its records needs at hand. */
#ifndef TV_INDEX_BUILD_CHUNKS_CHUNK_WRITE_THREAD_H
#define TV_INDEX_BUILD_CHUNKS_CHUNK_WRITE_THREAD_H

#include "index/build/chunks/chunk_write.h"

struct tv_write_cursor {
    struct tv_writer_thread *thread;
    struct tv_writer_slot *top;       /* where the next call will be opened */
    struct tv_writer_slot *own_slots; /* calls below here were opened before the chunk */
    uint32_t *node;                   /* columns, of the thread's first call on */
    char *time[4];
    uint32_t raw_first[TV_CLOCK_COUNT]; /* of the thread */
    uint32_t raw_last[TV_CLOCK_COUNT];
    uint64_t wide_base[TV_CLOCK_COUNT];    /* what to add to a raw value of a wide thread */
    uint64_t axis_base;                    /* of folds */
    struct tv_index_segment_group *groups; /* of the thread */
    struct tv_index_segment_group *group;  /* being filled */
    uint64_t call_first;
    uint32_t duration_len; /* as in tv_index_thread */
    bool is_wide;
};

/* What to add to a raw value of a wide thread whose time is `high` above it. */
TV_INLINE uint64_t tv_write_cursor_wide_base(const struct tv_write_cursor *cursor, unsigned clock,
                                             uint64_t high)
{
    uint64_t first = (uint64_t)cursor->thread->build->clock[clock].first;
    return high - (first - (uint32_t)first);
}

/* Calls open on the thread. */
TV_INLINE size_t tv_write_cursor_depth(const struct tv_write_cursor *cursor,
                                       const struct tv_writer_slot *top)
{
    const struct tv_writer_thread *thread = cursor->thread;
    return (size_t)(top - thread->slots) + thread->open_count - thread->scan->exit_count - 1;
}

/* Grows the path of open calls, and writes those that began before the trace at the thread's first
 * chunk. */
enum tv_code tv_write_cursor_open(struct tv_write_cursor *cursor, struct tv_writer_thread *thread,
                                  const struct tv_trace *trace, const struct tv_layout *layout,
                                  const struct tv_index *index, struct tv_error *err) TV_MUST_CHECK;
/* The thread's next record begins a fold, at `axis` since the thread's first record. */
void tv_write_cursor_begin_group(struct tv_write_cursor *cursor, uint64_t axis);
/* The time from segment_start to `axis` may be the longest segment of the fold. */
void tv_write_cursor_offer_segment(struct tv_write_cursor *cursor, const struct tv_writer_slot *top,
                                   uint64_t segment_start, uint64_t axis);
/* Notes that the call at `level` closes, which is below cursor->earlier. */
enum tv_code tv_write_cursor_add_cross_close(struct tv_write_cursor *cursor,
                                             struct tv_writer_slot *slot,
                                             const uint64_t end[TV_CLOCK_COUNT],
                                             const struct tv_alloc *alloc,
                                             struct tv_error *err) TV_MUST_CHECK;

/* Stores the durations of a call that closes at `level`, and notes it if it is long on a clock. */
enum tv_code tv_write_cursor_close_long(const struct tv_write_cursor *cursor,
                                        const struct tv_writer_slot *slot,
                                        const uint64_t duration[TV_CLOCK_COUNT],
                                        const struct tv_alloc *alloc,
                                        struct tv_error *err) TV_MUST_CHECK;

#endif
