/*
 * A scan that visits every call of some methods that overlaps a selection, by thread, depth and
 * start.
 *
 * Only rows that have a node of a wanted method are read. One scan may be run by several threads at
 * once if their visitors allow that.
 */
#ifndef TV_ANALYSIS_CALLS_METHOD_SCAN_H
#define TV_ANALYSIS_CALLS_METHOD_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/selection/range.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "index/index.h"

struct tv_method_scan {
    const struct tv_alloc *alloc;
    const struct tv_index *index;
    /* Per node: the slot of its method; TV_NONE: the method is not wanted. */
    uint32_t *slot_of_node;
    uint32_t *node_of_row; /* per row: its one wanted node, TV_NONE, or TV_MANY_NODES */
};

#define TV_MANY_NODES (UINT32_MAX - 1)

/* The row of a visited call. */
struct tv_method_scan_row {
    const struct tv_index_thread *thread;
    uint32_t thread_ix;
    uint32_t row_ix;
};

/* Is called with each call (its ordinal over the trace) and the slot of its method. */
typedef void (*tv_method_scan_visit)(void *ctx, const struct tv_method_scan_row *row, uint32_t slot,
                                     uint64_t call);

void tv_method_scan_init(struct tv_method_scan *scan, const struct tv_alloc *alloc);
void tv_method_scan_release(struct tv_method_scan *scan);
/* Prepares a scan for some methods, each given once; methods[i] has slot i. Goes over all
 * nodes once. */
enum tv_code tv_method_scan_prepare(struct tv_method_scan *scan, const struct tv_index *index,
                                    const uint32_t *methods, size_t count,
                                    struct tv_error *err) TV_MUST_CHECK;
/* Visits the calls of the wanted methods in the selection. */
void tv_method_scan_run(const struct tv_method_scan *scan, const struct tv_selection *selection,
                        tv_method_scan_visit visit, void *ctx);

#endif
