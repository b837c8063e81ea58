/* cli/name_fit: what is cut of a name, and in which order, at each width. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/terminal/name_fit.h"

static const struct tv_terminal drawing = {.width = 80, .has_drawing = true};
static const struct tv_terminal plain = {.width = 80};
static const struct tv_terminal coloured = {.width = 80, .has_drawing = true, .has_colour = true};

static int know_widths(void **state)
{
    (void)state;
    tv_terminal_know_widths();
    return 0;
}

static void expect_on(const struct tv_terminal *terminal, const char *name, size_t width,
                      const char *expected)
{
    struct tv_text out;
    tv_text_init(&out, tv_alloc_libc());
    tv_name_fit(&out, terminal, tv_str_from(name), width);
    tv_text_add_str(&out, (struct tv_str){"", 1});
    assert_string_equal(tv_text_view(&out).at, expected);
    tv_text_release(&out);
}

static void expect_fit(const char *name, size_t width, const char *expected)
{
    expect_on(&drawing, name, width, expected);
}

static void packages_go_first_from_the_left(void **state)
{
    static const char name[] = "java.util.concurrent.FutureTask.run(Callable)";
    (void)state;
    expect_fit(name, 0, name);
    expect_fit(name, 45, name);
    expect_fit(name, 44, "\u2026util.concurrent.FutureTask.run(Callable)");
    expect_fit(name, 40, "\u2026concurrent.FutureTask.run(Callable)");
    expect_fit(name, 35, "FutureTask.run(Callable)");
    expect_fit(name, 24, "FutureTask.run(Callable)");
}

static void then_parameters_and_the_beginning_of_the_class(void **state)
{
    static const char name[] = "java.util.concurrent.FutureTask.run(Callable)";
    (void)state;
    expect_fit(name, 23, "FutureTask.run(\u2026)");
    expect_fit(name, 17, "FutureTask.run(\u2026)");
    expect_fit(name, 16, "FutureTask.run");
    expect_fit(name, 13, "\u2026tureTask.run");
    expect_fit(name, 4, "\u2026run");
    expect_fit(name, 1, "n");
}

static void outer_classes_go_before_letters(void **state)
{
    (void)state;
    expect_fit("a.Outer$Middle$Inner.run()", 20, "\u2026Middle$Inner.run");
    expect_fit("a.Outer$Middle$Inner.run()", 12, "\u2026Inner.run");
    expect_fit("a.Outer$Middle$Inner.run()", 9, "\u2026nner.run");
    expect_fit("a.Outer.lambda$run$2()", 16, "\u2026er.lambda$run$2");
}

/* The address goes without an ellipsis, as in the page: it tells nobody anything. */
static void hidden_classes_keep_their_class(void **state)
{
    static const char name[] = "com.example.RecipeApp$$Lambda$7.0x00007f0594001850.run(Object)";
    (void)state;
    expect_fit(name, 0, name);
    expect_fit(name, 62, name);
    expect_fit(name, 61, "com.example.RecipeApp$$Lambda$7.run(Object)");
    expect_fit(name, 42, "\u2026example.RecipeApp$$Lambda$7.run(Object)");
    expect_fit(name, 31, "RecipeApp$$Lambda$7.run(Object)");
    expect_fit(name, 30, "RecipeApp$$Lambda$7.run(\u2026)");
    expect_fit(name, 23, "RecipeApp$$Lambda$7.run");
    expect_fit("a.Form$MH/0x1", 8, "\u2026$MH/0x1");
    expect_fit("Form$MH.0x00007f.invoke()", 16, "Form$MH.invoke()");
    expect_fit("Form$MH.0x.invoke()", 11, "0x.invoke()");
    expect_on(&plain, name, 42, "..example.RecipeApp$$Lambda$7.run(Object)");
}

static void names_without_parts_are_cut_from_the_left(void **state)
{
    (void)state;
    expect_fit("(0x4f0)", 7, "(0x4f0)");
    expect_fit("(0x4f0)", 4, "\u2026f0)");
    expect_fit("", 4, "");
    expect_fit("...", 2, ".");
    expect_fit("run", 3, "run");
}

