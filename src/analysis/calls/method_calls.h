/* The list of all calls of one method in the whole trace, by thread, depth and start. It is found
 * by one scan of the node columns of the rows that have the method, rows at the same time. Memory:
 * 8 bytes a call. */
#ifndef TV_ANALYSIS_CALLS_METHOD_CALLS_H
#define TV_ANALYSIS_CALLS_METHOD_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/calls/call.h"
#include "analysis/selection/call_set.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/pool.h"
#include "index/index.h"

/* The calls [first, end) of the list are of one row. */
struct tv_method_row_calls {
    uint32_t thread_ix;
    uint32_t depth;
    size_t first;
    size_t end;
    uint32_t only_node; /* the one node that all of them are of, or TV_NONE: several */
};

struct tv_method_calls {
    const struct tv_alloc *alloc;
    const struct tv_index *index;
    uint64_t *calls; /* ordinals over the whole trace */
    size_t count;
    /* The rows with calls of the method, in the order of the list. */
    struct tv_method_row_calls *rows;
    size_t row_count;
    size_t row_cap;
};

void tv_method_calls_init(struct tv_method_calls *list, const struct tv_alloc *alloc);
void tv_method_calls_release(struct tv_method_calls *list);
/* Finds the calls of a method (its ordinal). pool may be NULL: one thread. */
enum tv_code tv_method_calls_find(struct tv_method_calls *list, const struct tv_index *index,
                                  uint32_t method, const struct tv_pool *pool,
                                  struct tv_error *err) TV_MUST_CHECK;
/* Finds the calls of a method that belong to a set (tv_call_set_lists); `set` NULL: all of them. */
enum tv_code tv_method_calls_find_in(struct tv_method_calls *list, const struct tv_index *index,
                                     uint32_t method, const struct tv_call_set *set,
                                     const struct tv_pool *pool,
                                     struct tv_error *err) TV_MUST_CHECK;
/* The i-th call of the list. */
struct tv_call_ref tv_method_calls_ref(const struct tv_method_calls *list, size_t i);

#endif
