/* An index that is being built from chunks of fixed records; see index/build/chunks/chunks.c. */
#ifndef TV_INDEX_BUILD_CHUNKS_CHUNK_BUILDER_H
#define TV_INDEX_BUILD_CHUNKS_CHUNK_BUILDER_H

#include <stdatomic.h>
#include <stdbool.h>

#include "index/build/builder.h"
#include "index/build/chunks/chunk_scan.h"
#include "index/build/chunks/chunk_write.h"
#include "index/build/layout.h"

/* What joining needs of a thread beyond tv_build_thread. Keys of open calls are in build->stack. */
struct tv_joined_thread {
    uint64_t *depth_calls; /* calls by level, at [origin + level] */
    size_t cap;
    size_t origin;
    size_t depth_count; /* levels from 0 up that were reached */
    uint64_t wraps[TV_CLOCK_COUNT];
    struct tv_adopting_exit *adopting_exits; /* in file order, so innermost first */
    size_t adopting_exit_cap;
};

struct tv_chunk_builder {
    struct tv_builder builder;
    struct tv_trace *trace;
    const struct tv_build_opts *opts;
    const struct tv_pool *pool; /* opts' */
    struct tv_index *index;
    struct tv_layout layout;
    struct tv_chunk_scan *scans;
    struct tv_chunk_writer *writers;
    size_t chunk_count;
    struct tv_joined_thread *joined; /* beside builder.threads */
    size_t joined_cap;
    _Atomic uint64_t work_done; /* records times percent */
    atomic_bool is_reporting;   /* somebody tells progress */
    atomic_bool is_cancelled;
    atomic_bool *is_written; /* of each chunk */
    atomic_bool is_merging;  /* somebody is joining filled chunks */
    atomic_bool
        has_given_up;  /* a chunk turned out odd, or to have changed: no other need be filled */
    size_t merge_next; /* the first that is not joined; theirs */
    enum tv_code merge_code; /* theirs, too */
    struct tv_error merge_error;
    struct tv_fixed_place place; /* of the record that was asked for last */
    uint64_t open_total;         /* calls that chunks found open at their beginning */
    bool needs_serial;
};

/* Bytes from the start of the file. */
TV_INLINE uint64_t tv_chunks_offset(struct tv_chunk_builder *chunks, uint64_t record)
{
    return tv_fixed_offset(chunks->trace, record, &chunks->place);
}

/* The id of a thread of a chunk. */
TV_INLINE uint32_t tv_chunks_thread_id(const struct tv_chunk_builder *chunks,
                                       const struct tv_chunk_thread *scan)
{
    return tv_fixed_thread(chunks->trace, scan->id);
}

/* Joins what the chunks scanned, in their order: threads, clocks, levels, and open calls;
 * chunks->is_odd tells that they need the rules of match.h. */
enum tv_code tv_chunks_join_scans(struct tv_chunk_builder *chunks,
                                  struct tv_error *err) TV_MUST_CHECK;
/* Makes the columns, and tells each chunk where in them its calls go. */
enum tv_code tv_chunks_place(struct tv_chunk_builder *chunks, struct tv_error *err) TV_MUST_CHECK;
/* Joins what is filled, in the order of chunks. Only one task at a time does so; one that is turned
 * away has its chunk seen to by the other, which looks once more when it has ended. */
void tv_chunks_merge(struct tv_chunk_builder *chunks);
/* Ends the calls of a thread that are open at the end of the trace, the last calls of their rows.
 */
enum tv_code tv_chunks_close_open_calls(struct tv_chunk_builder *chunks,
                                        struct tv_build_thread *thread,
                                        struct tv_error *err) TV_MUST_CHECK;

#endif
