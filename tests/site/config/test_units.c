/* site/units: sizes, durations and rates are read as they are written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "site/config/units.h"

struct row {
    const char *text;
    uint64_t value;
    const char *shown;
};

static void sizes_are_bytes_by_1024(void **state)
{
    static const struct row rows[] = {
        {"0", 0, "0"},
        {"1", 1, "1"},
        {"1024", 1024, "1K"},
        {"1025", 1025, "1025"},
        {"100M", (uint64_t)100 << 20, "100M"},
        {"1024G", (uint64_t)1 << 40, "1T"},
        {"18446744073709551615", UINT64_MAX, "18446744073709551615"},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++) {
        uint64_t value = 7;
        char text[TV_UNITS_TEXT];
        assert_true(tv_size_parse(tv_str_from(rows[i].text), &value));
        assert_true(value == rows[i].value);
        tv_size_text(value, text);
        assert_string_equal(text, rows[i].shown);
    }
}

static void durations_are_seconds(void **state)
{
    static const struct row rows[] = {
        {"0s", 0, "0s"},
        {"90s", 90, "90s"},
        {"60s", 60, "1min"},
        {"24h", 86400, "1d"},
        {"1m", 60, "1min"},
        {"1d12h", 129600, "36h"},
        {"30d", 2592000, "30d"},
        {"14d", 1209600, "2w"},
        {"never", TV_NEVER, "never"},
        {"365000d", TV_LONGEST_S, "365000d"},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++) {
        uint64_t value = 7;
        char text[TV_UNITS_TEXT];
        assert_true(tv_duration_parse(tv_str_from(rows[i].text), &value));
        assert_true(value == rows[i].value);
        tv_duration_text(value, text);
        assert_string_equal(text, rows[i].shown);
    }
}

static void rates_have_a_period(void **state)
{
    static const struct {
        const char *text;
        struct tv_rate_limit limit;
        const char *shown;
    } rows[] = {
        {"0", {0, 0}, "0"},
        {"100/s", {100, 1}, "100/s"},
        {"120/h", {120, 3600}, "120/h"},
        {"5/m", {5, 60}, "5/min"},
        {"4294967295/d", {UINT32_MAX, 86400}, "4294967295/d"},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++) {
        struct tv_rate_limit limit;
        char text[TV_UNITS_TEXT];
        assert_true(tv_rate_limit_parse(tv_str_from(rows[i].text), &limit));
        assert_true(limit.count == rows[i].limit.count);
        assert_true(limit.period_s == rows[i].limit.period_s);
        tv_rate_limit_text(&limit, text);
        assert_string_equal(text, rows[i].shown);
    }
}

static void what_has_two_meanings_is_refused(void **state)
{
    static const char *const sizes[] = {"",          "K",    "1k",  "1KB",  "-1",
                                        "+1",        "1.5G", "1 G", "0x10", "18446744073709551616",
                                        "16777216T", "1G "};
    static const char *const durations[] = {"",     "1",     "1ms",     "1M", "d",   "-1d",
                                            "1.5s", "Never", "365001d", "1y", "1y1d"};
    static const char *const rates[] = {"",     "1",   "/s",    "1/",   "1/M",          "0/s",
                                        "1/ms", "1/2", "1/s/s", "-1/s", "4294967296/s", "1 /s"};
    uint64_t value = 7;
    struct tv_rate_limit limit;
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(sizes); i++) {
        if (tv_size_parse(tv_str_from(sizes[i]), &value))
            fail_msg("'%s' is taken for a size", sizes[i]);
    }
    for (size_t i = 0; i < TV_COUNT_OF(durations); i++) {
        if (tv_duration_parse(tv_str_from(durations[i]), &value))
            fail_msg("'%s' is taken for a time", durations[i]);
    }
    for (size_t i = 0; i < TV_COUNT_OF(rates); i++) {
        if (tv_rate_limit_parse(tv_str_from(rates[i]), &limit))
            fail_msg("'%s' is taken for a rate", rates[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_bytes_by_1024),
        cmocka_unit_test(durations_are_seconds),
        cmocka_unit_test(rates_have_a_period),
        cmocka_unit_test(what_has_two_meanings_is_refused),
    };
    return cmocka_run_group_tests_name("site/units", tests, NULL, NULL);
}
