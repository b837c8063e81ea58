/*
 * The method profile of a selection: a row per method, and orders of rows. What the numbers mean is
 * in docs/numbers.md, "The profile".
 *
 * A method's inclusive time is that of its outermost calls, which are the calls of nodes that are
 * not recursive; its exclusive time is that of all its calls. For the whole trace the numbers are
 * those of the index's methods and cost nothing; else they are added up from struct tv_sums. 100 %
 * is `total_ns`.
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
#include "index/index.h"

struct tv_method_row {
    /* Calls and inclusive times are those of outermost calls, exclusive times those of all. */
    struct tv_numbers numbers;
    uint64_t recursive_calls;
};

struct tv_profile {
    const struct tv_alloc *alloc;
    const struct tv_index *index;
    struct tv_method_row *rows; /* one per method of the index */
    uint32_t row_count;
    uint64_t total_ns[TV_CLOCK_COUNT];  /* root calls of the selection */
    uint64_t hidden_ns[TV_CLOCK_COUNT]; /* of total_ns, in no row: as in struct tv_sums */
};

/* The measure of a time. TV_MEASURE_WAIT is wall time less CPU time, and may be negative. */
enum tv_measure { TV_MEASURE_WALL, TV_MEASURE_CPU, TV_MEASURE_WAIT };
#define TV_MEASURE_COUNT 3u

enum tv_sort_key {
    TV_SORT_EXCLUSIVE,
    TV_SORT_INCLUSIVE,
    TV_SORT_CALLS,    /* all calls, recursive ones too */
    TV_SORT_PER_CALL, /* inclusive time per call, recursive calls too */
    TV_SORT_NAME,     /* bytewise by tv_method_text */
    TV_SORT_RANK,
    TV_SORT_METHOD_INCLUSIVE, /* nodes of an inverted tree alone: that time of theirs */
};
#define TV_SORT_KEY_COUNT 6u /* those of all rows */
#define TV_SORT_INVERTED_KEY_COUNT 7u

enum tv_order { TV_DESCENDING, TV_ASCENDING };
#define TV_ORDER_COUNT 2u

/* What users call measures, sort keys and orders, by number; each list ends with NULL. */
extern const char *const tv_measure_words[];
extern const char *const tv_sort_words[];
extern const char *const tv_inverted_sort_words[];
extern const char *const tv_order_words[];

/* An order of rows. Rows of equal value stand by rank, which is never equal. */
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
/* Makes the profile of sums. The index is borrowed for as long as the profile lives; the
 * sums are not. */
enum tv_code tv_profile_of_sums(struct tv_profile *profile, const struct tv_sums *sums,
                                struct tv_error *err) TV_MUST_CHECK;

/* Whether a row has calls or time. */
bool tv_method_row_has(const struct tv_method_row *row);
/* Whether the method has calls or time in the selection. */
bool tv_profile_has(const struct tv_profile *profile, uint32_t method_ix);
/* The number that rows are sorted by, in nanoseconds or calls; 0 for names and ranks. `calls` must
 * be of all calls. */
double tv_numbers_value(const struct tv_numbers *numbers, const struct tv_profile_sort *sort);
/* A method and the number that it is sorted by. */
struct tv_sort_item {
    uint32_t method;
    double value;
};
/* <0 or >0 as a comes before or after b; 0 only for one and the same method, since ties
 * go by rank. */
int tv_sort_compare(const struct tv_index *index, const struct tv_profile_sort *sort,
                    struct tv_sort_item a, struct tv_sort_item b);
/* The number that a method of the profile is sorted by. */
double tv_profile_value(const struct tv_profile *profile, uint32_t method_ix,
                        const struct tv_profile_sort *sort);
/* Sorts ordinals of methods; ties by rank. */
enum tv_code tv_profile_order(const struct tv_profile *profile, uint32_t *methods, size_t count,
                              const struct tv_profile_sort *sort,
                              struct tv_error *err) TV_MUST_CHECK;

/*
 * How long something waited: wall time less CPU time, by one rule for every row that people read
 * (docs/numbers.md, "The profile"). The two clocks tick apart, so a difference may be below zero,
 * or that of the exclusive times above that of the inclusive ones. The longer a stretch, the less
 * the ticks at its ends matter: the inclusive wait is believed, down to 0, and the exclusive wait
 * is a part of it.
 */
struct tv_wait {
    uint64_t inclusive_ns;
    uint64_t exclusive_ns;
};
struct tv_wait tv_wait_of(const struct tv_numbers *numbers);
/* The inclusive and the exclusive time on a measure, wait by that rule. */
uint64_t tv_inclusive_on(const struct tv_numbers *numbers, enum tv_measure measure);
uint64_t tv_exclusive_on(const struct tv_numbers *numbers, enum tv_measure measure);

/* The time on a measure, from the times on the two clocks. */
TV_INLINE int64_t tv_measure_of(const uint64_t times_ns[TV_CLOCK_COUNT], enum tv_measure measure)
{
    if (measure == TV_MEASURE_WAIT)
        return (int64_t)(times_ns[TV_CLOCK_WALL] - times_ns[TV_CLOCK_CPU]);
    return (int64_t)times_ns[measure == TV_MEASURE_WALL ? TV_CLOCK_WALL : TV_CLOCK_CPU];
}

#endif
