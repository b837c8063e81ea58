/* Reading rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "compare/rule/rule.h"
#include "support/failing_alloc.h"

static const char all_kinds[] = "# what must hold\n\n"
                                "calls of com.example.Foo.load in 11..14\r\n"
                                "  warn no calls of java.io.*\n"
                                "calls growth <= 2.5 %\n"
                                "error time of a in b.run (I)V <= 40 ms\n"
                                "off time of Foo.* grows <= 10 % and 5 ms\n"
                                "allow Foo.* until 2026-12-31 because it is known";

static void each_kind_is_read(void **state)
{
    (void)state;
    struct tv_rules rules;
    tv_rules_init(&rules, tv_alloc_libc());
    assert_int_equal(tv_rules_read(&rules, TV_STR(all_kinds), NULL), TV_OK);
    assert_int_equal(rules.count, 5);
    const struct tv_rule *of = rules.of;
    assert_int_equal(of[0].kind, TV_RULE_CALLS);
    assert_int_equal(of[0].line, 3);
    assert_int_equal(of[0].level, TV_LEVEL_UNSAID);
    assert_true(of[0].least_calls == 11 && of[0].most_calls == 14);
    assert_true(tv_str_equal(of[0].pattern, TV_STR("com.example.Foo.load")));
    assert_true(tv_str_equal(of[0].text, TV_STR("calls of com.example.Foo.load in 11..14")));
    assert_int_equal(of[1].kind, TV_RULE_NO_CALLS);
    assert_int_equal(of[1].level, TV_LEVEL_WARN);
    assert_true(tv_str_equal(of[1].pattern, TV_STR("java.io.*")));
    assert_int_equal(of[1].most_calls, 0);
    assert_int_equal(of[2].kind, TV_RULE_CALLS_GROWTH);
    assert_true(of[2].growth > 0.0249 && of[2].growth < 0.0251);
    assert_int_equal(of[3].kind, TV_RULE_TIME);
    assert_int_equal(of[3].level, TV_LEVEL_ERROR);
    assert_int_equal(of[3].time_ns, 40000000);
    assert_true(tv_str_equal(of[3].pattern, TV_STR("a in b.run (I)V")));
    assert_int_equal(of[4].kind, TV_RULE_TIME_GROWTH);
    assert_int_equal(of[4].level, TV_LEVEL_OFF);
    assert_int_equal(of[4].time_ns, 5000000);
    assert_true(tv_str_equal(of[4].pattern, TV_STR("Foo.*")));
    tv_rules_release(&rules);
}

static void a_byte_order_mark_and_ends_of_lines_are_no_words(void **state)
{
    (void)state;
    struct tv_rules rules;
    tv_rules_init(&rules, tv_alloc_libc());
    assert_int_equal(tv_rules_read(&rules,
                                   TV_STR("\xef\xbb\xbfno calls of app.C\r\nno calls of app.D\r\n"),
                                   NULL),
                     TV_OK);
    assert_int_equal(rules.count, 2);
    assert_int_equal(
        tv_rules_read(&rules, TV_STR("no calls of app.C\n\xef\xbb\xbfno calls of app.D"), NULL),
        TV_ERR_FORMAT);
    tv_rules_release(&rules);
}

#define NO_BLANK                                                                                   \
    "no name of a method goes on behind this blank: on thread THREAD and over N runs may, and ? "  \
    "stands for a blank of a name"
#define CUT                                                                                        \
    "tables have left something out of this PATTERN: write the whole name, or * for what is "      \
    "missing"
#define NO_COMMA "a rule has one PATTERN: each has a line, and ? stands for a comma of a name"

static void names_of_all_languages_may_have_no_calls(void **state)
{
    (void)state;
    static const char text[] = "no calls of a.b (ILjava/lang/String;)V\n"
                               "no calls of a.b(int, String)\n"
                               "no calls of a.b(*\n"
                               "no calls of a.<init>\n"
                               "no calls of std::map<int, a b>.find (int const&) const\n"
                               "no calls of a.operator new\n"
                               "no calls of a.f [clone .cold]\n"
                               "no calls of linux:schedule (pre-empted)\n"
                               "no calls of a.save | load | b.Other.store\n"
                               "no calls of a.loads?twice on thread main over 2 runs\n"
                               "no calls of (0x1f)\n";
    struct tv_rules rules;
    tv_rules_init(&rules, tv_alloc_libc());
    assert_int_equal(tv_rules_read(&rules, TV_STR(text), NULL), TV_OK);
    assert_int_equal(rules.count, 11);
    tv_rules_release(&rules);
}

static void what_is_no_rule_is_refused_by_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *told;
    } cases[] = {
        {"no calls of a\ncall of a in 1",
         "line 2: a rule begins with calls of, no calls of, calls growth, allow or time of, and "
         "before time may stand inclusive, exclusive, p50, p95 or max, then cpu or wall"},
        {"warn", "line 1: a rule is missing behind the level"},
        {"calls of a", "line 1: calls of PATTERN needs 'in 11..14' behind it"},
        {"calls of in 1", "line 1: calls of PATTERN needs 'in 11..14' behind it"},
        {"calls of a in -1", "line 1: a count of calls is a whole number, or two with .. between"},
        {"calls of a in 1..", "line 1: a count of calls is a whole number, or two with .. between"},
        {"calls of a in 99999999999999999999",
         "line 1: a count of calls is a whole number, or two with .. between"},
        {"calls of a in 2..1", "line 1: the range ends before it begins"},
        {"no calls of", "line 1: no calls of needs a PATTERN"},
        {"no calls of a.b # why", "line 1: a comment stands on a line of its own"},
        {"no calls of a.*\nno calls of a.* on main", "line 2: " NO_BLANK},
        {"no calls of a.* on threads main", "line 1: " NO_BLANK},
        {"no calls of a.b(int) on main", "line 1: " NO_BLANK},
        {"no calls of a.*, b.*", "line 1: " NO_COMMA},
        {"no calls of a.*,b.*", "line 1: " NO_COMMA},
        {"calls of a.*, b.* in 0..5", "line 1: " NO_COMMA},
        {"calls of a.* on main in 0", "line 1: " NO_BLANK},
        {"no calls of a.b()V,a.c", "line 1: " NO_COMMA},
        {"no calls of \"a.*\"", "line 1: a PATTERN stands without quotes"},
        {"no calls of \u2026a.b(int)", "line 1: " CUT},
        {"calls of ...a.b in 1", "line 1: " CUT},
        {"time of a.b(\u2026) <= 5 ms", "line 1: " CUT},
        {"allow ..b until 2026-12-31 because c", "line 1: " CUT},
        {"no calls of a.b(int", "line 1: the signature of a PATTERN ends with )"},
        {"calls growth <= 2", "line 1: a growth is in percent: 2 %"},
        {"calls growth <= x %", "line 1: a growth is a number and %: 2 %"},
        {"time of a",
         "line 1: time of PATTERN needs '<= 40 ms' or 'grows <= 10 % and 5 ms' behind it"},
        {"time of a <= 40", "line 1: a time is a number and its unit: 40 ms"},
        {"time of a <= 4 xs", "line 1: a time is a number and its unit: 40 ms"},
        {"time of a grows <= 10 %",
         "line 1: a growth of time has a ratio and a floor: 10 % and 5 ms"},
        {"time of a grows <= 0 % and 5 ms", "line 1: a growth of time needs more than 0 %"},
        {"no calls of a over 0 runs", "line 1: a rule needs more than 0 runs"},
        {"no calls of a over 2 runs over 3 runs", "line 1: the runs are said twice"},
        {"calls of a on thread b in 1 on thread c", "line 1: the thread is said twice"},
        {"calls of a in 3 on thread b in c",
         "line 1: a count of calls is a whole number, or two with .. between"},
        {"p95 of a grows <= 2 % and 1 ms", "line 1: p50, p95 and max have a limit, and no growth"},
        {"inclusive p95 of a <= 1 ms",
         "line 1: a rule begins with calls of, no calls of, calls growth, allow or time of, and "
         "before time may stand inclusive, exclusive, p50, p95 or max, then cpu or wall"},
        {"allow a until 2026-12-31",
         "line 1: allow PATTERN needs 'until 2026-12-31 because ...' behind it"},
        {"allow a until tomorrow because b",
         "line 1: a day is a year, a month and a day of it: 2026-12-31"},
        {"allow a until 2027-02-29 because b",
         "line 1: a day is a year, a month and a day of it: 2026-12-31"},
        {"allow a until 2027-2-009 because b",
         "line 1: a day is a year, a month and a day of it: 2026-12-31"},
        {"no calls of a\ncalls of a in 2",
         "line 2: contradicts line 1: no recording can keep both"},
        {"<<<<<<< ours",
         "line 1: a rule begins with calls of, no calls of, calls growth, allow or time of, and "
         "before time may stand inclusive, exclusive, p50, p95 or max, then cpu or wall"},
    };
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct tv_rules rules;
        struct tv_error err = {.code = TV_OK};
        tv_rules_init(&rules, tv_alloc_libc());
        assert_int_equal(tv_rules_read(&rules, tv_str_from(cases[i].text), &err), TV_ERR_FORMAT);
        assert_string_equal(err.text, cases[i].told);
        assert_true(!rules.of && !rules.count);
        tv_rules_release(&rules);
    }
}

static void what_a_rule_is_about_is_read(void **state)
{
    (void)state;
    static const char text[] =
        "no calls of java.io.* on thread main\n"
        "exclusive wall of a.b <= 40 ms on thread RenderThread 1 over 5 runs\n"
        "p95 cpu of X.m on thread main <= 8 ms\n"
        "calls of a over b.c in 2..3 over 4 runs on thread main\n"
        "cpu of a grows <= 2 % and 1 ms over 9 runs\n"
        "max of X.m <= 8 ms\n"
        "inclusive time of loads on thread.x <= 1 s\n";
    struct tv_rules rules;
    tv_rules_init(&rules, tv_alloc_libc());
    assert_int_equal(tv_rules_read(&rules, TV_STR(text), NULL), TV_OK);
    assert_int_equal(rules.count, 7);
    const struct tv_rule *of = rules.of;
    assert_true(tv_str_equal(of[0].pattern, TV_STR("java.io.*")));
    assert_true(tv_str_equal(rules.about[of[0].about].thread, TV_STR("main")));
    assert_int_equal(of[1].time, TV_RULE_TIME_EXCLUSIVE);
    assert_int_equal(of[1].clock, TV_RULE_CLOCK_WALL);
    assert_int_equal(of[1].runs, 5);
    assert_true(tv_str_equal(rules.about[of[1].about].thread, TV_STR("RenderThread 1")));
    assert_int_equal(rules.about[of[2].about].number, TV_NUMBER_P95);
    assert_int_equal(of[2].clock, TV_RULE_CLOCK_CPU);
    assert_true(tv_str_equal(rules.about[of[2].about].thread, TV_STR("main")));
    assert_true(tv_str_equal(of[3].pattern, TV_STR("a over b.c")));
    assert_int_equal(of[3].runs, 4);
    assert_int_equal(of[3].about, of[0].about);
    assert_int_equal(of[4].kind, TV_RULE_TIME_GROWTH);
    assert_true(of[4].runs == 9 && of[4].time == TV_RULE_TIME_UNSAID && of[4].about == 0);
    assert_int_equal(rules.about[of[5].about].number, TV_NUMBER_MAX);
    assert_true(tv_str_equal(of[6].pattern, TV_STR("loads on thread.x")));
    assert_int_equal(of[6].time, TV_RULE_TIME_INCLUSIVE);
    tv_rules_release(&rules);
}

static void an_allow_has_a_day_and_a_reason(void **state)
{
    (void)state;
    struct tv_rules rules;
    tv_rules_init(&rules, tv_alloc_libc());
    assert_int_equal(tv_rules_read(&rules,
                                   TV_STR("\nallow a.b until c until 2028-02-29 because it is  \n"
                                          "allow calls growth until 2026-12-31 because so"),
                                   NULL),
                     TV_OK);
    assert_true(!rules.count && rules.allow_count == 2);
    assert_true(tv_str_equal(rules.allows[0].pattern, TV_STR("a.b until c")));
    assert_true(tv_str_equal(rules.allows[0].reason, TV_STR("it is")));
    assert_true(rules.allows[0].until == 20280229 && rules.allows[0].line == 2);
    assert_true(!rules.allows[0].is_growth && rules.allows[1].is_growth);
    tv_rules_release(&rules);
}

/* Each distinct thread is a profile of each run, each distinct growth a test of all methods. */
static void threads_and_tests_are_bounded(void **state)
{
    (void)state;
    static char text[TV_RULES_TESTS_MOST * 48 + 48];
    struct tv_rules rules;
    tv_rules_init(&rules, tv_alloc_libc());
    for (unsigned most = TV_RULES_ABOUT_MOST - 1; most <= TV_RULES_ABOUT_MOST; most++) {
        size_t len = 0;
        for (unsigned i = 0; i < most; i++)
            len +=
                (size_t)snprintf(text + len, sizeof(text) - len, "no calls of a on thread %u\n", i);
        assert_int_equal(tv_rules_read(&rules, (struct tv_str){text, len}, NULL),
                         most < TV_RULES_ABOUT_MOST ? TV_OK : TV_ERR_FORMAT);
    }
    for (unsigned most = TV_RULES_TESTS_MOST; most <= TV_RULES_TESTS_MOST + 1; most++) {
        size_t len = 0;
        for (unsigned i = 0; i < most; i++)
            len += (size_t)snprintf(text + len, sizeof(text) - len,
                                    "time of a%u grows <= %u %% and 1 ms\n", i % 7, i + 1);
        assert_int_equal(tv_rules_read(&rules, (struct tv_str){text, len}, NULL),
                         most == TV_RULES_TESTS_MOST ? TV_OK : TV_ERR_FORMAT);
    }
    tv_rules_release(&rules);
}

