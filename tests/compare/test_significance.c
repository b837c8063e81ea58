/* The test of many methods: against R's limma on a made set of runs, and by what it promises. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/compiler.h"
#include "compare/significance.h"
#include "support/failing_alloc.h"

#define METHODS 40u
#define OLD 4u
#define NEW 3u
#define RUNS (OLD + NEW)

static void assert_close(double got, double want, double share)
{
    double far = fabs(got - want);
    if (far > share * fabs(want))
        fail_msg("%.17g is not %.17g", got, want);
}

static double dice(uint32_t *state)
{
    *state = (*state * 1103u + 12345u) % 1048576u;
    return *state / 1048576.0;
}

/* Runs that are each a tenth slower than the one before, and every tenth method slower by half in
 * the new ones. The reference below has the same numbers. */
static void make_runs(double *times)
{
    uint32_t state = 1;
    for (unsigned m = 0; m < METHODS; m++) {
        double base = 10 + 5 * dice(&state);
        double square = dice(&state);
        double spread = 0.02 + 0.3 * square * square;
        for (unsigned run = 0; run < RUNS; run++) {
            double noise = dice(&state);
            noise += dice(&state);
            noise += dice(&state);
            times[m * RUNS + run] = base + spread * (noise - 1.5) + 0.1 * (run + 1) +
                                    ((m + 1) % 10 == 0 && run >= OLD ? 0.7 : 0);
        }
    }
}

static const struct tv_significance_opts five_percent = {.least_ratio = 1.05, .level = 0.05};

static void run_significance(struct tv_significance *significance, const double *times,
                             size_t methods, const struct tv_significance_opts *opts)
{
    const struct tv_log_times log_times = {.of = times,
                                           .method_count = methods,
                                           .own = times,
                                           .own_count = methods,
                                           .run_counts = {OLD, NEW}};
    tv_significance_init(significance, tv_alloc_libc());
    assert_int_equal(tv_significance_test(significance, &log_times, opts, NULL), TV_OK);
}

/* limma 3.54.1: lmFit of the runs less their median deviations, treat with lfc = log(1.05),
 * p.adjust, wilcox.test. */
static void numbers_are_those_of_limma(void **state)
{
    (void)state;
    static const double shifts[RUNS] = {
        -0.29350672396095, -0.206601417765221, -0.0981561177065347, -0.00841966555860374,
        0.109013835366504, 0.200891866079179,  0.295769338006081};
    static const struct {
        unsigned method;
        double change, variance, p, explore, gate, rank;
    } rows[] = {
        {0, -0.00494771019154216, 0.000804669086418404, 0.97949189126488, 0.996598823860241, 1, 1},
        {1, 0.058725834143746, 0.00325496745778333, 0.435995853767808, 0.996598823860241, 1, 0.4},
        {9, 0.679935051342254, 0.0166992315990336, 0.000350578011351779, 0.00350578011351779,
         0.0129713864200158, 0.0571428571428571},
        {19, 0.685457178561722, 0.000452852628073364, 3.71971064463758e-09, 7.43942128927516e-08,
         1.45068715140866e-07, 0.0571428571428571},
        {29, 0.688746399140687, 0.000310435630030221, 1.05260719281946e-09, 4.21042877127784e-08,
         4.21042877127784e-08, 0.0571428571428571},
        {36, -0.00648172290925004, 0.00120022691302069, 0.960512358200711, 0.996598823860241, 1,
         0.857142857142857},
    };
    double times[METHODS * RUNS];
    struct tv_significance explored;
    struct tv_significance gated;
    struct tv_significance_opts gate = five_percent;
    gate.adjustment = TV_ADJUST_GATE;
    make_runs(times);
    run_significance(&explored, times, METHODS, &five_percent);
    run_significance(&gated, times, METHODS, &gate);
    for (unsigned run = 0; run < RUNS; run++)
        assert_close(explored.run_shifts[run], shifts[run], 1e-10);
    assert_close(explored.machine, 0.353562661065082, 1e-10);
    assert_close(explored.prior_df, 1.53421372366945, 1e-9);
    assert_close(explored.prior_variance, 0.00088611459754271, 1e-9);
    assert_close(explored.df, 6.53421372366945, 1e-9);
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++) {
        const struct tv_significance_row *row = &explored.rows[rows[i].method];
        assert_close(row->change, rows[i].change, 1e-9);
        assert_close(row->variance, rows[i].variance, 1e-9);
        assert_close(row->p, rows[i].p, 1e-7);
        assert_close(row->p_adjusted, rows[i].explore, 1e-7);
        assert_close(row->p_rank, rows[i].rank, 1e-9);
        assert_close(gated.rows[rows[i].method].p_adjusted, rows[i].gate, 1e-7);
    }
    tv_significance_release(&explored);
    tv_significance_release(&gated);
}

