/*
 * A thread's curve: how much of its time, stretch by stretch over the whole axis, was within calls,
 * and how much CPU time these calls had; what is left of the first is waiting.
 *
 * The axis is divided into bins of one length. A bin has what the root calls of the thread have in
 * it, as the tables say for a range of the bin's edges (analysis/selection/range.h): so the bins
 * add up to the root calls, and between two records CPU time is spread evenly.
 *
 * The cost grows with the root calls, and with the bins times the depths of the thread.
 */
#ifndef TV_ANALYSIS_TIMELINE_CURVE_H
#define TV_ANALYSIS_TIMELINE_CURVE_H

#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/pool.h"
#include "index/index.h"

#define TV_CURVE_BIN_LIMIT 4096u

struct tv_curve {
    const struct tv_alloc *alloc;
    uint32_t bin_count;
    uint64_t *edges_ns;  /* bin_count + 1 times on the axis, since its start */
    uint64_t *cpu_at_ns; /* bin_count + 1: the thread's CPU time at the edges */
    uint64_t *called_ns; /* per bin: time on the axis within root calls, where the trace has a CPU
                            clock beside it up to the thread's last record */
    uint64_t *cpu_ns; /* per bin: CPU time of root calls; zeros where the trace has no CPU clock, or
                         where that is the axis */
};

void tv_curve_init(struct tv_curve *curve, const struct tv_alloc *alloc);
void tv_curve_release(struct tv_curve *curve);
/* Computes the curve of a thread; bin_count is from 1 to TV_CURVE_BIN_LIMIT. pool may be NULL. It
 * is for one thread at a time. */
enum tv_code tv_curve_compute(struct tv_curve *curve, const struct tv_index *index,
                              uint32_t thread_ix, uint32_t bin_count, const struct tv_pool *pool,
                              struct tv_error *err) TV_MUST_CHECK;

#endif
