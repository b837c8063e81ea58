/* Formatted text of modules: what the C library makes of the same conversions. */
#include <inttypes.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/wasm_print.h"

/* Both texts, with less room each time, down to none. */
TV_PRINTF(1, 2) static void expect_same(const char *format, ...)
{
    for (size_t cap = 64; cap-- > 0;) {
        char ours[64];
        char theirs[64];
        memset(ours, '?', sizeof(ours));
        memset(theirs, '?', sizeof(theirs));
        va_list args;
        va_start(args, format);
        int our_len = tv_wasm_print(ours, cap, format, args);
        va_end(args);
        va_start(args, format);
        int their_len = vsnprintf(theirs, cap, format, args);
        va_end(args);
        assert_int_equal(our_len, their_len);
        assert_memory_equal(ours, theirs, sizeof(ours));
    }
}

static void numbers_are_written(void **state)
{
    (void)state;
    expect_same("%u %u %u", 0u, 7u, UINT32_MAX);
    expect_same("%lu %llu", ULONG_MAX, 12345678901ull);
    expect_same("%zu %" PRIu64, SIZE_MAX, UINT64_MAX);
    expect_same("%d %d %i %+d %+d", INT32_MIN, -1, 0, 5, -5);
    expect_same("%ld %lld %+lld", LONG_MIN, LLONG_MAX, 0ll);
    expect_same("%x %X %llx", 0xbeefu, 0xbeefu, ULLONG_MAX);
    expect_same("%02x %02X %04x %08x %016" PRIx64, 5u, 0xfau, 0xfu, 0u, UINT64_C(0xfeed));
    expect_same("[%12llu] [%+12lld] [%-6u] [%*u]", 42ull, -42ll, 3u, 5, 77u);
    expect_same("%02u.%06llu %03d", 123u, 7ull, -4);
}

static void texts_are_written(void **state)
{
    (void)state;
    expect_same("plain, 100 %%");
    expect_same("%s|%.*s|%.7s|%.3s", "", 2, "abc", "abcdefghij", "a");
    expect_same("[%10s] [%-4s] [%2s]", "right", "l", "wide");
    expect_same("%c%c", 'x', 0x7e);
    expect_same("%s", "a text that has more bytes than there is room for in sixty-four of them");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_written),
        cmocka_unit_test(texts_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
