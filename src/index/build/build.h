/*
 * Builds an index from a trace that was opened. This is the only header of building that other
 * folders include.
 *
 * docs/index.md, "Two builders" says how it is done.
 */
#ifndef TV_INDEX_BUILD_BUILD_H
#define TV_INDEX_BUILD_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/pool.h"

struct tv_index;
struct tv_trace;

/* Which builder reads the records. The same bytes give the same index by either builder, with any
 * size of chunk and any number of threads. */
enum tv_build_way {
    TV_BUILD_BEST,  /* the chunked builder; the serial one where the trace needs it */
    TV_BUILD_SERIAL /* the serial builder, one record after the other */
};

struct tv_build_opts {
    const struct tv_pool *pool; /* NULL: all tasks run on the calling thread */
    enum tv_build_way way;
    uint64_t chunk_records; /* records of a chunk; 0: as suits the trace and the pool */
    /* Called now and then with the bytes of the file that were read, out of all; false cancels the
     * build. Called by any thread of the pool, but by one at a time. May be NULL. */
    bool (*progress)(void *ctx, uint64_t done, uint64_t of);
    void *progress_ctx;
};

/* Reads all records of an opened trace. Afterwards the trace has no records left; nothing in the
 * index points into the trace or its bytes, so both may be released. Fails with TV_ERR_LIMIT where
 * the index would need more memory than any trace may (docs/index.md, "Memory"), and with
 * TV_ERR_CANCELLED where progress said so. */
enum tv_code tv_index_build(struct tv_index *index, struct tv_trace *trace,
                            const struct tv_build_opts *opts, struct tv_error *err) TV_MUST_CHECK;

#endif
