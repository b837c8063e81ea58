/* Judging rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "compare/rule/gate.h"
#include "support/failing_alloc.h"

#define METHODS 30u
#define RUNS 6u

/* A join that was not made of traces: three old and three new runs of app.C.m0 to m29. */
static struct {
    struct tv_join join;
    struct tv_joined_method methods[METHODS];
    struct tv_method_row numbers[METHODS * RUNS];
    char names[METHODS][8];
    struct tv_run_clocks clocks, new_clocks; /* of all runs, and of the new ones */
} made;

static struct tv_numbers *numbers_of(unsigned method, unsigned run)
{
    return &made.numbers[method * RUNS + run].numbers;
}

/* Each method has `place` + 1 calls of 2 ms, give or take half a percent. */
static void make_join(void)
{
    memset(&made, 0, sizeof(made));
    for (unsigned m = 0; m < METHODS; m++) {
        (void)snprintf(made.names[m], sizeof(made.names[m]), "m%u", m);
        made.methods[m].class_name.stem = TV_STR("app.C");
        made.methods[m].name.stem = tv_str_from(made.names[m]);
        made.methods[m].signature = TV_STR("(I)V");
        for (unsigned run = 0; run < RUNS; run++) {
            numbers_of(m, run)->calls = m + 1;
            numbers_of(m, run)->inclusive_ns[TV_CLOCK_CPU] =
                (m + 1) * (UINT64_C(2000000) + (m * 7 + run * 5) % 11 * 1000);
        }
    }
    made.join = (struct tv_join){
        .methods = made.methods, .count = METHODS, .run_count = RUNS, .numbers = made.numbers};
}

static struct tv_changes_opts opts_of(void)
{
    return (struct tv_changes_opts){.run_counts = {3, 3},
                                    .clock = TV_CLOCK_CPU,
                                    .least_ns = 1000000,
                                    .test = {.least_ratio = 1.05, .level = 0.05}};
}

#define TODAY 20261124u

struct question {
    const char *rules;
    struct tv_changes_opts opts;
    struct tv_rule_verdict verdicts[4];
    uint64_t allow_line; /* of the first verdict; 0: no allow is told */
    size_t left_out_any, left_out_boot;
    uint64_t *missing_calls; /* by run */
    const struct tv_join *left_out, *inlined;
    size_t last_unlisted;
    size_t first_with, last_with; /* runs with the thread of the first rule, which has all calls */
    const atomic_bool *is_unwanted;
    const struct tv_join *join; /* of all threads; NULL: the one that is made */
    bool is_unasked;            /* nobody has asked for a clock */
};

/* Of rules about all threads alone: no run was taken for others. */
static enum tv_code judge_with(const struct tv_alloc *alloc, void *ctx)
{
    struct question *question = ctx;
    struct tv_rules rules;
    struct tv_rule_numbers numbers;
    tv_rules_init(&rules, tv_alloc_libc());
    assert_int_equal(tv_rules_read(&rules, tv_str_from(question->rules), NULL), TV_OK);
    tv_rule_numbers_init(&numbers, alloc);
    tv_rule_numbers_begin(&numbers, &rules, made.join.run_count);
    const struct tv_join none = numbers.joins[1];
    numbers.left_out_any = question->left_out_any;
    numbers.left_out_boot = question->left_out_boot;
    numbers.missing_calls = question->missing_calls;
    if (question->left_out)
        numbers.left_out = *question->left_out;
    if (question->inlined)
        numbers.inlined = *question->inlined;
    numbers.first_with[1] = question->first_with;
    numbers.last_with[1] = question->last_with;
    numbers.last_unlisted[1] = question->last_unlisted;
    if (question->last_with)
        numbers.joins[1] = made.join;
    enum tv_code code =
        tv_gate_judge(&(struct tv_gate){alloc,
                                        &rules,
                                        question->join ? question->join : &made.join,
                                        &numbers,
                                        &question->opts,
                                        {&made.clocks, &made.new_clocks,
                                         question->is_unasked ? NULL : &question->opts.clock},
                                        TODAY,
                                        question->is_unwanted},
                      question->verdicts, NULL);
    question->allow_line =
        code == TV_OK && question->verdicts[0].allow ? question->verdicts[0].allow->line : 0;
    numbers.joins[1] = none;
    tv_join_init(&numbers.left_out, alloc);
    tv_join_init(&numbers.inlined, alloc);
    numbers.missing_calls = NULL;
    tv_rule_numbers_release(&numbers);
    tv_rules_release(&rules);
    return code;
}

static struct tv_rule_verdict judge_by(const char *rule, struct tv_changes_opts opts)
{
    struct question question = {.rules = rule, .opts = opts};
    assert_int_equal(judge_with(tv_alloc_libc(), &question), TV_OK);
    return question.verdicts[0];
}

static struct tv_rule_verdict judge(const char *rule)
{
    return judge_by(rule, opts_of());
}

static void rules_that_nobody_waits_for_are_not_judged(void **state)
{
    const char *const rules[] = {"calls of app.C.m4 in 5", "time of app.C.* grows <= 1 % and 1 ms"};
    atomic_bool is_unwanted = false;
    (void)state;
    make_join();
    for (size_t i = 0; i < TV_COUNT_OF(rules); i++) {
        struct question question = {
            .rules = rules[i], .opts = opts_of(), .is_unwanted = &is_unwanted};
        atomic_store(&is_unwanted, false);
        assert_int_equal(judge_with(tv_alloc_libc(), &question), TV_OK);
        atomic_store(&is_unwanted, true);
        assert_int_equal(judge_with(tv_alloc_libc(), &question), TV_ERR_CANCELLED);
    }
}

static void calls_are_those_of_every_new_run(void **state)
{
    (void)state;
    make_join();
    assert_int_equal(judge("calls of app.C.m4 in 5").state, TV_RULE_KEPT);
    assert_int_equal(judge("calls of app.C.m4 (I)V in 5..6").state, TV_RULE_KEPT);
    /* m1 and m10 to m19: 2, and 11 to 20 */
    assert_int_equal(judge("calls of app.C.m1* in 157").state, TV_RULE_KEPT);
    assert_int_equal(judge("calls of app.C.m1* in 157").matched, 11);
    numbers_of(4, 0)->calls = 7; /* an old run */
    assert_int_equal(judge("calls of app.C.m4 in 5").state, TV_RULE_KEPT);
    numbers_of(4, 5)->calls = 6;
    const struct tv_rule_verdict verdict = judge("calls of app.C.m4 in 5");
    assert_int_equal(verdict.state, TV_RULE_BROKEN);
    assert_true(verdict.run == 5 && verdict.is == 6 && verdict.is_error);
    assert_true(verdict.method == &made.methods[4] && verdict.broken == 1);
    assert_int_equal(judge("no calls of app.C.m4").state, TV_RULE_BROKEN);
    assert_int_equal(judge("no calls of java.io.*").state, TV_RULE_KEPT);
}

static void recursive_calls_are_calls(void **state)
{
    (void)state;
    make_join();
    made.numbers[4 * RUNS + 3].recursive_calls = 1;
    assert_int_equal(judge("calls of app.C.m4 in 5").is, 6);
}

static void growth_of_calls_is_of_all(void **state)
{
    (void)state;
    make_join(); /* 465 calls a run */
    for (unsigned run = 3; run < RUNS; run++)
        numbers_of(0, run)->calls += 9;
    assert_int_equal(judge("calls growth <= 2 %").state, TV_RULE_KEPT);
    for (unsigned run = 3; run < RUNS; run++)
        numbers_of(0, run)->calls += 1;
    const struct tv_rule_verdict verdict = judge("calls growth <= 2 %");
    assert_int_equal(verdict.state, TV_RULE_BROKEN);
    assert_true(verdict.was == 465 && verdict.is == 475);
    /* Of two runs a side it is the mean: 465 and 465 became 475 and 505. */
    struct tv_changes_opts two = opts_of();
    two.run_counts[TV_SIDE_OLD] = two.run_counts[TV_SIDE_NEW] = 2;
    numbers_of(0, 2)->calls = 11;
    numbers_of(0, 3)->calls = 41;
    numbers_of(0, 0)->calls = numbers_of(0, 1)->calls = 1;
    struct tv_rule_verdict mean = judge_by("calls growth <= 2 %", two);
    assert_true(mean.was == 465 && mean.is == 490);
}

static void a_limit_is_of_each_method(void **state)
{
    (void)state;
    make_join();
    assert_int_equal(judge("time of app.C.* <= 70 ms").state, TV_RULE_KEPT);
    const struct tv_rule_verdict verdict = judge("time of app.C.* <= 57 ms");
    assert_int_equal(verdict.state, TV_RULE_BROKEN);
    assert_true(verdict.method == &made.methods[29] && verdict.broken == 2); /* 58 and 60 ms */
}

