/* What changed between runs, method by method. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "compare/change.h"
#include "support/failing_alloc.h"

#define METHODS 30u
#define RUNS 6u

/* A join that was not made of traces: three old and three new runs. */
struct made_join {
    struct tv_join join;
    struct tv_joined_method methods[METHODS];
    struct tv_method_row numbers[METHODS * RUNS];
};

static struct made_join made;

/* Each method has `place` + 1 calls of 2 ms, give or take half a percent. */
static void make_join(void)
{
    memset(&made, 0, sizeof(made));
    for (unsigned m = 0; m < METHODS; m++) {
        for (unsigned run = 0; run < RUNS; run++) {
            struct tv_numbers *numbers = &made.numbers[m * RUNS + run].numbers;
            uint64_t time_ns = (m + 1) * (UINT64_C(2000000) + (m * 7 + run * 5) % 11 * 1000);
            numbers->calls = m + 1;
            numbers->inclusive_ns[TV_CLOCK_CPU] = time_ns;
            numbers->exclusive_ns[TV_CLOCK_CPU] = time_ns / 2;
        }
    }
    made.join = (struct tv_join){
        .methods = made.methods, .count = METHODS, .run_count = RUNS, .numbers = made.numbers};
}

static struct tv_numbers *numbers_of(unsigned method, unsigned run)
{
    return &made.numbers[method * RUNS + run].numbers;
}

static struct tv_changes_opts opts_of(size_t old_count, size_t new_count)
{
    return (struct tv_changes_opts){.run_counts = {old_count, new_count},
                                    .clock = TV_CLOCK_CPU,
                                    .least_ns = 1000000,
                                    .test = {.least_ratio = 1.05, .level = 0.05}};
}

static void make(struct tv_changes *changes, const struct tv_changes_opts *opts)
{
    tv_changes_init(changes, tv_alloc_libc());
    assert_int_equal(tv_changes_make(changes, &made.join, opts, NULL), TV_OK);
}

/* One call more is a change, from one run a side on, and the time follows from it. */
static void one_call_more_is_a_change(void **state)
{
    (void)state;
    struct tv_changes changes;
    make_join();
    for (unsigned run = 3; run < RUNS; run++) {
        numbers_of(4, run)->calls = 6;
        numbers_of(4, run)->inclusive_ns[TV_CLOCK_CPU] = 12000000;
    }
    for (unsigned run = 0; run < 3; run++)
        numbers_of(4, run)->inclusive_ns[TV_CLOCK_CPU] = 10000000;
    const struct tv_changes_opts opts = opts_of(3, 3);
    make(&changes, &opts);
    assert_int_equal(changes.calls_count[TV_VERDICT_CHANGED], 1);
    assert_int_equal(changes.calls_count[TV_VERDICT_SAME], METHODS - 1);
    assert_int_equal(changes.of[4].calls, TV_VERDICT_CHANGED);
    assert_int_equal(changes.of[4].cause.by_calls_ns, 2000000);
    assert_int_equal(changes.of[4].cause.by_cost_ns, 0);
    assert_int_equal(changes.common_count, METHODS);
    tv_changes_release(&changes);
}

/* The same calls, each dearer by half: only that method's time changed. */
static void a_dearer_method_is_found(void **state)
{
    (void)state;
    struct tv_changes changes;
    make_join();
    for (unsigned run = 3; run < RUNS; run++)
        numbers_of(9, run)->inclusive_ns[TV_CLOCK_CPU] += 10 * 1000000;
    const struct tv_changes_opts opts = opts_of(3, 3);
    make(&changes, &opts);
    assert_int_equal(changes.significance.row_count, METHODS);
    assert_int_equal(changes.time_count[TV_VERDICT_CHANGED], 1);
    assert_int_equal(changes.time_count[TV_VERDICT_SAME], METHODS - 1);
    assert_int_equal(tv_change_time(&changes, &changes.of[9]), TV_VERDICT_CHANGED);
    assert_int_equal(changes.of[9].cause.by_calls_ns, 0);
    assert_true(tv_change_ns(&changes.of[9]) > 9900000);
    tv_changes_release(&changes);
}

/* What most methods call takes as long as they do themselves, and then half as much again: the
 * times that they take with it are other ones, and of what does not call it nothing is claimed. */
