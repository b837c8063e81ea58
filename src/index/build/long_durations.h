/*
 * Durations of 2 bytes, and the list of long calls, which do not fit them.
 *
 * A call is long on a clock when it lasts TV_LONG_DURATION units or more. Calls of one row follow
 * each other, so at most span / TV_LONG_DURATION of them are long, where span is the time of the
 * whole thread. This bound is known before any duration is. Added up over the rows and clocks of a
 * thread it says whether the thread's durations get 2 bytes; and for each row it says how much room
 * the list needs, so that tasks can add long calls of different rows side by side. Both builders
 * have the same counts and spans, so they choose alike.
 */
#ifndef TV_INDEX_BUILD_LONG_DURATIONS_H
#define TV_INDEX_BUILD_LONG_DURATIONS_H

#include "index/build/builder.h"
#include "index/build/layout.h"

/* Chooses duration_len of a thread. Its rows are counted, and is_wide is chosen. */
void tv_long_durations_choose_width(const struct tv_layout *layout,
                                    const struct tv_builder *builder,
                                    struct tv_build_thread *thread);
/* Makes room for the long calls of all rows, when rows are placed. On failure release is safe. */
enum tv_code tv_long_durations_make(struct tv_layout *layout, const struct tv_builder *builder,
                                    struct tv_error *err) TV_MUST_CHECK;
void tv_long_durations_release(struct tv_layout *layout);
/* Adds a long call behind the long calls of its row; row_ix and call are ordinals over the whole
 * trace. Long calls of a row must come in order, and from one task at a time. False where the row
 * has no room left: that can only happen when the file changes while it is read. */
bool tv_long_durations_add(const struct tv_layout *layout, uint64_t row_ix, unsigned clock,
                           uint64_t call, uint64_t duration);
/* The number of all long calls; and the writing of the finished list, in which each thread gets a
 * range. */
uint64_t tv_long_durations_total(const struct tv_layout *layout);
void tv_long_durations_write(const struct tv_layout *layout, struct tv_index_thread *threads,
                             struct tv_index_long_call *out);

/* Stores a duration in a column of 2 bytes. */
TV_INLINE void tv_long_durations_store(char *column, uint64_t i, uint64_t duration)
{
    uint16_t stored = duration < TV_LONG_DURATION ? (uint16_t)duration : TV_LONG_DURATION;
    memcpy(column + i * 2, &stored, 2);
}

#endif
