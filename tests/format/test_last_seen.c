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

/* A thread whose last record is at 700 us, of 350 us of CPU time, in a trace of 10 ms. */
static bool move_on(bool has_wall, uint64_t wall_ns, uint64_t cpu_ns, uint64_t time[TV_CLOCK_COUNT])
{
    const struct tv_trace trace = {.has_clock = {[TV_CLOCK_WALL] = has_wall, [TV_CLOCK_CPU] = true},
                                   .unit_ns = 1000,
                                   .has_elapsed = true,
                                   .elapsed_ns = 10000000};
    const struct tv_last_seen seen = {.thread = 1,
                                      .ns = {[TV_CLOCK_WALL] = wall_ns, [TV_CLOCK_CPU] = cpu_ns}};
    time[TV_CLOCK_WALL] = has_wall ? 700 : 0;
    time[TV_CLOCK_CPU] = 350;
    return tv_last_seen_move_on(&trace, 2, &seen, time);
}

static void a_time_moves_on_where_it_is_later_and_known(void **state)
{
    (void)state;
    uint64_t time[TV_CLOCK_COUNT];
    assert_true(move_on(true, 9000000, 4000000, time));
    assert_int_equal(time[TV_CLOCK_WALL], 9000);
    assert_int_equal(time[TV_CLOCK_CPU], 4000);
    assert_true(move_on(true, 500000, 100000, time));
    assert_int_equal(time[TV_CLOCK_WALL], 700);
    assert_int_equal(time[TV_CLOCK_CPU], 350);
    assert_false(move_on(true, 999, 4000000, time)); /* below a unit: it is not known */
    assert_int_equal(time[TV_CLOCK_WALL], 700);
    assert_int_equal(time[TV_CLOCK_CPU], 4000);
    assert_false(move_on(false, 9000000, 4000000, time));
    assert_int_equal(time[TV_CLOCK_WALL], 0);
    assert_int_equal(time[TV_CLOCK_CPU], 4000);
}

/* 10 ms and a minute are 60,010 ms. */
static void a_time_that_cannot_be_is_not_believed(void **state)
{
    (void)state;
    static const uint64_t no[][TV_CLOCK_COUNT] = {
        {60010001000, 4000000}, {UINT64_MAX, UINT64_MAX}, {INT64_MAX, 5},
        {9000000, 60010352000}, /* CPU times count from the thread's last record */
        {9000000, UINT64_MAX},
    };
    uint64_t time[TV_CLOCK_COUNT];
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
        assert_false(move_on(true, no[i][TV_CLOCK_WALL], no[i][TV_CLOCK_CPU], time));
        assert_int_equal(time[TV_CLOCK_WALL], 700);
        assert_int_equal(time[TV_CLOCK_CPU], 350);
    }
    assert_true(move_on(true, 60010000000, 60010350000, time));
    assert_int_equal(time[TV_CLOCK_WALL], 60010000);
    assert_int_equal(time[TV_CLOCK_CPU], 60010350);
    assert_false(move_on(false, UINT64_MAX, 4000000, time)); /* a clock that the trace lacks */
    assert_int_equal(time[TV_CLOCK_CPU], 4000);
}

/* Two threads, and no elapsed time in the header: half of 292 years. */
static void what_cannot_be_added_up_is_not_believed(void **state)
{
    (void)state;
    const struct tv_trace trace = {.has_clock = {true, true}, .unit_ns = 1};
    struct tv_last_seen seen = {.ns = {[TV_CLOCK_WALL] = INT64_MAX / 2 + 1}};
    uint64_t time[TV_CLOCK_COUNT] = {7, 7};
    assert_false(tv_last_seen_move_on(&trace, 2, &seen, time));
    assert_int_equal(time[TV_CLOCK_WALL], 7);
    seen.ns[TV_CLOCK_WALL]--;
    assert_true(tv_last_seen_move_on(&trace, 2, &seen, time));
    assert_true(time[TV_CLOCK_WALL] == INT64_MAX / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_thread_has_both_times),
        cmocka_unit_test(anything_else_is_the_end),
        cmocka_unit_test(a_time_moves_on_where_it_is_later_and_known),
        cmocka_unit_test(a_time_that_cannot_be_is_not_believed),
        cmocka_unit_test(what_cannot_be_added_up_is_not_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
