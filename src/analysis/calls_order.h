/* Counting a method's calls, and numbering some of them. Inside of analysis/calls.c only. */
#ifndef TV_ANALYSIS_CALLS_ORDER_H
#define TV_ANALYSIS_CALLS_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include <traceview/alloc.h>
#include <traceview/error.h>

#include "analysis/calls.h"
#include "analysis/method_scan.h"
#include "base/compiler.h"

/* The calls of the scan's method in the selection. */
uint64_t tv_calls_count(const struct tv_method_scan *scan, const struct tv_selection *selection);
/* Fills in the ordinals, in the whole trace, of a page's calls. One scan. */
enum tv_code tv_calls_number(const struct tv_alloc *alloc, const struct tv_index *index,
                             const struct tv_method_scan *scan, struct tv_listed_call *page,
                             size_t count, struct tv_error *err) TV_MUST_CHECK;

#endif