static void a_growth_has_a_ratio_a_floor_and_a_test(void **state)
{
    (void)state;
    make_join();
    for (unsigned run = 3; run < RUNS; run++)
        numbers_of(9, run)->inclusive_ns[TV_CLOCK_CPU] += 8000000; /* 20 ms are 28 */
    assert_int_equal(judge("time of app.C.m9 grows <= 10 % and 5 ms").state, TV_RULE_BROKEN);
    assert_ptr_equal(judge("time of app.C.m9 grows <= 10 % and 5 ms").method, &made.methods[9]);
    assert_int_equal(judge("time of app.C.* grows <= 10 % and 5 ms").broken, 1);
    assert_int_equal(judge("time of app.C.m9 grows <= 50 % and 5 ms").state, TV_RULE_KEPT);
    assert_int_equal(judge("time of app.C.m9 grows <= 10 % and 9 ms").state, TV_RULE_KEPT);
    assert_int_equal(judge("time of app.C.m8 grows <= 10 % and 1 us").state, TV_RULE_KEPT);
    for (unsigned run = 3; run < RUNS; run++) /* what became faster breaks nothing */
        numbers_of(9, run)->inclusive_ns[TV_CLOCK_CPU] = 5000000;
    assert_int_equal(judge("time of app.C.m9 grows <= 10 % and 1 us").state, TV_RULE_KEPT);
}

/* New runs that take `thousandths` of the old time for all methods, in their own code, too. */
static void make_machine(uint64_t thousandths)
{
    make_join();
    for (unsigned m = 0; m < METHODS; m++) {
        for (unsigned run = 0; run < RUNS; run++) {
            struct tv_numbers *numbers = numbers_of(m, run);
            if (run >= 3)
                numbers->inclusive_ns[TV_CLOCK_CPU] =
                    numbers->inclusive_ns[TV_CLOCK_CPU] * thousandths / 1000;
            numbers->exclusive_ns[TV_CLOCK_CPU] = numbers->inclusive_ns[TV_CLOCK_CPU];
        }
    }
}

/* All that is a tenth slower or more may be the machine, or a change of everything: the rule warns.
 * What grew beside it is an error as ever. */
static void a_growth_that_the_machine_hides_is_a_warning(void **state)
{
    (void)state;
    const char *rule = "time of app.C.m9 grows <= 10 % and 5 ms";
    make_machine(1300);
    struct tv_rule_verdict verdict = judge(rule);
    assert_int_equal(verdict.state, TV_RULE_BROKEN);
    assert_false(verdict.is_error);
    assert_true(verdict.is_only_measured);
    assert_true(verdict.median_method > 0.25 && verdict.median_method < 0.27);
    assert_ptr_equal(verdict.method, &made.methods[9]);
    assert_int_equal(judge("time of app.C.m9 grows <= 40 % and 5 ms").state, TV_RULE_KEPT);
    assert_int_equal(judge("time of app.C.m9 grows <= 10 % and 7 ms").state, TV_RULE_KEPT);
    for (unsigned run = 3; run < RUNS; run++)
        numbers_of(9, run)->inclusive_ns[TV_CLOCK_CPU] *= 2;
    verdict = judge(rule);
    assert_int_equal(verdict.state, TV_RULE_BROKEN);
    assert_true(verdict.is_error);
    assert_false(verdict.is_only_measured);
    assert_true(verdict.median_method > 0.25 && verdict.median_method < 0.27);
    make_machine(1090);
    assert_int_equal(judge("time of app.C.m9 grows <= 5 % and 1 ms").state, TV_RULE_KEPT);
}

/* A growth that varies as much as itself may be chance. */
static void a_growth_that_may_be_chance_breaks_nothing(void **state)
{
    (void)state;
    static const uint64_t times_ms[RUNS] = {20, 40, 60, 25, 55, 80};
    make_join();
    for (unsigned run = 0; run < RUNS; run++)
        numbers_of(9, run)->inclusive_ns[TV_CLOCK_CPU] = times_ms[run] * 1000000;
    assert_int_equal(judge("time of app.C.m9 grows <= 10 % and 5 ms").state, TV_RULE_KEPT);
}

static void set_times(unsigned m, const uint64_t times_ms[RUNS])
{
    for (unsigned run = 0; run < RUNS; run++) {
        *numbers_of(m, run) = (struct tv_numbers){.calls = times_ms[run] != 0};
        numbers_of(m, run)->inclusive_ns[TV_CLOCK_CPU] = times_ms[run] * 1000000;
    }
}

/* A run without time of a method leaves no logarithm to test, and a growth all the same. */
static void a_growth_that_cannot_be_tested_is_no_data(void **state)
{
    (void)state;
    static const struct {
        uint64_t times_ms[RUNS];
        enum tv_rule_state alone, of_all;
    } cases[] = {
        {{0, 0, 0, 270, 271, 280}, TV_RULE_NO_DATA, TV_RULE_NO_DATA},
        {{0, 9, 9, 270, 271, 280}, TV_RULE_NO_DATA, TV_RULE_NO_DATA},
        {{0, 0, 9, 0, 270, 9}, TV_RULE_NO_DATA, TV_RULE_KEPT}, /* it may be chance */
        {{0, 3, 0, 4, 0, 4}, TV_RULE_KEPT, TV_RULE_KEPT},      /* within the floor */
        {{0, 0, 270, 0, 0, 0}, TV_RULE_NO_DATA, TV_RULE_KEPT}, /* it is gone */
    };
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        make_join();
        set_times(9, cases[i].times_ms);
        const struct tv_rule_verdict alone = judge("time of app.C.m9 grows <= 10 % and 5 ms");
        const struct tv_rule_verdict of_all = judge("time of app.C.* grows <= 10 % and 5 ms");
        assert_int_equal(alone.state, cases[i].alone);
        assert_int_equal(of_all.state, cases[i].of_all);
        assert_ptr_equal(of_all.method, of_all.state == TV_RULE_NO_DATA ? &made.methods[9] : NULL);
    }
    make_join();
    set_times(9, cases[0].times_ms);
    assert_int_equal(judge("time of app.C.* grows <= 10 % and 5 ms\n"
                           "allow app.C.m9 until 2026-12-01 because it is new")
                         .state,
                     TV_RULE_ALLOWED);
    /* What a rule is about alone may be allowed: nothing else could be done about it. */
    assert_int_equal(judge("time of app.C.m9 grows <= 10 % and 5 ms\n"
                           "allow app.C.m9 until 2026-12-01 because it is new")
                         .state,
                     TV_RULE_ALLOWED);
    assert_int_equal(judge("time of app.C.m9 grows <= 10 % and 5 ms\n"
                           "allow app.C.m9 until 2026-11-01 because it was new")
                         .state,
                     TV_RULE_NO_DATA);
    /* What breaks a rule stays told. */
    for (unsigned run = 3; run < RUNS; run++)
        numbers_of(8, run)->inclusive_ns[TV_CLOCK_CPU] += 8000000;
    const struct tv_rule_verdict broken = judge("time of app.C.* grows <= 10 % and 5 ms");
    assert_true(broken.state == TV_RULE_BROKEN && broken.method == &made.methods[8]);
}

/* On a machine that takes two thirds of the time, 50 ms that are 52 have grown by half. */
static void a_growth_has_its_floor_beside_the_machine(void **state)
{
    (void)state;
    make_join();
    for (unsigned method = 0; method < METHODS; method++) {
        for (unsigned run = 3; run < RUNS; run++) {
            uint64_t *of = numbers_of(method, run)->inclusive_ns;
            of[TV_CLOCK_CPU] = of[TV_CLOCK_CPU] / 100 * (method == 24 ? 104 : 68);
            numbers_of(method, run)->exclusive_ns[TV_CLOCK_CPU] = of[TV_CLOCK_CPU];
        }
        for (unsigned run = 0; run < 3; run++)
            numbers_of(method, run)->exclusive_ns[TV_CLOCK_CPU] =
                numbers_of(method, run)->inclusive_ns[TV_CLOCK_CPU];
    }
    const struct tv_rule_verdict verdict = judge("time of app.C.m24 grows <= 10 % and 5 ms");
    assert_int_equal(verdict.state, TV_RULE_BROKEN);
    assert_true(verdict.is > verdict.was && verdict.is - verdict.was < 5000000);
    assert_int_equal(judge("time of app.C.m24 grows <= 10 % and 30 ms").state, TV_RULE_KEPT);
    assert_int_equal(judge("time of app.C.m23 grows <= 10 % and 5 ms").state, TV_RULE_KEPT);
}

