/* The numbers that rules look at of threads, and of single calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare/made.h"
#include "compare/rule/rule_numbers.h"
#include "support/failing_alloc.h"

/* FOO on main for 1, 2, ... 20 us, and on worker once for 100 us. */
static void make_run(struct made *run)
{
    uint32_t at = 10;
    made_begin(run, NULL);
    for (uint32_t i = 1; i <= 20; i++) {
        made_call(run, FOO, at, at + i);
        at += i + 5;
    }
    enter(&run->t, WORKER, FOO, 400);
    leave(&run->t, WORKER, FOO, 500);
    made_end(run);
}

static struct tv_rules read_rules(const char *text)
{
    struct tv_rules rules;
    tv_rules_init(&rules, tv_alloc_libc());
    assert_int_equal(tv_rules_read(&rules, tv_str_from(text), NULL), TV_OK);
    return rules;
}

static enum tv_code add_runs(struct tv_rule_numbers *numbers, const struct tv_rules *rules,
                             const struct made *run)
{
    tv_rule_numbers_begin(numbers, rules, 2);
    TV_TRY(tv_rule_numbers_add(numbers, 0, &run->index, NULL, NULL));
    TV_TRY(tv_rule_numbers_add(numbers, 1, &run->index, NULL, NULL));
    return tv_rule_numbers_finish(numbers, NULL);
}

static void each_number_is_of_its_threads(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        uint64_t calls;
        uint64_t time_ns;
    } cases[] = {
        {"time of * <= 1 ms on thread main", 20, 210000},
        {"time of * <= 1 ms on thread work*", 1, 100000},
        {"time of * <= 1 ms on thread *", 21, 310000},
        {"p50 of * <= 1 ms on thread main", 20, 10000},
        {"p95 of * <= 1 ms on thread main", 20, 19000},
        {"max of * <= 1 ms on thread main", 20, 20000},
        {"max of * <= 1 ms", 21, 100000},
    };
    struct made run;
    make_run(&run);
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct tv_rules rules = read_rules(cases[i].rule);
        struct tv_rule_numbers numbers;
        tv_rule_numbers_init(&numbers, tv_alloc_libc());
        assert_int_equal(add_runs(&numbers, &rules, &run), TV_OK);
        const struct tv_join *join = &numbers.joins[1];
        assert_true(numbers.first_with[1] == 1 && numbers.last_with[1] == 2);
        assert_int_equal(join->count, 1);
        for (size_t k = 0; k < 2; k++) {
            const struct tv_numbers *of = &tv_join_row(join, 0, k)->numbers;
            assert_int_equal(of->calls, cases[i].calls);
            assert_int_equal(of->inclusive_ns[TV_CLOCK_WALL], cases[i].time_ns);
            assert_int_equal(of->inclusive_ns[TV_CLOCK_CPU], cases[i].time_ns);
        }
        tv_rule_numbers_release(&numbers);
        tv_rules_release(&rules);
    }
    made_release(&run);
}

/* A recorder of ours describes what ran, so FOO, BAR or BAZ without a call had some. */
static void what_was_left_out_by_name_is_noted(void **state)
{
    (void)state;
    static const struct {
        const char *properties;
        size_t left_out, any, boot;
    } cases[] = {{"calls-left-out=3\n", 2, 0, 0},
                 {"calls-left-out=3\nshort-calls-left-out=3\n", 0, 0, 0},
                 {"calls-left-out=3\nshort-calls-left-out=1\n", 2, 0, 0},
                 {"calls-left-out=0\n", 0, 0, 0},
                 {"methods-skipped=2\n", 0, 2, 0},
                 {"methods-skipped=0\n", 0, 0, 0},
                 {"classes-left-out=boot\n", 0, 0, 2},
                 {"classes-left-out=boot, chosen\n", 0, 2, 2},
                 {"classes-left-out=chosen\n", 0, 2, 0},
                 {"classes-left-out=boot, failed\n", 0, 2, 2},
                 {"classes-left-out=boot, hidden\n", 0, 2, 2},
                 {NULL, 0, 0, 0}};
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct made run;
        struct tv_rules rules;
        struct tv_rule_numbers numbers;
        made_begin_with(&run, NULL, cases[i].properties);
        made_call(&run, FOO, 490, 500);
        made_end(&run);
        tv_rules_init(&rules, tv_alloc_libc());
        assert_int_equal(tv_rules_read(&rules, TV_STR("no calls of a.B"), NULL), TV_OK);
        tv_rule_numbers_init(&numbers, tv_alloc_libc());
        tv_rule_numbers_begin(&numbers, &rules, 3);
        assert_int_equal(tv_rule_numbers_add(&numbers, 1, &run.index, NULL, NULL), TV_OK);
        assert_int_equal(tv_rule_numbers_finish(&numbers, NULL), TV_OK);
        assert_true(numbers.left_out.count == cases[i].left_out &&
                    numbers.left_out_any == cases[i].any && numbers.left_out_boot == cases[i].boot);
        tv_rule_numbers_release(&numbers);
        tv_rules_release(&rules);
        made_release(&run);
    }
}

