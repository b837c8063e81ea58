/* Numbers in words. */
#include "site/document/readable.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/compiler.h"

static void expect(struct tv_str said, const char *expected)
{
    char text[TV_READABLE_MOST + 1];
    assert_true(said.len <= TV_READABLE_MOST);
    snprintf(text, sizeof(text), "%.*s", (int)said.len, said.at);
    assert_string_equal(text, expected);
}

static void sizes_have_the_units_of_the_viewer(void **state)
{
    char room[TV_READABLE_MOST];
    (void)state;
    expect(tv_readable_bytes(room, 0), "0 B");
    expect(tv_readable_bytes(room, 1023), "1023 B");
    expect(tv_readable_bytes(room, 40 * 1024), "40 KiB");
    expect(tv_readable_bytes(room, 233000000), "222.2 MiB");
    expect(tv_readable_bytes(room, (uint64_t)5 << 28), "1.25 GiB");
    expect(tv_readable_bytes(room, UINT64_MAX), "17179869184.00 GiB");
}

static void durations_are_told_in_the_largest_unit_that_fits(void **state)
{
    char room[TV_READABLE_MOST];
    (void)state;
    expect(tv_readable_duration(room, 0), "0 seconds");
    expect(tv_readable_duration(room, 1), "1 second");
    expect(tv_readable_duration(room, 90), "90 seconds");
    expect(tv_readable_duration(room, 60), "1 minute");
    expect(tv_readable_duration(room, 36 * 3600), "36 hours");
    expect(tv_readable_duration(room, 86400), "1 day");
    expect(tv_readable_duration(room, 90 * 86400), "90 days");
    expect(tv_readable_duration(room, UINT64_MAX), "18446744073709551615 seconds");
}

/* Against the C library, over leap years, centuries and the last second of days. */
static void dates_are_those_of_the_c_library(void **state)
{
    static const uint64_t times[] = {0,          68169599,    68169600,    951782399,  951782400,
                                     951868800,  1795348800,  4107542399,  4107542400, 13574563199,
                                     1709164800, 32535215999, 253402300799};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(times); i++) {
        char room[TV_READABLE_MOST];
        char expected[64];
        time_t time = (time_t)times[i];
        strftime(expected, sizeof(expected), "%Y-%m-%dT%H:%M:%SZ", gmtime(&time));
        expect(tv_readable_time_iso(room, times[i]), expected);
    }
}

static void a_moment_is_told_with_its_day(void **state)
{
    char room[TV_READABLE_MOST];
    (void)state;
    expect(tv_readable_moment(room, 1795357800), "2026-11-22T14:30:00Z");
    expect(tv_readable_day(room, 1795357800), "2026-11-22");
    expect(tv_readable_moment(room, -1), "1970-01-01T00:00:00Z");
    expect(tv_readable_day(room, INT64_MIN), "1970-01-01");
}

static void a_time_is_told_with_its_month_and_the_clock_that_it_is_of(void **state)
{
    char room[TV_READABLE_MOST];
    (void)state;
    expect(tv_readable_time(room, 1795357800), "22 Nov 2026, 14:30 UTC");
    expect(tv_readable_time(room, UINT64_MAX), "31 Dec 9999, 07:00 UTC");
}

static void one_is_told_otherwise_than_several(void **state)
{
    char room[TV_READABLE_MOST];
    (void)state;
    expect(tv_readable_count(room, 1, "call", "calls"), "1 call");
    expect(tv_readable_count(room, 0, "call", "calls"), "0 calls");
    expect(tv_readable_count(room, 401234, "call", "calls"), "401,234 calls");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_have_the_units_of_the_viewer),
        cmocka_unit_test(durations_are_told_in_the_largest_unit_that_fits),
        cmocka_unit_test(dates_are_those_of_the_c_library),
        cmocka_unit_test(a_moment_is_told_with_its_day),
        cmocka_unit_test(a_time_is_told_with_its_month_and_the_clock_that_it_is_of),
        cmocka_unit_test(one_is_told_otherwise_than_several),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
