/*
 * The second of two passes over a chunk of fixed records: calls go straight to their places in the
 * columns.
 *
 * A chunk grows its own calling context trees, below the path of calls that were open when it
 * began; they are joined afterwards, in the order of chunks. A call that an earlier chunk opened is
 * not touched: its closing is noted, since the other chunk may be writing it at the same time.
 */
#ifndef TV_INDEX_FILL_H
#define TV_INDEX_FILL_H

#include "index/build.h"
#include "index/chunk_scan.h"

/* The closing of a call that an earlier chunk opened. Times are since the thread's first record. */
struct tv_late_close {
    uint64_t call; /* ordinal within the thread */
    uint64_t end[TV_CLOCK_COUNT];
    uint32_t node; /* of the chunk's tree */
    uint32_t reserved;
};

struct tv_fill_thread {
    struct tv_build_thread *build;
    struct tv_chunk_thread
        *scan;        /* its levels hold the next ordinal within the thread, level by level */
    uint64_t *starts; /* what they held at the beginning; beside scan->levels */
    uint32_t *stack;  /* first the keys, then the nodes of open calls, outermost first */
    size_t depth, stack_cap;
    size_t earlier;  /* so many of them, from the bottom, were opened before the chunk */
    size_t adopters; /* and so many of those began before the trace */
    const uint64_t
        *adopter_offsets; /* at the thread's first chunk: of their exits, outermost first */
    uint64_t wraps[TV_CLOCK_COUNT]; /* of each clock before the chunk */
    uint64_t record;                /* ordinal within the thread of its next record */
    uint64_t segment_start;         /* since the thread's first record */
    struct tv_index_fold head;      /* what the chunk adds to a fold that an earlier one began */
    struct tv_nodes nodes;
    uint32_t *final_node; /* the node in the joined tree, of each of nodes */
    size_t final_cap;
    struct tv_late_close *late;
    size_t late_count, late_cap;
};

struct tv_fill {
    const struct tv_alloc *alloc;
    struct tv_chunk_scan *scan;
    struct tv_fill_thread *threads; /* beside scan->threads */
    size_t thread_cap;
    enum tv_code code;
    struct tv_error error;
};

/* Fills the chunk's part of the columns of index; sets fill->code. */
void tv_fill_chunk(struct tv_fill *fill, const struct tv_trace *trace,
                   const struct tv_layout *layout, struct tv_index *index);
/* Makes the nodes that the chunk wrote those of the joined and numbered tree. */
void tv_fill_renumber(struct tv_fill *fill, const struct tv_layout *layout, struct tv_index *index);
void tv_fill_release(struct tv_fill *fill);

#endif
