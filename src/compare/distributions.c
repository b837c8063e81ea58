/*
 * Tails and special functions; see compare/distributions.h.
 *
 * The tail of Student's t is half an incomplete beta function, which is summed as a continued
 * fraction (DLMF 8.17.22) by Lentz's method. Gamma and its relatives are asymptotic series, after
 * steps that take small arguments to where the series is exact to the last digits.
 *
 * Each function is checked in its tests against values that were computed with many more digits;
 * what is promised is in the header.
 */
#include "compare/distributions.h"

#include <math.h>
#include <stdbool.h>

#include "base/memory/sort.h"

#define LOG_PI 1.1447298858494001741
#define LOG_2_PI 1.8378770664093454836
/* From here on the series below are as exact as a double. */
#define SERIES_FROM 12.0

/* Small arguments are moved up by the recurrence of the function, since the series is good for
 * large ones only. */
double tv_log_gamma(double x)
{
    double product = 1;
    for (; x < SERIES_FROM; x += 1)
        product *= x;
    double i = 1 / (x * x);
    double series =
        (1.0 / 12 - i * (1.0 / 360 - i * (1.0 / 1260 - i * (1.0 / 1680 - i / 1188)))) / x;
    return (x - 0.5) * log(x) - x + LOG_2_PI / 2 + series - log(product);
}

double tv_digamma(double x)
{
    double sum = 0;
    for (; x < SERIES_FROM; x += 1)
        sum -= 1 / x;
    double i = 1 / (x * x);
    return sum + log(x) - 0.5 / x -
           i * (1.0 / 12 - i * (1.0 / 120 - i * (1.0 / 252 - i * (1.0 / 240 - i / 132))));
}

double tv_trigamma(double x)
{
    double sum = 0;
    for (; x < SERIES_FROM; x += 1)
        sum += 1 / (x * x);
    double i = 1 / (x * x);
    double series = 1.0 / 6 - i * (1.0 / 30 - i * (1.0 / 42 - i * (1.0 / 30 - i * 5.0 / 66)));
    return sum + 1 / x + i / 2 + i / x * series;
}

/* Trigamma falls all the way, and lies between 1/x + 1/(2 x^2) and 1/x + 1/x^2: the ends of the
 * interval that is halved. */
double tv_trigamma_inverse(double y)
{
    double low = (1 + sqrt(1 + 2 * y)) / (2 * y);
    double high = (1 + sqrt(1 + 4 * y)) / (2 * y);
    for (unsigned i = 0; i < 60; i++) {
        double middle = low + (high - low) / 2;
        if (tv_trigamma(middle) > y)
            low = middle;
        else
            high = middle;
    }
    return low + (high - low) / 2;
}

struct tv_student tv_student_of(double df)
{
    return (struct tv_student){
        .df = df,
        .log_beta = tv_log_gamma(df / 2) + LOG_PI / 2 - tv_log_gamma(df / 2 + 0.5),
    };
}

/* No step of a continued fraction divides by zero. */
static double away_from_zero(double x)
{
    return fabs(x) < 1e-300 ? 1e-300 : x;
}

/* The continued fraction of the incomplete beta function, for x below (a+1)/(a+b+2), where it takes
 * some sqrt(a + b) steps. */
static double beta_fraction(double a, double b, double x)
{
    double c = 1;
    double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
    double value = d;
    for (unsigned step = 1; step < 20000; step++) {
        double m = step;
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / away_from_zero(1 + even * d);
        c = away_from_zero(1 + even / c);
        value *= c * d;
        d = 1 / away_from_zero(1 + odd * d);
        c = away_from_zero(1 + odd / c);
        value *= c * d;
        if (fabs(c * d - 1) < 1e-15)
            break;
    }
    return value;
}

/* Written so that neither tail loses digits: a small probability is computed itself and not as 1
 * less a large one. */
double tv_student_above(const struct tv_student *student, double t)
{
    double a = student->df / 2;
    double square = t * t;
    /* The probability of more than |t| on either side is the incomplete beta function at x. The
     * logarithm of x is taken of what x is less than 1, which stays exact where t is small. */
    double x = student->df / (student->df + square);
    double rest = square / (student->df + square);
    double log_x = x > 0.5 ? -log(1 + square / student->df) : log(x);
    double both;
    if (rest <= 0) {
        both = 1;
    } else {
        double power = exp(a * log_x + 0.5 * log(rest) - student->log_beta);
        both = x < (a + 1) / (a + 2.5) ? power * beta_fraction(a, 0.5, x) / a
                                       : 1 - power * beta_fraction(0.5, a, rest) / 0.5;
    }
    return t > 0 ? both / 2 : 1 - both / 2;
}

/* Widens an interval until the value lies in it, then halves it: slow, but it needs only the tail
 * function and always ends. */
double tv_student_quantile(const struct tv_student *student, double p)
{
    double low = -1;
    double high = 1;
    while (tv_student_above(student, low) < p && low > -1e9)
        low *= 2;
    while (tv_student_above(student, high) > p && high < 1e9)
        high *= 2;
    for (unsigned i = 0; i < 80; i++) {
        double middle = low + (high - low) / 2;
        if (tv_student_above(student, middle) > p)
            low = middle;
        else
            high = middle;
    }
    return low + (high - low) / 2;
}

