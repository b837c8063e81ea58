/* Rules that recordings teach. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "compare/rule/rule.h"
#include "compare/rule/rule_learn.h"
#include "support/failing_alloc.h"

#define RUNS 5u
#define STR(literal)                                                                               \
    {                                                                                              \
        (literal), sizeof(literal) - 1                                                             \
    }

static struct tv_joined_method methods[] = {
    {.class_name = {STR("a.B"), false}, .name = {STR("draw"), false}, .signature = STR("()V")},
    {.class_name = {STR("a.B"), false}, .name = {STR("load"), false}, .signature = STR("(I)V")},
    {.class_name = {STR("a.B"), false}, .name = {STR("load"), false}, .signature = STR("(J)V")},
    {.class_name = {STR("a.C"), false}, .name = {STR("poll"), false}},
};
static struct tv_method_row numbers[TV_COUNT_OF(methods) * RUNS];
static struct tv_join join = {
    .methods = methods, .count = TV_COUNT_OF(methods), .run_count = RUNS, .numbers = numbers};

static void set(unsigned method, unsigned run, uint64_t calls, uint64_t time_us)
{
    struct tv_method_row *row = &numbers[method * RUNS + run];
    *row = (struct tv_method_row){.numbers = {.calls = calls}};
    row->numbers.inclusive_ns[TV_CLOCK_CPU] = time_us * 1000;
}

/* draw is stable, load (I)V varies in time, load (J)V is short, poll varies in calls. */
static void make_runs(void)
{
    static const uint64_t load_us[RUNS] = {20000, 21000, 30000, 20500, 20100};
    static const uint64_t polls[RUNS] = {3, 4, 3, 4, 9};
    for (unsigned run = 0; run < RUNS; run++) {
        set(0, run, 12, 34712 + run);
        set(1, run, 2, load_us[run]);
        set(2, run, 7, 900);
        set(3, run, polls[run], 10);
    }
    join.run_count = RUNS;
}

static const struct tv_learn_opts opts = {
    .clock = TV_CLOCK_CPU, .method_count = 10, .margin = 0.25, .least_ns = 1000000};

static struct tv_learned learn(const struct tv_learn_opts *by)
{
    struct tv_learned learned;
    tv_learned_init(&learned, tv_alloc_libc());
    assert_int_equal(tv_learn(&learned, &join, by, NULL), TV_OK);
    return learned;
}

/* No gate keeps a limit of wall time there. */
static void an_open_call_has_no_limit_of_wall_time(void **state)
{
    (void)state;
    struct tv_learn_opts by = opts;
    by.clock = TV_CLOCK_WALL;
    make_runs();
    for (unsigned run = 0; run < RUNS; run++)
        numbers[run].numbers.inclusive_ns[TV_CLOCK_WALL] = 50000000;
    struct tv_learned learned = learn(&by);
    assert_true(learned.count == 5 && learned.of[1].is_time);
    tv_learned_release(&learned);
    numbers[2].numbers.open_calls = 1;
    learned = learn(&by);
    assert_true(learned.count == 4 && !learned.of[1].is_time);
    tv_learned_release(&learned);
    numbers[2].numbers.open_calls = 0;
    numbers[2].numbers.adopting_calls = 1;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        by.clock = (enum tv_clock)clock;
        learned = learn(&by);
        for (size_t i = 0; i < learned.count; i++)
            assert_false(learned.of[i].is_time && learned.of[i].method == 0);
        tv_learned_release(&learned);
    }
}

static void the_longest_methods_have_rules_of_calls_and_of_time(void **state)
{
    (void)state;
    make_runs();
    struct tv_learned learned = learn(&opts);
    const struct tv_learned_rule *of = learned.of;
    assert_int_equal(learned.count, 6);
    assert_true(of[0].method == 0 && !of[0].is_time && of[0].most_calls == 12);
    assert_int_equal(of[0].least_calls, 12);
    assert_true(of[1].is_time && of[1].time_ns == 44000000); /* 34.716 ms and a quarter */
    assert_true(of[2].method == 1 && of[2].is_whole && !of[0].is_whole);
    assert_true(of[3].is_time && of[3].time_ns == 38000000);
    assert_true(of[4].method == 2 && !of[4].is_time); /* too short for a limit */
    assert_true(of[5].method == 3 && of[5].least_calls == 0 && of[5].most_calls == 15);
    assert_int_equal(learned.unnamed, 0);
    tv_learned_release(&learned);
    struct tv_learn_opts few = opts;
    few.method_count = 1;
    learned = learn(&few);
    assert_int_equal(learned.count, 2);
    tv_learned_release(&learned);
}