static void a_shared_callee_does_not_move_what_all_share(void **state)
{
    (void)state;
    struct tv_changes changes;
    make_join();
    for (unsigned m = 0; m < METHODS * 2 / 3; m++) {
        for (unsigned run = 3; run < RUNS; run++)
            numbers_of(m, run)->inclusive_ns[TV_CLOCK_CPU] += (m + 1) * UINT64_C(500000);
    }
    const struct tv_changes_opts opts = opts_of(3, 3);
    make(&changes, &opts);
    assert_int_equal(changes.significance.own_count, METHODS);
    assert_true(changes.significance.machine < 0.002 && changes.significance.machine > -0.002);
    for (unsigned m = 0; m < METHODS; m++)
        assert_int_equal(tv_change_time(&changes, &changes.of[m]),
                         m < METHODS * 2 / 3 ? TV_VERDICT_CHANGED : TV_VERDICT_SAME);
    tv_changes_release(&changes);
}

/* A helper of `count` methods is inlined: half of it all was the helper's, and is theirs now. */
static void make_inlined(double *callees, unsigned count, bool tells_callees)
{
    make_join();
    for (unsigned m = 0; m < METHODS; m++) {
        for (unsigned run = 0; run < RUNS; run++) {
            callees[m * RUNS + run] = m < count && run >= 3 ? 0 : 77.0 * (m + 1);
            if (m < count && run >= 3)
                numbers_of(m, run)->exclusive_ns[TV_CLOCK_CPU] *= 2;
        }
    }
    made.join.callees = tells_callees ? callees : NULL;
}

/* What was inlined is no machine: methods of other callees do not count in the median. */
static void a_method_of_other_callees_tells_nothing_of_a_run(void **state)
{
    (void)state;
    static const struct {
        unsigned inlined;
        bool tells_callees;
        enum tv_machine machine;
    } cases[] = {{10, true, TV_MACHINE_DIVIDED},
                 {11, true, TV_MACHINE_OTHER_CALLS},
                 {METHODS, true, TV_MACHINE_OTHER_CALLS},
                 {22, false, TV_MACHINE_TWO_CLUSTERS}};
    const struct tv_changes_opts opts = opts_of(3, 3);
    double callees[METHODS * RUNS];
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct tv_changes changes;
        make_inlined(callees, cases[i].inlined, cases[i].tells_callees);
        make(&changes, &opts);
        assert_int_equal(changes.significance.is_machine, cases[i].machine);
        assert_int_equal(changes.significance.own_left_out,
                         cases[i].tells_callees ? cases[i].inlined : 0);
        assert_int_equal(changes.time_count[TV_VERDICT_CHANGED], 0);
        tv_changes_release(&changes);
    }
}

/* The same of one that is called more often, but not where counts are those of samples. */
static void a_method_that_is_called_otherwise_tells_nothing_of_a_run(void **state)
{
    (void)state;
    struct tv_changes_opts opts = opts_of(3, 3);
    struct tv_changes changes;
    make_join();
    for (unsigned run = 3; run < RUNS; run++)
        numbers_of(4, run)->calls = 9;
    make(&changes, &opts);
    assert_int_equal(changes.significance.own_left_out, 1);
    tv_changes_release(&changes);
    opts.no_counts[TV_SIDE_NEW] = true;
    make(&changes, &opts);
    assert_int_equal(changes.significance.own_left_out, 0);
    tv_changes_release(&changes);
}

/* Exclusive times below a tenth of what is tested, and those that some run lacks, tell nothing of a
 * run; with too few others times stay as they were measured. */
static void short_exclusive_times_tell_nothing_of_a_run(void **state)
{
    (void)state;
    static const uint64_t short_ns[] = {99000, 0};
    const struct tv_changes_opts opts = opts_of(3, 3);
    for (size_t i = 0; i < TV_COUNT_OF(short_ns); i++) {
        struct tv_changes changes;
        make_join();
        for (unsigned run = 0; run < RUNS; run++)
            numbers_of(0, run)->exclusive_ns[TV_CLOCK_CPU] = 101000;
        for (unsigned m = TV_NORMALISED_FROM - 1; m < METHODS; m++)
            for (unsigned run = 0; run < RUNS; run++)
                numbers_of(m, run)->exclusive_ns[TV_CLOCK_CPU] = run == 2 ? short_ns[i] : 99000;
        make(&changes, &opts);
        assert_int_equal(changes.significance.row_count, METHODS);
        assert_int_equal(changes.significance.own_count, TV_NORMALISED_FROM - 1);
        assert_false(tv_significance_is_normalised(&changes.significance));
        assert_true(changes.significance.machine == 0);
        tv_changes_release(&changes);
    }
}