void tv_rank_sums_init(struct tv_rank_sums *sums, const struct tv_alloc *alloc)
{
    *sums = (struct tv_rank_sums){.alloc = alloc};
}

void tv_rank_sums_release(struct tv_rank_sums *sums)
{
    tv_alloc_release(sums->alloc, &sums->at_most, sums->count, sizeof(*sums->at_most));
    tv_rank_sums_init(sums, sums->alloc);
}

/* The ways to reach each statistic are the coefficients of a Gaussian binomial, the product of
 * (1 - q^(n + i)) / (1 - q^i) for i of 1 to m: one factor after the other, the divisor first read
 * as a running sum. */
static void count_ways(double *ways, size_t count, size_t m, size_t n)
{
    ways[0] = 1;
    for (size_t i = 1; i <= m; i++) {
        for (size_t u = count; u-- > n + i;)
            ways[u] -= ways[u - n - i];
        for (size_t u = i; u < count; u++)
            ways[u] += ways[u - i];
    }
}

/* With more than TV_RANK_MOST runs on a side no table is made, and tests use the normal
 * distribution. */
enum tv_code tv_rank_sums_make(struct tv_rank_sums *sums, size_t old_count, size_t new_count,
                               struct tv_error *err)
{
    tv_rank_sums_release(sums);
    sums->sides[0] = old_count;
    sums->sides[1] = new_count;
    if (old_count > TV_RANK_MOST || new_count > TV_RANK_MOST)
        return TV_OK;
    size_t count = old_count * new_count + 1;
    TV_TRY(tv_alloc_new(sums->alloc, &sums->at_most, count, sizeof(*sums->at_most), err));
    sums->count = count;
    count_ways(sums->at_most, count, old_count, new_count);
    double total = 0;
    for (size_t u = 0; u < count; u++) {
        total += sums->at_most[u];
        sums->at_most[u] = total;
    }
    for (size_t u = 0; u < count; u++)
        sums->at_most[u] /= total;
    return TV_OK;
}

/* Pairs of an old and a new value, and what of them is equal. */
struct pairs {
    double below; /* pairs whose old value is below the new one, and half of those that are equal */
    bool has_equal; /* somewhere among all values */
    double tied;    /* sum of t^3 - t over groups of t equal values */
};

static int compare_values(const void *ctx, uint32_t a, uint32_t b)
{
    const double *values = ctx;
    return (values[a] > values[b]) - (values[a] < values[b]);
}

static enum tv_code sort_values(const struct tv_alloc *alloc, double *values, size_t count,
                                struct tv_error *err)
{
    return tv_sort_rows(alloc, values, count, sizeof(*values), compare_values, values, err);
}

/* Counts the values that are not above `value`, from the front of a list that has none below it. */
static size_t count_equal(const double *values, size_t count, double value)
{
    size_t equal = 0;
    while (equal < count && !(values[equal] > value))
        equal++;
    return equal;
}

/* Both lists are sorted: groups of equal values come one after the other. Ties are counted for
 * their correction as well: each group makes the ranks vary less. */
static struct pairs compare_pairs(const struct tv_rank_sums *sums, const double *old_values,
                                  const double *new_values)
{
    struct pairs pairs = {.below = 0};
    const size_t old_count = sums->sides[0];
    const size_t new_count = sums->sides[1];
    for (size_t i = 0, k = 0; i < old_count || k < new_count;) {
        const bool is_old = k == new_count || (i < old_count && old_values[i] < new_values[k]);
        const double value = is_old ? old_values[i] : new_values[k];
        const size_t equal_old = count_equal(old_values + i, old_count - i, value);
        const size_t equal_new = count_equal(new_values + k, new_count - k, value);
        const double t = (double)(equal_old + equal_new);
        pairs.below += (double)equal_new * ((double)i + (double)equal_old / 2);
        pairs.has_equal = pairs.has_equal || t > 1;
        pairs.tied += t * (t * t - 1);
        i += equal_old;
        k += equal_new;
    }
    return pairs;
}

/* Degrees of freedom at which Student's t is the normal distribution to six digits. */
#define AS_NORMAL 1e7

/* The exact distribution holds only without equal values; else the normal one with a correction for
 * ties. */
static double p_of(const struct tv_rank_sums *sums, const struct pairs *pairs)
{
    double m = (double)sums->sides[0];
    double n = (double)sums->sides[1];
    double far = fabs(pairs->below - m * n / 2);
    double p;
    if (sums->count && !pairs->has_equal) {
        p = 2 * sums->at_most[(size_t)(m * n / 2 - far)];
    } else {
        double all = m + n;
        double variance = m * n / 12 * (all + 1 - pairs->tied / (all * (all - 1)));
        struct tv_student normal = tv_student_of(AS_NORMAL);
        if (variance <= 0)
            return 1;
        p = 2 * tv_student_above(&normal, (far > 0.5 ? far - 0.5 : 0) / sqrt(variance));
    }
    return p < 1 ? p : 1;
}

enum tv_code tv_rank_test(const struct tv_rank_sums *sums, double *old_values, double *new_values,
                          double *p, struct tv_error *err)
{
    TV_TRY(sort_values(sums->alloc, old_values, sums->sides[0], err));
    TV_TRY(sort_values(sums->alloc, new_values, sums->sides[1], err));
    const struct pairs pairs = compare_pairs(sums, old_values, new_values);
    *p = p_of(sums, &pairs);
    return TV_OK;
}
