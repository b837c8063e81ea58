/* Building an index of any bytes, by every way. */
#ifndef TV_FUZZ_ALL_BUILDERS_H
#define TV_FUZZ_ALL_BUILDERS_H

#include <stdint.h>

#include "base/str.h"
#include "index/build/build.h"
#include "index/index.h"

/* A trace, and the tables in the file beside it; `side` may be empty. */
struct fuzz_input {
    struct tv_str trace;
    struct tv_str side;
};

/* Opens and builds; the index may be released whatever comes back. */
enum tv_code fuzz_build(const struct tv_alloc *alloc, struct fuzz_input input,
                        const struct tv_build_opts *opts, struct tv_index *index);
/* Traps unless chunks of a few records, which meet in every place, give the index that one record
 * after the other gives. */
void fuzz_compare_ways(const struct tv_alloc *alloc, struct fuzz_input input,
                       uint64_t chunk_records);
/* The same for the whole trace in 1, 2, 3 and 7 chunks. Does nothing where no chunk can be made. */
void fuzz_compare_chunk_counts(const struct tv_alloc *alloc, struct fuzz_input input);

#endif
