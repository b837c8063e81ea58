/* When threads were last seen: the parts of the property, and what is none. */
#include "format/last_seen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void each_thread_has_both_times(void **state)
{
    (void)state;
    struct tv_str value = TV_STR("1:2000000000:17000;65536:18446744073709551615:0");
    struct tv_last_seen seen;
    assert_true(tv_last_seen_next(&value, &seen));
    assert_int_equal(seen.thread, 1);
    assert_int_equal(seen.ns[TV_CLOCK_WALL], 2000000000);
    assert_int_equal(seen.ns[TV_CLOCK_CPU], 17000);
    assert_true(tv_last_seen_next(&value, &seen));
    assert_int_equal(seen.thread, 65536);
    assert_true(seen.ns[TV_CLOCK_WALL] == UINT64_MAX);
    assert_int_equal(seen.ns[TV_CLOCK_CPU], 0);
    assert_false(tv_last_seen_next(&value, &seen));
}

static void anything_else_is_the_end(void **state)
{
    (void)state;
    static const char *const others[] = {"",      "1",      "1:2",     "1:2:",     "1:2:x",
                                         ":2:3",  "-1:2:3", "1:2:3:4", "name:1:2", "4294967296:1:2",
                                         ";1:2:3"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        struct tv_str value = tv_str_from(others[i]);
        struct tv_last_seen seen;
        assert_false(tv_last_seen_next(&value, &seen));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_thread_has_both_times),
        cmocka_unit_test(anything_else_is_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
