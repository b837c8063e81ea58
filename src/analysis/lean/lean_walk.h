/*
 * The walk over the calls of a thread that fills a lean index. Used by the files of this room only.
 *
 * The walk enters and leaves calls in the order of the trace, from the finished rows: the open call
 * of each row, and the next call of the row below the innermost one, say which comes next, as in
 * analysis/timeline/segments.h; from the first call on, so that nothing has to be searched. Calls
 * of one moment keep their order, which sorting calls of several rows by their times could not
 * tell.
 */
#ifndef TV_ANALYSIS_LEAN_LEAN_WALK_H
#define TV_ANALYSIS_LEAN_LEAN_WALK_H

#include "analysis/lean/lean.h"

/* The room of a walk, per depth of its thread. */
struct tv_lean_open {
    uint64_t next;  /* the next call of the row; the one before it is open */
    uint64_t end;   /* of the open call: units, axis clock */
    uint64_t shown; /* the lean call that is innermost then; UINT64_MAX: none */
    uint32_t level; /* of that call; TV_NONE: none */
};

/* The columns of a lean index while they are written. */
struct tv_lean_columns {
    struct tv_index_thread *threads;
    struct tv_index_row *rows;
    struct tv_index_segment_group *groups;
    uint32_t *call_node;
    uint8_t *times;
    uint32_t *mipmap_starts;
    uint32_t *mipmap_lens;
};

struct tv_lean_walk {
    const struct tv_lean *lean;
    const struct tv_lean_columns *columns;
    const struct tv_lean_nodes *nodes;
    uint32_t thread_ix;
    struct tv_lean_open *open; /* as many as the thread has depths */
    uint64_t *nexts;           /* per level of the thread: the lean call that comes next there */
    const atomic_bool *is_unwanted; /* the walk ends early where it is (base/memory/pool.h) */
};

/* Fills columns and segment groups of the thread; the mipmaps are left. */
void tv_lean_walk_run(const struct tv_lean_walk *walk);

#endif
