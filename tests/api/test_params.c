/* Parameters of requests: how they are split and decoded, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "api/params.h"
#include "asking.h"

static const char *const known[] = {"a", "b", "long name", NULL};
static struct tv_arena arena;
static struct tv_params params;
static struct tv_error error;

static int begin(void **state)
{
    (void)state;
    tv_arena_init(&arena, tv_alloc_libc());
    return 0;
}

static int end(void **state)
{
    (void)state;
    tv_arena_release(&arena);
    return 0;
}

static void parse(const char *query)
{
    assert_int_equal(tv_params_parse(&params, &arena, tv_str_from(query), known, NULL), TV_OK);
}

static void expect_refused(enum tv_code code, const char *reason)
{
    assert_int_equal(code, TV_ERR_ARGUMENT);
    if (!strstr(error.text, reason))
        fail_msg("\"%s\" instead of \"%s\"", error.text, reason);
}

static void expect_decoded(const char *query, const char *value)
{
    struct tv_str got = {NULL, 0};
    parse(query);
    assert_true(tv_params_find(&params, "a", &got));
    assert_int_equal(got.len, strlen(value));
    assert_memory_equal(got.at, value, got.len);
}

/* "label_" among the known names stands for all that begin so. */
static void names_may_begin_with_a_known_one(void **state)
{
    static const char *const begins[] = {"label_", NULL};
    struct tv_str got;
    (void)state;
    assert_int_equal(
        tv_params_parse(&params, &arena, TV_STR("label_app=shop&label_=x"), begins, NULL), TV_OK);
    assert_true(tv_params_find(&params, "label_app", &got) && tv_str_equal(got, TV_STR("shop")));
    expect_refused(tv_params_parse(&params, &arena, TV_STR("label=x"), begins, &error),
                   "unknown parameter \"label\"");
}

static void names_and_values_are_decoded(void **state)
{
    struct tv_str got;
    (void)state;
    expect_decoded("a=1", "1");
    expect_decoded("b=2&a=1", "1");
    expect_decoded("a=x=y", "x=y");
    expect_decoded("a=1+2%2B%20%26", "1 2+ &");
    expect_decoded("a=%41%5a%7A%aF%Fa%09", "AZz\xaf\xfa\t");
    expect_decoded("%61=%3d", "=");
    expect_decoded("a=", "");
    expect_decoded("a", "");
    expect_decoded("&&a=1&", "1");
    parse("long+name=1");
    assert_true(tv_params_find(&params, "long name", &got));
    assert_false(tv_params_find(&params, "a", &got));
}

static void cut_or_wrong_percent_is_refused(void **state)
{
    static const char *const queries[] = {"a=%",   "a=%4",  "a=x%4", "a=%4g", "a=%g4", "a=%/1",
                                          "a=%:1", "a=%@1", "a=%G1", "a=%`1", "a=%1/", "%a=1"};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(queries); i++)
        expect_refused(tv_params_parse(&params, &arena, tv_str_from(queries[i]), known, &error),
                       "% must be followed by two hexadecimal digits");
}

static void no_more_than_the_limit_of_parameters(void **state)
{
    static char names[TV_PARAM_LIMIT + 1][4];
    const char *all[TV_PARAM_LIMIT + 2] = {NULL};
    char query[8 * (TV_PARAM_LIMIT + 1)] = "";
    (void)state;
    for (size_t i = 0; i <= TV_PARAM_LIMIT; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "p%zu", i);
        all[i] = names[i];
        if (i == TV_PARAM_LIMIT)
            assert_int_equal(tv_params_parse(&params, &arena, tv_str_from(query), all, NULL),
                             TV_OK);
        (void)snprintf(query + strlen(query), sizeof(query) - strlen(query), "p%zu=1&", i);
    }
    expect_refused(tv_params_parse(&params, &arena, tv_str_from(query), all, &error),
                   "more than 32 parameters");
}

static void decimal_is_digits_around_a_point(void **state)
{
    static const struct {
        const char *query;
        double value;
    } good[] = {{"a=0", 0},
                {"a=9", 9},
                {"a=2.5", 2.5},
                {"a=.25", 0.25},
                {"a=12.", 12},
                {"a=09.90", 9.9},
                {"b=1", 7}, /* not given: as it was */
                {"a=12345678901234567890", 12345678901234567890.0}};
    static const char *const bad[] = {
        "a=",     "a=.",    "a=-1", "a=1x", "a=x1",  "a=1.x", "a=1.2x",
        "a=1.x2", "a=1..2", "a=1/", "a=1:", "a=1./", "a=1.:", "a=123456789012345678901"};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(good); i++) {
        double value = 7;
        parse(good[i].query);
        assert_int_equal(tv_params_decimal(&params, "a", &value, NULL), TV_OK);
        assert_true(value > good[i].value * (1 - 1e-15) - 1e-15 &&
                    value < good[i].value * (1 + 1e-15) + 1e-15);
    }
    for (size_t i = 0; i < TV_COUNT_OF(bad); i++) {
        double value = 7;
        parse(bad[i]);
        expect_refused(tv_params_decimal(&params, "a", &value, &error),
                       "a must be a decimal number");
        assert_true(value == 7);
    }
}

