/* The edges of threads: the parts of the property, and what is none. */
#include "format/cut_threads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void each_thread_has_its_edges(void **state)
{
    (void)state;
    struct tv_str value = TV_STR("1:3:2000000000:1900000000:17000;4294967295:0:0:0:5");
    struct tv_cut_thread cut;
    assert_true(tv_cut_threads_next(&value, &cut));
    assert_int_equal(cut.thread, 1);
    assert_int_equal(cut.began_before, 3);
    assert_int_equal(cut.open_until_ns, 2000000000);
    assert_int_equal(cut.seen_ns[TV_CLOCK_WALL], 1900000000);
    assert_int_equal(cut.seen_ns[TV_CLOCK_CPU], 17000);
    assert_true(tv_cut_threads_next(&value, &cut));
    assert_int_equal(cut.thread, UINT32_MAX);
    assert_int_equal(cut.seen_ns[TV_CLOCK_CPU], 5);
    assert_false(tv_cut_threads_next(&value, &cut));
}

static void anything_else_is_the_end(void **state)
{
    (void)state;
    static const char *const others[] = {"",
                                         "1",
                                         "1:2:3:4",
                                         "1:2:3:4:",
                                         "1:2:3:4:x",
                                         "1:2:3:4:5:6",
                                         "4294967296:2:3:4:5",
                                         "-1:2:3:4:5",
                                         ";1:2:3:4:5"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        struct tv_str value = tv_str_from(others[i]);
        struct tv_cut_thread cut;
        assert_false(tv_cut_threads_next(&value, &cut));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_thread_has_its_edges),
        cmocka_unit_test(anything_else_is_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
