/*
 * Walks over the segments of a thread: the stretches of time in which one call is the innermost.
 *
 * An index stores calls by row, not segments. It stores only, for every group of 64 segments, when
 * the group starts and which call is innermost there (struct tv_index_segment_group,
 * docs/index.md). So a walk starts at a group and derives the segments from the rows: it steps down
 * into the next callee, and up to the caller when the innermost call ends. The caller of a call is
 * looked up when the call ends, so a short walk in a deep thread costs what its segments cost.
 *
 * Time without any call is no segment. A call of length zero is a segment of length zero, unless it
 * stands at the very moment where the walk starts. A walker is used by one thread at a time.
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
    uint64_t start; /* units, axis clock, since the clock's zero */
    uint64_t len;   /* units; 0 for a call of length zero */
    uint64_t call;  /* ordinal over the whole trace of the call that is innermost */
    uint32_t depth;
};

/* A row during a walk. A field counts only while its stamp is that of the walker, so that a new
 * walk need not clear the rows. */
struct tv_walk_row {
    uint64_t open; /* the call of this row that contains the walk's time */
    uint64_t next; /* the next call to enter on this row; the end of the row when there is none */
    uint32_t open_stamp; /* the walk in which `open` was set, and `next` */
    uint32_t next_stamp;
};

struct tv_walker {
    const struct tv_alloc *alloc;
    const struct tv_index *index;
    uint32_t thread_ix;
    struct tv_walk_row *rows; /* one per depth of the thread */
    uint32_t row_count;
    uint32_t stamp; /* the number of the walk, from 1 */
    uint32_t depth; /* number of open calls: the innermost is on row depth - 1 */
    uint64_t start; /* where the walk began: units, axis clock */
    uint64_t time;  /* where the walk is: units, axis clock; never goes back */
};

void tv_walker_init(struct tv_walker *walker, const struct tv_alloc *alloc);
void tv_walker_release(struct tv_walker *walker);
/* Prepares for walks over one thread of the index, which is borrowed. */
enum tv_code tv_walker_open(struct tv_walker *walker, const struct tv_index *index,
                            uint32_t thread_ix, struct tv_error *err) TV_MUST_CHECK;
/* Starts a new walk at the start of a group of the opened thread. */
void tv_walker_seek(struct tv_walker *walker, const struct tv_index_segment_group *group);
/* Gives the next segment; false at the end of the thread. */
bool tv_walker_next(struct tv_walker *walker, struct tv_segment *segment);

#endif
