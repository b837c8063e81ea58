/*
 * The chunked builder: builds an index from fixed records, chunk by chunk, on all cores.
 *
 * docs/index.md, "The chunked builder" explains the phases.
 */
#ifndef TV_INDEX_BUILD_CHUNKS_CHUNKS_H
#define TV_INDEX_BUILD_CHUNKS_CHUNKS_H

#include <stdbool.h>

#include "index/build/build.h"
#include "index/index.h"

/*
 * Builds the whole index. Where the trace needs a rule that only the serial builder knows, sets
 * *needs_serial and builds nothing, and the trace is as it was before. The trace has fixed records,
 * and opts has a pool.
 */
enum tv_code tv_chunks_build(struct tv_index *index, struct tv_trace *trace,
                             const struct tv_build_opts *opts, bool *needs_serial,
                             struct tv_error *err) TV_MUST_CHECK;

#endif
