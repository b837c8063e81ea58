/* What stepped where. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "compare/trend.h"
#include "support/failing_alloc.h"

#define METHODS 30u
#define RUNS_MOST 40u

static struct {
    struct tv_join join;
    struct tv_joined_method methods[METHODS];
    struct tv_method_row numbers[METHODS * RUNS_MOST];
    char names[METHODS][8];
} made;

static struct tv_numbers *numbers_of(unsigned method, unsigned run)
{
    return &made.numbers[method * made.join.run_count + run].numbers;
}

/* Each method has 10 calls and 20 ms, give or take half a percent. */
static void make_runs(unsigned runs)
{
    memset(&made, 0, sizeof(made));
    made.join = (struct tv_join){
        .methods = made.methods, .count = METHODS, .run_count = runs, .numbers = made.numbers};
    for (unsigned m = 0; m < METHODS; m++) {
        (void)snprintf(made.names[m], sizeof(made.names[m]), "m%u", m);
        made.methods[m].class_name.stem = TV_STR("app.C");
        made.methods[m].name.stem = tv_str_from(made.names[m]);
        for (unsigned run = 0; run < runs; run++) {
            numbers_of(m, run)->calls = 10;
            numbers_of(m, run)->exclusive_ns[TV_CLOCK_CPU] =
                UINT64_C(20000000) + (m * 7 + run * 5) % 11 * 10000;
            numbers_of(m, run)->inclusive_ns[TV_CLOCK_CPU] =
                numbers_of(m, run)->exclusive_ns[TV_CLOCK_CPU];
        }
    }
}

static const struct tv_changes_opts opts = {
    .clock = TV_CLOCK_CPU, .least_ns = 1000000, .test = {.least_ratio = 1.05, .level = 0.05}};

static struct tv_trend find(void)
{
    struct tv_trend trend;
    tv_trend_init(&trend, tv_alloc_libc());
    assert_int_equal(tv_trend_find(&trend, &made.join, NULL, &opts, NULL), TV_OK);
    return trend;
}

static void set_calls(unsigned method, const uint64_t *calls)
{
    for (unsigned run = 0; run < made.join.run_count; run++)
        numbers_of(method, run)->calls = calls[run];
}

/* From nothing to 800 ms: no test decides, since nothing has no logarithm. */
static void a_time_that_begins_or_ends_is_told_apart(void **state)
{
    (void)state;
    make_runs(9);
    for (unsigned run = 0; run < 9; run++) {
        const uint64_t more_ns = run * 1000000;
        numbers_of(3, run)->inclusive_ns[TV_CLOCK_CPU] = run < 5 ? 0 : 800000000 + more_ns;
        numbers_of(4, run)->inclusive_ns[TV_CLOCK_CPU] = run < 4 ? 90000000 + more_ns : 0;
        numbers_of(5, run)->inclusive_ns[TV_CLOCK_CPU] = run % 2 ? 0 : 800000000; /* it varies */
        numbers_of(6, run)->inclusive_ns[TV_CLOCK_CPU] = run < 8 ? 0 : 800000000; /* one is none */
        numbers_of(7, run)->inclusive_ns[TV_CLOCK_CPU] = run < 5 ? 0 : 900000;    /* short */
    }
    struct tv_trend trend = find();
    assert_true(trend.apart_count == 2 && trend.count == trend.call_count + 2);
    const struct tv_step *of = &trend.of[trend.call_count];
    assert_true(of[0].is_apart && of[0].method == 4 && of[0].run == 4);
    assert_true(of[1].is_apart && of[1].method == 3 && of[1].run == 5);
    assert_int_equal(of[1].sides[TV_SIDE_OLD].median.time_ns, 0);
    assert_true(of[1].sides[TV_SIDE_NEW].median.time_ns >= 800000000);
    tv_trend_release(&trend);
}

static void what_lost_data_has_no_step_of_time(void **state)
{
    (void)state;
    struct tv_changes_opts lost = opts;
    struct tv_trend trend;
    make_runs(8);
    for (unsigned run = 4; run < 8; run++)
        numbers_of(3, run)->inclusive_ns[TV_CLOCK_CPU] *= 2;
    trend = find();
    assert_int_equal(trend.count, 1);
    lost.lost_data[TV_SIDE_NEW] = true;
    assert_int_equal(tv_trend_find(&trend, &made.join, NULL, &lost, NULL), TV_OK);
    assert_true(!trend.count && !trend.tested_count);
    tv_trend_release(&trend);
}

