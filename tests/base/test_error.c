/* Failing in one line. */
#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void fail_fills_code_offset_and_text(void **state)
{
    (void)state;
    struct tv_error err;
    assert_int_equal(tv_fail(&err, TV_ERR_FORMAT, 17, "size %u is below %u", 5u, 9u),
                     TV_ERR_FORMAT);
    assert_int_equal(err.code, TV_ERR_FORMAT);
    assert_int_equal(err.offset, 17);
    assert_string_equal(err.text, "size 5 is below 9");
}

static void text_stays_one_line_whatever_it_repeats(void **state)
{
    struct tv_error err;
    (void)state;
    (void)tv_fail(&err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "unknown \"%s\"",
                  "a\r\nb\x1b[1m\x7f\xc3\xa4");
    assert_string_equal(err.text, "unknown \"a??b?[1m?\xc3\xa4\"");
}

static void error_may_be_left_out(void **state)
{
    (void)state;
    assert_int_equal(tv_fail(NULL, TV_ERR_LIMIT, 0, "%s", "unused"), TV_ERR_LIMIT);
    assert_int_equal(tv_fail_memory(NULL, 1), TV_ERR_MEMORY);
}

static void long_text_is_cut_and_ended(void **state)
{
    (void)state;
    struct tv_error err;
    char text[1000];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_int_equal(tv_fail(&err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%s", text), TV_ERR_ARGUMENT);
    assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

static void memory_failure_names_the_length(void **state)
{
    (void)state;
    struct tv_error err;
    assert_int_equal(tv_fail_memory(&err, 18446744073709551615u), TV_ERR_MEMORY);
    assert_string_equal(err.text, "no memory for 18446744073709551615 bytes");
    assert_true(err.offset == TV_NO_OFFSET);
}

static enum tv_code try_then(enum tv_code first, int *reached)
{
    TV_TRY(first);
    *reached = 1;
    return TV_OK;
}

static void try_passes_a_failure_up_unchanged(void **state)
{
    (void)state;
    int reached = 0;
    assert_int_equal(try_then(TV_ERR_CANCELLED, &reached), TV_ERR_CANCELLED);
    assert_int_equal(reached, 0);
    assert_int_equal(try_then(TV_OK, &reached), TV_OK);
    assert_int_equal(reached, 1);
}

static void every_code_has_its_name(void **state)
{
    (void)state;
#define CHECK(name) assert_string_equal(tv_code_name(name), #name);
    TV_CODES(CHECK)
#undef CHECK
    assert_int_equal(TV_OK, 0);
    assert_string_equal(tv_code_name((enum tv_code)99), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fail_fills_code_offset_and_text),
        cmocka_unit_test(text_stays_one_line_whatever_it_repeats),
        cmocka_unit_test(error_may_be_left_out),
        cmocka_unit_test(long_text_is_cut_and_ended),
        cmocka_unit_test(memory_failure_names_the_length),
        cmocka_unit_test(try_passes_a_failure_up_unchanged),
        cmocka_unit_test(every_code_has_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