/* A recording without the CPU time that the others have would make warnings of errors. */
static void a_clock_that_some_lack_is_no_data(void **state)
{
    (void)state;
    static const char *const rules[] = {"time of app.C.m24 <= 1 ms",
                                        "time of app.C.m24 grows <= 10 % and 5 ms"};
    make_join();
    for (unsigned i = 0; i < 2 * TV_COUNT_OF(rules); i++) {
        const bool has_some = i % 2;
        struct question question = {.rules = rules[i / 2], .opts = opts_of(), .is_unasked = true};
        struct tv_run_clocks clocks = {.lacks = {[TV_CLOCK_CPU] = true},
                                       .has_some = {[TV_CLOCK_CPU] = has_some}};
        made.clocks = made.new_clocks = clocks;
        question.opts.clock = TV_CLOCK_WALL;
        assert_int_equal(judge_with(tv_alloc_libc(), &question), TV_OK);
        assert_true(question.verdicts[0].is_error == has_some);
        assert_true(!has_some || question.verdicts[0].state == TV_RULE_NO_DATA);
        assert_true(!has_some || strstr(question.verdicts[0].reason, "which others have"));
    }
}

/* What takes less than a millisecond is not tested, and cannot have grown by five. */
static void what_is_short_on_both_sides_keeps_a_growth(void **state)
{
    (void)state;
    make_join();
    for (unsigned run = 0; run < RUNS; run++)
        numbers_of(2, run)->inclusive_ns[TV_CLOCK_CPU] = run < 3 ? 360000 : 450000;
    assert_int_equal(judge("time of app.C.m2 grows <= 10 % and 5 ms").state, TV_RULE_KEPT);
    assert_int_equal(judge("time of app.C.m2 grows <= 50 % and 1 us").state, TV_RULE_KEPT);
    assert_int_equal(judge("time of app.C.m2 grows <= 10 % and 1 us").state, TV_RULE_NO_DATA);
}

/* No call of a run without one takes any time: the others are looked at. */
static void times_of_single_calls_are_those_of_runs_with_a_call(void **state)
{
    (void)state;
    static const uint64_t times_ms[RUNS] = {0, 0, 0, 0, 0, 90};
    struct question question = {
        .rules = "max of app.C.m9 on thread io <= 80 ms", .first_with = 1, .last_with = RUNS};
    question.opts = opts_of();
    make_join();
    set_times(9, times_ms);
    assert_int_equal(judge_with(tv_alloc_libc(), &question), TV_OK);
    assert_int_equal(question.verdicts[0].state, TV_RULE_BROKEN);
    assert_true(question.verdicts[0].is == 90000000 && question.verdicts[0].runs == 1);
    assert_int_equal(judge("time of app.C.m9 <= 80 ms").state, TV_RULE_KEPT);
}

/* How long it took until then nobody knows, on either clock. */
static void a_call_that_began_before_keeps_no_limit(void **state)
{
    (void)state;
    static const char *const rules[] = {"wall of app.C.m4 <= 11 ms", "cpu of app.C.m4 <= 11 ms",
                                        "exclusive cpu of app.C.m4 <= 1 s"};
    make_join();
    for (unsigned run = 0; run < RUNS; run++)
        numbers_of(4, run)->inclusive_ns[TV_CLOCK_WALL] = 10000000;
    numbers_of(4, 0)->adopting_calls = 1; /* an old run's */
    for (size_t i = 0; i < TV_COUNT_OF(rules); i++)
        assert_int_equal(judge(rules[i]).state, TV_RULE_KEPT);
    numbers_of(4, 5)->adopting_calls = 1;
    for (size_t i = 0; i < TV_COUNT_OF(rules); i++) {
        const struct tv_rule_verdict verdict = judge(rules[i]);
        assert_int_equal(verdict.state, TV_RULE_NO_DATA);
        assert_string_equal(verdict.reason,
                            "it began before a recording did, so how long it took is not known: "
                            "record from before it begins");
    }
    assert_int_equal(judge("wall of app.C.m4 <= 9 ms").state, TV_RULE_BROKEN);
    assert_int_equal(judge("cpu of app.C.m4 <= 9 ms").state, TV_RULE_BROKEN);
    assert_int_equal(judge("calls of app.C.m4 in 5").state, TV_RULE_KEPT);
    assert_int_equal(judge("cpu of app.C.m5 <= 13 ms").state, TV_RULE_KEPT);
    assert_int_equal(judge("wall of app.C.?4 <= 11 ms").state, TV_RULE_KEPT);
}

/* A wall time that was cut is above a limit where that of the call is, too. */
static void a_call_that_is_open_keeps_no_limit_of_wall_time(void **state)
{
    (void)state;
    make_join();
    for (unsigned run = 0; run < RUNS; run++)
        numbers_of(4, run)->inclusive_ns[TV_CLOCK_WALL] = 10000000;
    numbers_of(4, 0)->open_calls = 1; /* an old run's */
    assert_int_equal(judge("wall of app.C.m4 <= 11 ms").state, TV_RULE_KEPT);
    numbers_of(4, 5)->open_calls = 1;
    const struct tv_rule_verdict verdict = judge("wall of app.C.m4 <= 11 ms");
    assert_int_equal(verdict.state, TV_RULE_NO_DATA);
    assert_string_equal(verdict.reason,
                        "it was still open when a recording ended, so how long it took is not "
                        "known: record until it ends");
    assert_int_equal(judge("wall of app.C.m4 <= 9 ms").state, TV_RULE_BROKEN);
    assert_int_equal(judge("cpu of app.C.m4 <= 11 ms").state, TV_RULE_KEPT);
    assert_int_equal(judge("wall of app.C.m5 <= 11 ms").state, TV_RULE_KEPT);
    assert_int_equal(judge("wall of app.C.?4 <= 11 ms").state, TV_RULE_KEPT);
    assert_int_equal(judge("wall of app.C.?4 <= 9 ms").state, TV_RULE_BROKEN);
}

static void no_data_has_its_reason(void **state)
{
    (void)state;
    struct tv_changes_opts opts = opts_of();
    make_join();
    for (unsigned run = 0; run < RUNS; run++)
        numbers_of(2, run)->inclusive_ns[TV_CLOCK_CPU] = run % 2 ? 1000 : 900000;
    for (unsigned run = 3; run < RUNS; run++)
        *numbers_of(3, run) = (struct tv_numbers){.calls = 0};
    assert_string_equal(judge("calls of app.D.m4 in 5").reason, "no method has this name");
    assert_int_equal(judge("calls of app.D.m4 in 0..5").state, TV_RULE_KEPT);
    assert_string_equal(judge("time of app.C.m2 grows <= 10 % and 500 us").reason,
                        "it takes no millisecond, or is not in every recording");
    assert_string_equal(judge("time of app.C.m3 <= 5 ms").reason, "no new recording calls it");
    opts.no_counts[TV_SIDE_NEW] = true;
    assert_int_equal(judge_by("calls growth <= 2 %", opts).state, TV_RULE_NO_DATA);
    assert_int_equal(judge_by("no calls of a", opts).state, TV_RULE_NO_DATA);
    opts = opts_of();
    opts.run_counts[TV_SIDE_OLD] = 1;
    made.join.run_count = 2;
    opts.run_counts[TV_SIDE_NEW] = 1;
    assert_string_equal(judge_by("time of app.C.m4 grows <= 10 % and 5 ms", opts).reason,
                        "a growth of time needs two recordings a side at least");
}

static void wall_time_warns_unless_the_rule_says_otherwise(void **state)
{
    (void)state;
    struct tv_changes_opts opts = opts_of();
    make_join();
    opts.clock = TV_CLOCK_WALL;
    assert_false(judge_by("time of app.C.m4 <= 1 ms", opts).is_error);
    assert_true(judge_by("error time of app.C.m4 <= 1 ms", opts).is_error);
    assert_true(judge_by("calls of app.C.m4 in 9", opts).is_error);
    assert_false(judge("warn calls of app.C.m4 in 9").is_error);
}

static void what_a_rule_says_of_its_time_goes_first(void **state)
{
    (void)state;
    make_join();
    for (unsigned run = 0; run < RUNS; run++) {
        numbers_of(4, run)->exclusive_ns[TV_CLOCK_CPU] = 3000000;
        numbers_of(4, run)->exclusive_ns[TV_CLOCK_WALL] = 5000000 + run;
        numbers_of(4, run)->inclusive_ns[TV_CLOCK_WALL] = 90000000;
    }
    assert_int_equal(judge("time of app.C.m4 <= 9 ms").state, TV_RULE_BROKEN);
    assert_int_equal(judge("exclusive time of app.C.m4 <= 3 ms").state, TV_RULE_KEPT);
    assert_int_equal(judge("exclusive cpu of app.C.m4 <= 2 ms").is, 3000000);
    const struct tv_rule_verdict verdict = judge("exclusive wall of app.C.m4 <= 5 ms");
    assert_true(verdict.state == TV_RULE_BROKEN && !verdict.is_error);
    assert_true(verdict.is == 5000004 && verdict.run == 5 && verdict.runs == 3);
    assert_int_equal(judge("wall of app.C.m4 <= 90 ms").state, TV_RULE_KEPT);
}

