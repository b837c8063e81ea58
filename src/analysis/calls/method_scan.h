/*
 * Every call of some methods that a selection touches, in one scan of the node columns.
 *
 * Only rows that have a node of a wanted method are looked at. Calls come by thread, depth and
 * start. A scan may be run by several threads at once when their visitors allow it.
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
    uint32_t *slot_of_node; /* TV_NONE: not wanted */
    uint32_t *node_of_row;  /* the one wanted node of a row, TV_NONE, or TV_MANY_NODES */
};

#define TV_MANY_NODES (UINT32_MAX - 1)

/* Where a visited call stands. */
struct tv_method_scan_row {
    const struct tv_index_thread *thread;
    uint32_t thread_ix;
    uint32_t row_ix;
};

typedef void (*tv_method_scan_visit)(void *ctx, const struct tv_method_scan_row *row, uint32_t slot,
                                     uint64_t call);

void tv_method_scan_init(struct tv_method_scan *scan, const struct tv_alloc *alloc);
void tv_method_scan_release(struct tv_method_scan *scan);
/* The wanted methods; slot i is methods[i], each once. */
enum tv_code tv_method_scan_prepare(struct tv_method_scan *scan, const struct tv_index *index,
                                    const uint32_t *methods, size_t count,
                                    struct tv_error *err) TV_MUST_CHECK;
void tv_method_scan_run(const struct tv_method_scan *scan, const struct tv_selection *selection,
                        tv_method_scan_visit visit, void *ctx);

#endif
