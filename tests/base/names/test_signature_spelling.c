/* Spellings of one signature. */
#include "base/names/signature_spelling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static bool is_signature(const char *signature, const char *written)
{
    return tv_signature_is_spelled(tv_str_from(signature), tv_str_from(written));
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
        cmocka_unit_test(signatures_may_lack_their_result),
        cmocka_unit_test(parameters_may_be_those_of_java),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