static void a_rule_may_ask_for_more_runs(void **state)
{
    (void)state;
    make_join();
    assert_int_equal(judge("time of app.C.m4 <= 99 ms over 3 runs").state, TV_RULE_KEPT);
    assert_string_equal(judge("time of app.C.m4 <= 99 ms over 4 runs").reason,
                        "it asks for more recordings than there are");
    assert_int_equal(judge("calls growth <= 2 % over 4 runs").state, TV_RULE_NO_DATA);
    assert_int_equal(judge("calls of app.C.m4 in 5 over 4 runs").state, TV_RULE_NO_DATA);
}

static void a_class_is_no_method_that_is_not_called(void **state)
{
    (void)state;
    static const char *const groups[] = {"app", "app.C", "app/C"};
    make_join();
    for (size_t i = 0; i < TV_COUNT_OF(groups); i++) {
        char rules[64];
        (void)snprintf(rules, sizeof(rules), "no calls of %s", groups[i]);
        assert_string_equal(judge(rules).reason,
                            "it is the name of a class or a package, and of no "
                            "method: with .* behind it, it is of the methods "
                            "there");
    }
    assert_int_equal(judge("no calls of app.C.*").state, TV_RULE_BROKEN);
    assert_int_equal(judge("no calls of app.D").state, TV_RULE_KEPT);
    assert_int_equal(judge("no calls of app.C.m").state, TV_RULE_KEPT);
    assert_int_equal(judge("no calls of ap").state, TV_RULE_KEPT);
}

/* As answers and source write a name: what no method has would be kept for ever. */
static void a_name_without_its_package_is_no_method_that_is_not_called(void **state)
{
    (void)state;
    static const char *const endings[] = {"no calls of C.m4", "no calls of C#m4", "no calls of m4",
                                          "calls of C.m4 in 0..9"};
    make_join();
    for (size_t i = 0; i < TV_COUNT_OF(endings); i++) {
        const struct tv_rule_verdict verdict = judge(endings[i]);
        assert_int_equal(verdict.state, TV_RULE_NO_DATA);
        assert_string_equal(verdict.reason,
                            "the name of a method that is called ends so: write its "
                            "whole name, or *. before it");
        assert_true(verdict.method && !verdict.is_absent);
    }
    assert_int_equal(judge("no calls of *.C.m4").state, TV_RULE_BROKEN);
    assert_int_equal(judge("no calls of D.m4").state, TV_RULE_KEPT);
}

/* One file of rules serves check, which has no old side, and diff. */
static void without_an_old_side_growths_are_left_out(void **state)
{
    (void)state;
    struct tv_changes_opts opts = opts_of();
    make_join();
    opts.run_counts[TV_SIDE_OLD] = 0;
    opts.run_counts[TV_SIDE_NEW] = RUNS;
    assert_int_equal(judge_by("calls growth <= 2 %", opts).state, TV_RULE_LEFT_OUT);
    assert_int_equal(judge_by("time of app.C.m4 grows <= 2 % and 1 ms", opts).state,
                     TV_RULE_LEFT_OUT);
    /* A name that no run has is told all the same. */
    assert_false(judge_by("time of app.C.m4 grows <= 2 % and 1 ms", opts).is_absent);
    assert_true(judge_by("time of app.D.m4 grows <= 2 % and 1 ms", opts).is_absent);
    assert_false(judge_by("off time of app.D.m4 grows <= 2 % and 1 ms", opts).is_absent);
    assert_int_equal(judge_by("off calls of app.C.m4 in 9", opts).state, TV_RULE_LEFT_OUT);
    assert_int_equal(judge_by("calls of app.C.m4 in 5", opts).state, TV_RULE_KEPT);
    numbers_of(4, 0)->calls = 9; /* the first run is a new one */
    assert_int_equal(judge_by("calls of app.C.m4 in 5", opts).is, 9);
}

static void a_thread_that_no_run_has_is_no_data(void **state)
{
    (void)state;
    make_join();
    assert_string_equal(judge("no calls of app.C.m4 on thread nobody").reason,
                        "no recording has a thread of this name");
}

/* Both names are there, so no word of one that is misspelt. */
static void a_method_of_other_threads_is_told(void **state)
{
    static const char *const rules[] = {"time of app.C.m9 <= 80 ms on thread io",
                                        "calls of app.C.m9 in 5 on thread io",
                                        "time of app.C.m9 grows <= 10 % and 5 ms on thread io",
                                        "max of app.C.m9 on thread io <= 1 s"};
    (void)state;
    make_join();
    const struct tv_join all = made.join;
    made.join.count = 5; /* what the thread calls */
    for (size_t i = 0; i < TV_COUNT_OF(rules); i++) {
        struct question question = {
            .rules = rules[i], .opts = opts_of(), .first_with = 1, .last_with = RUNS, .join = &all};
        assert_int_equal(judge_with(tv_alloc_libc(), &question), TV_OK);
        assert_int_equal(question.verdicts[0].state, TV_RULE_NO_DATA);
        assert_string_equal(question.verdicts[0].reason,
                            "other threads call it, and none of this name does");
        assert_true(question.verdicts[0].is_absent && question.verdicts[0].is_of_others);
        question.join = NULL;
        assert_int_equal(judge_with(tv_alloc_libc(), &question), TV_OK);
        assert_string_equal(question.verdicts[0].reason, "no method has this name");
        assert_true(question.verdicts[0].is_absent && !question.verdicts[0].is_of_others);
    }
    made.join = all;
}

/* A thread that got another name is not looked at, and is no name that was never there. */
static void a_thread_of_the_other_side_alone_is_no_data(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        size_t first_with, last_with; /* from 1: the new runs are 4 to 6 */
        enum tv_rule_state state;
        const char *reason;
    } cases[] = {
        {"no calls of java.io.* on thread io", 1, 3, TV_RULE_NO_DATA,
         "no new recording has a thread of this name"},
        {"no calls of java.io.* on thread io", 1, 6, TV_RULE_KEPT, NULL},
        {"no calls of java.io.* on thread io", 4, 6, TV_RULE_KEPT, NULL},
        {"calls growth <= 2 % on thread io", 1, 3, TV_RULE_NO_DATA,
         "no new recording has a thread of this name"},
        {"calls growth <= 2 % on thread io", 4, 6, TV_RULE_NO_DATA,
         "no old recording has a thread of this name"},
        {"calls growth <= 2 % on thread io", 1, 6, TV_RULE_KEPT, NULL},
    };
    make_join();
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct question question = {.rules = cases[i].rule,
                                    .opts = opts_of(),
                                    .first_with = cases[i].first_with,
                                    .last_with = cases[i].last_with};
        assert_int_equal(judge_with(tv_alloc_libc(), &question), TV_OK);
        assert_int_equal(question.verdicts[0].state, cases[i].state);
        assert_false(question.verdicts[0].is_absent);
        if (cases[i].reason)
            assert_string_equal(question.verdicts[0].reason, cases[i].reason);
    }
}

/* Run 4 is the first new one. */
static void a_thread_that_may_be_one_without_a_name_is_no_data(void **state)
{
    (void)state;
    make_join();
    for (size_t run = 3; run <= 4; run++) {
        struct question question = {.rules = "no calls of java.io.* on thread io",
                                    .opts = opts_of(),
                                    .first_with = 1,
                                    .last_with = 6,
                                    .last_unlisted = run};
        assert_int_equal(judge_with(tv_alloc_libc(), &question), TV_OK);
        assert_int_equal(question.verdicts[0].state, run == 4 ? TV_RULE_NO_DATA : TV_RULE_KEPT);
    }
}

/* The calls of a thread are not those of all. */
static void growth_of_calls_is_of_its_thread(void **state)
{
    (void)state;
    struct tv_method_row others[RUNS] = {{.recursive_calls = 0}};
    struct question question = {
        .rules = "calls growth <= 2 % on thread io", .first_with = 1, .last_with = RUNS};
    question.opts = opts_of();
    make_join();
    for (unsigned run = 3; run < RUNS; run++)
        numbers_of(0, run)->calls += 99;
    assert_int_equal(judge_with(tv_alloc_libc(), &question), TV_OK);
    assert_int_equal(question.verdicts[0].state, TV_RULE_BROKEN);
    /* On all threads together nothing has changed. */
    const struct tv_join all = {
        .methods = made.methods, .count = 1, .run_count = RUNS, .numbers = others};
    for (unsigned run = 0; run < RUNS; run++)
        others[run].numbers.calls = 1000;
    question.join = &all;
    assert_int_equal(judge_with(tv_alloc_libc(), &question), TV_OK);
    assert_int_equal(question.verdicts[0].state, TV_RULE_BROKEN);
    assert_true(question.verdicts[0].was == 465 && question.verdicts[0].is == 564);
    question.rules = "calls growth <= 2 %";
    assert_int_equal(judge_with(tv_alloc_libc(), &question), TV_OK);
    assert_int_equal(question.verdicts[0].state, TV_RULE_KEPT);
}

