/*
 * Percentiles of the durations of calls: min, p50, p95 and max by nearest rank, exact
 * (docs/numbers.md, "Numbers of single calls"). Durations are inclusive and not cut, of all calls
 * that overlap the selection, recursive ones too.
 *
 * For many methods at once, durations are collected in one scan, rows at the same time, and the
 * percentiles selected digit by digit. Durations of methods with very many calls are counted in
 * bins instead, in a few scans. Both are linear in the calls, sort nothing and have no bad cases.
 */
#ifndef TV_ANALYSIS_CALLS_PERCENTILES_H
#define TV_ANALYSIS_CALLS_PERCENTILES_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/profile/profile.h"
#include "analysis/selection/sums.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/pool.h"

struct tv_percentiles {
    uint64_t min_ns;
    uint64_t p50_ns;
    uint64_t p95_ns;
    uint64_t max_ns;
};

struct tv_method_percentiles {
    uint64_t calls; /* 0: there are no percentiles */
    struct tv_percentiles of[TV_CLOCK_COUNT];
};

/* The k-th smallest of `values`, k from 0 and below count. The values are not moved. */
uint64_t tv_kth_smallest(const uint64_t *values, size_t count, size_t k);
/* The percentiles of count > 0 durations, each multiplied by unit_ns. */
struct tv_percentiles tv_percentiles_of(const uint64_t *durations, size_t count, uint64_t unit_ns);
/* The methods of the question, each once, and its selection: `profile` is that of `sums`. */
struct tv_percentiles_question {
    const struct tv_profile *profile;
    const struct tv_sums *sums;
    const uint32_t *methods;
    size_t count;
    size_t many_calls; /* a method with this many calls is counted in bins; 0: where that pays */
    /* By method: the one whose calls its own are counted with, which may be itself, and whose row
     * of the profile has the calls of both; NULL: each is alone. */
    const uint32_t *first_of;
};

/* Computes the percentiles: percentiles[i] is for methods[i]. pool may be NULL: one thread. */
enum tv_code tv_percentiles_compute(const struct tv_percentiles_question *question,
                                    const struct tv_pool *pool,
                                    struct tv_method_percentiles *percentiles,
                                    struct tv_error *err) TV_MUST_CHECK;

#endif
