/*
 * How often the sampler of a sampled trace looked (docs/numbers.md, "Sampled traces").
 */
#ifndef TV_ANALYSIS_CALLS_SAMPLING_INTERVAL_H
#define TV_ANALYSIS_CALLS_SAMPLING_INTERVAL_H

#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "index/index.h"

/* Nanoseconds from one look at a thread to the next: what the recorder tells, else the usual
 * distance of the thread's records by wall time, which is no shorter. 0: neither is known. */
enum tv_code tv_sampling_interval(uint64_t *interval_ns, const struct tv_alloc *alloc,
                                  const struct tv_index *index, uint32_t thread_ix,
                                  struct tv_error *err) TV_MUST_CHECK;

#endif
