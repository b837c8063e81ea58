/* Names of a virtual machine in a trace. */
#include "jvm/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static char text[TV_JVM_NAME_CAP];

static void a_class_has_dots(void **state)
{
    size_t len;
    (void)state;
    const char *name = tv_jvm_names_in_descriptor("Lcom/example/Main$Inner;", &len);
    tv_jvm_names_class(text, name, len);
    assert_string_equal(text, "com.example.Main$Inner");
    assert_null(tv_jvm_names_in_descriptor("[I", &len));
    assert_null(tv_jvm_names_in_descriptor("I", &len));
    assert_null(tv_jvm_names_in_descriptor("L;", &len));
}

static void signatures_keep_their_slashes(void **state)
{
    (void)state;
    tv_jvm_names_text(text, "(Ljava/lang/String;)V");
    assert_string_equal(text, "(Ljava/lang/String;)V");
}

/* U+1D11E, as two surrogates of three bytes each; half a pair stays what it is. */
static void surrogates_become_one_character(void **state)
{
    (void)state;
    tv_jvm_names_text(text, "a\xed\xa0\xb4\xed\xb4\x9e"
                            "b\xc3\xa9");
    assert_string_equal(text, "a\xf0\x9d\x84\x9e"
                              "b\xc3\xa9");
    tv_jvm_names_text(text, "\xed\xa0\xb4x\xed");
    assert_string_equal(text, "\xed\xa0\xb4x\xed");
}

static void a_long_name_is_cut(void **state)
{
    static char name[3 * TV_JVM_NAME_CAP];
    (void)state;
    memset(name, 'n', sizeof(name) - 1);
    tv_jvm_names_text(text, name);
    assert_in_range(strlen(text), TV_JVM_NAME_CAP - 8, TV_JVM_NAME_CAP - 1);
}

static void a_thread_keeps_its_name_while_it_runs_a_coroutine(void **state)
{
    static const struct {
        const char *name;
        size_t own;
    } names[] = {{"worker-1 @coroutine#12", 8},
                 {"worker-1 @a b@c#3", 17},
                 {"main @load#3", 4},
                 {"worker-1", 8},
                 {"pool #3", 7},
                 {"@coroutine#1", 12},
                 {"a @b#", 5},
                 {"a @b#3x", 7},
                 {"a@b#3", 5},
                 {"", 0},
                 {" @#1", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_int_equal(tv_jvm_names_thread_len(names[i].name), names[i].own);
}

static void classes_of_lambdas_are_hidden(void **state)
{
    static const char *const hidden[] = {"Main$$Lambda$1.0x00000008000c9", "Main$$Lambda$14",
                                         "a/B$$Lambda.0x1"};
    (void)state;
    for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++) {
        assert_true(tv_jvm_names_are_hidden(hidden[i], strlen(hidden[i])));
        assert_true(tv_jvm_names_are_of_lambda(hidden[i], strlen(hidden[i])));
    }
    assert_true(tv_jvm_names_are_hidden("a/Main$Plug.0x00000008000c9", 27));
    assert_false(tv_jvm_names_are_of_lambda("a/Main$Plug.0x00000008000c9", 27));
    assert_false(tv_jvm_names_are_hidden("a/Main$Inner", 12));
}

static void a_method_has_one_number(void **state)
{
    (void)state;
    uint32_t number = tv_jvm_names_number("a/Main", 6, "run", "()V", "Main.java", 7);
    assert_int_not_equal(number, 0);
    assert_int_equal(tv_jvm_names_number("a/Main;", 6, "run", "()V", "Main.java", 7), number);
    assert_int_not_equal(tv_jvm_names_number("a/Main", 6, "run", "(I)V", NULL, 0), number);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_class_has_dots),
        cmocka_unit_test(signatures_keep_their_slashes),
        cmocka_unit_test(surrogates_become_one_character),
        cmocka_unit_test(a_long_name_is_cut),
        cmocka_unit_test(a_thread_keeps_its_name_while_it_runs_a_coroutine),
        cmocka_unit_test(classes_of_lambdas_are_hidden),
        cmocka_unit_test(a_method_has_one_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