/* Method 3 has fewer calls since it was inlined, method 4 for another reason, and method 5 was
 * inlined where it has more calls. The last run alone differs of method 6, which is inlined there.
 */
static void calls_that_were_inlined_are_undecided(void **state)
{
    static const uint64_t fewer[] = {10, 10, 10, 10, 1, 1, 1, 1};
    static const uint64_t last[] = {10, 10, 10, 10, 10, 10, 10, 0};
    static bool inlined[METHODS * 8];
    struct tv_trend trend;
    (void)state;
    make_runs(8);
    for (unsigned method = 3; method < 6; method++) {
        set_calls(method, fewer);
        for (unsigned run = 4; run < 8; run++)
            numbers_of(method, run)->inclusive_ns[TV_CLOCK_CPU] = 0;
    }
    set_calls(6, last);
    for (unsigned run = 4; run < 8; run++)
        inlined[3 * 8 + run] = inlined[5 * 8 + run - 4] = true;
    tv_trend_init(&trend, tv_alloc_libc());
    assert_int_equal(tv_trend_find(&trend, &made.join, NULL, &opts, NULL), TV_OK);
    assert_true(trend.call_count == 3 && !trend.inlined_count && trend.pending_count == 1);
    assert_int_equal(trend.apart_count, 3);
    inlined[6 * 8 + 7] = true;
    assert_int_equal(tv_trend_find(&trend, &made.join, inlined, &opts, NULL), TV_OK);
    assert_true(trend.call_count == 2 && trend.inlined_count == 1 && trend.pending_count == 0);
    assert_int_equal(trend.of[0].method + trend.of[1].method, 4 + 5);
    assert_int_equal(trend.apart_count, 2);
    assert_int_equal(tv_trend_apart_end(&trend) - tv_trend_tested_end(&trend), 2);
    assert_int_equal(tv_trend_apart_end(&trend), trend.count - 1);
    const struct tv_step *step = &trend.of[trend.count - 1];
    assert_true(step->is_inlined && !step->is_time && step->method == 3 && step->run == 4);
    tv_trend_release(&trend);
}

static void runs_that_are_the_same_have_no_step(void **state)
{
    (void)state;
    make_runs(8);
    struct tv_trend trend = find();
    assert_true(!trend.count && !trend.pending_count && trend.tested_count == METHODS);
    tv_trend_release(&trend);
}

/* A step needs two runs behind it; a method may have several. */
static void calls_step_where_two_runs_agree(void **state)
{
    (void)state;
    static const struct {
        uint64_t calls[6];
        size_t steps;
        size_t first;
        size_t pending;
    } cases[] = {
        {{10, 10, 10, 12, 12, 12}, 1, 3, 0}, {{10, 12, 12, 12, 12, 12}, 1, 1, 0},
        {{10, 10, 10, 10, 12, 12}, 1, 4, 0}, {{10, 10, 10, 10, 10, 12}, 0, 0, 1},
        {{10, 10, 12, 12, 9, 9}, 2, 2, 0},   {{10, 10, 12, 10, 10, 10}, 0, 0, 0},
        {{3, 7, 4, 6, 5, 8}, 0, 0, 0},       {{3, 7, 4, 20, 21, 20}, 1, 3, 0},
        {{3, 7, 4, 9, 9, 9}, 0, 0, 0},       {{3, 9, 8, 5, 7, 6}, 0, 0, 0},
        {{0, 0, 0, 1, 1, 1}, 1, 3, 0},
    };
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        make_runs(6);
        set_calls(5, cases[i].calls);
        struct tv_trend trend = find();
        assert_int_equal(trend.call_count, cases[i].steps);
        assert_int_equal(trend.pending_count, cases[i].pending);
        if (cases[i].steps) {
            assert_int_equal(trend.of[0].method, 5);
            assert_int_equal(trend.of[0].run, cases[i].first);
        }
        tv_trend_release(&trend);
    }
}

