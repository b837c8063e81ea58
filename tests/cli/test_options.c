/* cli/options: which words are times. What the parser refuses is tested from outside
 * (tests/cli/cases). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "cli/options.h"

static void times_are_read_in_every_spelling(void **state)
{
    static const struct {
        const char *text;
        uint64_t time_ns;
    } rows[] = {
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
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++) {
        uint64_t time_ns = UINT64_MAX;
        if (!tv_time_parse(rows[i].text, &time_ns))
            fail_msg("'%s' is no time", rows[i].text);
        if (time_ns != rows[i].time_ns)
            fail_msg("'%s' is %llu ns, not %llu", rows[i].text, (unsigned long long)time_ns,
                     (unsigned long long)rows[i].time_ns);
    }
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
        "10m",
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
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++) {
        uint64_t time_ns;
        if (tv_time_parse(rows[i], &time_ns))
            fail_msg("'%s' is %llu ns", rows[i], (unsigned long long)time_ns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_read_in_every_spelling),
        cmocka_unit_test(other_words_are_no_times),
    };
    return cmocka_run_group_tests_name("cli/options", tests, NULL, NULL);
}
