/*
 * The few functions of statistics that comparing runs needs: tails of Student's t, the derivatives
 * of the logarithm of the gamma function, and the exact distribution of a rank sum.
 *
 * Formulas are those of the NIST Digital Library of Mathematical Functions, chapters 5 and 8; the
 * tests compare each with R. Any number of threads at once.
 */
#ifndef TV_COMPARE_DISTRIBUTIONS_H
#define TV_COMPARE_DISTRIBUTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"

/* Each takes numbers above 0. */
double tv_log_gamma(double x);
double tv_digamma(double x);
double tv_trigamma(double x);
/* The x whose trigamma is y; y is above 0. */
double tv_trigamma_inverse(double y);

/* Student's t with a number of degrees of freedom. What does not depend on t is kept, since all
 * methods of a comparison have the same degrees. */
struct tv_student {
    double df;
    double log_beta; /* of df/2 and 1/2 */
};

struct tv_student tv_student_of(double df);
/* The probability of a value above t. */
double tv_student_above(const struct tv_student *student, double t);
/* The t that is exceeded with probability p, 0 < p < 1. */
double tv_student_quantile(const struct tv_student *student, double p);

/* More runs a side than this, or equal values: the rank test takes the normal distribution. */
#define TV_RANK_MOST 50u

/* How often each value of the Mann-Whitney statistic of two sides of `old_count` and `new_count`
 * values occurs by chance, at most TV_RANK_MOST each. */
struct tv_rank_sums {
    const struct tv_alloc *alloc;
    double *at_most; /* probability of a statistic of at most i */
    size_t count;
    size_t sides[2];
};

void tv_rank_sums_init(struct tv_rank_sums *sums, const struct tv_alloc *alloc);
void tv_rank_sums_release(struct tv_rank_sums *sums);
enum tv_code tv_rank_sums_make(struct tv_rank_sums *sums, size_t old_count, size_t new_count,
                               struct tv_error *err) TV_MUST_CHECK;
/* Writes the two-sided p of a Mann-Whitney test of two lists of values, as long as the sums were
 * made for, in n log n steps; without exact sums (count 0), or with equal values, by the normal
 * distribution. Sorts each list. */
enum tv_code tv_rank_test(const struct tv_rank_sums *sums, double *old_values, double *new_values,
                          double *p, struct tv_error *err) TV_MUST_CHECK;

#endif