/* A recording that was flaky once hides no step for ever: of ten and more since the last step. */
static void a_flaky_run_hides_no_step_of_calls(void **state)
{
    (void)state;
    static const struct {
        uint64_t flaky, behind; /* of run 6, and from run 14 on; all others have 12 */
        size_t runs, steps;
    } cases[] = {
        {14, 14, 20, 1}, {1, 6, 20, 1},   {40, 24, 20, 1},
        {40, 12, 20, 0}, {40, 24, 17, 1}, {40, 24, 16, 0}, /* three behind are needed */
    };
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        make_runs((unsigned)cases[i].runs);
        for (unsigned run = 0; run < cases[i].runs; run++)
            numbers_of(5, run)->calls = run == 6 ? cases[i].flaky : run < 14 ? 12 : cases[i].behind;
        struct tv_trend trend = find();
        assert_int_equal(trend.call_count, cases[i].steps);
        assert_true(!cases[i].steps || (trend.of[0].run == 14 && trend.of[0].method == 5 &&
                                        trend.of[0].sides[TV_SIDE_OLD].most_calls == 12));
        tv_trend_release(&trend);
    }
    /* Every fifth run is another: such counts are no steps. */
    make_runs(30);
    for (unsigned run = 0; run < 30; run++)
        numbers_of(5, run)->calls = run % 5 == 4 ? 24 : 12;
    struct tv_trend trend = find();
    assert_int_equal(trend.call_count, 0);
    tv_trend_release(&trend);
}

/* Half as long again for a while, and two steps up: the test knows one step, the parts the rest. */
static void a_time_may_step_twice(void **state)
{
    (void)state;
    make_runs(30);
    for (unsigned run = 10; run < 30; run++) {
        numbers_of(7, run)->inclusive_ns[TV_CLOCK_CPU] += run < 20 ? 10000000 : 0;
        numbers_of(4, run)->inclusive_ns[TV_CLOCK_CPU] += run < 20 ? 6000000 : 14000000;
    }
    struct tv_trend trend = find();
    assert_true(trend.count == 4 && !trend.call_count && trend.tested_count == METHODS);
    for (size_t i = 0; i < 4; i++) {
        const struct tv_step *of = &trend.of[i];
        assert_int_equal(of->run, i < 2 ? 10 : 20);
        assert_int_equal(of->method, i % 2 ? 7 : 4);
        assert_true(of->is_time && (of->change > 0) == (i != 3));
    }
    tv_trend_release(&trend);
}

/* Numbers that are the same on each machine; their sum of twelve is nearly of a normal law. */
static double noise(uint64_t *seed)
{
    double sum = -6;
    for (unsigned i = 0; i < 12; i++) {
        *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        sum += (double)(*seed >> 11) / (double)(UINT64_C(1) << 53);
    }
    return sum;
}

static void make_noise(unsigned runs, double of_machine, unsigned from, double by, uint64_t *seed)
{
    make_runs(runs);
    for (unsigned run = 0; run < runs; run++) {
        const double machine = exp(of_machine * noise(seed)) * (run < from ? 1 : by);
        for (unsigned method = 0; method < METHODS; method++) {
            struct tv_numbers *of = numbers_of(method, run);
            of->inclusive_ns[TV_CLOCK_CPU] = (uint64_t)(2e7 * machine * exp(0.05 * noise(seed)));
            of->exclusive_ns[TV_CLOCK_CPU] = of->inclusive_ns[TV_CLOCK_CPU];
        }
    }
}

/* A machine that varies from run to run has no step, in nineteen of twenty series at least, and nor
 * have methods; one that was exchanged has, and where it was. */
static void a_machine_that_varies_has_no_step(void **state)
{
    (void)state;
    uint64_t seed = 31;
    size_t of_machine = 0, with_steps = 0, found = 0;
    for (unsigned i = 0; i < 200; i++) {
        make_noise(20, 0.04, 20, 1, &seed);
        struct tv_trend trend = find();
        of_machine += trend.has_machine_step;
        with_steps += trend.count > 0;
        tv_trend_release(&trend);
    }
    assert_true(of_machine <= 10 && with_steps == 0);
    for (unsigned i = 0; i < 30; i++) {
        make_noise(20, 0.03, 12, 1.15, &seed);
        struct tv_trend trend = find();
        found += trend.has_machine_step && trend.machine_run + 1 >= 12 && trend.machine_run <= 13;
        tv_trend_release(&trend);
    }
    assert_true(found >= 27);
}