/* An exit without its enter above FOO, and a record with action 3, in the second run alone. */
static void calls_that_are_known_to_be_missing_are_counted(void **state)
{
    (void)state;
    struct made runs[2];
    struct tv_rules rules = read_rules("no calls of a.B");
    struct tv_rule_numbers numbers;
    tv_rule_numbers_init(&numbers, tv_alloc_libc());
    tv_rule_numbers_begin(&numbers, &rules, 2);
    for (size_t i = 0; i < 2; i++) {
        made_begin(&runs[i], NULL);
        enter(&runs[i].t, MAIN, FOO, 400);
        if (i)
            leave(&runs[i].t, MAIN, BAR, 410);
        if (i)
            enter(&runs[i].t, MAIN, BAZ | 3, 420);
        leave(&runs[i].t, MAIN, FOO, 500);
        made_end(&runs[i]);
        assert_int_equal(tv_rule_numbers_add(&numbers, i, &runs[i].index, NULL, NULL), TV_OK);
        assert_int_equal(numbers.missing_calls ? numbers.missing_calls[i] : 0, i ? 2 : 0);
    }
    assert_int_equal(numbers.missing_calls[0], 0);
    tv_rule_numbers_release(&numbers);
    tv_rules_release(&rules);
    for (size_t i = 0; i < 2; i++)
        made_release(&runs[i]);
}

/* Thread 9 is not listed: it may be worker, of which there are no records. */
static void a_thread_without_records_may_be_one_that_is_not_listed(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        bool calls_worker;
        size_t unlisted;
    } cases[] = {{"no calls of a.B on thread worker", false, 1},
                 {"no calls of a.B on thread worker", true, 0},
                 {"no calls of a.B on thread main", false, 0}};
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct made run;
        struct tv_rules rules = read_rules(cases[i].rule);
        struct tv_rule_numbers numbers;
        made_begin(&run, NULL);
        made_call(&run, FOO, 10, 20);
        enter(&run.t, 9, FOO, 30);
        leave(&run.t, 9, FOO, 40);
        if (cases[i].calls_worker)
            enter(&run.t, WORKER, FOO, 50);
        made_end(&run);
        tv_rule_numbers_init(&numbers, tv_alloc_libc());
        tv_rule_numbers_begin(&numbers, &rules, 1);
        assert_int_equal(tv_rule_numbers_add(&numbers, 0, &run.index, NULL, NULL), TV_OK);
        assert_int_equal(numbers.last_with[1], 1);
        assert_int_equal(numbers.last_unlisted[1], cases[i].unlisted);
        tv_rule_numbers_release(&numbers);
        tv_rules_release(&rules);
        made_release(&run);
    }
}

/* Of worker's open call 100 us are not recorded; main has none. */
static void what_is_not_recorded_is_of_its_threads(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        uint64_t unrecorded_ns;
    } cases[] = {
        {"p50 of * <= 1 ms on thread main", 0},
        {"max of * <= 1 ms on thread work*", 100000},
        {"p95 of * <= 1 ms", 100000},
        {"time of * <= 1 ms on thread main", 0},
        {"time of * <= 1 ms on thread work*", 100000},
    };
    struct made run;
    made_begin(&run, NULL);
    enter(&run.t, WORKER, FOO, 400);
    made_call(&run, FOO, 490, 500);
    made_end(&run);
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct tv_rules rules = read_rules(cases[i].rule);
        struct tv_rule_numbers numbers;
        tv_rule_numbers_init(&numbers, tv_alloc_libc());
        assert_int_equal(add_runs(&numbers, &rules, &run), TV_OK);
        for (size_t k = 0; k < 2; k++)
            assert_int_equal(tv_join_row(&numbers.joins[1], 0, k)->numbers.unrecorded_ns[0],
                             cases[i].unrecorded_ns);
        tv_rule_numbers_release(&numbers);
        tv_rules_release(&rules);
    }
    made_release(&run);
}

