/*
 * Whether a trace was sampled, so that its calls are runs of samples (docs/numbers.md, "Sampled
 * traces").
 */
#ifndef TV_INDEX_BUILD_SAMPLING_H
#define TV_INDEX_BUILD_SAMPLING_H

#include <stdbool.h>

#include "index/build/builder.h"

/* Where wall times are suspect of another unit, the trace is opened and read once more. */
enum tv_code tv_sampling_find(bool *is_sampled, const struct tv_builder *builder,
                              bool is_unit_suspect, struct tv_error *err) TV_MUST_CHECK;

#endif
