/*
 * Writing a chunk, the second of its two readings: calls go straight to their final places in the
 * columns.
 *
 * The join and the placing have given the chunk, for each thread, the calls that are open when it
 * begins, and for each depth the place where its calls go (a slot). So all chunks can be written at
 * once, and no two tasks write the same bytes: a call that an earlier chunk opened is not touched.
 * Its close is noted instead, and so is what belongs to a segment group that an earlier chunk
 * began. The merge writes both.
 *
 * A chunk grows its own context trees, below the calls that are open when it begins. The trees are
 * merged afterwards, in the order of chunks. docs/index.md, "Write".
 */
#ifndef TV_INDEX_BUILD_CHUNKS_CHUNK_WRITE_H
#define TV_INDEX_BUILD_CHUNKS_CHUNK_WRITE_H

#include "index/build/builder.h"
#include "index/build/chunks/chunk_scan.h"
#include "index/build/layout.h"

/* The close of a call that an earlier chunk opened. */
struct tv_cross_chunk_close {
    uint64_t call;                /* place in the thread */
    uint64_t row;                 /* depth of the call */
    uint64_t end[TV_CLOCK_COUNT]; /* units since the thread's first record */
};

/* A call of the chunk that is long (index/build/long_durations.h) on at least one clock. */
struct tv_long_call {
    uint64_t call;                     /* place in the thread */
    uint64_t row;                      /* depth of the call */
    uint64_t duration[TV_CLOCK_COUNT]; /* units */
};

/* An exit without an enter: the end of a call that began before the trace. */
struct tv_adopting_exit {
    uint64_t off; /* of its record, bytes from the start of the file */
    uint32_t key;
};

/* A depth of a thread while the chunk is written. Between join and placing, next and end count from
 * the first call of the depth. */
struct tv_writer_slot {
    uint64_t next; /* the next call to be opened here, by its place in the thread */
    uint64_t end;  /* behind the calls that the scan has counted here */
    /* The call that is open here: its start since the thread's first record and its key, if the
     * chunk opened it, and its node in the chunk's tree. */
    uint64_t start[TV_CLOCK_COUNT];
    uint32_t node;
    uint32_t key;
};

/* One thread of a chunk. */
struct tv_writer_thread {
    struct tv_build_thread *build;
    struct tv_chunk_thread *scan;
    /*
     * By depth. The chunk's own depth 0 is slots[scan->exit_count + 1]. slots[0] is one below the
     * lowest depth of the chunk: it has the node above the calls of that depth. Behind the last
     * slot stands one more, which takes no call and so stops a chunk that has changed.
     */
    struct tv_writer_slot *slots;
    uint64_t *first_calls; /* `next` of each slot when the chunk begins */
    size_t slot_count;     /* without the last one */
    /* The calls that are open when the chunk begins, outermost first: their keys until the chunk is
     * written, then their nodes in the chunk's tree. */
    uint32_t *open_keys;
    uint32_t *open_nodes;
    size_t open_count;
    size_t open_key_cap;
    size_t adopted_before; /* adopting calls that ended before the chunk */
    size_t adopting_open;  /* adopting calls that are open at the record being written */
    /* Exits of the adopting calls, innermost first, in the thread's first chunk; else NULL. */
    const struct tv_adopting_exit *adopting_exits;
    uint64_t
        wraps[TV_CLOCK_COUNT]; /* of each clock before the chunk; of 64-bit times, the high half */
    uint64_t record;           /* place in the thread of the next record to be written */
    uint64_t record_end;       /* `record` when all records of the chunk are written */
    uint64_t segment_start;    /* of the segment that goes on, since the thread's first record */
    /* What the chunk adds to a segment group that an earlier chunk began: a longest segment. */
    struct tv_index_segment_group shared_group;
    struct tv_nodes nodes; /* the chunk's tree, until it is merged */
    /* When merged: the thread's node for each node of the chunk's tree. NULL where they are the
     * same, because the chunk is the thread's first. */
    uint32_t *final_node;
    size_t final_cap;
    struct tv_cross_chunk_close *cross_closes; /* in file order */
    size_t cross_close_count, cross_close_cap;
    struct tv_long_call *long_calls; /* by the time of their close */
    size_t long_count, long_cap;
};

/* A chunk that is to be written. */
struct tv_chunk_writer {
    const struct tv_alloc *alloc;
    struct tv_chunk_scan *scan;
    struct tv_writer_thread *threads; /* one for each of scan->threads */
    size_t thread_cap;
    /* An exit was not of the call on top, or a record was never written (docs/numbers.md, "Calls");
     * or the records are not those that were scanned: another program may write to a mapped file.
     */
    bool needs_serial;
    enum tv_code code; /* whether writing failed, and how */
    struct tv_error error;
};

/*
 * Writes the chunk's calls and segment groups to the index, up to a record that needs the serial
 * builder; sets code and needs_serial. The nodes of calls are numbers in the chunk's trees, less
 * TV_FIRST_CHILD, until tv_chunk_renumber. Tasks may write several chunks at once.
 */
void tv_chunk_write(struct tv_chunk_writer *writer, const struct tv_trace *trace,
                    const struct tv_layout *layout, struct tv_index *index);
void tv_chunk_writer_release(struct tv_chunk_writer *writer);

#endif