static void one_run_a_side_tests_no_time(void **state)
{
    (void)state;
    struct tv_changes changes;
    make_join();
    made.join.run_count = 2; /* rows of the first methods are read as those of all */
    const struct tv_changes_opts opts = opts_of(1, 1);
    make(&changes, &opts);
    assert_int_equal(changes.significance.row_count, 0);
    for (unsigned m = 0; m < METHODS; m++)
        assert_int_equal(tv_change_time(&changes, &changes.of[m]), TV_VERDICT_UNDECIDED);
    tv_changes_release(&changes);
}

/* Counts of three runs a side -> the verdict. */
static void unstable_counts_need_a_gap(void **state)
{
    (void)state;
    static const struct {
        uint64_t calls[RUNS];
        enum tv_verdict verdict;
    } cases[] = {
        {{5, 5, 5, 5, 5, 5}, TV_VERDICT_SAME},
        {{5, 5, 5, 6, 6, 6}, TV_VERDICT_CHANGED},
        {{5, 5, 5, 0, 0, 0}, TV_VERDICT_CHANGED},
        {{0, 0, 0, 1, 1, 1}, TV_VERDICT_CHANGED},
        {{5, 6, 5, 6, 5, 6}, TV_VERDICT_UNDECIDED},
        {{5, 6, 7, 8, 8, 8}, TV_VERDICT_UNDECIDED}, /* a gap of 1, a range of 2 */
        {{5, 6, 7, 9, 9, 9}, TV_VERDICT_UNDECIDED}, /* 2 and 2 */
        {{5, 6, 7, 10, 10, 10}, TV_VERDICT_CHANGED},
        {{10, 10, 11, 5, 6, 7}, TV_VERDICT_CHANGED},
    };
    const struct tv_changes_opts opts = opts_of(3, 3);
    make_join();
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct tv_changes changes;
        for (unsigned run = 0; run < RUNS; run++)
            numbers_of(0, run)->calls = cases[i].calls[run];
        make(&changes, &opts);
        if (changes.of[0].calls != cases[i].verdict)
            fail_msg("case %zu is %s", i, tv_verdict_words[changes.of[0].calls]);
        tv_changes_release(&changes);
    }
}

/* What is short, and what some run lacks, has no logarithm that says anything. */
static void what_cannot_be_tested_is_left_out(void **state)
{
    (void)state;
    struct tv_changes changes;
    make_join();
    for (unsigned run = 0; run < RUNS; run++)
        numbers_of(2, run)->inclusive_ns[TV_CLOCK_CPU] = 999999;
    numbers_of(3, 5)->inclusive_ns[TV_CLOCK_CPU] = 0;
    for (unsigned run = 3; run < 6; run++)
        numbers_of(4, run)->inclusive_ns[TV_CLOCK_CPU] *= 20;
    numbers_of(4, 1)->inclusive_ns[TV_CLOCK_CPU] = 0;
    struct tv_changes_opts opts = opts_of(3, 3);
    opts.no_counts[TV_SIDE_NEW] = true;
    make(&changes, &opts);
    assert_int_equal(changes.significance.row_count, METHODS - 3);
    assert_true(changes.of[2].tested == SIZE_MAX && changes.of[3].tested == SIZE_MAX);
    assert_false(changes.of[2].is_apart || changes.of[3].is_apart);
    assert_true(changes.of[4].tested == SIZE_MAX && changes.of[4].is_apart);
    assert_int_equal(changes.apart_count, 1);
    assert_int_equal(tv_change_time(&changes, &changes.of[4]), TV_VERDICT_UNDECIDED);
    assert_int_equal(changes.time_count[TV_VERDICT_UNDECIDED] +
                         changes.time_count[TV_VERDICT_SAME] +
                         changes.time_count[TV_VERDICT_CHANGED],
                     METHODS - 2);
    assert_int_equal(changes.calls_count[TV_VERDICT_UNDECIDED], METHODS);
    tv_changes_release(&changes);
    opts.kind = TV_TIME_EXCLUSIVE;
    make(&changes, &opts);
    assert_int_equal(changes.of[5].sides[TV_SIDE_OLD].median.time_ns,
                     numbers_of(5, 0)->exclusive_ns[TV_CLOCK_CPU] > 0
                         ? changes.of[5].sides[TV_SIDE_OLD].median.time_ns
                         : 0);
    assert_true(changes.of[5].sides[TV_SIDE_OLD].median.time_ns < 6100000);
    tv_changes_release(&changes);
}

