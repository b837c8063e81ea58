/* The way to build an index over chunks of fixed records, on all cores. */
#ifndef TV_INDEX_BUILD_CHUNKS_CHUNKS_H
#define TV_INDEX_BUILD_CHUNKS_CHUNKS_H

#include <stdbool.h>

#include "index/build/build.h"
#include "index/index.h"

/*
 * Builds the whole index from fixed records, chunk by chunk on the pool. *is_odd tells that the
 * records need the rules of match.h: then nothing was built, and the trace is as before.
 * The pool of opts is set.
 */
enum tv_code tv_chunks_build(struct tv_index *index, struct tv_trace *trace,
                             const struct tv_build_opts *opts, bool *needs_serial,
                             struct tv_error *err) TV_MUST_CHECK;

#endif
