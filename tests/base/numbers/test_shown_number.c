/* base/shown_number: no number that is not zero reads as zero, by a table that the page's tests
 * read, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/numbers/shown_number.h"

enum kind { KIND_MS, KIND_MEAN, KIND_PERCENT };

static const struct {
    enum kind kind;
    int64_t value;
    uint64_t of;
    const char *text;
} rows[] = {
#define MS(value, text) {KIND_MS, value, 0, text},
#define MEAN(sum, count, text) {KIND_MEAN, sum, count, text},
#define PERCENT(part, whole, text) {KIND_PERCENT, part, whole, text},
#include "base/shown_numbers.inc"
};

static struct tv_str shown(char room[TV_SHOWN_MOST], enum kind kind, int64_t value, uint64_t of)
{
    switch (kind) {
    case KIND_MS:
        return tv_shown_ms(room, value);
    case KIND_MEAN:
        return tv_shown_mean_ms(room, value, of);
    case KIND_PERCENT:
        return tv_shown_percent(room, value, of);
    }
    return TV_STR("");
}

static void numbers_are_shown_as_the_table_has_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++) {
        char room[TV_SHOWN_MOST];
        struct tv_str text = shown(room, rows[i].kind, rows[i].value, rows[i].of);
        if (!tv_str_equal(text, tv_str_from(rows[i].text)))
            fail_msg("row %zu: '%.*s', not '%s'", i, (int)text.len, text.at, rows[i].text);
    }
}

static bool has_digit_above_zero(struct tv_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] >= '1' && text.at[i] <= '9')
            return true;
    }
    return false;
}

static void nothing_that_is_not_zero_reads_as_zero(void **state)
{
    char room[TV_SHOWN_MOST];
    (void)state;
    for (unsigned bits = 0; bits < 63; bits++) {
        for (int64_t less = 0; less < 2; less++) {
            int64_t value = (int64_t)(UINT64_C(1) << bits) - (bits ? less : 0);
            assert_true(has_digit_above_zero(tv_shown_ms(room, value)));
            assert_true(has_digit_above_zero(tv_shown_ms(room, -value)));
            assert_true(has_digit_above_zero(tv_shown_mean_ms(room, 1, (uint64_t)value)));
            assert_true(has_digit_above_zero(tv_shown_mean_ms(room, value, UINT64_MAX)));
            assert_true(has_digit_above_zero(tv_shown_percent(room, value, UINT64_MAX)));
            assert_true(has_digit_above_zero(tv_shown_percent(room, -value, UINT64_MAX)));
            assert_true(has_digit_above_zero(tv_shown_percent(room, value, 1)));
        }
    }
}

static void the_ends_of_the_range_have_room(void **state)
{
    char room[TV_SHOWN_MOST];
    (void)state;
    struct tv_str text = tv_shown_ms(room, INT64_MIN);
    assert_true(tv_str_equal(text, TV_STR("-9,223,372,036,854.776")));
    text = tv_shown_mean_ms(room, INT64_MIN, 1);
    assert_true(tv_str_equal(text, TV_STR("-9,223,372,036,854.776")));
    text = tv_shown_percent(room, INT64_MIN, 1);
    assert_true(tv_str_equal(text, TV_STR("-100000000000000000.0")));
    text = tv_shown_percent(room, 1, 0);
    assert_true(tv_str_equal(text, TV_STR("-")));
    text = tv_shown_mean_ms(room, 7, 0);
    assert_true(tv_str_equal(text, TV_STR("0.000")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_shown_as_the_table_has_them),
        cmocka_unit_test(nothing_that_is_not_zero_reads_as_zero),
        cmocka_unit_test(the_ends_of_the_range_have_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
