/*
 * The method profile of a selection: a row per method, and rows in an order.
 *
 * Inclusive time is that of outermost calls only (nodes that are not recursive), exclusive time
 * that of all calls. Whole threads of the whole trace come from the index's methods and cost
 * nothing; the rest is added up from struct tv_sums. 100 % is `total_ns`.
 *
 * A finished profile may be read by any number of threads.
 */
#ifndef TV_ANALYSIS_PROFILE_PROFILE_H
#define TV_ANALYSIS_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/selection/sums.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/pool.h"
#include "index/index.h"

struct tv_method_row {
    struct tv_numbers
        numbers; /* calls: outermost; inclusive: of outermost calls; exclusive: of all */
    uint64_t recursive_calls;
};

struct tv_profile {
    const struct tv_alloc *alloc;
    const struct tv_index *index;
    struct tv_method_row *rows; /* one per method of the index */
    uint32_t row_count;
    uint64_t total_ns[TV_CLOCK_COUNT];
};

/* TV_MEASURE_WAIT is wall less CPU, and may be negative. */
enum tv_measure { TV_MEASURE_WALL, TV_MEASURE_CPU, TV_MEASURE_WAIT };
#define TV_MEASURE_COUNT 3u

enum tv_sort_key {
    TV_SORT_EXCLUSIVE,
    TV_SORT_INCLUSIVE,
    TV_SORT_CALLS,    /* with recursive ones */
    TV_SORT_PER_CALL, /* inclusive time per call, recursive ones too */
    TV_SORT_NAME,     /* bytewise by tv_method_text */
    TV_SORT_RANK,
};
#define TV_SORT_KEY_COUNT 6u

/* What users call measures and sort keys, by number; each list ends with NULL. */
extern const char *const tv_measure_words[];
extern const char *const tv_sort_words[];

enum tv_order { TV_DESCENDING, TV_ASCENDING };

struct tv_profile_sort {
    enum tv_sort_key key;
    enum tv_measure measure;
    enum tv_order order;
};

/* The order of a key unless another is asked for: large numbers, but small names and ranks first.
 */
enum tv_order tv_sort_default_order(enum tv_sort_key key);

void tv_profile_init(struct tv_profile *profile, const struct tv_alloc *alloc);
void tv_profile_release(struct tv_profile *profile);
enum tv_code tv_profile_of_sums(struct tv_profile *profile, const struct tv_sums *sums,
                                struct tv_error *err) TV_MUST_CHECK;

/* How many calls the calls of each method made themselves: made[i] of method i. One pass over the
 * nodes. */
void tv_calls_made(const struct tv_sums *sums, uint64_t *made);
/*
 * An estimate of how much of a method's exclusive time is the tracing itself: what the file says a
 * reading of its clocks costs, once for each of its calls and once for each call they made. A call
 * has a reading at either end; about half of each falls within the call, the other half within its
 * caller. 0 where the file does not say, and for a sampled trace, which reads no clocks for calls.
 */
uint64_t tv_overhead_ns(const struct tv_index *index, const struct tv_method_row *row,
                        uint64_t made);

/* Whether the method has calls or time in the selection. */
bool tv_profile_has(const struct tv_profile *profile, uint32_t method_ix);
/* Of numbers whose calls are all calls: the one by which they are sorted, in nanoseconds or calls;
 * 0 for names and ranks. */
double tv_numbers_value(const struct tv_numbers *numbers, const struct tv_profile_sort *sort);
/* A method and the number that it is sorted by. */
struct tv_sort_item {
    uint32_t method;
    double value;
};
/* <0, 0, >0 as a comes before, with, after b: ties by rank, so never 0 for two methods. */
int tv_sort_compare(const struct tv_index *index, const struct tv_profile_sort *sort,
                    struct tv_sort_item a, struct tv_sort_item b);
/* A row's number by which it is sorted, in nanoseconds or calls; 0 for names and ranks. */
double tv_profile_value(const struct tv_profile *profile, uint32_t method_ix,
                        const struct tv_profile_sort *sort);
/* Sorts method ordinals; ties by rank. */
enum tv_code tv_profile_order(const struct tv_profile *profile, uint32_t *methods, size_t count,
                              const struct tv_profile_sort *sort,
                              struct tv_error *err) TV_MUST_CHECK;

/* Time on a measure out of a pair of clocks. */
TV_INLINE int64_t tv_measure_of(const uint64_t times_ns[TV_CLOCK_COUNT], enum tv_measure measure)
{
    if (measure == TV_MEASURE_WAIT)
        return (int64_t)(times_ns[TV_CLOCK_WALL] - times_ns[TV_CLOCK_CPU]);
    return (int64_t)times_ns[measure == TV_MEASURE_WALL ? TV_CLOCK_WALL : TV_CLOCK_CPU];
}

#endif