/* Two columns for each, and none for an accent: U+0301 stands over the letter before it. */
static void wide_characters_and_accents_are_counted_as_shown(void **state)
{
    (void)state;
    expect_fit("a.\u6f22\u5b57.run()", 12, "a.\u6f22\u5b57.run()");
    expect_fit("a.\u6f22\u5b57.run()", 9, "\u6f22\u5b57.run");
    expect_fit("a.\u6f22\u5b57.run()", 7, "\u2026\u5b57.run");
    expect_fit("a.\u6f22\u5b57.run()", 6, "\u2026.run");
    expect_fit("e\u0301e\u0301e\u0301.run", 7, "e\u0301e\u0301e\u0301.run");
    expect_fit("e\u0301e\u0301e\u0301.run", 6, "\u2026e\u0301.run");
}

static void a_terminal_without_utf8_gets_points(void **state)
{
    (void)state;
    expect_on(&plain, "java.util.concurrent.FutureTask.run(Callable)", 40,
              "..concurrent.FutureTask.run(Callable)");
}

static void the_method_stands_out(void **state)
{
    (void)state;
    expect_on(&coloured, "a.C.run(int)", 0, "\033[2ma.\033[0mC.run\033[2m(int)\033[0m");
    assert_int_equal(tv_text_width(TV_STR("\033[2ma.\033[0mC.run\033[2m(int)\033[0m")), 12);
}

static void a_number_keeps_its_unit(void **state)
{
    (void)state;
    struct tv_text out;
    tv_text_init(&out, tv_alloc_libc());
    tv_text_break(&out, TV_STR("The median is 9.406 ms. Of it 12 % are 7 calls\n"), 20, 2);
    tv_text_add_str(&out, (struct tv_str){"", 1});
    assert_string_equal(tv_text_view(&out).at,
                        "The median is\n  9.406 ms. Of it\n  12 % are 7 calls\n");
    /* No line gets wider for that. */
    tv_text_release(&out);
    tv_text_init(&out, tv_alloc_libc());
    tv_text_break(&out, TV_STR("of 787.569 ms\n"), 10, 2);
    tv_text_add_str(&out, (struct tv_str){"", 1});
    assert_string_equal(tv_text_view(&out).at, "of 787.569\n  ms\n");
    tv_text_release(&out);
}

/* No name of any length is ever wider than what it gets. */
static void no_name_is_wider_than_its_room(void **state)
{
    static const char *const names[] = {
        "java.util.concurrent.ThreadPoolExecutor$Worker.run(Runnable, int[])",
        "\u6f22.\u5b57.\u6f22\u5b57$\u6f22.\u5b57(\u6f22)", "..a..b((", "$$$.$$$",
        "\033[2mx.y.z\033[0m"};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(names); i++) {
        for (size_t width = 1; width < 80; width++) {
            struct tv_text out;
            tv_text_init(&out, tv_alloc_libc());
            tv_name_fit(&out, &coloured, tv_str_from(names[i]), width);
            assert_true(tv_text_width(tv_text_view(&out)) <= width);
            out.buffer.len = 0;
            tv_text_fit(&out, &coloured, tv_str_from(names[i]), width);
            assert_true(tv_text_width(tv_text_view(&out)) <= width);
            tv_text_release(&out);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packages_go_first_from_the_left),
        cmocka_unit_test(then_parameters_and_the_beginning_of_the_class),
        cmocka_unit_test(outer_classes_go_before_letters),
        cmocka_unit_test(hidden_classes_keep_their_class),
        cmocka_unit_test(names_without_parts_are_cut_from_the_left),
        cmocka_unit_test(wide_characters_and_accents_are_counted_as_shown),
        cmocka_unit_test(a_terminal_without_utf8_gets_points),
        cmocka_unit_test(the_method_stands_out),
        cmocka_unit_test(a_number_keeps_its_unit),
        cmocka_unit_test(no_name_is_wider_than_its_room),
    };
    return cmocka_run_group_tests(tests, know_widths, NULL);
}
