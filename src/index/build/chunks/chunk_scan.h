/*
 * The first of two passes over a chunk of fixed records: how many calls open on each level of each
 * thread.
 *
 * A chunk knows nothing of what came before it, so a thread's level is counted from 0 at the
 * chunk's start and may go below it. Where every exit closes the call on top, levels are all that
 * is needed to know where each call will stand in the finished columns; so after the passes of all
 * chunks are joined, the second pass (fill.h) can write all chunks at once. Anything else makes the
 * chunk odd, and the trace takes the way through match.h, which knows all rules: a clock that
 * falls, an action 3 and thread 0 are seen here; an exit of another method, and a record that was
 * never written, when the chunk is filled.
 */
#ifndef TV_INDEX_BUILD_CHUNKS_CHUNK_SCAN_H
#define TV_INDEX_BUILD_CHUNKS_CHUNK_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "format/trace.h"

/* An exit of a call that was opened before the chunk. */
struct tv_cross_chunk_exit {
    uint64_t record; /* ordinal in the file */
    uint32_t key;
    uint32_t reserved;
};

/*
 * Groups of four records that begin on a level, by which of them are exits (bit i: the i-th), which
 * is all that tells where their enters stand. Four records cost one count so.
 */
struct tv_chunk_depth {
    uint32_t quads[16];
};

struct tv_chunk_thread {
    uint32_t id;
    uint32_t before; /* ordinal in the chunk of the thread of the record before its first; TV_NONE:
                        none */
    uint32_t before_wall;                /* that record's wall value */
    uint32_t before_wraps;               /* wraps of that thread's wall in the chunk until then */
    uint32_t high_first[TV_CLOCK_COUNT]; /* of a 64-bit time, above raw_first */
    uint32_t raw_first[TV_CLOCK_COUNT];
    uint32_t raw_last[TV_CLOCK_COUNT];
    uint32_t wraps[TV_CLOCK_COUNT];
    uint64_t wrap_record; /* of the first wrap, on either clock */
    uint64_t first_record;
    uint64_t records;
    struct tv_cross_chunk_exit *exits; /* of calls from before the chunk, in order */
    size_t exit_count, exit_cap;
    /* While scanning. Level l is at [origin + l], l from -exit_count - 1. */
    struct tv_chunk_depth *depths;
    uint32_t *marks; /* beside levels: the last group whose lowest level this is (chunk_scan.c) */
    size_t depth_cap;
    size_t depth, lowest; /* the current level, and the lowest so far */
    /* When scanned. */
    uint32_t *calls; /* that open on a level; level l at [origin + l], too */
    size_t origin, call_cap;
    size_t depth_count;   /* levels from 0 up that were reached */
    uint32_t *opened;     /* keys of the calls that the chunk leaves open, outermost first */
    size_t opened_count;  /* so many of them */
    uint64_t root_record; /* of the enter of the outermost */
};

/* Thread ids of fixed records have at most 16 bits. */
#define TV_THREAD_IDS 65536u

/* Where four records lead, from the level before them; every other column is counted from there. */
struct tv_quad_step {
    uint8_t exits; /* bit i: the i-th is one */
    int8_t rise;   /* to the level behind them */
    int8_t lowest; /* of the levels that the four stand on */
    int8_t bottom; /* of those and the level behind them */
    uint8_t flags;
};

/* Flags of a group: one of its records is an unwind, or has an action that none has. */
#define TV_QUAD_UNWINDS 1u
#define TV_QUAD_NEEDS_SERIAL 2u
/* Two bits of action for each of four records. */
#define TV_QUAD_STEPS 256u

struct tv_chunk_scan {
    const struct tv_alloc *alloc;
    uint64_t first_record;           /* of the chunk */
    uint64_t record_count;           /* up to 2^30 */
    uint64_t small_gap;              /* as in tv_builder */
    uint64_t scanned;                /* so many of them */
    struct tv_chunk_thread *threads; /* in order of first record in the chunk */
    size_t thread_count, thread_cap;
    uint32_t *thread_of_id;    /* 65536 ordinals + 1, 0 for none; released at the end of the pass */
    uint32_t last_thread;      /* of the last record */
    struct tv_fixed_part part; /* the records, while they are scanned */
    uint64_t depths_left;      /* by which those of threads may grow, together */
    uint64_t gaps_zero, gaps_small;
    struct tv_quad_step steps[TV_QUAD_STEPS]; /* by the actions of four records */
    bool has_unwind;
    bool needs_serial;
    enum tv_code code; /* of the pass */
    struct tv_error error;
};

/* Scans the chunk that scan says; sets scan->code. The trace has fixed records and outlives the
 * pass. */
void tv_chunk_scan(struct tv_chunk_scan *scan, const struct tv_trace *trace);
/* Releases what only the join needs: keys of open calls, exits and levels (their counts stay). */
void tv_chunk_thread_release(struct tv_chunk_thread *thread, const struct tv_alloc *alloc);
void tv_chunk_scan_release(struct tv_chunk_scan *scan);

#endif
