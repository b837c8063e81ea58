/*
 * Visits the outermost calls of a set: those that no other call of the set made.
 */
#ifndef TV_ANALYSIS_CALLS_SET_CALLS_H
#define TV_ANALYSIS_CALLS_SET_CALLS_H

#include <stdint.h>

#include "analysis/calls/method_scan.h"
#include "analysis/selection/range.h"
#include "index/index.h"

/* Is called with each call, an ordinal over the trace. */
typedef void (*tv_call_set_visitor)(void *ctx, const struct tv_method_scan_row *row, uint64_t call);

/* Visits those of the set of `of` that are in its threads and overlap `shown`, which names one
 * thread, by depth and start. Where the set is one call, it is that call alone. */
void tv_call_set_visit(const struct tv_index *index, const struct tv_selection *of,
                       const struct tv_selection *shown, tv_call_set_visitor visit, void *ctx);

#endif
