/*
 * The test of many methods; see compare/significance.h.
 *
 * The steps are those of the papers: deviations of each run from the method's mean give the run's
 * shift; what is left gives a variance per method; the logarithms of these variances, less what
 * chance alone makes of them, give the variance that all methods have in common and how much they
 * differ in it; a run in which all methods vary more counts for less; a run that lies too far from
 * the others is left out of a method; each method's variance is drawn towards the common one; then
 * come the tests.
 *
 * The reason for all of this: with a few runs a side the variance of one method is known badly, and
 * a test with it would find chance; thousands of methods together say how much times vary on this
 * machine.
 */
#include "compare/significance.h"

#include <math.h>

#include "base/memory/sort.h"
#include "base/numbers/median.h"
#include "compare/distributions.h"

const char *const tv_machine_words[] = {
    [TV_MACHINE_UNTESTED] = NULL,
    [TV_MACHINE_DIVIDED] = NULL,
    [TV_MACHINE_FEW] = "few",
    [TV_MACHINE_OTHER_CALLS] = "other_calls",
    [TV_MACHINE_TWO_CLUSTERS] = "two_clusters",
    [TV_MACHINE_OTHER_TOTAL] = "other_total",
};

const char *const tv_verdict_words[] = {"undecided", "same", "changed", NULL};

/* Clocks tick in microseconds: of a method of a millisecond no variance is believed to be less. */
#define LEAST_VARIANCE 1e-8
/* Variances below this share of their median are raised to it: one that happens to be zero has no
 * logarithm. */
#define LEAST_SHARE 1e-5
/* The variance of the logarithm of a normal deviation's square: pi^2 / 2. */
#define LOG_SQUARE_VARIANCE 4.934802200544679
/* Runs are weighted if the logarithms of their variances vary this many times more than by chance.
 */
#define UNEVEN_FROM 4.0
/* The weight of a run is the reciprocal of its variance to this power, since variances are
 * estimates; before weights are scaled to 1 on average, each lies between 1 / WEIGHT_MOST and
 * WEIGHT_MOST. */
#define WEIGHT_POWER 0.7
#define WEIGHT_MOST 16.0
#define WEIGHT_ROUNDS 3u
/* Of a square of a deviation, over the variance of its method: below it all is alike. */
#define SQUARE_LEAST 1e-4
/* A run is left out of a method if chance alone puts a run that far from the others less often than
 * this. */
#define FAR_LEVEL 1e-4
/* Where one in UNMOVED_SHARE methods, or more, did not move with the median method, the machine is
 * not the cause. A method did not move with it if it moved by less than half of it, and lies more
 * than UNMOVED_ERRORS standard errors away: its own, or the median method's if those are larger. */
#define UNMOVED_SHARE 10u
#define UNMOVED_ERRORS 5.0
/* From this distance on, the time of all methods together lies far from the median: one method may
 * make up most of the time, and have moved alone. */
#define TOTAL_FAR 0.1
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
    double least;            /* logarithm of the stated minimum */
    double *weights;         /* of each run; 1 on average */
    double sums[2];          /* of the weights of each side */
    double df;               /* of a method's own variance */
    struct tv_student both;  /* of all tests, */
    struct tv_student fewer; /* and of those with a run less */
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
    tv_alloc_release(significance->alloc, &significance->run_weights, significance->run_count,
                     sizeof(*significance->run_weights));
    tv_significance_init(significance, significance->alloc);
}

