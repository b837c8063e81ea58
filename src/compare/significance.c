/*
 * The test of many methods; see compare/significance.h.
 *
 * The steps are those of the papers: deviations of each run from the method's mean give the run's
 * shift; what is left gives a variance per method; the logarithms of these variances, less what
 * chance alone makes of them, give the variance that all methods have in common and how much they
 * differ in it; each method's variance is drawn towards it; then come the tests.
 *
 * The reason for all of this: with a few runs a side the variance of one method is known badly, and
 * a test with it would find chance; thousands of methods together say how much times vary on this
 * machine.
 */
#include "compare/significance.h"

#include <math.h>

#include "base/memory/sort.h"
#include "compare/distributions.h"
#include "compare/median.h"

const char *const tv_verdict_words[] = {"undecided", "same", "changed", NULL};

/* Clocks tick in microseconds: of a method of a millisecond no variance is believed to be less. */
#define LEAST_VARIANCE 1e-8
/* Variances below this share of their median are raised to it: one that happens to be zero has no
 * logarithm. */
#define LEAST_SHARE 1e-5
/* How likely the proposed runs decide. */
#define POWER 0.8

/* What the steps share. */
struct testing {
    const struct tv_log_times *times;
    const struct tv_significance_opts *opts;
    struct tv_significance *out;
    size_t runs;    /* of both sides */
    double *values; /* a number per method, or per run */
    double *room;
    size_t room_count;
    double least;           /* logarithm of the stated minimum */
    double unscaled;        /* sqrt(1/n + 1/m) */
    struct tv_student both; /* of all tests */
};

void tv_significance_init(struct tv_significance *significance, const struct tv_alloc *alloc)
{
    *significance = (struct tv_significance){.alloc = alloc};
}

void tv_significance_release(struct tv_significance *significance)
{
    tv_alloc_release(significance->alloc, &significance->rows, significance->row_count,
                     sizeof(*significance->rows));
    tv_alloc_release(significance->alloc, &significance->run_shifts, significance->run_count,
                     sizeof(*significance->run_shifts));
    tv_significance_init(significance, significance->alloc);
}

