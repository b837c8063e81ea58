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

static void what_is_not_given_is_null(void **state)
{
    (void)state;
    const struct tv_str empty = TV_STR("");
    const bool no = false;
    assert_int_equal(tv_sql_time(0).kind, TV_SQL_NULL);
    assert_int_equal(tv_sql_time(-1).number, -1);
    assert_int_equal(tv_sql_new_text(NULL).kind, TV_SQL_NULL);
    assert_int_equal(tv_sql_new_text(&empty).kind, TV_SQL_TEXT);
    assert_int_equal(tv_sql_new_truth(NULL).kind, TV_SQL_NULL);
    assert_int_equal(tv_sql_new_truth(&no).kind, TV_SQL_INT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_text_is_null_only_where_that_is_asked_for),
        cmocka_unit_test(count_that_no_column_holds_is_the_largest),
        cmocka_unit_test(what_is_not_given_is_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
