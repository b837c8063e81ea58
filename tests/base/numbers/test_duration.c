/* base/duration: what people and our own answers write as a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/numbers/duration.h"

struct row {
    const char *text;
    uint64_t value;
};

typedef bool (*read_duration)(struct tv_str text, uint64_t *value);

static void read_rows(const struct row *rows, size_t count, read_duration read)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value = UINT64_MAX;
        if (!read(tv_str_from(rows[i].text), &value))
            fail_msg("'%s' is no time", rows[i].text);
        if (value != rows[i].value)
            fail_msg("'%s' is %llu, not %llu", rows[i].text, (unsigned long long)value,
                     (unsigned long long)rows[i].value);
    }
}

static void refuse_rows(const char *const *rows, size_t count, read_duration read)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value;
        if (read(tv_str_from(rows[i]), &value))
            fail_msg("'%s' is %llu", rows[i], (unsigned long long)value);
    }
}

static void times_are_read_in_every_spelling(void **state)
{
    static const struct row rows[] = {
        {"0", 0},
        {"10", 10000000},
        {"10ms", 10000000},
        {"10 ms", 10000000},
        {"1.5s", 1500000000},
        {".5s", 500000000},
        {".5", 500000},
        {"1.5 s", 1500000000},
        {"35us", 35000},
        {"10\u00b5s", 10000}, /* the micro sign */
        {"10\u03bcs", 10000}, /* the Greek letter */
        {"10 \u00b5s", 10000},
        {"0.0000000019s", 1},
        {"40ns", 40},
        {"40.9ns", 40},
        {"9223372036854775807ns", INT64_MAX},
        {"6.9", 6900000},
        {"33.3", 33300000},
        {"700", 700000000},
        {"1min", 60000000000},
        {"1m", 60000000000},
        {"1.5 min", 90000000000},
        {"2h", 7200000000000},
        {"1d", 86400000000000},
        {"1w", 604800000000000},
    };
    (void)state;
    read_rows(rows, TV_COUNT_OF(rows), tv_duration_ns);
}

static void times_are_read_as_answers_print_them(void **state)
{
    static const struct row rows[] = {
        {"2,441.049", 2441049000},    {"1,234,567.890", 1234567890000},
        {"2,441.049ms", 2441049000},  {"2,441.049 ms", 2441049000},
        {"12,345 us", 12345000},      {"2 min 5 s", 125000000000},
        {"1m 05s", 65000000000},      {"1m5s", 65000000000},
        {"3h 07m", 11220000000000},   {"2d 03h", 183600000000000},
        {"1 s 500.5 ms", 1500500000},
    };
    (void)state;
    read_rows(rows, TV_COUNT_OF(rows), tv_duration_ns);
}

static void other_words_are_no_times(void **state)
{
    static const char *const rows[] = {
        "",
        " ",
        ".",
        ".s",
        "5.",
        "5.s",
        "ms",
        "-5ms",
        "+5ms",
        "1,5s",
        "10  ms",
        "10 ",
        " 10ms",
        "10ms ",
        "1e3",
        "0x10",
        "1..5s",
        "1.5.2s",
        "10\xc2",
        "10\xb5s",
        "10MS",
        "10 ms x",
        "9223372036854775808ns", /* 2^63 */
        "9223372036.9s",         /* the part behind the point passes it */
        "18446744073.9s",        /* ... and here 2^64 */
        "18446744073709551616",
        "0,123", /* 0.123 where a comma is the point */
        "1,5",
        "1,50s",
        "1,5000",
        ",500",
        "1234,567",
        "1,",
        "1,234,",
        "1.234,567",
        "1 000",
        "5 s 1 min", /* the smaller unit first */
        "1s 1s",
        "1s 5",
        "1M",
        "1y",
        "never",
        "15250284452w 3d",
    };
    (void)state;
    refuse_rows(rows, TV_COUNT_OF(rows), tv_duration_ns);
}

static void settings_are_whole_seconds_with_a_unit(void **state)
{
    static const struct row rows[] = {
        {"0s", 0},       {"10s", 10},       {"10min", 600},
        {"10m", 600},    {"1.5d", 129600},  {"1d12h", 129600},
        {"2w", 1209600}, {"1,000 s", 1000}, {"365000d", (uint64_t)365000 * 86400},
    };
    static const char *const refused[] = {"",
                                          "1",
                                          "0",
                                          "d",
                                          "-1d",
                                          "1.5s",
                                          "500ms",
                                          "1 s 500ms",
                                          "never",
                                          "1y",
                                          "18446744073709551616s",
                                          "18446744073709551615w"};
    (void)state;
    read_rows(rows, TV_COUNT_OF(rows), tv_duration_s);
    refuse_rows(refused, TV_COUNT_OF(refused), tv_duration_s);
}

static void a_text_ends_where_its_length_says(void **state)
{
    uint64_t time_ns;
    (void)state;
    assert_true(tv_duration_ns((struct tv_str){"10ms,5", 4}, &time_ns));
    assert_true(time_ns == 10000000);
    assert_true(tv_duration_ns((struct tv_str){"1,000.5", 1}, &time_ns));
    assert_true(time_ns == 1000000);
    assert_false(tv_duration_ns((struct tv_str){NULL, 0}, &time_ns));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_read_in_every_spelling),
        cmocka_unit_test(times_are_read_as_answers_print_them),
        cmocka_unit_test(other_words_are_no_times),
        cmocka_unit_test(settings_are_whole_seconds_with_a_unit),
        cmocka_unit_test(a_text_ends_where_its_length_says),
    };
    return cmocka_run_group_tests_name("base/duration", tests, NULL, NULL);
}