static double mean(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

/* Finds the shift of each run. `values` has the means of the methods meanwhile. */
static enum tv_code find_shifts(struct testing *testing, struct tv_error *err)
{
    const struct tv_log_times *times = testing->times;
    struct tv_significance *out = testing->out;
    double *deviations;
    if (times->method_count < TV_NORMALISED_FROM)
        return TV_OK;
    TV_TRY(tv_alloc_new(out->alloc, &deviations, times->method_count, sizeof(double), err));
    for (size_t m = 0; m < times->method_count; m++)
        testing->values[m] = mean(times->of + m * testing->runs, testing->runs);
    for (size_t run = 0; run < testing->runs; run++) {
        for (size_t m = 0; m < times->method_count; m++)
            deviations[m] = times->of[m * testing->runs + run] - testing->values[m];
        out->run_shifts[run] = tv_median(deviations, testing->room, times->method_count);
    }
    out->machine = mean(out->run_shifts + times->run_counts[0], times->run_counts[1]) -
                   mean(out->run_shifts, times->run_counts[0]);
    tv_alloc_release(out->alloc, &deviations, times->method_count, sizeof(double));
    return TV_OK;
}

/* The change of a method and the variance of its runs about the means of their sides. */
static void fit_method(struct testing *testing, size_t m)
{
    const struct tv_log_times *times = testing->times;
    const double *shifts = testing->out->run_shifts;
    const double *of = times->of + m * testing->runs;
    double means[2] = {0, 0};
    double squares = 0;
    for (unsigned side = 0, run = 0; side < 2; side++) {
        size_t first = run;
        for (size_t i = 0; i < times->run_counts[side]; i++, run++)
            means[side] += of[run] - shifts[run];
        means[side] /= (double)times->run_counts[side];
        for (run = (unsigned)first; run < first + times->run_counts[side]; run++) {
            double far = of[run] - shifts[run] - means[side];
            squares += far * far;
        }
    }
    testing->out->rows[m].change = means[1] - means[0];
    testing->out->rows[m].variance = squares / (double)(testing->runs - 2);
}

/* The variance that all methods have in common, and for how many degrees of freedom it counts: the
 * moments of the logarithms of the methods' variances (Smyth 2004, section 6.2). */
static void find_prior(struct testing *testing)
{
    struct tv_significance *out = testing->out;
    size_t count = out->row_count;
    double df = (double)(testing->runs - 2);
    for (size_t m = 0; m < count; m++)
        testing->values[m] = out->rows[m].variance;
    double least = LEAST_SHARE * tv_median(testing->values, testing->room, count);
    if (least < LEAST_VARIANCE)
        least = LEAST_VARIANCE;
    double chance = tv_digamma(df / 2) - log(df / 2);
    double sum = 0;
    for (size_t m = 0; m < count; m++) {
        if (testing->values[m] < least)
            testing->values[m] = least;
        sum += testing->values[m];
    }
    double plain_mean = sum / (double)count;
    for (size_t m = 0; m < count; m++)
        testing->values[m] = log(testing->values[m]) - chance;
    double middle = mean(testing->values, count);
    double spread = 0;
    for (size_t m = 0; m < count; m++)
        spread += (testing->values[m] - middle) * (testing->values[m] - middle);
    spread = count > 1 ? spread / (double)(count - 1) - tv_trigamma(df / 2) : 0;
    if (spread > 0) {
        out->prior_df = 2 * tv_trigamma_inverse(spread);
        out->prior_variance = exp(middle + tv_digamma(out->prior_df / 2) - log(out->prior_df / 2));
    } else {
        out->prior_df = HUGE_VAL;
        out->prior_variance = plain_mean;
    }
    if (count == 1)
        out->prior_df = 0; /* one method has nothing to borrow from */
}

/* Draws the variance of each method towards the common one, weighted by degrees of freedom. With a
 * floor, since equal times would otherwise divide by zero. */
static void moderate(struct testing *testing)
{
    struct tv_significance *out = testing->out;
    double df = (double)(testing->runs - 2);
    double pooled = df * (double)out->row_count;
    out->df = out->prior_df + df < pooled ? out->prior_df + df : pooled;
    testing->both = tv_student_of(out->df);
    for (size_t m = 0; m < out->row_count; m++) {
        double *variance = &out->rows[m].variance;
        *variance =
            out->prior_df >= HUGE_VAL
                ? out->prior_variance
                : (out->prior_df * out->prior_variance + df * *variance) / (out->prior_df + df);
        if (*variance < LEAST_VARIANCE)
            *variance = LEAST_VARIANCE;
    }
}

/* The probability of a change this large where the true one is the stated minimum (TREAT). */
static void test_change(struct testing *testing, struct tv_significance_row *row)
{
    double error = testing->unscaled * sqrt(row->variance);
    double far = fabs(row->change);
    row->p = tv_student_above(&testing->both, (far - testing->least) / error) +
             tv_student_above(&testing->both, (far + testing->least) / error);
    if (row->p > 1)
        row->p = 1;
}

/* Ranks are compared without the shift of each run, as the test by variance does it. */
static enum tv_code test_ranks(struct testing *testing, struct tv_error *err)
{
    const struct tv_log_times *times = testing->times;
    struct tv_significance *out = testing->out;
    struct tv_rank_sums sums;
    tv_rank_sums_init(&sums, out->alloc);
    TV_TRY(tv_rank_sums_make(&sums, times->run_counts[0], times->run_counts[1], err));
    for (size_t m = 0; m < out->row_count; m++) {
        for (size_t run = 0; run < testing->runs; run++)
            testing->values[run] = times->of[m * testing->runs + run] - out->run_shifts[run];
        out->rows[m].p_rank =
            tv_rank_test(&sums, testing->values, testing->values + times->run_counts[0]);
    }
    tv_rank_sums_release(&sums);
    return TV_OK;
}

static int compare_p(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_significance_row *rows = ctx;
    return (rows[a].p > rows[b].p) - (rows[a].p < rows[b].p);
}

/* Adjusts p values, given by their order: Holm's only grow on the way up, Benjamini and Hochberg's
 * only fall on the way down. */
static void adjust_ordered(struct tv_significance_row *rows, const uint32_t *order, size_t count,
                           enum tv_adjustment adjustment)
{
    bool is_gate = adjustment == TV_ADJUST_GATE;
    double reached = is_gate ? 0 : 1;
    for (size_t i = 0; i < count; i++) {
        size_t place = is_gate ? i : count - 1 - i;
        struct tv_significance_row *row = &rows[order[place]];
        double adjusted = is_gate ? row->p * (double)(count - place)
                                  : row->p * (double)count / (double)(place + 1);
        if (is_gate ? adjusted > reached : adjusted < reached)
            reached = adjusted;
        row->p_adjusted = reached < 1 ? reached : 1;
    }
}

enum tv_code tv_significance_adjust(struct tv_significance *significance, uint32_t *order,
                                    size_t count, enum tv_adjustment adjustment,
                                    struct tv_error *err)
{
    struct tv_significance_row *rows = significance->rows;
    TV_TRY(tv_sort(significance->alloc, order, count, compare_p, rows, err));
    adjust_ordered(rows, order, count, adjustment);
    return TV_OK;
}

/* The adjustment needs the p values in their order; the order is made here and given back. */
static enum tv_code adjust(struct testing *testing, struct tv_error *err)
{
    struct tv_significance *out = testing->out;
    size_t count = out->row_count;
    uint32_t *order;
    TV_TRY(tv_alloc_new(out->alloc, &order, count, sizeof(*order), err));
    for (size_t m = 0; m < count; m++)
        order[m] = (uint32_t)m;
    enum tv_code code = tv_significance_adjust(out, order, count, testing->opts->adjustment, err);
    tv_alloc_release(out->alloc, &order, count, sizeof(*order));
    return code;
}

/* The largest p that is called a change; with none called, that of the first that would be. */
static double largest_claimed(const struct testing *testing)
{
    const struct tv_significance *out = testing->out;
    double largest = testing->opts->level / (double)out->row_count;
    for (size_t m = 0; m < out->row_count; m++) {
        const struct tv_significance_row *row = &out->rows[m];
        if (row->p_adjusted <= testing->opts->level && row->p > largest)
            largest = row->p;
    }
    return largest;
}

/* Runs a side after which a change that is as large as this one looks would be decided. */
static uint32_t propose_runs(const struct testing *testing, const struct tv_significance_row *row,
                             double quantile)
{
    double far = fabs(fabs(row->change) - testing->least);
    size_t least = testing->times->run_counts[0] > testing->times->run_counts[1]
                       ? testing->times->run_counts[0]
                       : testing->times->run_counts[1];
    double runs = far > 0 ? ceil(2 * row->variance * quantile * quantile / (far * far)) : HUGE_VAL;
    if (runs < (double)least + 1)
        runs = (double)least + 1;
    return runs <= TV_MOST_RUNS_PROPOSED ? (uint32_t)runs : 0;
}

/* "Same" needs its own proof: the change must be small with certainty. Everything between is
 * undecided, and says how many runs might decide it. */
static void judge(struct testing *testing)
{
    struct tv_significance *out = testing->out;
    double level = testing->opts->level;
    double power = tv_student_quantile(&testing->both, 1 - POWER);
    double to_claim = tv_student_quantile(&testing->both, largest_claimed(testing)) + power;
    double to_be_same = tv_student_quantile(&testing->both, level) + power;
    for (size_t m = 0; m < out->row_count; m++) {
        struct tv_significance_row *row = &out->rows[m];
        double error = testing->unscaled * sqrt(row->variance);
        double room = (testing->least - fabs(row->change)) / error;
        if (row->p_adjusted <= level)
            row->verdict = TV_VERDICT_CHANGED;
        else if (tv_student_above(&testing->both, room) <= level)
            row->verdict = TV_VERDICT_SAME;
        else
            row->runs = propose_runs(testing, row, room > 0 ? to_be_same : to_claim);
    }
}

/* The order of the steps is that of the head of this file: each one uses what the one before has
 * found for all methods. */
static enum tv_code test_all(struct testing *testing, struct tv_error *err)
{
    struct tv_significance *out = testing->out;
    TV_TRY(find_shifts(testing, err));
    for (size_t m = 0; m < out->row_count; m++)
        fit_method(testing, m);
    find_prior(testing);
    moderate(testing);
    for (size_t m = 0; m < out->row_count; m++)
        test_change(testing, &out->rows[m]);
    TV_TRY(test_ranks(testing, err));
    TV_TRY(adjust(testing, err));
    judge(testing);
    return TV_OK;
}

/* `unscaled` is the standard error of a difference of means for a variance of 1. */
enum tv_code tv_significance_test(struct tv_significance *significance,
                                  const struct tv_log_times *times,
                                  const struct tv_significance_opts *opts, struct tv_error *err)
{
    const struct tv_alloc *alloc = significance->alloc;
    size_t runs = times->run_counts[0] + times->run_counts[1];
    struct testing testing = {.times = times,
                              .opts = opts,
                              .out = significance,
                              .runs = runs,
                              .room_count = times->method_count > runs ? times->method_count : runs,
                              .least = log(opts->least_ratio)};
    tv_significance_release(significance);
    if (!times->method_count)
        return TV_OK;
    testing.unscaled = sqrt(1 / (double)times->run_counts[0] + 1 / (double)times->run_counts[1]);
    TV_TRY(tv_alloc_new(alloc, &significance->rows, times->method_count,
                        sizeof(*significance->rows), err));
    significance->row_count = times->method_count;
    enum tv_code code = tv_alloc_new(alloc, &significance->run_shifts, runs, sizeof(double), err);
    if (code == TV_OK)
        significance->run_count = runs;
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &testing.values, testing.room_count, sizeof(double), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &testing.room, testing.room_count, sizeof(double), err);
    if (code == TV_OK)
        code = test_all(&testing, err);
    tv_alloc_release(alloc, &testing.values, testing.room_count, sizeof(double));
    tv_alloc_release(alloc, &testing.room, testing.room_count, sizeof(double));
    if (code != TV_OK)
        tv_significance_release(significance);
    return code;
}