/* The planted methods are changed; quiet ones are the same; noisy ones are undecided, and a number
 * of runs is proposed. */
static void verdicts_follow_what_was_planted(void **state)
{
    (void)state;
    double times[METHODS * RUNS];
    struct tv_significance significance;
    unsigned counts[TV_VERDICT_COUNT] = {0};
    make_runs(times);
    run_significance(&significance, times, METHODS, &five_percent);
    for (unsigned m = 0; m < METHODS; m++) {
        const struct tv_significance_row *row = &significance.rows[m];
        assert_int_equal(row->verdict == TV_VERDICT_CHANGED, (m + 1) % 10 == 0);
        counts[row->verdict]++;
        if (row->verdict == TV_VERDICT_UNDECIDED)
            assert_true(!row->runs || row->runs > OLD);
        else
            assert_int_equal(row->runs, 0);
        if (row->verdict == TV_VERDICT_SAME)
            assert_true(fabs(row->change) < log(1.05));
    }
    assert_true(counts[TV_VERDICT_SAME] > 0 && counts[TV_VERDICT_UNDECIDED] > 0);
    tv_significance_release(&significance);
}

/* Of a few methods the median ratio would be what changed. */
static void few_methods_are_not_normalised(void **state)
{
    (void)state;
    double times[3 * RUNS];
    struct tv_significance significance;
    for (unsigned i = 0; i < 3 * RUNS; i++)
        times[i] = 10 + 0.001 * (i * 7 % 5) + (i % RUNS >= OLD ? 1 : 0);
    run_significance(&significance, times, 3, &five_percent);
    assert_true(significance.machine == 0);
    assert_int_equal(significance.is_machine, TV_MACHINE_FEW);
    for (unsigned m = 0; m < 3; m++) {
        assert_close(significance.rows[m].change, 1, 0.01);
        assert_int_equal(significance.rows[m].verdict, TV_VERDICT_CHANGED);
    }
    tv_significance_release(&significance);
}

/* A change of everything is the machine's, and is told. */
static void what_all_methods_share_is_told_apart(void **state)
{
    (void)state;
    double times[METHODS * RUNS];
    struct tv_significance significance;
    for (unsigned i = 0; i < METHODS * RUNS; i++)
        times[i] = 10 + 0.002 * (i * 7 % 11) + (i % RUNS >= OLD ? 0.5 : 0);
    run_significance(&significance, times, METHODS, &five_percent);
    assert_close(significance.machine, 0.5, 0.02);
    for (unsigned m = 0; m < METHODS; m++)
        assert_int_equal(significance.rows[m].verdict, TV_VERDICT_SAME);
    tv_significance_release(&significance);
}

/* Methods of two clusters: `moved` of them by one logarithm, the rest by another one. */
static void make_clusters(double *times, unsigned moved, double by, double others_by)
{
    for (unsigned m = 0; m < METHODS; m++) {
        for (unsigned run = 0; run < RUNS; run++)
            times[m * RUNS + run] = 10 + 0.002 * ((m * RUNS + run) * 7 % 11) +
                                    (run < OLD   ? 0
                                     : m < moved ? by
                                                 : others_by);
    }
}

static void run_with_totals(struct tv_significance *significance, const double *times,
                            const double *totals)
{
    const struct tv_log_times log_times = {.of = times,
                                           .method_count = METHODS,
                                           .own = times,
                                           .own_count = METHODS,
                                           .totals = totals,
                                           .run_counts = {OLD, NEW}};
    tv_significance_init(significance, tv_alloc_libc());
    assert_int_equal(tv_significance_test(significance, &log_times, &five_percent, NULL), TV_OK);
}

/* Where a library that most methods use is slower, the others are as they were: no machine did
 * that, and each method is what it is by itself. */