static void allowed(const char *rules, enum tv_rule_state state, uint64_t line)
{
    struct question question = {.rules = rules, .opts = opts_of()};
    assert_int_equal(judge_with(tv_alloc_libc(), &question), TV_OK);
    assert_int_equal(question.verdicts[0].state, state);
    assert_int_equal(question.allow_line, line);
}

static void only_allowed_methods_break_a_rule_until_a_day(void **state)
{
    (void)state;
    make_join();
    allowed("no calls of app.C.m2*\nallow app.C.m2? until 2026-11-24 because a\n"
            "allow app.C.m2 until 2026-11-25 because b",
            TV_RULE_ALLOWED, 3);
    /* m2 itself is not allowed, but the others are. */
    const char *some = "no calls of app.C.m2*\nallow app.C.m2? until 2026-11-24 because a";
    allowed(some, TV_RULE_BROKEN, 0);
    assert_ptr_equal(judge(some).method, &made.methods[2]);
    assert_int_equal(judge(some).broken, 1);
    /* The day has passed; an allow that holds goes first, wherever it stands. */
    allowed("no calls of app.C.m2\nallow app.C.m2 until 2026-11-23 because a", TV_RULE_BROKEN, 2);
    allowed("no calls of app.C.m2\nallow app.C.m2 until 2026-11-23 because a\n"
            "allow app.C.m2 until 2026-11-24 because b",
            TV_RULE_ALLOWED, 3);
    allowed("time of app.C.m29 <= 1 ms\nallow app.C.* until 2026-12-01 because a", TV_RULE_ALLOWED,
            2);
    for (unsigned run = 3; run < RUNS; run++)
        numbers_of(0, run)->calls += 99;
    allowed("calls growth <= 2 %\nallow app.C.* until 2026-12-01 because a", TV_RULE_BROKEN, 0);
    allowed("calls growth <= 2 %\nallow calls growth until 2026-12-01 because a", TV_RULE_ALLOWED,
            2);
}

/* Where all named methods together have too few calls, all of them break the rule. */
static void too_few_calls_have_no_method_of_their_own(void **state)
{
    (void)state;
    make_join();
    for (unsigned run = 3; run < RUNS; run++)
        numbers_of(4, run)->calls = 0;
    const struct tv_rule_verdict verdict = judge("calls of app.C.m4 in 5");
    assert_true(verdict.state == TV_RULE_BROKEN && verdict.is == 0 && !verdict.method);
}

static void growths_of_one_test_have_families_of_their_own(void **state)
{
    (void)state;
    struct question question = {.rules = "time of app.C.m9 grows <= 10 % and 5 ms\n"
                                         "time of app.C.m8 grows <= 10 % and 5 ms\n"
                                         "time of app.C.* grows <= 50 % and 5 ms\n"
                                         "time of app.C.* grows <= 10 % and 1 ms",
                                .opts = opts_of()};
    make_join();
    for (unsigned run = 3; run < RUNS; run++)
        numbers_of(9, run)->inclusive_ns[TV_CLOCK_CPU] += 8000000;
    assert_int_equal(judge_with(tv_alloc_libc(), &question), TV_OK);
    assert_int_equal(question.verdicts[0].state, TV_RULE_BROKEN);
    assert_int_equal(question.verdicts[1].state, TV_RULE_KEPT);
    assert_int_equal(question.verdicts[2].state, TV_RULE_KEPT);
    assert_true(question.verdicts[3].state == TV_RULE_BROKEN && question.verdicts[3].broken == 1);
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    static const char *const rules[] = {"calls growth <= 2 %",
                                        "time of app.C.* grows <= 10 % and 5 ms",
                                        ("calls of app.C.* in 1\nallow app.C.m1 until 2026-11-24 "
                                         "because it is known")};
    make_join();
    for (size_t i = 0; i < TV_COUNT_OF(rules); i++) {
        struct question question = {.rules = rules[i], .opts = opts_of()};
        assert_true(failing_alloc_each(judge_with, &question) > 3);
    }
}

/* Counts, and a limit of the new runs alone, are judged all the same. */
static void growths_of_other_processors_have_no_data(void **state)
{
    (void)state;
    struct tv_changes_opts opts = opts_of();
    make_join();
    opts.other_processors = true;
    struct tv_rule_verdict verdict = judge_by("time of app.C.m4 grows <= 10 % and 1 ms", opts);
    assert_int_equal(verdict.state, TV_RULE_NO_DATA);
    assert_string_equal(
        verdict.reason,
        "the recordings are of different processors, whose times cannot be compared");
    assert_int_equal(judge_by("calls of app.C.m4 in 5", opts).state, TV_RULE_KEPT);
    assert_int_equal(judge_by("time of app.C.m4 <= 9 ms", opts).state,
                     judge("time of app.C.m4 <= 9 ms").state);
    assert_int_equal(judge_by("calls growth <= 1000 %", opts).state,
                     judge("calls growth <= 1000 %").state);
}

/* Zeros for every CPU time would keep every limit. */
static void a_cpu_clock_that_never_moves_keeps_no_limit(void **state)
{
    (void)state;
    struct tv_changes_opts opts = opts_of();
    make_join();
    assert_int_equal(judge("cpu of app.C.m4 <= 11 ms").state, TV_RULE_KEPT);
    made.clocks.has_idle_cpu = true; /* an old run's */
    assert_int_equal(judge("cpu of app.C.m4 <= 11 ms").state, TV_RULE_KEPT);
    assert_int_equal(judge("cpu of app.C.m4 grows <= 10 % and 1 ms").state, TV_RULE_NO_DATA);
    made.new_clocks.has_idle_cpu = true;
    struct tv_rule_verdict verdict = judge_by("cpu of app.C.m4 <= 11 ms", opts);
    assert_int_equal(verdict.state, TV_RULE_NO_DATA);
    assert_string_equal(verdict.reason, "the CPU clock of a recording never moves");
    assert_int_equal(judge_by("cpu of app.C.m4 grows <= 10 % and 1 ms", opts).state,
                     TV_RULE_NO_DATA);
    assert_int_equal(judge_by("wall of app.C.m4 <= 11 ms", opts).state, TV_RULE_KEPT);
    assert_int_equal(judge_by("calls of app.C.m4 in 5", opts).state, TV_RULE_KEPT);
}

/* All that a method may have done in a call that was open counts: it takes 10 ms of CPU time. */
static void an_open_call_keeps_no_limit_that_it_may_break(void **state)
{
    (void)state;
    const char *const growth = "cpu of app.C.m4 grows <= 10 % and 1 ms";
    make_join();
    assert_int_equal(judge(growth).state, TV_RULE_KEPT);
    numbers_of(4, 0)->unrecorded_ns[0] = 999999;
    assert_int_equal(judge(growth).state, TV_RULE_KEPT);
    numbers_of(4, 0)->unrecorded_ns[0] = 5000000;
    assert_int_equal(judge(growth).state, TV_RULE_NO_DATA);
    assert_int_equal(judge("cpu of app.C.m4 <= 11 ms").state, TV_RULE_KEPT);
    numbers_of(4, 4)->unrecorded_ns[0] = 5000000;
    struct tv_rule_verdict verdict = judge("cpu of app.C.m4 <= 11 ms");
    assert_int_equal(verdict.state, TV_RULE_NO_DATA);
    assert_string_equal(
        verdict.reason,
        "it was still open when a recording ended, and its CPU time at last is not recorded");
    assert_int_equal(judge("cpu of app.C.m4 <= 16 ms").state, TV_RULE_KEPT);
    assert_int_equal(judge("cpu of app.C.m4 <= 9 ms").state, TV_RULE_BROKEN);
    assert_int_equal(judge("wall of app.C.m4 <= 11 ms").state, TV_RULE_KEPT);
    assert_int_equal(judge("cpu of app.C.m5 <= 13 ms").state, TV_RULE_KEPT);
    assert_int_equal(judge("exclusive cpu of app.C.m4 <= 1 ms").state, TV_RULE_KEPT);
    numbers_of(4, 4)->unrecorded_ns[1] = 5000000;
    assert_int_equal(judge("exclusive cpu of app.C.m4 <= 1 ms").state, TV_RULE_NO_DATA);
}

static void a_clock_that_went_backwards_keeps_no_limit_of_cpu_time(void **state)
{
    (void)state;
    struct tv_changes_opts opts = opts_of();
    make_join();
    opts.fell_back[TV_SIDE_OLD] = true;
    assert_int_equal(judge_by("cpu of app.C.m4 <= 11 ms", opts).state, TV_RULE_KEPT);
    assert_int_equal(judge_by("cpu of app.C.m4 grows <= 10 % and 1 ms", opts).state,
                     TV_RULE_NO_DATA);
    opts.fell_back[TV_SIDE_NEW] = true;
    struct tv_rule_verdict verdict = judge_by("cpu of app.C.m4 <= 11 ms", opts);
    assert_int_equal(verdict.state, TV_RULE_NO_DATA);
    assert_string_equal(
        verdict.reason,
        "a clock of a recording went backwards, or too far, so its CPU times may be too short");
    assert_int_equal(judge_by("cpu of app.C.m4 <= 9 ms", opts).state, TV_RULE_BROKEN);
    assert_int_equal(judge_by("wall of app.C.m4 <= 11 ms", opts).state, TV_RULE_KEPT);
    assert_int_equal(judge_by("calls of app.C.m4 in 5", opts).state, TV_RULE_KEPT);
}

