/*
 * Durations of 2 bytes, and the calls that last too long for them.
 *
 * Calls of one row follow each other, so no more of them can last 2^16 - 1 units or longer than
 * that fits into the thread's span. What follows for all rows says, before any duration is known,
 * whether 2 bytes will do, and how much room each row needs for its long calls: a row can be filled
 * by its own task, and any way to build decides alike.
 */
#ifndef TV_INDEX_BUILD_LONG_DURATIONS_H
#define TV_INDEX_BUILD_LONG_DURATIONS_H

#include "index/build/builder.h"
#include "index/build/layout.h"

/* Decides duration_len of a thread whose rows are counted and whose is_wide is decided. */
void tv_long_durations_choose_width(const struct tv_layout *layout,
                                    const struct tv_builder *builder,
                                    struct tv_build_thread *thread);
/* Room for the long calls of all rows, which are placed. On failure release is safe. */
enum tv_code tv_long_durations_make(struct tv_layout *layout, const struct tv_builder *builder,
                                    struct tv_error *err) TV_MUST_CHECK;
void tv_long_durations_release(struct tv_layout *layout);
/* Adds a long call behind the others of its row; false where the row has no more room, which only a
 * trace can bring about that changes while it is read. row_ix and call: over the whole trace. */
bool tv_long_durations_add(const struct tv_layout *layout, uint64_t row_ix, unsigned clock,
                           uint64_t call, uint64_t duration);
/* All together; then, the finished list and each thread's part of it. */
uint64_t tv_long_durations_total(const struct tv_layout *layout);
void tv_long_durations_write(const struct tv_layout *layout, struct tv_index_thread *threads,
                             struct tv_index_long_call *out);

/* Stores a duration as the column of 2 bytes has it. */
TV_INLINE void tv_long_durations_store(char *column, uint64_t i, uint64_t duration)
{
    uint16_t stored = duration < TV_LONG_DURATION ? (uint16_t)duration : TV_LONG_DURATION;
    memcpy(column + i * 2, &stored, 2);
}

#endif