/* 30 ms is over 21 ms and a quarter; 9 polls are over 4 and the width of 3 to 4. */
static void a_run_is_held_against_what_the_others_teach(void **state)
{
    (void)state;
    make_runs();
    struct tv_learned learned = learn(&opts);
    static const size_t cried[] = {0, 0, 0, 1, 0, 1};
    for (size_t i = 0; i < TV_COUNT_OF(cried); i++)
        assert_int_equal(learned.of[i].cried, cried[i]);
    assert_true(learned.crying == 2 && learned.runs_crying == 2);
    tv_learned_release(&learned);
    join.run_count = 1;
    learned = learn(&opts);
    assert_true(!learned.crying && !learned.runs_crying);
    tv_learned_release(&learned);
}

/* What is learned of hostile names is read as a rule of that very name. */
static void every_name_is_a_pattern(void **state)
{
    (void)state;
    static const char *const names[] = {"a on thread main",
                                        "a in 3",
                                        "a <= 1 ms",
                                        "a\nno calls of b",
                                        "#",
                                        "a grows",
                                        "\xff\xfe",
                                        "\xc3\xa9t\xc3\xa9",
                                        " over 5 runs",
                                        "a\x1b[1m",
                                        "*",
                                        "\xe2\x80\xae",
                                        "a, b",
                                        "a(b",
                                        "a # b",
                                        "\"a\""};
    static const char *const signatures[] = {"",       "(I)V",  "(I)V, (J)V", "(I", "(I)(",
                                             "(I, J)", "grows", "in 2",       "f(", "over 3 runs"};
    struct tv_buffer pattern;
    tv_buffer_init(&pattern, tv_alloc_libc());
    for (size_t i = 0; i < TV_COUNT_OF(names) * TV_COUNT_OF(signatures); i++) {
        const struct tv_joined_method method = {
            .class_name = {STR("k"), false},
            .name = {tv_str_from(names[i / TV_COUNT_OF(signatures)]), false},
            .signature = tv_str_from(signatures[i % TV_COUNT_OF(signatures)])};
        for (unsigned way = 0; way < 4; way++) {
            const bool is_time = way < 2;
            char text[200];
            struct tv_rules rules;
            assert_int_equal(tv_learned_pattern(&method, way % 2 == 1, &pattern, NULL), TV_OK);
            int len = snprintf(text, sizeof(text),
                               is_time ? "inclusive cpu of %.*s <= 5 ms" : "calls of %.*s in 0..7",
                               (int)pattern.len, (const char *)pattern.bytes);
            tv_rules_init(&rules, tv_alloc_libc());
            assert_int_equal(tv_rules_read(&rules, (struct tv_str){text, (size_t)len}, NULL),
                             TV_OK);
            assert_true(rules.count == 1 &&
                        rules.of[0].kind == (is_time ? TV_RULE_TIME : TV_RULE_CALLS));
            assert_true(tv_str_equal(rules.of[0].pattern, tv_buffer_view(&pattern)));
            tv_rules_release(&rules);
        }
    }
    tv_buffer_release(&pattern);
}

static void a_method_that_no_pattern_names_alone_has_no_rule(void **state)
{
    (void)state;
    make_runs();
    methods[3].class_name.stem = TV_STR("a.?");
    methods[3].name.stem = TV_STR("draw"); /* is of a.B.draw, too */
    struct tv_learned learned = learn(&opts);
    assert_int_equal(learned.unnamed, 1);
    for (size_t i = 0; i < learned.count; i++)
        assert_true(learned.of[i].method != 3);
    tv_learned_release(&learned);
    methods[3].class_name.stem = TV_STR("a.C");
    methods[3].name.stem = TV_STR("poll");
}

static enum tv_code learn_with(const struct tv_alloc *alloc, void *ctx)
{
    struct tv_learned learned;
    (void)ctx;
    tv_learned_init(&learned, alloc);
    enum tv_code code = tv_learn(&learned, &join, &opts, NULL);
    tv_learned_release(&learned);
    return code;
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    make_runs();
    assert_true(failing_alloc_each(learn_with, NULL) > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_methods_have_rules_of_calls_and_of_time),
        cmocka_unit_test(an_open_call_has_no_limit_of_wall_time),
        cmocka_unit_test(a_run_is_held_against_what_the_others_teach),
        cmocka_unit_test(every_name_is_a_pattern),
        cmocka_unit_test(a_method_that_no_pattern_names_alone_has_no_rule),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
