/*
 * One thread of a chunk while its records are written: what the loop over records needs at hand,
 * and the steps that not every record takes.
 */
#ifndef TV_INDEX_BUILD_CHUNKS_CHUNK_WRITE_CURSOR_H
#define TV_INDEX_BUILD_CHUNKS_CHUNK_WRITE_CURSOR_H

#include "index/build/chunks/chunk_write.h"

struct tv_write_cursor {
    struct tv_writer_thread *thread;
    struct tv_writer_slot *top;         /* the slot that takes the next call */
    struct tv_writer_slot *own_slots;   /* the chunk has opened the open calls from here on */
    uint32_t *node;                     /* columns, from the first call of the thread on */
    char *time[4];                      /* NULL on a clock that the trace lacks */
    uint32_t raw_first[TV_CLOCK_COUNT]; /* low half of the thread's first times */
    uint32_t raw_last[TV_CLOCK_COUNT];  /* low half of the times of the last record; wide threads */
    /* Wide threads: a time since the thread's first record is wide_base + low half - raw_first. */
    uint64_t wide_base[TV_CLOCK_COUNT];
    uint64_t axis_base; /* time of the thread's first record on the axis clock, for groups */
    struct tv_index_segment_group *groups; /* of the thread, in the block */
    struct tv_index_segment_group *group;  /* being filled; shared_group at first */
    uint64_t call_first;                   /* as in tv_index_thread, like the next two */
    uint32_t duration_len;
    bool is_wide;
};

/* wide_base for times whose high half, shifted left by 32, is `high`. */
TV_INLINE uint64_t tv_write_cursor_wide_base(const struct tv_write_cursor *cursor, unsigned clock,
                                             uint64_t high)
{
    uint64_t first = (uint64_t)cursor->thread->build->clock[clock].first;
    return high - (first - (uint32_t)first);
}

/* How many calls are open on the thread when `top` is the slot that takes the next one: so the
 * depth of that slot. */
TV_INLINE size_t tv_write_cursor_depth(const struct tv_write_cursor *cursor,
                                       const struct tv_writer_slot *top)
{
    const struct tv_writer_thread *thread = cursor->thread;
    return (size_t)(top - thread->slots) + thread->open_count - thread->scan->exit_count - 1;
}

/* Makes a thread ready for its first record: begins the chunk's tree with the nodes of open calls,
 * and points the cursor to the columns. In the thread's first chunk, writes the adopting calls. */
enum tv_code tv_write_cursor_open(struct tv_write_cursor *cursor, struct tv_writer_thread *thread,
                                  const struct tv_trace *trace, const struct tv_layout *layout,
                                  const struct tv_index *index, struct tv_error *err) TV_MUST_CHECK;
/* Begins the segment group of the thread's next record, at the time `axis` since the thread's first
 * record. */
void tv_write_cursor_begin_group(struct tv_write_cursor *cursor, uint64_t axis);
/* Ends a segment at `axis`, with the call below `top` innermost; takes it for the longest of the
 * group if it is longer than all before. */
void tv_write_cursor_offer_segment(struct tv_write_cursor *cursor, const struct tv_writer_slot *top,
                                   uint64_t segment_start, uint64_t axis);
/* Notes the close of the call at `slot`, which is below own_slots: an earlier chunk opened it. end:
 * units since the thread's first record. */
enum tv_code tv_write_cursor_add_cross_close(struct tv_write_cursor *cursor,
                                             struct tv_writer_slot *slot,
                                             const uint64_t end[TV_CLOCK_COUNT],
                                             const struct tv_alloc *alloc,
                                             struct tv_error *err) TV_MUST_CHECK;

/* Writes the durations of the call that closes at `slot`, where they may not fit 16 bits, and adds
 * the call to long_calls if it is long on a clock. */
enum tv_code tv_write_cursor_close_long(const struct tv_write_cursor *cursor,
                                        const struct tv_writer_slot *slot,
                                        const uint64_t duration[TV_CLOCK_COUNT],
                                        const struct tv_alloc *alloc,
                                        struct tv_error *err) TV_MUST_CHECK;

#endif
