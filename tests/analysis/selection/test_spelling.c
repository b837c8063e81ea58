/* Spellings of one name, and of one signature. */
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

static bool is_signature(const char *signature, const char *written)
{
    return tv_spelling_is_signature(tv_str_from(signature), tv_str_from(written));
}

static void signatures_may_lack_their_result(void **state)
{
    (void)state;
    assert_true(is_signature("(I[Ljava/lang/String;)V", "(I[Ljava/lang/String;)V"));
    assert_true(is_signature("(I[Ljava/lang/String;)V", "(I[Ljava/lang/String;)"));
    assert_true(is_signature("()V", "()"));
    assert_false(is_signature("(I)V", "()"));
    assert_false(is_signature("(I)V", "(I)I"));
    assert_false(is_signature("", "()"));
    assert_false(is_signature("(I)V", "("));
}

static void parameters_may_be_those_of_java(void **state)
{
    (void)state;
    static const char signature[] = "(I[Ljava/lang/String;Ljava/util/Map$Entry;[[J)V";
    assert_true(is_signature(signature, "(int, String[], Map.Entry, long[][])"));
    assert_true(is_signature(signature, "(int,java.lang.String[],java.util.Map$Entry,long[][])"));
    assert_true(is_signature(signature, "(int, String[], Entry, long[][])"));
    assert_false(is_signature(signature, "(int, String, Map.Entry, long[][])"));
    assert_false(is_signature(signature, "(int, tring[], Map.Entry, long[][])"));
    assert_false(is_signature(signature, "(int, String[], Map.Entry)"));
    assert_false(is_signature(signature, "(int, String[], Map.Entry, long[][], int)"));
    assert_false(is_signature("(Ljava/lang/String)V", "(String)"));
    assert_false(is_signature("(X)V", "(int)"));
    assert_false(is_signature("([)V", "(int[])"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_spelling_becomes_one),
        cmocka_unit_test(parts_of_names_are_spelled_too),
        cmocka_unit_test(signatures_may_lack_their_result),
        cmocka_unit_test(parameters_may_be_those_of_java),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