static void methods_that_did_not_move_refute_the_machine(void **state)
{
    (void)state;
    double times[METHODS * RUNS];
    struct tv_significance significance;
    make_clusters(times, 26, 0.34, 0);
    run_significance(&significance, times, METHODS, &five_percent);
    assert_int_equal(significance.is_machine, TV_MACHINE_TWO_CLUSTERS);
    assert_false(tv_significance_is_normalised(&significance));
    assert_int_equal(significance.own_unmoved, METHODS - 26);
    assert_close(significance.machine, 0.34, 0.05);
    for (unsigned m = 0; m < METHODS; m++)
        assert_int_equal(significance.rows[m].verdict,
                         m < 26 ? TV_VERDICT_CHANGED : TV_VERDICT_SAME);
    tv_significance_release(&significance);
}

/* Some methods that got slower on top of it do not, nor some that got faster. */
static void changes_beside_a_machine_do_not_refute_it(void **state)
{
    (void)state;
    static const double others_by[] = {0.6, -0.5};
    double times[METHODS * RUNS];
    struct tv_significance significance;
    for (size_t i = 0; i < TV_COUNT_OF(others_by); i++) {
        make_clusters(times, 30, 0.26, others_by[i]);
        run_significance(&significance, times, METHODS, &five_percent);
        assert_int_equal(significance.is_machine, TV_MACHINE_DIVIDED);
        assert_close(significance.machine, 0.26, 0.05);
        for (unsigned m = 0; m < METHODS; m++)
            assert_int_equal(significance.rows[m].verdict,
                             m < 30 ? TV_VERDICT_SAME : TV_VERDICT_CHANGED);
        tv_significance_release(&significance);
    }
}

/* A median that all methods together know nothing of is none, either. */
static void a_total_that_did_not_move_refutes_the_machine(void **state)
{
    (void)state;
    double times[METHODS * RUNS];
    double totals[RUNS];
    struct tv_significance significance;
    make_clusters(times, METHODS, 0.5, 0);
    for (unsigned run = 0; run < RUNS; run++)
        totals[run] = 20 + 0.001 * (run % 3);
    run_with_totals(&significance, times, totals);
    assert_int_equal(significance.is_machine, TV_MACHINE_OTHER_TOTAL);
    assert_int_equal(significance.rows[0].verdict, TV_VERDICT_CHANGED);
    tv_significance_release(&significance);
    for (unsigned run = OLD; run < RUNS; run++)
        totals[run] += 0.3;
    run_with_totals(&significance, times, totals);
    assert_int_equal(significance.is_machine, TV_MACHINE_DIVIDED);
    tv_significance_release(&significance);
    run_with_totals(&significance, times, NULL);
    assert_int_equal(significance.is_machine, TV_MACHINE_DIVIDED);
    tv_significance_release(&significance);
}

/* Copies of one run have no variance at all. */
static void equal_runs_are_the_same(void **state)
{
    (void)state;
    double times[METHODS * RUNS];
    struct tv_significance significance;
    for (unsigned i = 0; i < METHODS * RUNS; i++)
        times[i] = 5 + i / RUNS;
    run_significance(&significance, times, METHODS, &five_percent);
    for (unsigned m = 0; m < METHODS; m++)
        assert_int_equal(significance.rows[m].verdict, TV_VERDICT_SAME);
    tv_significance_release(&significance);
    run_significance(&significance, times, 0, &five_percent);
    assert_int_equal(significance.row_count, 0);
    tv_significance_release(&significance);
}

#define SIDE 5u

/* Five runs a side of forty methods, each a hundredth apart by chance; method 7 is slower by a
 * quarter in the new ones. */
static void make_sides(double times[METHODS][2 * SIDE])
{
    uint32_t state = 7;
    for (unsigned m = 0; m < METHODS; m++) {
        for (unsigned run = 0; run < 2 * SIDE; run++) {
            double noise = dice(&state) + dice(&state) + dice(&state) - 1.5;
            times[m][run] = 3 + 0.02 * noise + (m == 7 && run >= SIDE ? log(1.25) : 0);
        }
    }
}

static void test_sides(struct tv_significance *significance, double times[METHODS][2 * SIDE])
{
    const struct tv_log_times log_times = {.of = &times[0][0],
                                           .method_count = METHODS,
                                           .own = &times[0][0],
                                           .own_count = METHODS,
                                           .run_counts = {SIDE, SIDE}};
    tv_significance_init(significance, tv_alloc_libc());
    assert_int_equal(tv_significance_test(significance, &log_times, &five_percent, NULL), TV_OK);
}

