/* os/token: hexadecimal, long enough, never the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "os/token.h"

#define TOKEN "00112233445566778899aabbccddeeff"

static void tokens_are_hexadecimal_and_differ(void **state)
{
    char one[TV_TOKEN_LEN + 1];
    char two[TV_TOKEN_LEN + 1];
    (void)state;
    assert_int_equal(tv_token_make(one, NULL), TV_OK);
    assert_int_equal(tv_token_make(two, NULL), TV_OK);
    assert_int_equal(strlen(one), TV_TOKEN_LEN);
    assert_int_equal(strspn(one, "0123456789abcdef"), TV_TOKEN_LEN);
    assert_true(tv_token_is(tv_str_from(one)));
    assert_string_not_equal(one, two);
}

static void token_is_32_lower_case_digits(void **state)
{
    (void)state;
    assert_true(tv_token_is(TV_STR(TOKEN)));
    assert_false(tv_token_is(TV_STR("00112233445566778899AABBCCDDEEFF")));
    assert_false(tv_token_is(TV_STR("00112233445566778899aabbccddeef")));
    assert_false(tv_token_is(TV_STR(TOKEN "0")));
    assert_false(tv_token_is(TV_STR("00112233445566778899aabbccddeef/")));
    assert_false(tv_token_is(TV_STR("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_are_hexadecimal_and_differ),
        cmocka_unit_test(token_is_32_lower_case_digits),
    };
    return cmocka_run_group_tests_name("os/token", tests, NULL, NULL);
}
