/*
 * The first of two passes over a chunk of fixed records: how many calls open on each level of each
 * thread.
 *
 * A chunk knows nothing of what came before it, so a thread's level is counted from 0 at the
 * chunk's start and may go below it. Where every exit closes the call on top, levels are all that
 * is needed to know where each call will stand in the finished columns; so after the passes of all
 * chunks are joined, the second pass (fill.h) can write all chunks at once. Anything else (an exit
 * of another method, a clock that falls, an action 3, thread 0) makes the chunk odd, and the trace
 * takes the way through match.h, which knows all rules.
 */
#ifndef TV_INDEX_CHUNK_SCAN_H
#define TV_INDEX_CHUNK_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "format/trace.h"

/* An exit of a call that was opened before the chunk. */
struct tv_chunk_exit {
    uint64_t record; /* ordinal in the file */
    uint32_t key;
    uint32_t reserved;
};

/* The records of a level: [0] enters, which are its calls, [1] exits. They are counted apart, since
 * a counter that two records in a row add to makes the second wait. */
struct tv_chunk_level {
    uint32_t count[2];
};

struct tv_chunk_thread {
    uint32_t id;
    uint32_t before; /* ordinal in the chunk of the thread of the record before its first; TV_NONE:
                        none */
    uint32_t before_wall;  /* that record's wall value */
    uint32_t before_wraps; /* wraps of that thread's wall in the chunk until then */
    uint32_t raw_first[TV_CLOCK_COUNT];
    uint32_t raw_last[TV_CLOCK_COUNT];
    uint32_t wraps[TV_CLOCK_COUNT];
    uint64_t wrap_record; /* of the first wrap, on either clock */
    uint64_t first_record;
    uint64_t records;
    uint64_t root_record; /* of the enter of the lowest call in `opened` */
    uint32_t *opened;     /* keys of the calls that the chunk leaves open, outermost first */
    size_t depth, opened_cap;
    struct tv_chunk_exit *exits; /* of calls from before the chunk, in order */
    size_t exit_count, exit_cap;
    struct tv_chunk_level *levels; /* level l at [origin + l], l from -exit_count - 1 */
    size_t origin, level_cap;
    size_t level_count;          /* levels from 0 up that were reached */
    struct tv_chunk_level *cell; /* of the current level */
};

/* Thread ids of fixed records have at most 16 bits. */
#define TV_THREAD_IDS 65536u

struct tv_chunk_scan {
    const struct tv_alloc *alloc;
    uint64_t first_record;           /* of the chunk */
    uint64_t record_count;           /* below 2^32 */
    uint64_t small_gap;              /* as in tv_builder */
    uint64_t scanned;                /* so many of them */
    struct tv_chunk_thread *threads; /* in order of first record in the chunk */
    size_t thread_count, thread_cap;
    uint32_t *thread_of_id; /* 65536 ordinals + 1, 0 for none; released at the end of the pass */
    uint32_t last_thread;   /* of the last record */
    uint64_t gaps_zero, gaps_small;
    bool has_unwind;
    bool is_odd;
    enum tv_code code; /* of the pass */
    struct tv_error error;
};

/* Scans the chunk that scan says; sets scan->code. The trace has fixed records and outlives the
 * pass. */
void tv_chunk_scan(struct tv_chunk_scan *scan, const struct tv_trace *trace);
/* Releases what only the join needs: keys of open calls, exits and levels (their counts stay). */
void tv_chunk_thread_forget(struct tv_chunk_thread *thread, const struct tv_alloc *alloc);
void tv_chunk_scan_release(struct tv_chunk_scan *scan);

#endif
