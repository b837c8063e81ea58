/*
 * The state of one build by the chunked builder, and its phases between the two readings of chunks.
 *
 * docs/index.md, "The chunked builder" explains the phases. Only the fields that say so are touched
 * by several tasks at once.
 */
#ifndef TV_INDEX_BUILD_CHUNKS_CHUNK_BUILDER_H
#define TV_INDEX_BUILD_CHUNKS_CHUNK_BUILDER_H

#include <stdatomic.h>
#include <stdbool.h>

#include "index/build/builder.h"
#include "index/build/chunks/chunk_scan.h"
#include "index/build/chunks/chunk_write.h"
#include "index/build/layout.h"

/*
 * What the join knows of a thread beyond its tv_build_thread, which has the stack of open calls.
 * Depths count from the thread's first record, and are negative behind exits of calls that began
 * before the trace. A depth becomes a row when all adopting calls are known.
 */
struct tv_joined_thread {
    uint64_t *depth_calls; /* calls so far at each depth; depth d at [origin + d] */
    size_t cap;
    size_t origin;
    size_t depth_count;                      /* depths from 0 up at which calls were opened */
    uint64_t wraps[TV_CLOCK_COUNT];          /* wraps so far; of 64-bit times, their high half */
    struct tv_adopting_exit *adopting_exits; /* in file order, so innermost first */
    size_t adopting_exit_cap;
};

struct tv_chunk_builder {
    struct tv_builder builder;
    struct tv_trace *trace;
    const struct tv_build_opts *opts;
    const struct tv_pool *pool; /* opts->pool */
    struct tv_index *index;
    struct tv_layout layout;
    struct tv_chunk_scan *scans;     /* by chunk */
    struct tv_chunk_writer *writers; /* by chunk */
    size_t chunk_count;
    struct tv_joined_thread *joined; /* one for each of builder.threads */
    size_t joined_cap;
    /* Touched by tasks. */
    _Atomic uint64_t work_done; /* records, each times the percent of its work that is done */
    atomic_bool is_reporting;   /* a task is calling progress */
    atomic_bool is_cancelled;
    atomic_bool *is_written; /* by chunk: its second reading has ended, so it can be merged */
    atomic_bool is_merging;  /* a task is merging chunks */
    atomic_bool
        has_given_up; /* the serial builder is needed: no chunk has to be written any more */
    /* Touched by the task that set is_merging. */
    size_t merge_next; /* the first chunk that is not merged */
    enum tv_code merge_code;
    struct tv_error merge_error;
    /* Touched between the readings of chunks, by one thread. */
    struct tv_fixed_place place; /* of the record whose offset was asked for last */
    uint64_t open_total;         /* sum over chunks and threads: calls open when the chunk begins */
    bool needs_serial;
};

/* Offset of a record, bytes from the start of the file. Quickest when asked for in order. */
TV_INLINE uint64_t tv_chunks_offset(struct tv_chunk_builder *chunks, uint64_t record)
{
    return tv_fixed_offset(chunks->trace, record, &chunks->place);
}

/* The id of a thread of a chunk; packed records have small numbers in its place. */
TV_INLINE uint32_t tv_chunks_thread_id(const struct tv_chunk_builder *chunks,
                                       const struct tv_chunk_thread *scan)
{
    return tv_fixed_thread(chunks->trace, scan->id);
}

/* Joins the scans of all chunks, in their order: threads, clocks, calls per depth, and open calls.
 * Sets needs_serial where the trace needs the serial builder. */
enum tv_code tv_chunks_join_scans(struct tv_chunk_builder *chunks,
                                  struct tv_error *err) TV_MUST_CHECK;
/* Makes the layout and the columns, and gives each chunk the places of its calls. */
enum tv_code tv_chunks_place(struct tv_chunk_builder *chunks, struct tv_error *err) TV_MUST_CHECK;
/* Merges the chunks that are written, in their order, as far as they go. Only one task merges at a
 * time. A task that finds another one merging returns at once: the other looks once more for
 * written chunks after it has stopped, so no chunk is left behind. */
void tv_chunks_merge(struct tv_chunk_builder *chunks);
/* Closes the calls of a thread that are open at the end of the trace; they are the last calls of
 * their rows. All chunks are merged. */
enum tv_code tv_chunks_close_open_calls(struct tv_chunk_builder *chunks,
                                        struct tv_build_thread *thread,
                                        struct tv_error *err) TV_MUST_CHECK;

#endif