static void number_lies_within_its_bounds(void **state)
{
    uint64_t value = 7;
    (void)state;
    parse("b=1");
    assert_int_equal(tv_params_u64(&params, "a", 2, 3, &value, NULL), TV_OK);
    assert_int_equal(value, 7);
    for (uint64_t i = 2; i <= 3; i++) {
        parse(i == 2 ? "a=2" : "a=3");
        assert_int_equal(tv_params_u64(&params, "a", 2, 3, &value, NULL), TV_OK);
        assert_int_equal(value, i);
    }
    parse("a=1");
    expect_refused(tv_params_u64(&params, "a", 2, 3, &value, &error),
                   "a must be a whole number from 2 to 3, not \"1\"");
    parse("a=4");
    expect_refused(tv_params_u64(&params, "a", 2, 3, &value, &error), "not \"4\"");
    assert_int_equal(value, 3);
}

static void long_text_is_repeated_in_part(void **state)
{
    char query[128] = "a=";
    uint64_t value;
    (void)state;
    memset(query + 2, 'x', 100);
    parse(query);
    expect_refused(tv_params_u64(&params, "a", 0, 1, &value, &error), "not \"x");
    assert_int_equal(strspn(strchr(error.text, 'x'), "x"), 60);
    assert_string_equal(strchr(error.text, 'x') + 60, "\"");
    query[2 + 60] = 0;
    parse(query);
    expect_refused(tv_params_u64(&params, "a", 0, 1, &value, &error), "not \"x");
    assert_int_equal(strspn(strchr(error.text, 'x'), "x"), 60);
}

static void choice_is_one_of_its_words(void **state)
{
    static const char *const words[] = {"up", "down"};
    unsigned choice = 5;
    (void)state;
    parse("b=up");
    assert_int_equal(tv_params_choice(&params, "a", words, 2, &choice, NULL), TV_OK);
    assert_int_equal(choice, 5);
    parse("a=down");
    assert_int_equal(tv_params_choice(&params, "a", words, 2, &choice, NULL), TV_OK);
    assert_int_equal(choice, 1);
    parse("a=do");
    expect_refused(tv_params_choice(&params, "a", words, 2, &choice, &error),
                   "a must be one of up down, not \"do\"");
}

static void list_has_whole_numbers_only(void **state)
{
    uint64_t *values = NULL;
    size_t count = 9;
    (void)state;
    parse("a=");
    assert_int_equal(tv_params_list(&params, "a", ',', &values, &count, NULL), TV_OK);
    assert_int_equal(count, 9); /* as it was */
    parse("a=1,22,3");
    assert_int_equal(tv_params_list(&params, "a", ',', &values, &count, NULL), TV_OK);
    assert_int_equal(count, 3);
    assert_true(values[0] == 1 && values[1] == 22 && values[2] == 3);
    parse("a=1,,2");
    expect_refused(tv_params_list(&params, "a", ',', &values, &count, &error),
                   "a must be whole numbers separated by \",\", not \"\"");
    parse("a=1.2");
    expect_refused(tv_params_list(&params, "a", ',', &values, &count, &error), "not \"1.2\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_may_begin_with_a_known_one, begin, end),
        cmocka_unit_test_setup_teardown(names_and_values_are_decoded, begin, end),
        cmocka_unit_test_setup_teardown(cut_or_wrong_percent_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(no_more_than_the_limit_of_parameters, begin, end),
        cmocka_unit_test_setup_teardown(decimal_is_digits_around_a_point, begin, end),
        cmocka_unit_test_setup_teardown(number_lies_within_its_bounds, begin, end),
        cmocka_unit_test_setup_teardown(long_text_is_repeated_in_part, begin, end),
        cmocka_unit_test_setup_teardown(choice_is_one_of_its_words, begin, end),
        cmocka_unit_test_setup_teardown(list_has_whole_numbers_only, begin, end),
    };
    return cmocka_run_group_tests(tests, asking_begin, asking_end);
}
