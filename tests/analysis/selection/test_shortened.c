/* Shortened names beside whole ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/selection/shortened.h"

static enum tv_shortened fits(const char *text, const char *whole)
{
    return tv_shortened_fits(tv_str_from(text), tv_str_from(whole));
}

static void what_tables_show_fits(void **state)
{
    static const char *const texts[] = {
        "java.util.concurrent.FutureTask.run(Callable)",
        "\u2026util.concurrent.FutureTask.run(Callable)",
        "..concurrent.FutureTask.run(Callable)",
        "FutureTask.run(Callable)",
        "FutureTask.run(\u2026)",
        "FutureTask.run(..)",
        "...FutureTask.run(...)",
        "...run(...)",
        "java.util.concurrent.Futu\u2026",
        "java\u2026run\u2026",
        "\u2026",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (fits(texts[i], "java.util.concurrent.FutureTask.run(Callable)") !=
            TV_SHORTENED_AT_A_PART)
            fail_msg("%s", texts[i]);
    }
    assert_int_equal(fits("\u2026Middle$Inner.run", "a.Outer$Middle$Inner.run"),
                     TV_SHORTENED_AT_A_PART);
}

static void a_part_may_be_cut_behind_a_sign_alone(void **state)
{
    (void)state;
    assert_int_equal(fits("\u2026Task.run", "a.FutureTask.run"), TV_SHORTENED_IN_A_PART);
    assert_int_equal(fits("..Task.run", "a.FutureTask.run"), TV_SHORTENED_IN_A_PART);
    assert_int_equal(fits("Task.run(\u2026)", "a.FutureTask.run()"), TV_SHORTENED_NO);
    /* The second of two places begins a part. */
    assert_int_equal(fits("run.a\u2026", "xrun.run.abc"), TV_SHORTENED_AT_A_PART);
}

static void other_names_do_not_fit(void **state)
{
    static const char *const texts[] = {"\u2026run",    "\u2026FutureTask.run(Callable",
                                        "x\u2026",      "\u2026x\u2026",
                                        "run(\u2026))", "FutureTask.run(Callable)Callable)"};
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (fits(texts[i], "java.FutureTask.run(Callable)") != TV_SHORTENED_NO)
            fail_msg("%s", texts[i]);
    }
    assert_int_equal(fits("aa\u2026aa", "aaa"), TV_SHORTENED_NO); /* pieces do not overlap */
    assert_int_equal(fits("a", ""), TV_SHORTENED_NO);
}

static void a_point_alone_is_no_sign(void **state)
{
    (void)state;
    assert_false(tv_is_shortened(TV_STR("java.lang.String.charAt(int)")));
    assert_false(tv_is_shortened(TV_STR("")));
    assert_true(tv_is_shortened(TV_STR("..String")));
    assert_true(tv_is_shortened(TV_STR("String.charAt(\u2026)")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_tables_show_fits),
        cmocka_unit_test(a_part_may_be_cut_behind_a_sign_alone),
        cmocka_unit_test(other_names_do_not_fit),
        cmocka_unit_test(a_point_alone_is_no_sign),
    };
    return cmocka_run_group_tests_name("analysis/selection/shortened", tests, NULL, NULL);
}
