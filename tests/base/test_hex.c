/* base/hex: every byte as digits and back, and what is no digit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/hex.h"

static void every_byte_has_two_digits_that_read_as_it(void **state)
{
    (void)state;
    for (unsigned byte = 0; byte < 256; byte++) {
        const uint8_t bytes[] = {(uint8_t)byte};
        char text[3] = "??";
        char expected[3];
        tv_hex_put(text, bytes, 1);
        (void)snprintf(expected, sizeof(expected), "%02x", byte);
        assert_string_equal(text, expected);
        assert_int_equal(tv_hex_value(text[0]) * 16 + tv_hex_value(text[1]), byte);
        assert_true(tv_hex_is((struct tv_str){text, 2}));
    }
}

static void digits_are_22_characters(void **state)
{
    unsigned lower = 0;
    unsigned either = 0;
    (void)state;
    for (int byte = 0; byte < 256; byte++) {
        const char c = (char)byte;
        lower += tv_hex_is((struct tv_str){&c, 1});
        either += tv_hex_value(c) >= 0;
    }
    assert_int_equal(lower, 16);
    assert_int_equal(either, 22);
    assert_int_equal(tv_hex_value('F'), 15);
    assert_false(tv_hex_is(TV_STR("0A")));
    assert_false(tv_hex_is(TV_STR("0\0")));
    assert_true(tv_hex_is(TV_STR("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_has_two_digits_that_read_as_it),
        cmocka_unit_test(digits_are_22_characters),
    };
    return cmocka_run_group_tests_name("base/hex", tests, NULL, NULL);
}
