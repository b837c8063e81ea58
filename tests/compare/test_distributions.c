/* Tails and special functions, against what R 4.2.2 says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/compiler.h"
#include "compare/distributions.h"

static void assert_close(double got, double want, double share)
{
    double far = fabs(got - want);
    if (far > share * fabs(want))
        fail_msg("%.17g is not %.17g", got, want);
}

static void gamma_and_its_derivatives_are_those_of_r(void **state)
{
    (void)state;
    assert_close(tv_log_gamma(0.5), 0.5723649429247, 1e-12);
    assert_close(tv_log_gamma(3), 0.693147180559945, 1e-12);
    assert_close(tv_log_gamma(7.25), 7.05218545073854, 1e-12);
    assert_close(tv_log_gamma(150.5), 602.513954870585, 1e-12);
    assert_close(tv_digamma(0.5), -1.96351002602142, 1e-12);
    assert_close(tv_digamma(1), -0.577215664901532, 1e-12);
    assert_close(tv_digamma(100), 4.60016185273809, 1e-12);
    assert_close(tv_trigamma(0.5), 4.93480220054468, 1e-12);
    assert_close(tv_trigamma(4), 0.283822955737115, 1e-12);
    assert_close(tv_trigamma(100), 0.0100501666633336, 1e-12);
}

static void trigamma_is_inverted(void **state)
{
    (void)state;
    static const double of[] = {1e-9, 0.01, 0.5, 1, 3, 100, 1e7};
    for (size_t i = 0; i < TV_COUNT_OF(of); i++)
        assert_close(tv_trigamma(tv_trigamma_inverse(of[i])), of[i], 1e-9);
    assert_close(tv_trigamma_inverse(3), 0.67547810528137, 1e-9);
}

static void tails_of_student_are_those_of_r(void **state)
{
    (void)state;
    static const double at[] = {-2, 0, .001, .5, 2.3, 6, 40};
    static const struct {
        double df;
        double above[7];
    } cases[] = {
        {1,
         {0.852416382349567, 0.5, 0.499681690219919, 0.352416382349567, 0.130547587088623,
          0.0525684567112534, 0.00795608991202581}},
        {3.5,
         {0.936930738712043, 0.5, 0.499628227735933, 0.323425219661276, 0.0461967224898691,
          0.00294447632245782, 4.38322055468651e-06}},
        {8,
         {0.959741881021369, 0.5, 0.499613301051545, 0.315268037778488, 0.025235416320241,
          0.000161696610942574, 8.39285943957289e-11}},
        {40,
         {0.973838828392475, 0.5, 0.499603543143029, 0.309907367616724, 0.0133724495723497,
          2.3632275663941e-07, 3.52040528738922e-34}},
        {39999,
         {0.977246493491981, 0.5, 0.499601060279534, 0.308538914010233, 0.010726671473847,
          9.95049231469018e-10, 0}},
    };
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct tv_student student = tv_student_of(cases[i].df);
        for (size_t k = 0; k < TV_COUNT_OF(at); k++) {
            if (cases[i].above[k] > 0)
                assert_close(tv_student_above(&student, at[k]), cases[i].above[k], 1e-9);
            else
                assert_true(tv_student_above(&student, at[k]) < 1e-300);
        }
    }
}

static void quantiles_of_student_are_those_of_r(void **state)
{
    (void)state;
    struct tv_student student = tv_student_of(8);
    assert_close(tv_student_quantile(&student, .05), 1.8595480375309, 1e-9);
    assert_close(tv_student_quantile(&student, .001), 4.50079093372372, 1e-9);
    assert_close(tv_student_quantile(&student, .8), -0.88888951776702, 1e-9);
}

static double rank_test(const double *values, size_t old_count, size_t new_count)
{
    struct tv_rank_sums sums;
    tv_rank_sums_init(&sums, tv_alloc_libc());
    assert_int_equal(tv_rank_sums_make(&sums, old_count, new_count, NULL), TV_OK);
    double both[2 * (TV_RANK_MOST + 1)];
    memcpy(both, values, (old_count + new_count) * sizeof(*both));
    double p;
    assert_int_equal(tv_rank_test(&sums, both, both + old_count, &p, NULL), TV_OK);
    tv_rank_sums_release(&sums);
    return p;
}

/* wilcox.test; with equal values, with exact = FALSE. */
static void rank_tests_are_those_of_r(void **state)
{
    (void)state;
    static const double apart[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    static const double mixed[] = {1, 4, 2, 8, 3, 9, 7, 6, 10.5};
    static const double tied[] = {1, 2, 2, 5, 7, 2, 6, 8, 9, 9};
    static const double seven_and_four[] = {1, 2, 3, 4, 5, 6, 7, 0.5, 1.5, 2.5, 3.5};
    static const double all_equal[] = {3, 3, 3, 3};
    assert_close(rank_test(apart, 5, 5), 0.00793650793650794, 1e-12);
    assert_close(rank_test(mixed, 4, 5), 0.19047619047619, 1e-12);
    assert_close(rank_test(tied, 5, 5), 0.0896860217703646, 1e-6);
    assert_close(rank_test(seven_and_four, 7, 4), 0.163636363636364, 1e-12);
    assert_close(rank_test(all_equal, 2, 2), 1, 1e-12);
}

static void many_runs_take_the_normal_distribution(void **state)
{
    (void)state;
    double values[2 * (TV_RANK_MOST + 1)];
    for (size_t i = 0; i < TV_COUNT_OF(values); i++)
        values[i] = (double)i;
    assert_true(rank_test(values, TV_RANK_MOST + 1, TV_RANK_MOST + 1) < 1e-15);
    assert_true(rank_test(values, TV_RANK_MOST, TV_RANK_MOST) < 1e-15);
    /* Many of them equal, within a side and across: by R's formula, from all pairs. */
    for (size_t i = 0; i < TV_COUNT_OF(values); i++)
        values[i] = (double)(i <= TV_RANK_MOST ? i * 7 % 20 : i * 11 % 23 + 1);
    assert_close(rank_test(values, TV_RANK_MOST + 1, TV_RANK_MOST + 1), 0.0221481177062726, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gamma_and_its_derivatives_are_those_of_r),
        cmocka_unit_test(trigamma_is_inverted),
        cmocka_unit_test(tails_of_student_are_those_of_r),
        cmocka_unit_test(quantiles_of_student_are_those_of_r),
        cmocka_unit_test(rank_tests_are_those_of_r),
        cmocka_unit_test(many_runs_take_the_normal_distribution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