static void time_steps_where_the_test_is_surest(void **state)
{
    (void)state;
    make_runs(9);
    for (unsigned run = 6; run < 9; run++)
        numbers_of(7, run)->inclusive_ns[TV_CLOCK_CPU] += 5000000;
    for (unsigned run = 2; run < 9; run++)
        numbers_of(4, run)->inclusive_ns[TV_CLOCK_CPU] -= 8000000;
    struct tv_trend trend = find();
    assert_true(trend.count == 2 && !trend.call_count);
    assert_true(trend.of[0].method == 4 && trend.of[0].run == 2 && trend.of[0].is_time);
    assert_true(trend.of[1].method == 7 && trend.of[1].run == 6 && trend.of[1].change > 0.15);
    assert_true(trend.of[1].p <= 0.05);
    assert_true(trend.of[1].sides[TV_SIDE_NEW].median.time_ns >
                trend.of[1].sides[TV_SIDE_OLD].median.time_ns);
    tv_trend_release(&trend);
}

/* The last run alone, or a machine that was slow in one run, is no step. */
static void one_run_is_no_step_of_time(void **state)
{
    (void)state;
    make_runs(9);
    numbers_of(7, 8)->inclusive_ns[TV_CLOCK_CPU] += 9000000;
    for (unsigned m = 0; m < METHODS; m++)
        numbers_of(m, 4)->inclusive_ns[TV_CLOCK_CPU] *= 2;
    struct tv_trend trend = find();
    assert_int_equal(trend.count, 0);
    tv_trend_release(&trend);
}

/* Everything a fifth slower is no step of a method, and is told; of few methods it is a step of
 * each.
 */
static void what_all_have_in_common_is_told_apart(void **state)
{
    (void)state;
    make_runs(9);
    struct tv_trend trend = find();
    assert_true(trend.is_normalised && !trend.has_machine_step);
    tv_trend_release(&trend);
    for (unsigned run = 5; run < 9; run++) {
        for (unsigned m = 0; m < METHODS; m++) {
            numbers_of(m, run)->inclusive_ns[TV_CLOCK_CPU] += 4000000;
            numbers_of(m, run)->exclusive_ns[TV_CLOCK_CPU] += 4000000;
        }
    }
    trend = find();
    assert_true(trend.count == 0 && trend.has_machine_step && trend.machine_p < 0.001);
    assert_true(trend.machine > 0.17 && trend.machine < 0.19); /* the logarithm of 1.2 is 0.182 */
    assert_int_equal(trend.machine_run, 5);
    tv_trend_release(&trend);
    made.join.count = TV_NORMALISED_FROM - 1;
    trend = find();
    assert_int_equal(trend.count, TV_NORMALISED_FROM - 1);
    assert_false(trend.is_normalised);
    tv_trend_release(&trend);
}

static void few_runs_test_no_time(void **state)
{
    (void)state;
    make_runs(3);
    for (unsigned run = 1; run < 3; run++)
        numbers_of(7, run)->inclusive_ns[TV_CLOCK_CPU] *= 9;
    struct tv_trend trend = find();
    assert_true(!trend.count && !trend.tested_count);
    tv_trend_release(&trend);
}

static enum tv_code find_with(const struct tv_alloc *alloc, void *ctx)
{
    struct tv_trend trend;
    (void)ctx;
    tv_trend_init(&trend, alloc);
    enum tv_code code = tv_trend_find(&trend, &made.join, NULL, &opts, NULL);
    tv_trend_release(&trend);
    return code;
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    static const uint64_t calls[] = {1, 1, 1, 2, 2, 2};
    make_runs(6);
    set_calls(3, calls);
    assert_true(failing_alloc_each(find_with, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_that_are_the_same_have_no_step),
        cmocka_unit_test(a_time_that_begins_or_ends_is_told_apart),
        cmocka_unit_test(calls_that_were_inlined_are_undecided),
        cmocka_unit_test(what_lost_data_has_no_step_of_time),
        cmocka_unit_test(calls_step_where_two_runs_agree),
        cmocka_unit_test(a_flaky_run_hides_no_step_of_calls),
        cmocka_unit_test(a_time_may_step_twice),
        cmocka_unit_test(a_machine_that_varies_has_no_step),
        cmocka_unit_test(time_steps_where_the_test_is_surest),
        cmocka_unit_test(one_run_is_no_step_of_time),
        cmocka_unit_test(what_all_have_in_common_is_told_apart),
        cmocka_unit_test(few_runs_test_no_time),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
