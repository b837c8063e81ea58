/* The folds of a thread that was read record by record, brought into their finished form. */
#ifndef TV_INDEX_BUILD_SEGMENT_GROUPS_WRITE_H
#define TV_INDEX_BUILD_SEGMENT_GROUPS_WRITE_H

#include "index/build/builder.h"

/* The fold's idle time so far lies in a call that adopts it. */
void tv_build_segment_group_adopt(struct tv_build_segment_group *group);
/*
 * Writes the folds of a thread and the levels above them to out, which has room for tv_folds_total.
 * `rows` are the thread's finished rows; multiple is added to times (wall axis only).
 */
void tv_segment_groups_write(const struct tv_build_thread *thread, const struct tv_index_row *rows,
                             uint64_t multiple, struct tv_index_segment_group *out);

#endif