static void rules_are_at_most_a_thousand(void **state)
{
    (void)state;
    static const char line[] = "no calls of a\n";
    static char text[(TV_RULES_MOST + 1) * (sizeof(line) - 1)];
    struct tv_rules rules;
    for (size_t i = 0; i <= TV_RULES_MOST; i++)
        memcpy(text + i * (sizeof(line) - 1), line, sizeof(line) - 1);
    tv_rules_init(&rules, tv_alloc_libc());
    assert_int_equal(
        tv_rules_read(&rules, (struct tv_str){text, sizeof(text) - (sizeof(line) - 1)}, NULL),
        TV_OK);
    assert_int_equal(tv_rules_read(&rules, (struct tv_str){text, sizeof(text)}, NULL),
                     TV_ERR_FORMAT);
    tv_rules_release(&rules);
}

static enum tv_code read_with(const struct tv_alloc *alloc, void *ctx)
{
    (void)ctx;
    struct tv_rules rules;
    tv_rules_init(&rules, alloc);
    enum tv_code code = tv_rules_read(&rules, TV_STR(all_kinds), NULL);
    tv_rules_release(&rules);
    return code;
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(read_with, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_is_read),
        cmocka_unit_test(a_byte_order_mark_and_ends_of_lines_are_no_words),
        cmocka_unit_test(names_of_all_languages_may_have_no_calls),
        cmocka_unit_test(what_is_no_rule_is_refused_by_line),
        cmocka_unit_test(what_a_rule_is_about_is_read),
        cmocka_unit_test(an_allow_has_a_day_and_a_reason),
        cmocka_unit_test(threads_and_tests_are_bounded),
        cmocka_unit_test(rules_are_at_most_a_thousand),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
