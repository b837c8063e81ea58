/*
 * How the durations of calls spread: min, p50, p95, max by nearest rank, exactly.
 *
 * Durations are uncut and inclusive, of all calls that overlap the selection, recursive ones too.
 * They are collected in one scan for all methods asked about, rows at once, and selected by digits;
 * those of methods with very many calls are counted in bins instead, in a few scans: linear, no
 * sorting, no bad cases.
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
#include "base/pool.h"

struct tv_percentiles {
    uint64_t min_ns;
    uint64_t p50_ns;
    uint64_t p95_ns;
    uint64_t max_ns;
};

struct tv_method_percentiles {
    uint64_t calls; /* 0: the spreads say nothing */
    struct tv_percentiles of[TV_CLOCK_COUNT];
};

/* The k-th smallest value, k from 0, below count. `values` stay as they are. */
uint64_t tv_kth_smallest(const uint64_t *values, size_t count, size_t k);
/* Of count > 0 durations, multiplied by unit_ns. */
struct tv_percentiles tv_percentiles_of(const uint64_t *durations, size_t count, uint64_t unit_ns);
/* Which methods, each once, and where: `profile` is that of `sums`. */
struct tv_percentiles_question {
    const struct tv_profile *profile;
    const struct tv_sums *sums;
    const uint32_t *methods;
    size_t count;
    size_t many_calls; /* from so many calls on, a method's are counted; 0: where it pays */
};

/* spreads[i] is that of methods[i]. pool may be NULL. */
enum tv_code tv_percentiles_compute(const struct tv_percentiles_question *question,
                                    const struct tv_pool *pool,
                                    struct tv_method_percentiles *percentiles,
                                    struct tv_error *err) TV_MUST_CHECK;

#endif