/* One of ten runs of the method took twice the time; the others of the run were as ever. */
static void a_run_that_lies_far_is_left_out(void **state)
{
    (void)state;
    double times[METHODS][2 * SIDE];
    struct tv_significance significance;
    make_sides(times);
    test_sides(&significance, times);
    for (unsigned m = 0; m < METHODS; m++)
        assert_int_equal(significance.rows[m].left_out, TV_NO_RUN);
    assert_int_equal(significance.rows[7].verdict, TV_VERDICT_CHANGED);
    double change = significance.rows[7].change;
    tv_significance_release(&significance);
    times[7][2] += log(2);
    test_sides(&significance, times);
    assert_int_equal(significance.rows[7].left_out, 2);
    assert_int_equal(significance.rows[7].verdict, TV_VERDICT_CHANGED);
    assert_close(significance.rows[7].change, change, 0.05);
    assert_int_equal(significance.rows[8].left_out, TV_NO_RUN);
    tv_significance_release(&significance);
}

/* Two far runs of a method may be its nature: the second one stays, and so does the doubt. */
static void no_more_than_one_run_is_left_out(void **state)
{
    (void)state;
    double times[METHODS][2 * SIDE];
    struct tv_significance significance;
    make_sides(times);
    times[7][2] += log(2);
    times[7][8] -= log(2);
    test_sides(&significance, times);
    assert_int_equal(significance.rows[7].verdict, TV_VERDICT_UNDECIDED);
    tv_significance_release(&significance);
    double few[METHODS * RUNS];
    make_runs(few);
    few[3 * RUNS] += 5; /* of four runs none is left out */
    run_significance(&significance, few, METHODS, &five_percent);
    assert_int_equal(significance.rows[3].left_out, TV_NO_RUN);
    tv_significance_release(&significance);
}

/* A run in which all methods vary ten times as much hides the change where all count alike. */
static void a_run_that_varies_more_counts_for_less(void **state)
{
    (void)state;
    double times[METHODS][2 * SIDE];
    uint32_t random = 3;
    struct tv_significance significance;
    make_sides(times);
    test_sides(&significance, times);
    for (unsigned run = 0; run < 2 * SIDE; run++)
        assert_true(significance.run_weights[run] == 1.0);
    double df = significance.df;
    tv_significance_release(&significance);
    for (unsigned m = 0; m < METHODS; m++)
        times[m][6] += 0.6 * (dice(&random) + dice(&random) - 1);
    test_sides(&significance, times);
    double sum = 0;
    for (unsigned run = 0; run < 2 * SIDE; run++) {
        sum += significance.run_weights[run];
        assert_true(run == 6 || significance.run_weights[run] > 3 * significance.run_weights[6]);
    }
    assert_close(sum, 2 * SIDE, 1e-9);
    assert_true(significance.df < df);
    assert_int_equal(significance.rows[7].verdict, TV_VERDICT_CHANGED);
    for (unsigned m = 0; m < METHODS; m++)
        assert_true(m == 7 || significance.rows[m].verdict != TV_VERDICT_CHANGED);
    tv_significance_release(&significance);
}

static enum tv_code test_with(const struct tv_alloc *alloc, void *ctx)
{
    const struct tv_log_times log_times = {.of = ctx,
                                           .method_count = METHODS,
                                           .own = ctx,
                                           .own_count = METHODS,
                                           .run_counts = {OLD, NEW}};
    struct tv_significance significance;
    tv_significance_init(&significance, alloc);
    enum tv_code code = tv_significance_test(&significance, &log_times, &five_percent, NULL);
    tv_significance_release(&significance);
    return code;
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    double times[METHODS * RUNS];
    make_runs(times);
    assert_true(failing_alloc_each(test_with, times) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_limma),
        cmocka_unit_test(verdicts_follow_what_was_planted),
        cmocka_unit_test(few_methods_are_not_normalised),
        cmocka_unit_test(what_all_methods_share_is_told_apart),
        cmocka_unit_test(methods_that_did_not_move_refute_the_machine),
        cmocka_unit_test(changes_beside_a_machine_do_not_refute_it),
        cmocka_unit_test(a_total_that_did_not_move_refutes_the_machine),
        cmocka_unit_test(equal_runs_are_the_same),
        cmocka_unit_test(a_run_that_lies_far_is_left_out),
        cmocka_unit_test(no_more_than_one_run_is_left_out),
        cmocka_unit_test(a_run_that_varies_more_counts_for_less),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