/* A time of what was not lost is at most that of the program, so it breaks a limit, and keeps none.
 */
static void what_was_lost_keeps_no_limit_of_time(void **state)
{
    (void)state;
    struct tv_changes_opts opts = opts_of();
    struct question allowed_alone = {.rules = "time of app.C.m29 <= 1 ms\n"
                                              "allow app.C.* until 2026-12-01 because a"};
    make_join();
    opts.no_counts[TV_SIDE_NEW] = true;
    assert_int_equal(judge_by("time of app.C.m4 <= 11 ms", opts).state, TV_RULE_KEPT);
    assert_true(judge_by("time of app.C.nobody <= 1 ms", opts).is_absent);
    assert_false(judge_by("no calls of app.C.nobody", opts).is_absent); /* samples may miss it */
    opts.lost_data[TV_SIDE_NEW] = true;
    struct tv_rule_verdict verdict = judge_by("time of app.C.m4 <= 11 ms", opts);
    assert_int_equal(verdict.state, TV_RULE_NO_DATA);
    assert_string_equal(
        verdict.reason,
        "a recording has lost data, or has none, so its times are not those of the program");
    verdict = judge_by("time of app.C.m4 <= 9 ms", opts);
    assert_true(verdict.state == TV_RULE_BROKEN && verdict.is > 9000000);
    verdict = judge_by("time of app.C.nobody <= 9 ms", opts);
    assert_true(verdict.state == TV_RULE_NO_DATA && !verdict.is_absent);
    assert_string_equal(verdict.reason, "no method has this name");
    /* Of what is not allowed nothing is known. */
    allowed_alone.opts = opts;
    assert_int_equal(judge_with(tv_alloc_libc(), &allowed_alone), TV_OK);
    assert_int_equal(allowed_alone.verdicts[0].state, TV_RULE_NO_DATA);
    assert_int_equal(allowed_alone.allow_line, 0);
}

/* What was recorded breaks a rule, and what was not may: nothing is kept. */
static void a_part_of_the_calls_breaks_rules_and_keeps_none(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        enum tv_rule_state state, left_out;
    } cases[] = {{"calls of app.C.m4 in 5", TV_RULE_NO_DATA, TV_RULE_NO_DATA},
                 {"calls of app.C.m4 in 0..4", TV_RULE_BROKEN, TV_RULE_BROKEN},
                 {"calls of app.C.m4 in 6..9", TV_RULE_NO_DATA, TV_RULE_NO_DATA},
                 {"calls of app.C.nobody in 6..9", TV_RULE_NO_DATA, TV_RULE_NO_DATA},
                 {"no calls of app.C.m4", TV_RULE_BROKEN, TV_RULE_BROKEN},
                 {"no calls of app.C.nobody", TV_RULE_NO_DATA, TV_RULE_NO_DATA},
                 {"calls growth <= 10 %", TV_RULE_NO_DATA, TV_RULE_NO_DATA},
                 {"cpu of app.C.m4 <= 11 ms", TV_RULE_NO_DATA, TV_RULE_NO_DATA},
                 {"cpu of app.C.m4 <= 9 ms", TV_RULE_BROKEN, TV_RULE_BROKEN},
                 {"cpu of app.C.m4 grows <= 10 % and 1 ms", TV_RULE_NO_DATA, TV_RULE_NO_DATA}};
    struct tv_changes_opts opts = opts_of();
    make_join();
    opts.no_counts[TV_SIDE_NEW] = opts.counts_least[TV_SIDE_NEW] = true;
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        opts.lost_data[TV_SIDE_NEW] = true;
        opts.left_out[TV_SIDE_NEW] = false;
        const struct tv_rule_verdict verdict = judge_by(cases[i].rule, opts);
        assert_int_equal(verdict.state, cases[i].state);
        assert_false(verdict.is_absent);
        opts.lost_data[TV_SIDE_NEW] = false;
        opts.left_out[TV_SIDE_NEW] = true;
        assert_int_equal(judge_by(cases[i].rule, opts).state, cases[i].left_out);
    }
    assert_string_equal(judge_by("no calls of app.C.nobody", opts).reason,
                        "the counts of a recording are not those of the program");
}

/* What is not there was left out, or may have been; what is there is so with all of its calls. */
static void what_was_left_out_by_name_keeps_no_rule_of_calls(void **state)
{
    (void)state;
    static struct tv_joined_method method;
    static struct tv_method_row rows[RUNS];
    const struct tv_join left_out = {
        .methods = &method, .count = 1, .run_count = RUNS, .numbers = rows};
    static const struct {
        const char *rule;
        enum tv_rule_state by_name, any, boot;
    } cases[] = {{"no calls of app.D.gone", TV_RULE_NO_DATA, TV_RULE_NO_DATA, TV_RULE_KEPT},
                 {"calls of app.D.* in 0..5", TV_RULE_NO_DATA, TV_RULE_NO_DATA, TV_RULE_KEPT},
                 {"no calls of app.D.other", TV_RULE_KEPT, TV_RULE_NO_DATA, TV_RULE_KEPT},
                 {"no calls of java.io.*", TV_RULE_KEPT, TV_RULE_NO_DATA, TV_RULE_NO_DATA},
                 {"no calls of *.exists", TV_RULE_KEPT, TV_RULE_NO_DATA, TV_RULE_NO_DATA},
                 {"no calls of app.C.m4", TV_RULE_BROKEN, TV_RULE_BROKEN, TV_RULE_BROKEN},
                 {"calls of app.C.m4 in 5", TV_RULE_KEPT, TV_RULE_KEPT, TV_RULE_KEPT},
                 {"cpu of app.C.m4 <= 11 ms", TV_RULE_KEPT, TV_RULE_KEPT, TV_RULE_KEPT}};
    make_join();
    method.class_name.stem = TV_STR("app.D");
    method.name.stem = TV_STR("gone");
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        for (unsigned is_new = 0; is_new < 2; is_new++) {
            struct question question = {
                .rules = cases[i].rule, .opts = opts_of(), .left_out = &left_out};
            memset(rows, 0, sizeof(rows));
            rows[is_new ? RUNS - 1 : 0].numbers.calls = 1;
            assert_int_equal(judge_with(tv_alloc_libc(), &question), TV_OK);
            assert_int_equal(question.verdicts[0].state,
                             is_new || cases[i].by_name == TV_RULE_BROKEN ? cases[i].by_name
                                                                          : TV_RULE_KEPT);
            question.left_out = NULL;
            question.left_out_any = is_new ? RUNS : 1;
            assert_int_equal(judge_with(tv_alloc_libc(), &question), TV_OK);
            assert_int_equal(question.verdicts[0].state, is_new || cases[i].any == TV_RULE_BROKEN
                                                             ? cases[i].any
                                                             : TV_RULE_KEPT);
            question.left_out_any = 0;
            question.left_out_boot = RUNS;
            assert_int_equal(judge_with(tv_alloc_libc(), &question), TV_OK);
            assert_int_equal(question.verdicts[0].state, cases[i].boot);
        }
    }
}

/* What runs inside another method is called unseen; what is recorded breaks a rule all the same. A
 * growth is of both sides. */
