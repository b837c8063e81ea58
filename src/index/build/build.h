/* Builds an index from a trace that was opened: all that whoever has a trace needs to know. */
#ifndef TV_INDEX_BUILD_BUILD_H
#define TV_INDEX_BUILD_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/pool.h"

struct tv_index;
struct tv_trace;

/* How records are read; the same bytes give the same index by any way, chunk size and number of
 * threads. */
enum tv_build_way {
    TV_BUILD_BEST,  /* fixed records in chunks on the pool where they allow it */
    TV_BUILD_SERIAL /* one record after the other */
};

struct tv_build_opts {
    const struct tv_pool *pool; /* NULL: serial */
    enum tv_build_way way;
    uint64_t chunk_records; /* 0: the default */
    /* Called now and then with the share of the file that was read, by one thread at a time, but
     * any of the pool's; a false return cancels. May be NULL. */
    bool (*progress)(void *ctx, uint64_t done, uint64_t of);
    void *progress_ctx;
};

/* Reads all records of an opened trace. The trace is used up, and may be released afterwards with
 * its bytes. */
enum tv_code tv_index_build(struct tv_index *index, struct tv_trace *trace,
                            const struct tv_build_opts *opts, struct tv_error *err) TV_MUST_CHECK;

#endif