static double mean(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

/* Finds the shift of each run: the median over the methods of how far its exclusive time lies from
 * the mean of all runs. */
static enum tv_code find_medians(struct testing *testing, struct tv_error *err)
{
    const struct tv_log_times *times = testing->times;
    const size_t count = times->own_count;
    struct tv_significance *out = testing->out;
    double *deviations;
    TV_TRY(tv_alloc_new(out->alloc, &deviations, count, sizeof(double), err));
    for (size_t m = 0; m < count; m++)
        testing->values[m] = mean(times->own + m * testing->runs, testing->runs);
    for (size_t run = 0; run < testing->runs; run++) {
        for (size_t m = 0; m < count; m++)
            deviations[m] = times->own[m * testing->runs + run] - testing->values[m];
        out->run_shifts[run] = tv_median(deviations, testing->room, count);
    }
    out->machine = mean(out->run_shifts + times->run_counts[0], times->run_counts[1]) -
                   mean(out->run_shifts, times->run_counts[0]);
    tv_alloc_release(out->alloc, &deviations, count, sizeof(double));
    return TV_OK;
}

/* How a row of logarithms, one a run, changed, and the variance of its runs beside their shifts. */
struct moved {
    double change; /* with the shifts */
    double variance;
};

static struct moved find_moved(const struct testing *testing, const double *logs)
{
    const size_t *counts = testing->times->run_counts;
    const double *shifts = testing->out->run_shifts;
    double means[2] = {0, 0};
    double squares = 0;
    for (size_t run = 0; run < testing->runs; run++)
        means[run >= counts[0]] += (logs[run] - shifts[run]) / (double)counts[run >= counts[0]];
    for (size_t run = 0; run < testing->runs; run++) {
        double far = logs[run] - shifts[run] - means[run >= counts[0]];
        squares += far * far;
    }
    double variance = squares / (double)(testing->runs - 2);
    return (struct moved){means[1] - means[0] + testing->out->machine,
                          variance > LEAST_VARIANCE ? variance : LEAST_VARIANCE};
}

/* Whether it moved by less than half of what the median method did, beyond chance. What moved the
 * other way was changed, whatever the machine is. */
static bool is_unmoved(const struct testing *testing, struct moved moved, double variance)
{
    const size_t *counts = testing->times->run_counts;
    const double machine = testing->out->machine;
    double error = sqrt(variance * (1 / (double)counts[0] + 1 / (double)counts[1]));
    return fabs(moved.change) < fabs(machine) / 2 &&
           fabs(moved.change - machine) > UNMOVED_ERRORS * error;
}

/* Counts the methods that did not move as the median says. A method of which the runs happen to lie
 * close together is believed no more than the median one, whose variance is returned. */
static double count_unmoved(struct testing *testing)
{
    const struct tv_log_times *times = testing->times;
    for (size_t m = 0; m < times->own_count; m++)
        testing->values[m] = find_moved(testing, times->own + m * testing->runs).variance;
    const double common = tv_median(testing->values, testing->room, times->own_count);
    for (size_t m = 0; m < times->own_count; m++) {
        const struct moved moved = find_moved(testing, times->own + m * testing->runs);
        testing->out->own_unmoved +=
            is_unmoved(testing, moved, moved.variance > common ? moved.variance : common);
    }
    return common;
}

/* What the median ratio is. One below the stated minimum is divided by, whoever made it: nothing
 * that is told depends on it. */
static enum tv_machine judge_machine(struct testing *testing)
{
    const struct tv_log_times *times = testing->times;
    struct tv_significance *out = testing->out;
    if (fabs(out->machine) < testing->least)
        return TV_MACHINE_DIVIDED;
    const double common = count_unmoved(testing);
    if (out->own_unmoved * UNMOVED_SHARE >= times->own_count)
        return TV_MACHINE_TWO_CLUSTERS;
    if (!times->totals)
        return TV_MACHINE_DIVIDED;
    const struct moved total = find_moved(testing, times->totals);
    return fabs(total.change - out->machine) > TOTAL_FAR &&
                   is_unmoved(testing, total, total.variance > common ? total.variance : common)
               ? TV_MACHINE_OTHER_TOTAL
               : TV_MACHINE_DIVIDED;
}

/* Finds what runs are divided by, if anything. */
static enum tv_code find_shifts(struct testing *testing, struct tv_error *err)
{
    const struct tv_log_times *times = testing->times;
    struct tv_significance *out = testing->out;
    out->own_left_out = times->own_left_out;
    out->is_machine = times->own_count + times->own_left_out < TV_NORMALISED_FROM
                          ? TV_MACHINE_FEW
                          : TV_MACHINE_OTHER_CALLS;
    if (times->own_count < TV_NORMALISED_FROM)
        return TV_OK;
    TV_TRY(find_medians(testing, err));
    out->is_machine = judge_machine(testing);
    for (size_t run = 0; out->is_machine != TV_MACHINE_DIVIDED && run < testing->runs; run++)
        out->run_shifts[run] = 0;
    return TV_OK;
}

static unsigned side_of(const struct testing *testing, size_t run)
{
    return run >= testing->times->run_counts[0];
}

/* A run of a method, divided by its shift. */
static double time_of(const struct testing *testing, size_t m, size_t run)
{
    return testing->times->of[m * testing->runs + run] - testing->out->run_shifts[run];
}

static void find_means(const struct testing *testing, size_t m, double means[2])
{
    means[0] = means[1] = 0;
    for (size_t run = 0; run < testing->runs; run++)
        means[side_of(testing, run)] += testing->weights[run] * time_of(testing, m, run);
    for (unsigned side = 0; side < 2; side++)
        means[side] /= testing->sums[side];
}

/* The squares of the deviations of all runs from the means of their sides, by weight. */
static double squares_of(const struct testing *testing, size_t m, const double means[2])
{
    double squares = 0;
    for (size_t run = 0; run < testing->runs; run++) {
        double far = time_of(testing, m, run) - means[side_of(testing, run)];
        squares += testing->weights[run] * far * far;
    }
    return squares;
}

static void add_weights(struct testing *testing)
{
    double sums[2] = {0, 0};
    double squares[2] = {0, 0};
    for (size_t run = 0; run < testing->runs; run++) {
        sums[side_of(testing, run)] += testing->weights[run];
        squares[side_of(testing, run)] += testing->weights[run] * testing->weights[run];
    }
    testing->df = -2;
    for (unsigned side = 0; side < 2; side++) {
        testing->sums[side] = sums[side];
        testing->df += sums[side] * sums[side] / squares[side];
    }
    if (testing->df < 1)
        testing->df = 1;
}

/* Adds to each run the mean over all methods of the logarithm of how far it lies from the mean of
 * its side, over the variance of the method. */
static void add_spreads(const struct testing *testing, double *spreads)
{
    const size_t count = testing->out->row_count;
    for (size_t m = 0; m < count; m++) {
        double means[2];
        find_means(testing, m, means);
        double variance = squares_of(testing, m, means) / (double)(testing->runs - 2);
        if (variance < LEAST_VARIANCE)
            variance = LEAST_VARIANCE;
        for (size_t run = 0; run < testing->runs; run++) {
            unsigned side = side_of(testing, run);
            double far = time_of(testing, m, run) - means[side];
            double free = 1 - testing->weights[run] / testing->sums[side]; /* of the mean */
            double square = far * far / (variance * (free > 1e-3 ? free : 1e-3));
            spreads[run] += log(square > SQUARE_LEAST ? square : SQUARE_LEAST) / (double)count;
        }
    }
}

/* Sets the weights by the spreads of runs; false: the spreads differ no more than they would by
 * chance. */
static bool set_weights(struct testing *testing, const double *spreads)
{
    const double middle = mean(spreads, testing->runs);
    const double by_chance = LOG_SQUARE_VARIANCE / (double)testing->out->row_count;
    double spread = 0;
    double sum = 0;
    for (size_t run = 0; run < testing->runs; run++)
        spread += (spreads[run] - middle) * (spreads[run] - middle);
    spread /= (double)(testing->runs - 1);
    if (spread < UNEVEN_FROM * by_chance)
        return false;
    for (size_t run = 0; run < testing->runs; run++) {
        double power = (middle - spreads[run]) * (1 - by_chance / spread) * WEIGHT_POWER;
        power = fmax(-log(WEIGHT_MOST), fmin(log(WEIGHT_MOST), power));
        testing->weights[run] = exp(power);
        sum += testing->weights[run];
    }
    for (size_t run = 0; run < testing->runs; run++)
        testing->weights[run] *= (double)testing->runs / sum;
    return true;
}

/* Finds how much each run counts. Of few methods, or of two runs a side, nobody can tell. */
static void find_weights(struct testing *testing)
{
    const struct tv_log_times *times = testing->times;
    double *spreads = testing->values;
    bool is_uneven = times->method_count >= TV_NORMALISED_FROM &&
                     times->run_counts[0] >= TV_WEIGHTED_FROM &&
                     times->run_counts[1] >= TV_WEIGHTED_FROM;
    for (size_t run = 0; run < testing->runs; run++)
        testing->weights[run] = 1;
    add_weights(testing);
    for (unsigned round = 0; is_uneven && round < WEIGHT_ROUNDS; round++) {
        for (size_t run = 0; run < testing->runs; run++)
            spreads[run] = 0;
        add_spreads(testing, spreads);
        is_uneven = set_weights(testing, spreads);
        add_weights(testing);
    }
}

/* The change of a method and the variance of its runs about the means of their sides. */
static void fit_method(struct testing *testing, size_t m)
{
    struct tv_significance_row *row = &testing->out->rows[m];
    double means[2];
    find_means(testing, m, means);
    row->change = means[1] - means[0];
    row->variance = squares_of(testing, m, means) / (double)(testing->runs - 2);
    row->left_out = TV_NO_RUN;
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

/* A variance with degrees of freedom of its own, drawn towards the one that all have. With a floor,
 * since equal times would otherwise divide by zero. */
static double moderated(const struct tv_significance *out, double variance, double df)
{
    double drawn =
        out->prior_df >= HUGE_VAL
            ? out->prior_variance
            : (out->prior_df * out->prior_variance + df * variance) / (out->prior_df + df);
    return drawn < LEAST_VARIANCE ? LEAST_VARIANCE : drawn;
}

/* A run of a method that may be left out. */
struct far_run {
    size_t run;
    double distance; /* from the mean of its side, over what the others make of its error */
    double variance; /* of the others, their own */
};

/* Finds the run that lies farthest: without a run of weight w, the squares of the others about
 * their mean are less by w d^2 W / (W - w), where W is the weight of the side. */
static struct far_run find_farthest(const struct testing *testing, size_t m, const double means[2])
{
    const double df = (double)(testing->runs - 3);
    const double squares = squares_of(testing, m, means);
    struct far_run farthest = {.distance = 0};
    for (size_t run = 0; run < testing->runs; run++) {
        double weight = testing->weights[run];
        double others = testing->sums[side_of(testing, run)] - weight;
        double far = fabs(time_of(testing, m, run) - means[side_of(testing, run)]);
        double left = squares - weight * far * far * (others + weight) / others;
        double own = left > 0 ? left / df : 0;
        double error =
            sqrt(moderated(testing->out, own, df) * (1 / weight - 1 / (others + weight)));
        if (far / error > farthest.distance)
            farthest = (struct far_run){run, far / error, own};
    }
    return farthest;
}

/* Leaves the farthest run out of a method if chance among `runs` runs hardly puts one that far. */
static void leave_out(struct testing *testing, size_t m)
{
    const size_t *counts = testing->times->run_counts;
    struct tv_significance_row *row = &testing->out->rows[m];
    double means[2];
    if (counts[0] < TV_LEFT_OUT_FROM || counts[1] < TV_LEFT_OUT_FROM)
        return;
    find_means(testing, m, means);
    const struct far_run far = find_farthest(testing, m, means);
    double p = 2 * tv_student_above(&testing->fewer, far.distance) * (double)testing->runs;
    if (p > FAR_LEVEL)
        return;
    unsigned side = side_of(testing, far.run);
    double weight = testing->weights[far.run];
    double sum = testing->sums[side];
    means[side] = (means[side] * sum - weight * time_of(testing, m, far.run)) / (sum - weight);
    row->change = means[1] - means[0];
    row->variance = far.variance;
    row->left_out = (uint32_t)far.run;
}

/* Draws the variance of each method towards the common one, weighted by degrees of freedom. */
static void moderate(struct testing *testing)
{
    struct tv_significance *out = testing->out;
    double df = testing->df;
    double pooled = df * (double)out->row_count;
    out->df = out->prior_df + df < pooled ? out->prior_df + df : pooled;
    testing->both = tv_student_of(out->df);
    testing->fewer = tv_student_of(out->df > 1 ? out->df - 1 : out->df);
    for (size_t m = 0; m < out->row_count; m++) {
        leave_out(testing, m);
        double own_df = out->rows[m].left_out == TV_NO_RUN ? df : df - 1;
        out->rows[m].variance = moderated(out, out->rows[m].variance, own_df);
    }
}

/* The standard error of a change. */
static double error_of(const struct testing *testing, const struct tv_significance_row *row)
{
    double sums[2] = {testing->sums[0], testing->sums[1]};
    if (row->left_out != TV_NO_RUN)
        sums[side_of(testing, row->left_out)] -= testing->weights[row->left_out];
    return sqrt(1 / sums[0] + 1 / sums[1]) * sqrt(row->variance);
}

/* The probability of more than `distance` standard errors, on one side. A run that was left out was
 * the farthest of all, so its probability is multiplied by their number (Bonferroni). */
static double chance_above(const struct testing *testing, const struct tv_significance_row *row,
                           double distance)
{
    double runs = (double)testing->runs;
    return row->left_out == TV_NO_RUN ? tv_student_above(&testing->both, distance)
                                      : runs * tv_student_above(&testing->fewer, distance);
}

/* The probability of a change this large where the true one is the stated minimum (TREAT). */
static void test_change(struct testing *testing, struct tv_significance_row *row)
{
    double error = error_of(testing, row);
    double far = fabs(row->change);
    row->p = chance_above(testing, row, (far - testing->least) / error) +
             chance_above(testing, row, (far + testing->least) / error);
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
    enum tv_code code = tv_rank_sums_make(&sums, times->run_counts[0], times->run_counts[1], err);
    for (size_t m = 0; m < out->row_count && code == TV_OK; m++) {
        for (size_t run = 0; run < testing->runs; run++)
            testing->values[run] = times->of[m * testing->runs + run] - out->run_shifts[run];
        code = tv_rank_test(&sums, testing->values, testing->values + times->run_counts[0],
                            &out->rows[m].p_rank, err);
    }
    tv_rank_sums_release(&sums);
    return code;
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
        double error = error_of(testing, row);
        double room = (testing->least - fabs(row->change)) / error;
        if (row->p_adjusted <= level)
            row->verdict = TV_VERDICT_CHANGED;
        else if (chance_above(testing, row, room) <= level)
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
    find_weights(testing);
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

/* Takes the memory that the steps share, and counts only what was allocated, so that releasing is
 * right after any failure. */
enum tv_code tv_significance_test(struct tv_significance *significance,
                                  const struct tv_log_times *times,
                                  const struct tv_significance_opts *opts, struct tv_error *err)
{
    const struct tv_alloc *alloc = significance->alloc;
    size_t runs = times->run_counts[0] + times->run_counts[1];
    size_t most = times->method_count > times->own_count ? times->method_count : times->own_count;
    struct testing testing = {.times = times,
                              .opts = opts,
                              .out = significance,
                              .runs = runs,
                              .room_count = most > runs ? most : runs,
                              .least = log(opts->least_ratio)};
    tv_significance_release(significance);
    if (!times->method_count)
        return TV_OK;
    TV_TRY(tv_alloc_new(alloc, &significance->rows, times->method_count,
                        sizeof(*significance->rows), err));
    significance->row_count = times->method_count;
    significance->own_count = times->own_count;
    enum tv_code code = tv_alloc_new(alloc, &significance->run_shifts, runs, sizeof(double), err);
    if (code == TV_OK)
        significance->run_count = runs;
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &significance->run_weights, runs, sizeof(double), err);
    testing.weights = significance->run_weights;
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