static void what_lost_data_has_no_test_of_time(void **state)
{
    (void)state;
    make_join();
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
        struct tv_changes_opts opts = opts_of(3, 3);
        struct tv_changes changes;
        assert_true(tv_changes_are_tested(&opts));
        make(&changes, &opts);
        assert_true(changes.significance.row_count > 0);
        tv_changes_release(&changes);
        opts.lost_data[side] = true;
        assert_false(tv_changes_are_tested(&opts));
        make(&changes, &opts);
        assert_int_equal(changes.significance.row_count, 0);
        tv_changes_release(&changes);
    }
}

static enum tv_code make_with(const struct tv_alloc *alloc, void *ctx)
{
    struct tv_changes changes;
    tv_changes_init(&changes, alloc);
    enum tv_code code = tv_changes_make(&changes, &made.join, ctx, NULL);
    tv_changes_release(&changes);
    return code;
}

static void forget(unsigned method, unsigned run)
{
    *numbers_of(method, run) = (struct tv_numbers){.calls = 0};
}

/* A run that has more methods than were added may call one that it has no numbers of. */
static void what_is_not_known_is_no_change(void **state)
{
    (void)state;
    uint64_t cut_calls[RUNS] = {0, 0, 0, 0, 0, 9};
    struct tv_changes changes;
    const struct tv_changes_opts opts = opts_of(3, 3);
    make_join();
    for (unsigned run = 3; run < RUNS; run++)
        forget(0, run);
    forget(1, 5);
    forget(2, 0);
    made.join.cut_calls = cut_calls;
    make(&changes, &opts);
    assert_int_equal(changes.of[0].calls, TV_VERDICT_UNDECIDED);
    assert_int_equal(changes.of[0].sides[TV_SIDE_NEW].known, 2);
    assert_int_equal(changes.of[1].calls, TV_VERDICT_UNDECIDED);
    assert_int_equal(changes.of[1].sides[TV_SIDE_NEW].least_calls, 2);
    assert_true(changes.of[1].sides[TV_SIDE_NEW].median.time_ns > 3900000);
    assert_true(changes.of[1].tested == SIZE_MAX);
    assert_int_equal(changes.of[2].sides[TV_SIDE_OLD].known, 3);
    assert_int_equal(changes.of[2].sides[TV_SIDE_OLD].least_calls, 0);
    assert_int_equal(changes.only_count[TV_SIDE_OLD], 0);
    assert_int_equal(changes.of[3].calls, TV_VERDICT_SAME);
    tv_changes_release(&changes);
    /* Of a side of which nothing is known no time differs. */
    cut_calls[3] = cut_calls[4] = 1;
    make(&changes, &opts);
    assert_int_equal(changes.of[0].sides[TV_SIDE_NEW].known, 0);
    assert_int_equal(tv_change_ns(&changes.of[0]), 0);
    tv_changes_release(&changes);
    made.join.cut_calls = NULL;
    make(&changes, &opts);
    assert_int_equal(changes.of[0].calls, TV_VERDICT_CHANGED);
    assert_int_equal(changes.only_count[TV_SIDE_OLD], 1);
    assert_true(tv_change_ns(&changes.of[0]) < 0);
    tv_changes_release(&changes);
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    struct tv_changes_opts opts = opts_of(3, 3);
    make_join();
    assert_true(failing_alloc_each(make_with, &opts) > 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_call_more_is_a_change),
        cmocka_unit_test(a_dearer_method_is_found),
        cmocka_unit_test(a_shared_callee_does_not_move_what_all_share),
        cmocka_unit_test(a_method_of_other_callees_tells_nothing_of_a_run),
        cmocka_unit_test(a_method_that_is_called_otherwise_tells_nothing_of_a_run),
        cmocka_unit_test(short_exclusive_times_tell_nothing_of_a_run),
        cmocka_unit_test(one_run_a_side_tests_no_time),
        cmocka_unit_test(unstable_counts_need_a_gap),
        cmocka_unit_test(what_cannot_be_tested_is_left_out),
        cmocka_unit_test(what_lost_data_has_no_test_of_time),
        cmocka_unit_test(what_is_not_known_is_no_change),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
