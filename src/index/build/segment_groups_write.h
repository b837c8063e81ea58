/*
 * From the segment groups of the serial builder to finished ones.
 *
 * The serial builder makes groups while depths still change: an adopting call, one whose exit finds
 * an empty stack (docs/index.md), pushes all rows one deeper, and is the innermost call of the time
 * in which nothing was open. So a group keeps depths with their epoch, the number of adopting calls
 * until then (struct tv_build_segment_group), and the longest time without a call beside the
 * longest with one. When all adopting calls are known, final depths and calls follow.
 */
#ifndef TV_INDEX_BUILD_SEGMENT_GROUPS_WRITE_H
#define TV_INDEX_BUILD_SEGMENT_GROUPS_WRITE_H

#include "index/build/builder.h"

/* Tells a group that an adopting call has come: the group's longest idle time lies in that call
 * now. */
void tv_build_segment_group_adopt(struct tv_build_segment_group *group);
/*
 * Writes the finished groups of a thread and the levels above them to `out`, which has room for
 * tv_segment_groups_total. `rows` are the thread's rows in the block. `multiple` is added to all
 * times: the multiple of 2^32 of the thread's wall clock where the axis is wall, else 0.
 */
void tv_segment_groups_write(const struct tv_build_thread *thread, const struct tv_index_row *rows,
                             uint64_t multiple, struct tv_index_segment_group *out);

#endif
