/* Spellings of one name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/selection/spelling.h"

static void expect_spelling(const char *text, const char *expected)
{
    struct tv_buffer out;
    tv_buffer_init(&out, tv_alloc_libc());
    assert_int_equal(tv_spelling_of(tv_str_from(text), &out, NULL), TV_OK);
    assert_int_equal(tv_buffer_append(&out, "", 1, NULL), TV_OK);
    assert_string_equal((const char *)tv_buffer_view(&out).at, expected);
    tv_buffer_release(&out);
}

static void every_spelling_becomes_one(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "com/example/Main.run(I)V",  "com.example.Main#run(I)V",    "com.example.Main::run(I)V",
        "com.example.Main.run (I)V", "Lcom/example/Main;->run(I)V", "com/example/Main->run(I)V",
        "com/example/Main/run (I)V",
    };
    for (size_t i = 0; i < TV_COUNT_OF(texts); i++)
        expect_spelling(texts[i], "com.example.Main.run (I)V");
}

static void parts_of_names_are_spelled_too(void **state)
{
    (void)state;
    expect_spelling("", "");
    expect_spelling("run", "run");
    expect_spelling("java/lang", "java.lang");
    expect_spelling("run(", "run (");
    expect_spelling("(Ljava/lang/String;)V", "(Ljava/lang/String;)V");
    expect_spelling("Ljava/lang/String;", "Ljava.lang.String;");
    expect_spelling("Main#<init>", "Main.<init>");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_spelling_becomes_one),
        cmocka_unit_test(parts_of_names_are_spelled_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
