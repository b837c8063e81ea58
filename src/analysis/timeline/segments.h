/*
 * Walking a thread's segments: the stretches of time in which one call is innermost, in order.
 *
 * A walk begins at any moment, best at the start of a fold, which says what is innermost there;
 * callers are then found when their callees end. A call of length zero that made no calls is a
 * segment of length zero, except at the very moment where the walk begins. One thread at a time.
 */
#ifndef TV_ANALYSIS_TIMELINE_SEGMENTS_H
#define TV_ANALYSIS_TIMELINE_SEGMENTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "index/index.h"

struct tv_segment {
    uint64_t start; /* units, axis clock */
    uint64_t len;
    uint64_t call; /* whole-trace ordinal of the innermost call */
    uint32_t depth;
};

/* A row during a walk: the call open on it, and the next one to open. */
struct tv_walk_row {
    uint64_t open;
    uint64_t next;
    uint32_t open_stamp; /* the walk for which `open`, and `next`, is known */
    uint32_t next_stamp;
};

struct tv_walker {
    const struct tv_alloc *alloc;
    const struct tv_index *index;
    uint32_t thread_ix;
    struct tv_walk_row *rows; /* max_depth of the thread */
    uint32_t row_count;
    uint32_t stamp;
    uint32_t depth; /* calls open: the innermost is on row depth - 1 */
    uint64_t time;
};

void tv_walker_init(struct tv_walker *walker, const struct tv_alloc *alloc);
void tv_walker_release(struct tv_walker *walker);
enum tv_code tv_walker_open(struct tv_walker *walker, const struct tv_index *index,
                            uint32_t thread_ix, struct tv_error *err) TV_MUST_CHECK;
/* Begins anew at the start of a fold. */
void tv_walker_seek(struct tv_walker *walker, const struct tv_index_segment_group *group);
/* The next segment that has a call; false at the end of the thread. */
bool tv_walker_next(struct tv_walker *walker, struct tv_segment *segment);

#endif