static void what_was_inlined_keeps_no_rule(void **state)
{
    (void)state;
    static struct tv_joined_method method;
    static struct tv_method_row rows[RUNS];
    const struct tv_join inlined = {
        .methods = &method, .count = 1, .run_count = RUNS, .numbers = rows};
    static const struct {
        const char *name, *rule;
        enum tv_rule_state of_new, of_old;
    } cases[] = {
        {"gone", "no calls of app.C.gone", TV_RULE_NO_DATA, TV_RULE_KEPT},
        {"gone", "no calls of app.C.g*", TV_RULE_NO_DATA, TV_RULE_KEPT},
        {"gone", "no calls of app.C.other", TV_RULE_KEPT, TV_RULE_KEPT},
        {"m4", "no calls of app.C.m4", TV_RULE_BROKEN, TV_RULE_BROKEN},
        {"m4", "calls of app.C.m4 in 5", TV_RULE_NO_DATA, TV_RULE_KEPT},
        {"m4", "calls of app.C.m4 in 0..4", TV_RULE_BROKEN, TV_RULE_BROKEN},
        {"m4", "calls of app.C.m4 in 6", TV_RULE_NO_DATA, TV_RULE_BROKEN},
        {"m4", "cpu of app.C.m4 <= 11 ms", TV_RULE_NO_DATA, TV_RULE_KEPT},
        {"m4", "cpu of app.C.m* <= 1 s", TV_RULE_KEPT, TV_RULE_KEPT},
        {"m4", "cpu of app.C.m4 <= 1 ms", TV_RULE_BROKEN, TV_RULE_BROKEN},
        {"m4", "cpu of app.C.m4 grows <= 500 % and 1 ms", TV_RULE_NO_DATA, TV_RULE_NO_DATA}};
    make_join();
    method.class_name.stem = TV_STR("app.C");
    method.inlined_into = TV_STR("app.C.m5");
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        method.name.stem = tv_str_from(cases[i].name);
        for (unsigned is_new = 0; is_new < 2; is_new++) {
            struct question question = {
                .rules = cases[i].rule, .opts = opts_of(), .inlined = &inlined};
            memset(rows, 0, sizeof(rows));
            rows[is_new ? RUNS - 1 : 0].numbers.calls = 7;
            assert_int_equal(judge_with(tv_alloc_libc(), &question), TV_OK);
            const enum tv_rule_state told = is_new ? cases[i].of_new : cases[i].of_old;
            assert_int_equal(question.verdicts[0].state, told);
            assert_int_equal(question.verdicts[0].inlined_calls, told == TV_RULE_NO_DATA ? 7 : 0);
        }
    }
}

/* A rule of the new runs alone is judged whatever an old one lacks. */
static void what_an_old_run_lacks_is_no_matter_to_new_ones(void **state)
{
    (void)state;
    struct tv_changes_opts opts = opts_of();
    make_join();
    opts.no_counts[TV_SIDE_OLD] = opts.lost_data[TV_SIDE_OLD] = true;
    opts.fell_back[TV_SIDE_OLD] = opts.odd_wall[TV_SIDE_OLD] = true;
    made.clocks.lacks[TV_CLOCK_CPU] = true;
    assert_int_equal(judge_by("calls of app.C.m4 in 5", opts).state, TV_RULE_KEPT);
    assert_int_equal(judge_by("no calls of app.C.nobody", opts).state, TV_RULE_KEPT);
    assert_int_equal(judge_by("cpu of app.C.m4 <= 11 ms", opts).state, TV_RULE_KEPT);
    assert_int_equal(judge_by("cpu of app.C.m4 <= 9 ms", opts).state, TV_RULE_BROKEN);
    assert_int_equal(judge_by("wall of app.C.m4 <= 11 ms", opts).state, TV_RULE_KEPT);
    assert_int_equal(judge_by("calls growth <= 2 %", opts).state, TV_RULE_NO_DATA);
    assert_int_equal(judge_by("cpu of app.C.m4 grows <= 9 % and 1 ms", opts).state,
                     TV_RULE_NO_DATA);
    assert_int_equal(judge_by("wall of app.C.m4 grows <= 9 % and 1 ms", opts).state,
                     TV_RULE_NO_DATA);
}

/* Wall times of a thousandth are above a limit only where those of the program are. */
static void odd_wall_times_keep_no_rule_of_them(void **state)
{
    (void)state;
    struct tv_changes_opts opts = opts_of();
    make_join();
    for (unsigned run = 0; run < RUNS; run++)
        numbers_of(4, run)->inclusive_ns[TV_CLOCK_WALL] = 10000000;
    opts.odd_wall[TV_SIDE_NEW] = true;
    struct tv_rule_verdict verdict = judge_by("wall of app.C.m4 <= 11 ms", opts);
    assert_int_equal(verdict.state, TV_RULE_NO_DATA);
    assert_string_equal(verdict.reason,
                        "wall times of a recording are less than they were: 'traceview check' "
                        "tells why");
    assert_int_equal(judge_by("wall of app.C.m4 <= 9 ms", opts).state, TV_RULE_BROKEN);
    assert_ptr_equal(judge_by("wall of app.C.m4 grows <= 9 % and 1 ms", opts).reason,
                     verdict.reason);
    assert_int_equal(judge_by("cpu of app.C.m4 <= 11 ms", opts).state, TV_RULE_KEPT);
    assert_int_equal(judge_by("cpu of app.C.m4 grows <= 9 % and 1 ms", opts).state, TV_RULE_KEPT);
}

static void what_was_lost_keeps_no_growth_of_time(void **state)
{
    (void)state;
    const char *const rule = "time of app.C.m9 grows <= 10 % and 1 ms";
    struct tv_changes_opts opts = opts_of();
    make_join();
    opts.lost_data[TV_SIDE_NEW] = true;
    assert_int_equal(judge(rule).state, TV_RULE_KEPT);
    assert_int_equal(judge_by(rule, opts).state, TV_RULE_NO_DATA);
    /* It grew by 7 % while all others took half: beside the median method it doubled. */
    for (unsigned run = 0; run < 3; run++)
        for (unsigned m = 0; m < METHODS; m++)
            numbers_of(m, run)->exclusive_ns[TV_CLOCK_CPU] =
                numbers_of(m, run)->inclusive_ns[TV_CLOCK_CPU];
    for (unsigned run = 3; run < RUNS; run++) {
        numbers_of(9, run)->inclusive_ns[TV_CLOCK_CPU] += 1400000;
        for (unsigned m = 0; m < METHODS; m++) {
            numbers_of(m, run)->inclusive_ns[TV_CLOCK_CPU] /= m == 9 ? 1 : 2;
            numbers_of(m, run)->exclusive_ns[TV_CLOCK_CPU] =
                numbers_of(m, run)->inclusive_ns[TV_CLOCK_CPU];
        }
    }
    assert_int_equal(judge(rule).state, TV_RULE_BROKEN);
    assert_int_equal(judge_by(rule, opts).state, TV_RULE_NO_DATA);
    /* It grew although data was lost. */
    for (unsigned run = 3; run < RUNS; run++)
        numbers_of(9, run)->inclusive_ns[TV_CLOCK_CPU] += 8000000;
    assert_int_equal(judge_by(rule, opts).state, TV_RULE_BROKEN);
    opts.lost_data[TV_SIDE_OLD] = true;
    assert_int_equal(judge_by(rule, opts).state, TV_RULE_NO_DATA);
    opts.lost_data[TV_SIDE_NEW] = false;
    assert_int_equal(judge_by(rule, opts).state, TV_RULE_NO_DATA);
}

/* m4, with 5 calls of 2 ms, and m5, which has grown by 3 ms, may be other methods, and m29 is one
 * of two that a rule names both. */
static void a_method_that_may_be_another_one_keeps_no_rule(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        enum tv_rule_state state;
    } cases[] = {
        {"no calls of app.D.pay", TV_RULE_NO_DATA},
        {"no calls of app.C.m4", TV_RULE_NO_DATA},
        {"no calls of app.*.x*", TV_RULE_BROKEN},
        {"calls of app.D.pay in 0", TV_RULE_NO_DATA},
        {"calls of app.D.pay in 0..5", TV_RULE_KEPT},
        {"calls of app.D.pay in 6", TV_RULE_BROKEN},
        {"calls of app.C.m* in 435", TV_RULE_NO_DATA},
        {"calls of app.C.m* in 1..10", TV_RULE_BROKEN},
        {"time of app.D.pay <= 9 ms", TV_RULE_NO_DATA},
        {"time of app.D.pay <= 11 ms", TV_RULE_KEPT},
        {"time of app.C.m* <= 20 ms", TV_RULE_BROKEN},
        {"time of app.D.pay grows <= 1 % and 1 ms", TV_RULE_NO_DATA},
        {"time of app.C.m* grows <= 1 % and 1 ms", TV_RULE_NO_DATA},
        {"time of app.C.m* grows <= 1 % and 9 ms", TV_RULE_KEPT},
        {"time of app.D.nobody <= 9 ms", TV_RULE_NO_DATA},
        {"no calls of app.D.nobody", TV_RULE_KEPT},
    };
    static const struct {
        const char *rule;
        enum tv_rule_state state;
    } of_open[] = {
        {"no calls of app.D.nobody", TV_RULE_NO_DATA},
        {"no calls of app.C.m6", TV_RULE_BROKEN},
        {"calls of app.C.m6 in 7", TV_RULE_NO_DATA},
        {"calls of app.C.m6 in 7..12", TV_RULE_KEPT},
        {"calls of app.C.m6 in 13", TV_RULE_BROKEN},
        {"time of app.C.m3 <= 9 ms", TV_RULE_NO_DATA},
        {"time of app.C.m3 <= 11 ms", TV_RULE_KEPT},
        {"time of app.D.nobody <= 11 ms", TV_RULE_NO_DATA},
    };
    make_join();
    made.methods[4].name.stem = TV_STR("m4 | app.D.pay");
    made.methods[4].alternatives = made.methods[4].name.stem;
    made.methods[29].name.stem = TV_STR("x29 | app.D.x30");
    made.methods[29].alternatives = made.methods[29].name.stem;
    made.methods[5].name.stem = TV_STR("m5 | app.D.m5");
    made.methods[5].alternatives = made.methods[5].name.stem;
    for (unsigned run = 3; run < RUNS; run++)
        numbers_of(5, run)->inclusive_ns[TV_CLOCK_CPU] += 3000000;
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct tv_rule_verdict verdict = judge(cases[i].rule);
        if (verdict.state != cases[i].state)
            fail_msg("%s: %s", cases[i].rule, tv_rule_state_words[verdict.state]);
    }
    assert_false(judge("calls of app.D.pay in 0").is_absent);
    /* It is called, by a name that lists it. */
    assert_string_equal(judge("time of app.D.pay grows <= 9 % and 1 ms").reason,
                        "a mapping gives a method several names, and this may be one of them");
    /* The list of m4 is not complete. */
    make_join();
    made.methods[4].name.stem = TV_STR("m4 | more");
    made.methods[4].alternatives = made.methods[4].name.stem;
    for (size_t i = 0; i < TV_COUNT_OF(of_open); i++) {
        struct tv_rule_verdict verdict = judge(of_open[i].rule);
        if (verdict.state != of_open[i].state)
            fail_msg("%s: %s", of_open[i].rule, tv_rule_state_words[verdict.state]);
    }
    assert_int_equal(judge("calls of app.C.m6 in 13").broken, 1);
    assert_false(judge("calls of app.D.nobody in 1").is_absent);
}

