/*
 * The second of two passes over a chunk of fixed records: calls go straight to their places in the
 * columns.
 *
 * A chunk grows its own calling context trees, below the path of calls that were open when it
 * began; they are joined afterwards, in the order of chunks. A call that an earlier chunk opened is
 * not touched: its closing is noted, since the other chunk may be writing it at the same time.
 */
#ifndef TV_INDEX_BUILD_CHUNKS_CHUNK_WRITE_H
#define TV_INDEX_BUILD_CHUNKS_CHUNK_WRITE_H

#include "index/build/builder.h"
#include "index/build/chunks/chunk_scan.h"
#include "index/build/layout.h"

/* The closing of a call that an earlier chunk opened. Times are since the thread's first record. */
struct tv_cross_chunk_close {
    uint64_t call; /* ordinal within the thread */
    uint64_t row;  /* of the thread */
    uint64_t end[TV_CLOCK_COUNT];
};

/* A call of the chunk that is long on one clock at least. */
struct tv_long_call {
    uint64_t call; /* ordinal within the thread */
    uint64_t row;  /* of the thread */
    uint64_t duration[TV_CLOCK_COUNT];
};

/* An exit without an enter: the end of a call that began before the trace. */
struct tv_adopting_exit {
    uint64_t off; /* of its record, bytes from the start of the file */
    uint32_t key;
};

/* A depth of a thread, as the chunk goes up and down. */
struct tv_writer_slot {
    uint64_t next; /* ordinal within the thread of the next call to be opened here */
    uint64_t end;  /* of the calls that the scan counted here */
    uint64_t start[TV_CLOCK_COUNT]; /* of the open call, since the thread's first record */
    uint32_t node;                  /* of the open call, of the chunk's tree */
    uint32_t key;                   /* of its method, if the chunk opened it */
};

struct tv_writer_thread {
    struct tv_build_thread *build;
    struct tv_chunk_thread *scan;
    /* From one below the lowest call that the chunk closes to the highest that it opens; the first
     * call that it opens is at [scan->exit_count + 1]. */
    struct tv_writer_slot *slots; /* and behind them one more, which takes no call */
    uint64_t *first_calls;        /* what next was at the beginning, beside levels */
    size_t slot_count;
    /* The calls that are open when the chunk begins, outermost first: their keys until the chunk is
     * written, then their nodes in the chunk's tree. */
    uint32_t *open_keys;
    uint32_t *open_nodes;
    size_t open_count;
    size_t open_key_cap;
    size_t adopted_before; /* adopting calls that ended before the chunk */
    size_t adopting_open;  /* adopting calls that are open where the chunk is being written */
    /* Exits of the adopting calls, innermost first, in the thread's first chunk; else NULL. */
    const struct tv_adopting_exit *adopting_exits;
    uint64_t wraps[TV_CLOCK_COUNT]; /* of each clock before the chunk */
    uint64_t record;                /* ordinal within the thread of its next record */
    uint64_t record_end;            /* what it is when the chunk is filled */
    uint64_t segment_start;         /* since the thread's first record */
    struct tv_index_segment_group
        shared_group; /* what the chunk adds to a fold that an earlier one began */
    struct tv_nodes nodes;
    uint32_t *final_node; /* the node in the joined tree, of each of nodes; NULL: the same */
    size_t final_cap;
    struct tv_cross_chunk_close *cross_closes;
    size_t cross_close_count, cross_close_cap;
    struct tv_long_call *long_calls;
    size_t long_count, long_cap;
};

struct tv_chunk_writer {
    const struct tv_alloc *alloc;
    struct tv_chunk_scan *scan;
    struct tv_writer_thread *threads; /* beside scan->threads */
    size_t thread_cap;
    /* An exit was not of the call on top, a record was never written, or the records are not those
     * that were scanned: the file may be written while it is read. */
    bool needs_serial;
    enum tv_code code;
    struct tv_error error;
};

/*
 * Fills the chunk's part of the columns of index, up to what is odd; sets fill->code and is_odd.
 * The nodes of calls count from TV_FIRST_CHILD of the chunk's trees.
 */
void tv_chunk_write(struct tv_chunk_writer *writer, const struct tv_trace *trace,
                    const struct tv_layout *layout, struct tv_index *index);
void tv_chunk_writer_release(struct tv_chunk_writer *writer);

#endif
