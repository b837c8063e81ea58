/*
 * The calls of a set, and what they made, as runs of neighbours. Used by
 * analysis/calls/call_steps.c only.
 */
#ifndef TV_ANALYSIS_CALLS_CALL_RUNS_H
#define TV_ANALYSIS_CALLS_CALL_RUNS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/selection/call_set.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "index/index.h"

struct tv_call_run_list {
    const struct tv_alloc *alloc;
    struct tv_call_run *of;
    size_t count;
    size_t cap;
};

void tv_call_run_list_init(struct tv_call_run_list *list, const struct tv_alloc *alloc);
void tv_call_run_list_release(struct tv_call_run_list *list);
/* Lists the runs of the calls with a bit in `own` and of what they made, in the order of
 * struct tv_call_set, and sets the bits of all of them in `within`, which has none before. */
enum tv_code tv_call_runs_find(struct tv_call_run_list *list, const struct tv_index *index,
                               const uint64_t *own, uint64_t *within,
                               struct tv_error *err) TV_MUST_CHECK;

#endif
