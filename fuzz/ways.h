/* Building an index of any bytes, by every way. */
#ifndef TV_FUZZ_WAYS_H
#define TV_FUZZ_WAYS_H

#include <stdint.h>

#include "base/str.h"
#include "index/build/build.h"
#include "index/index.h"

/* Opens and builds; the index may be released whatever comes back. */
enum tv_code fuzz_build(const struct tv_alloc *alloc, struct tv_str input,
                        const struct tv_build_opts *opts, struct tv_index *index);
/* Traps unless chunks of a few records, which meet in every place, give the index that one record
 * after the other gives. */
void fuzz_compare_ways(const struct tv_alloc *alloc, struct tv_str input, uint64_t chunk_records);

#endif
