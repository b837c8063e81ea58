/* site/tokens: what a token is, and that one is compared as a whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "site/request/tokens.h"

#define TOKEN "00112233445566778899aabbccddeeff"

static void sum_is_that_of_the_standard(void **state)
{
    struct tv_hash hash;
    (void)state;
    tv_token_hash(TV_STR("abc"), &hash); /* FIPS 180-4, an example of the algorithm */
    assert_string_equal(hash.hex,
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void only_the_token_itself_has_its_sum(void **state)
{
    struct tv_hash hash;
    (void)state;
    tv_token_hash(TV_STR(TOKEN), &hash);
    assert_true(tv_token_is_of(TV_STR(TOKEN), &hash));
    assert_false(tv_token_is_of(TV_STR("00112233445566778899aabbccddeefe"), &hash));
    assert_false(tv_token_is_of(TV_STR("10112233445566778899aabbccddeeff"), &hash));
    assert_false(tv_token_is_of(TV_STR(""), &hash));
}

static void nothing_is_the_token_of_a_row_without_a_sum(void **state)
{
    const struct tv_hash none = {.hex = {0}};
    (void)state;
    assert_false(tv_token_is_of(TV_STR(""), &none));
    assert_false(tv_token_is_of(TV_STR(TOKEN), &none));
}

static void secret_is_compared_whole(void **state)
{
    (void)state;
    assert_true(tv_secret_is(TV_STR("correct horse"), TV_STR("correct horse")));
    assert_false(tv_secret_is(TV_STR("correct hors"), TV_STR("correct horse")));
    assert_false(tv_secret_is(TV_STR("correct horse "), TV_STR("correct horse")));
    assert_false(tv_secret_is(TV_STR(""), TV_STR("correct horse")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sum_is_that_of_the_standard),
        cmocka_unit_test(only_the_token_itself_has_its_sum),
        cmocka_unit_test(nothing_is_the_token_of_a_row_without_a_sum),
        cmocka_unit_test(secret_is_compared_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
