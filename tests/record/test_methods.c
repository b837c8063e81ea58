/* Methods by number, and their lines. */
#include "record/methods.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void expect_line(struct tv_method_text text, const char *line)
{
    uint32_t number = tv_methods_number(&text);
    assert_int_not_equal(number, 0);
    const struct tv_recorded_method *method = tv_methods_get(number);
    char got[512];
    assert_true(method->len < sizeof(got));
    memcpy(got, method->line, method->len);
    got[method->len] = '\0';
    assert_string_equal(got, line);
}

static void a_line_has_the_columns_that_readers_know(void **state)
{
    (void)state;
    expect_line(
        (struct tv_method_text){
            .class_name = "a.B", .name = "c", .signature = "(I)V", .file = "src/B.java", .line = 7},
        "a.B\tc\t(I)V\tB.java\t7\n");
    expect_line((struct tv_method_text){.name = "parse", .file = "/src/main.c", .line = 12},
                "main\tparse\t()\tmain.c\t12\n");
    expect_line((struct tv_method_text){.name = "json.parse"}, "json\tparse\t()\t\n");
    expect_line((struct tv_method_text){.name = "a::B::c"}, "a::B\tc\t()\t\n");
    expect_line((struct tv_method_text){.name = "std::f(a::b)"}, "std\tf(a::b)\t()\t\n");
    expect_line((struct tv_method_text){.name = ".x"}, "\t.x\t()\t\n");
    expect_line((struct tv_method_text){.name = NULL}, "\t\t()\t\n");
}

static void names_cannot_break_the_file(void **state)
{
    (void)state;
    expect_line((struct tv_method_text){.class_name = "a\tb\n*end", .name = "c\r\xff\xc3\xa4"},
                "a b *end\tc ?\xc3\xa4\t()\t\n");
    /* An overlong character, half a pair, one that is cut. */
    expect_line(
        (struct tv_method_text){.class_name = "c", .name = "\xc0\x80 \xed\xa0\x80 \xe2\x82"},
        "c\t?? ??? ??\t()\t\n");
    char to[4];
    assert_int_equal(tv_name_copy(to, sizeof(to), "abc\xc3\xa4", SIZE_MAX), 3);
    assert_int_equal(tv_name_copy(to, sizeof(to), NULL, SIZE_MAX), 0);
    assert_int_equal(tv_name_copy(to, sizeof(to), "abcdef", 2), 2);
}

static void a_long_name_is_cut_to_what_a_file_can_say(void **state)
{
    (void)state;
    static char name[100001];
    memset(name, 'x', sizeof(name) - 1);
    struct tv_method_text text = {
        .class_name = name, .name = name, .signature = name, .file = name, .line = 1};
    const struct tv_recorded_method *method = tv_methods_get(tv_methods_number(&text));
    assert_in_range(method->len, 50000, 65000);
    assert_int_equal(method->line[method->len - 1], '\n');
}

static void the_same_text_has_the_same_number(void **state)
{
    (void)state;
    uint32_t before = tv_methods_count();
    for (int again = 0; again < 2; again++) {
        for (int i = 0; i < 20000; i++) {
            char name[32];
            (void)snprintf(name, sizeof(name), "method%d", i);
            struct tv_method_text text = {.class_name = "Many", .name = name};
            assert_int_equal(tv_methods_number(&text), before + 1 + (uint32_t)i);
        }
    }
    assert_int_equal(tv_methods_count(), before + 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_has_the_columns_that_readers_know),
        cmocka_unit_test(names_cannot_break_the_file),
        cmocka_unit_test(a_long_name_is_cut_to_what_a_file_can_say),
        cmocka_unit_test(the_same_text_has_the_same_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