static const char all_about[] = "p50 of * <= 1 ms on thread main\n"
                                "no calls of a on thread nobody\n"
                                "cpu of * <= 1 ms on thread main\n"
                                "max of * <= 1 ms\n";

/* Two methods of one name: five calls of 10 to 14 us of one, two of 90 and 20 us of the other, the
 * last with a call of the first inside. A third method has another name. */
static void methods_of_one_name_have_one_number(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        uint64_t calls;
        uint64_t time_ns;
    } cases[] = {
        {"p50 of a.B.run <= 1 ms", 8, 12000},
        {"p95 of a.B.run <= 1 ms", 8, 90000},
        {"max of a.B.run <= 1 ms", 8, 90000},
        {"max of a.B.run <= 1 ms on thread main", 8, 90000},
        {"time of a.B.run <= 1 ms on thread main", 8, 170000},
    };
    struct made run;
    made_begin(&run, "0x4\ta.B\trun\t()V\tB.java\n0x8\ta.B\trun\t()V\tB.java\n"
                     "0xc\ta.B\tother\t()V\tB.java\n");
    for (uint32_t i = 0; i < 5; i++)
        made_call(&run, 0x4, 100 + i * 20, 110 + i * 21);
    made_call(&run, 0xc, 300, 399);
    made_call(&run, 0x8, 400, 490);
    enter(&run.t, MAIN, 0x8, 500);
    enter(&run.t, MAIN, 0x4, 505);
    leave(&run.t, MAIN, 0x4, 506);
    leave(&run.t, MAIN, 0x8, 520);
    made_end(&run);
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct tv_rules rules = read_rules(cases[i].rule);
        struct tv_rule_numbers numbers;
        tv_rule_numbers_init(&numbers, tv_alloc_libc());
        assert_int_equal(add_runs(&numbers, &rules, &run), TV_OK);
        const struct tv_join *join = &numbers.joins[1];
        assert_int_equal(join->count, 2);
        for (size_t k = 0; k < 2; k++) {
            assert_int_equal(tv_join_calls(join, 1, k), cases[i].calls);
            assert_int_equal(tv_join_row(join, 0, k)->numbers.calls, 1);
            assert_int_equal(tv_join_row(join, 1, k)->numbers.inclusive_ns[TV_CLOCK_WALL],
                             cases[i].time_ns);
        }
        tv_rule_numbers_release(&numbers);
        tv_rules_release(&rules);
    }
    made_release(&run);
}

static void a_thread_that_is_not_there_has_no_numbers(void **state)
{
    (void)state;
    struct made run;
    struct tv_rule_numbers numbers;
    struct tv_rules rules = read_rules(all_about);
    make_run(&run);
    tv_rule_numbers_init(&numbers, tv_alloc_libc());
    assert_int_equal(add_runs(&numbers, &rules, &run), TV_OK);
    assert_int_equal(rules.about_count, 5);
    assert_true(numbers.first_with[2] == 0 && numbers.last_with[2] == 0 &&
                numbers.joins[2].count == 0);
    assert_true(numbers.first_with[1] == 1 && numbers.last_with[1] == 2 &&
                numbers.joins[1].count == 1);
    assert_true(numbers.last_with[3] == 2 && numbers.joins[3].count == 1);
    assert_true(numbers.last_with[4] == 2 && numbers.joins[4].count == 1);
    tv_rule_numbers_release(&numbers);
    tv_rules_release(&rules);
    made_release(&run);
}

static enum tv_code make_with(const struct tv_alloc *alloc, void *ctx)
{
    struct tv_rule_numbers numbers;
    struct tv_rules rules = read_rules(all_about);
    tv_rule_numbers_init(&numbers, alloc);
    enum tv_code code = add_runs(&numbers, &rules, ctx);
    tv_rule_numbers_release(&numbers);
    tv_rules_release(&rules);
    return code;
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    struct made run;
    make_run(&run);
    assert_true(failing_alloc_each(make_with, &run) > 20);
    made_release(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_number_is_of_its_threads),
        cmocka_unit_test(what_was_left_out_by_name_is_noted),
        cmocka_unit_test(calls_that_are_known_to_be_missing_are_counted),
        cmocka_unit_test(a_thread_without_records_may_be_one_that_is_not_listed),
        cmocka_unit_test(what_is_not_recorded_is_of_its_threads),
        cmocka_unit_test(methods_of_one_name_have_one_number),
        cmocka_unit_test(a_thread_that_is_not_there_has_no_numbers),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
