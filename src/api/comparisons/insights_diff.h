/* The insights of a trace beside those of an older one (compare/insight_change.h): the route
 * `insightsdiff`, and `traceview insights --against`. */
#ifndef TV_API_COMPARISONS_INSIGHTS_DIFF_H
#define TV_API_COMPARISONS_INSIGHTS_DIFF_H

#include <stddef.h>

#include "api/api.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "compare/insight_change.h"

/* Writes the answer; `changes` are from the trace `old_trace` to the one that is meant. */
enum tv_code tv_answer_insights_diff(const struct tv_api *api, size_t old_trace,
                                     const struct tv_insight_changes *changes,
                                     struct tv_buffer *body, struct tv_error *err) TV_MUST_CHECK;

#endif
