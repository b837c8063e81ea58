/*
 * All calls of one method in the whole trace, found by one scan of the node columns, rows at once.
 *
 * They stand by thread, depth and start. Memory: 8 bytes a call.
 */
#ifndef TV_ANALYSIS_CALLS_METHOD_CALLS_H
#define TV_ANALYSIS_CALLS_METHOD_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/calls/call.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/pool.h"
#include "index/index.h"

/* The calls of one row: [first, end) of the list. */
struct tv_method_row_calls {
    uint32_t thread_ix;
    uint32_t depth;
    size_t first;
    size_t end;
    uint32_t only_node; /* the one node that they are of, or TV_NONE */
};

struct tv_method_calls {
    const struct tv_alloc *alloc;
    const struct tv_index *index;
    uint64_t *calls; /* ordinals over the whole trace */
    size_t count;
    struct tv_method_row_calls *rows; /* those that have some */
    size_t row_count;
    size_t row_cap;
};

void tv_method_calls_init(struct tv_method_calls *list, const struct tv_alloc *alloc);
void tv_method_calls_release(struct tv_method_calls *list);
/* pool may be NULL. */
enum tv_code tv_method_calls_find(struct tv_method_calls *list, const struct tv_index *index,
                                  uint32_t method, const struct tv_pool *pool,
                                  struct tv_error *err) TV_MUST_CHECK;
/* The i-th of the list. */
struct tv_call_ref tv_method_calls_ref(const struct tv_method_calls *list, size_t i);

#endif
