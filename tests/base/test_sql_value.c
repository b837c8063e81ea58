/* Values of statements: what is NULL, and what a number of too many digits becomes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/sql_value.h"

static void empty_text_is_null_only_where_that_is_asked_for(void **state)
{
    (void)state;
    assert_int_equal(tv_sql_text(TV_STR("")).kind, TV_SQL_TEXT);
    assert_int_equal(tv_sql_or_null(TV_STR("")).kind, TV_SQL_NULL);
    assert_int_equal(tv_sql_or_null(TV_STR("a")).kind, TV_SQL_TEXT);
    assert_int_equal(tv_sql_hex("").kind, TV_SQL_NULL);
    assert_int_equal(tv_sql_hex("0f").text.len, 2);
}

static void count_that_no_column_holds_is_the_largest(void **state)
{
    (void)state;
    assert_true(tv_sql_count(UINT64_MAX).number == INT64_MAX);
    assert_true(tv_sql_count(7).number == 7);
    assert_true(tv_sql_int(INT64_MIN).number == INT64_MIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_text_is_null_only_where_that_is_asked_for),
        cmocka_unit_test(count_that_no_column_holds_is_the_largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