/* A rule may be about a method that is not looked at: of its calls no more is known than how many
 * there are in all. */
/* A method without a name, and an exit without its enter, may be of any name. */
static void calls_without_a_method_keep_no_rule_of_calls(void **state)
{
    static const struct {
        const char *rule;
        enum tv_rule_state state;
    } cases[] = {
        {"no calls of java.io.*", TV_RULE_NO_DATA},
        {"calls of java.io.* in 0..7", TV_RULE_KEPT},
        {"calls of java.io.* in 0..6", TV_RULE_NO_DATA},
        {"calls of app.C.m4 in 5..12", TV_RULE_KEPT},
        {"calls of app.C.m4 in 5", TV_RULE_NO_DATA},
        {"calls of app.C.m4 in 12", TV_RULE_NO_DATA},
        {"calls of app.C.m4 in 13", TV_RULE_BROKEN},
        {"no calls of app.C.m4", TV_RULE_BROKEN},
    };
    uint64_t missing[RUNS] = {0, 99, 0, 7, 7, 7};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct question question = {
            .rules = cases[i].rule, .opts = opts_of(), .missing_calls = missing};
        make_join();
        assert_int_equal(judge_with(tv_alloc_libc(), &question), TV_OK);
        assert_int_equal(question.verdicts[0].state, cases[i].state);
        question.missing_calls = NULL;
        made.methods[6].is_nameless = true; /* 7 calls */
        made.methods[6].class_name.stem = TV_STR("(0x8)");
        made.methods[6].name.stem = made.methods[6].signature = TV_STR("");
        assert_int_equal(judge_with(tv_alloc_libc(), &question), TV_OK);
        assert_int_equal(question.verdicts[0].state, cases[i].state);
    }
    assert_int_equal(judge("calls of * in 465").state, TV_RULE_KEPT);
}

static void methods_that_are_not_looked_at_keep_no_rule(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        enum tv_rule_state state;
    } cases[] = {
        {"no calls of app.C.nobody", TV_RULE_NO_DATA},
        {"no calls of app.C.m4", TV_RULE_BROKEN},
        {"calls of app.C.m4 in 0..6", TV_RULE_NO_DATA},
        {"calls of app.C.m4 in 0..7", TV_RULE_KEPT},
        {"calls of app.C.m4 in 5..99", TV_RULE_KEPT},
        {"calls of app.C.m4 in 7..99", TV_RULE_NO_DATA},
        {"calls of app.C.m4 in 8..99", TV_RULE_BROKEN},
        {"calls of app.C.m4 in 5", TV_RULE_NO_DATA},
        {"time of app.C.m4 <= 11 ms", TV_RULE_NO_DATA},
        {"time of app.C.m4 <= 9 ms", TV_RULE_BROKEN},
        {"time of app.C.nobody <= 9 ms", TV_RULE_NO_DATA},
        {"time of app.C.m9 grows <= 10 % and 1 ms", TV_RULE_NO_DATA},
        /* 465 calls became 467. */
        {"calls growth <= 0.3 %", TV_RULE_BROKEN},
        {"calls growth <= 0.5 %", TV_RULE_KEPT},
    };
    uint64_t cut_calls[RUNS] = {0, 0, 0, 2, 2, 2};
    make_join();
    made.join.cut_calls = cut_calls;
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        const struct tv_rule_verdict verdict = judge(cases[i].rule);
        if (verdict.state != cases[i].state)
            fail_msg("%s is %s", cases[i].rule, tv_rule_state_words[verdict.state]);
        assert_true(!verdict.is_absent);
    }
    assert_string_equal(
        judge("no calls of app.C.nobody").reason,
        "a recording has more methods than are looked at, and this may be about one of the others");
    /* What is not allowed may be among them. */
    allowed("no calls of app.C.m4\nallow app.C.* until 2026-12-01 because a", TV_RULE_NO_DATA, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_without_a_method_keep_no_rule_of_calls),
        cmocka_unit_test(methods_that_are_not_looked_at_keep_no_rule),
        cmocka_unit_test(calls_are_those_of_every_new_run),
        cmocka_unit_test(a_method_that_may_be_another_one_keeps_no_rule),
        cmocka_unit_test(recursive_calls_are_calls),
        cmocka_unit_test(growth_of_calls_is_of_all),
        cmocka_unit_test(a_limit_is_of_each_method),
        cmocka_unit_test(a_growth_has_a_ratio_a_floor_and_a_test),
        cmocka_unit_test(a_growth_that_the_machine_hides_is_a_warning),
        cmocka_unit_test(a_growth_that_may_be_chance_breaks_nothing),
        cmocka_unit_test(a_growth_that_cannot_be_tested_is_no_data),
        cmocka_unit_test(a_growth_has_its_floor_beside_the_machine),
        cmocka_unit_test(a_clock_that_some_lack_is_no_data),
        cmocka_unit_test(what_is_short_on_both_sides_keeps_a_growth),
        cmocka_unit_test(times_of_single_calls_are_those_of_runs_with_a_call),
        cmocka_unit_test(a_call_that_began_before_keeps_no_limit),
        cmocka_unit_test(a_call_that_is_open_keeps_no_limit_of_wall_time),
        cmocka_unit_test(no_data_has_its_reason),
        cmocka_unit_test(wall_time_warns_unless_the_rule_says_otherwise),
        cmocka_unit_test(what_a_rule_says_of_its_time_goes_first),
        cmocka_unit_test(a_rule_may_ask_for_more_runs),
        cmocka_unit_test(a_class_is_no_method_that_is_not_called),
        cmocka_unit_test(a_name_without_its_package_is_no_method_that_is_not_called),
        cmocka_unit_test(without_an_old_side_growths_are_left_out),
        cmocka_unit_test(a_thread_that_no_run_has_is_no_data),
        cmocka_unit_test(a_method_of_other_threads_is_told),
        cmocka_unit_test(a_thread_of_the_other_side_alone_is_no_data),
        cmocka_unit_test(a_thread_that_may_be_one_without_a_name_is_no_data),
        cmocka_unit_test(growth_of_calls_is_of_its_thread),
        cmocka_unit_test(only_allowed_methods_break_a_rule_until_a_day),
        cmocka_unit_test(too_few_calls_have_no_method_of_their_own),
        cmocka_unit_test(growths_of_one_test_have_families_of_their_own),
        cmocka_unit_test(rules_that_nobody_waits_for_are_not_judged),
        cmocka_unit_test(every_failed_allocation_is_told),
        cmocka_unit_test(growths_of_other_processors_have_no_data),
        cmocka_unit_test(a_cpu_clock_that_never_moves_keeps_no_limit),
        cmocka_unit_test(an_open_call_keeps_no_limit_that_it_may_break),
        cmocka_unit_test(a_clock_that_went_backwards_keeps_no_limit_of_cpu_time),
        cmocka_unit_test(what_was_lost_keeps_no_limit_of_time),
        cmocka_unit_test(a_part_of_the_calls_breaks_rules_and_keeps_none),
        cmocka_unit_test(what_was_left_out_by_name_keeps_no_rule_of_calls),
        cmocka_unit_test(what_was_inlined_keeps_no_rule),
        cmocka_unit_test(what_was_lost_keeps_no_growth_of_time),
        cmocka_unit_test(what_an_old_run_lacks_is_no_matter_to_new_ones),
        cmocka_unit_test(odd_wall_times_keep_no_rule_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
