/*
 * Scanning a chunk, the first of its two readings: counts how many calls each thread opens at each
 * depth.
 *
 * A chunk knows nothing of the records before it. So on each thread depths count from 0 at the
 * start of the chunk, and may become negative. Where every exit closes the call on top, calls per
 * depth are all that is needed to know where each call will stand in the finished columns: when the
 * scans are joined, the second reading (chunk_write.h) can write all chunks at once.
 *
 * Where some exit does not, or another rule of docs/numbers.md, "Calls" comes in, the trace needs
 * the serial builder. The scan sees clocks that fall, action 3 and thread 0; the second reading
 * sees exits of other methods.
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
    uint64_t record; /* its ordinal among the fixed records of the trace */
    uint32_t key;
    uint32_t reserved;
};

/*
 * The quads that begin at a depth, counted by which of their four records are exits (bit i: the
 * i-th is). That pattern says at which depth each enter of the quad stands, so one count is enough
 * for four records.
 */
struct tv_chunk_depth {
    uint32_t quads[16];
};

/*
 * One thread of a chunk. Depths are places in arrays: depth d is at [origin + d], where d is from
 * -exit_count - 1 on. Below the lowest depth that the thread reached, each array has one place
 * more, because the second reading has a slot there.
 */
struct tv_chunk_thread {
    uint32_t id; /* as it stands in records (tv_chunks_thread_id) */
    /* The record before its first one in the chunk: its thread, as a place in the scan's threads
     * (TV_NONE for none), its wall value, and the wraps of that thread's wall clock in the chunk
     * until then. */
    uint32_t before;
    uint32_t before_wall;
    uint32_t before_wraps;
    uint32_t high_first[TV_CLOCK_COUNT]; /* of 64-bit times: the high half of the first one */
    uint32_t raw_first[TV_CLOCK_COUNT];  /* times of its first record, or their low halves */
    uint32_t raw_last[TV_CLOCK_COUNT];   /* times of its last record so far, or their low halves */
    uint32_t wraps[TV_CLOCK_COUNT];      /* steps of the low half past 2^32 in the chunk */
    uint64_t wrap_record;                /* the first record with a wrap, on either clock */
    uint64_t first_record;               /* in the chunk; an ordinal like all records here */
    uint64_t records;
    struct tv_cross_chunk_exit *exits; /* in file order: of depths -1, -2, ... */
    size_t exit_count, exit_cap;
    /* While the chunk is scanned. */
    struct tv_chunk_depth *depths;
    uint32_t *marks; /* by depth: the last quad whose lowest depth this is (chunk_depths.h) */
    size_t depth_cap;
    size_t depth, lowest; /* the current depth and the lowest one so far, as places */
    /* When the chunk is scanned. */
    uint32_t *calls; /* by depth: the calls that are opened there */
    size_t origin, call_cap;
    size_t depth_count; /* depths from 0 up at which calls are opened */
    uint32_t *opened;   /* keys of the calls that the chunk leaves open, outermost first */
    size_t opened_count;
    uint64_t root_record; /* the enter of the outermost of them */
};

/* In fixed records, what stands for a thread has at most 16 bits. */
#define TV_THREAD_IDS 65536u

/* Where a quad leads, by its actions. Depths are relative to that before the quad. A record stands
 * at the depth that the thread has before the record. */
struct tv_quad_step {
    uint8_t exits; /* bit i: the i-th record is an exit */
    int8_t rise;   /* the depth behind the quad */
    int8_t lowest; /* the lowest depth that a record of the quad stands at */
    int8_t bottom; /* the lower of `lowest` and `rise` */
    uint8_t flags; /* TV_QUAD_ */
};

/* Flags of a quad: one of its records is an unwind; one has action 3. */
#define TV_QUAD_UNWINDS 1u
#define TV_QUAD_NEEDS_SERIAL 2u
/* Entries of the table of quads, which is asked for by two bits of action from each record. */
#define TV_QUAD_STEPS 256u

/* A chunk and what its scan found. */
struct tv_chunk_scan {
    const struct tv_alloc *alloc;
    uint64_t first_record;           /* of the chunk */
    uint64_t record_count;           /* of the chunk, up to 2^30 */
    uint64_t small_gap;              /* as in tv_builder */
    uint64_t scanned;                /* records so far */
    struct tv_chunk_thread *threads; /* in the order of their first record in the chunk */
    size_t thread_count, thread_cap;
    uint32_t *thread_of_id;    /* by id: place in threads + 1, 0 for none; while scanning */
    uint32_t last_thread;      /* of the last record so far; TV_NONE at first */
    struct tv_fixed_part part; /* the records, while they are scanned */
    uint64_t depths_left;      /* by which the arrays of depths of all threads may still grow */
    uint64_t gaps_zero, gaps_small; /* as in tv_builder */
    struct tv_quad_step steps[TV_QUAD_STEPS];
    bool has_unwind;
    bool needs_serial; /* the scan stopped at a record that needs the serial builder */
    enum tv_code code; /* whether the scan failed, and how */
    struct tv_error error;
};

/* Scans the chunk of first_record and record_count; sets code. Tasks may scan several chunks at
 * once.
 */
void tv_chunk_scan(struct tv_chunk_scan *scan, const struct tv_trace *trace);
/* Releases the arrays of a thread, of which the join has taken what it needs. Their counts stay. */
void tv_chunk_thread_release(struct tv_chunk_thread *thread, const struct tv_alloc *alloc);
void tv_chunk_scan_release(struct tv_chunk_scan *scan);

#endif
