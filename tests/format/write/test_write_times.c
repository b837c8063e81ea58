/* Times on their way into another version. */
#include "format/write/write_times.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define HOUR_US UINT64_C(3600000000)

static const struct tv_write_times widening = {
    .from_unit_ns = 1000, .to_unit_ns = 1, .from_bits = 32, .most = INT64_MAX};
static const struct tv_write_times narrowing = {
    .from_unit_ns = 1, .to_unit_ns = 1000, .from_bits = 64};

/* Converts times of one thread, and compares the results and what is said of each. */
struct step {
    uint64_t time, expected;
    unsigned changes;
};

static void expect_steps(struct tv_write_times times, const struct step *steps, size_t count)
{
    struct tv_write_thread_times thread = {.multiple = 0};
    for (size_t i = 0; i < count; i++) {
        unsigned changes = 0;
        uint64_t got = tv_write_time_next(&times, &thread, TV_CLOCK_CPU, steps[i].time, &changes);
        if (got != steps[i].expected || changes != steps[i].changes)
            fail_msg("step %zu: %llu, changes %u", i, (unsigned long long)got, changes);
    }
}

static void times_of_32_bits_are_unwrapped_and_raised(void **state)
{
    (void)state;
    static const struct step steps[] = {
        {UINT32_MAX, UINT64_C(4294967295000), 0},
        {4, UINT64_C(4294967300000), 0}, /* wrapped */
        {UINT32_MAX, UINT64_C(4294967300000), TV_WRITE_TIME_RAISED},
        {5, UINT64_C(4294967301000), 0}, /* steps are taken between the file's own values */
    };
    expect_steps(widening, steps, 4);
}

static void times_of_64_bits_are_cut_to_microseconds(void **state)
{
    (void)state;
    static const struct step steps[] = {
        {1999, 1, TV_WRITE_TIME_ROUNDED},
        {UINT64_MAX, 1, TV_WRITE_TIME_RAISED | TV_WRITE_TIME_ROUNDED}, /* before the start */
        {3000, 3, 0},
        {HOUR_US * 1000, HOUR_US, 0},
        {HOUR_US * 3000, HOUR_US * 3, TV_WRITE_TIME_AMBIGUOUS}, /* 2 hours: more than a wrap */
        {2000 + HOUR_US * 3000, HOUR_US * 3 + 2, 0},
    };
    expect_steps(narrowing, steps, 6);
}

static void times_of_32_bits_stay_where_32_bits_stay(void **state)
{
    (void)state;
    static const struct step steps[] = {{7, 7, 0}, {5, 5, 0}, {UINT32_MAX, UINT32_MAX, 0}};
    struct tv_write_times same = {.from_unit_ns = 1000, .to_unit_ns = 1000, .from_bits = 32};
    expect_steps(same, steps, 3);
}

static void what_is_too_late_is_cut(void **state)
{
    (void)state;
    static const struct step steps[] = {{5, 5, 0}, {9, 8, TV_WRITE_TIME_CUT}};
    struct tv_write_times times = {.from_unit_ns = 1, .to_unit_ns = 1, .from_bits = 64, .most = 8};
    expect_steps(times, steps, 2);
}

/* Where the threads' wall times compare, a call that never ends lasts to the latest of them. */
static void calls_end_with_the_trace_or_with_their_thread(void **state)
{
    (void)state;
    for (unsigned is_common = 0; is_common < 2; is_common++) {
        struct tv_write_times times = {.from_unit_ns = 1000,
                                       .to_unit_ns = 1000,
                                       .from_bits = 32,
                                       .has_common_axis = is_common};
        struct tv_write_thread_times threads[2] = {{.multiple = 0}, {.multiple = 0}};
        unsigned changes = 0;
        (void)tv_write_time_next(&times, &threads[0], TV_CLOCK_WALL, 10, &changes);
        (void)tv_write_time_next(&times, &threads[0], TV_CLOCK_CPU, 3, &changes);
        (void)tv_write_time_next(&times, &threads[1], TV_CLOCK_WALL, 90, &changes);
        assert_int_equal(tv_write_time_end(&times, &threads[0], TV_CLOCK_WALL, &changes),
                         is_common ? 90 : 10);
        assert_int_equal(tv_write_time_end(&times, &threads[0], TV_CLOCK_CPU, &changes), 3);
        assert_int_equal(changes, 0);
    }
}

/* A thread that begins late in a long trace has a first time that only its neighbours explain. */
static void a_late_thread_begins_near_the_record_before_it(void **state)
{
    (void)state;
    static const struct {
        int64_t before;
        uint64_t elapsed, first, last, expected;
    } cases[] = {
        {INT64_C(0x100000064), 3 * HOUR_US, 200, 300, 1}, /* one wrap lies before */
        {INT64_C(0x180000000), 3 * HOUR_US, 0, 0, 1},     /* a tie goes to the smaller */
        {INT64_C(0x180000001), 3 * HOUR_US, 0, 0, 2},
        {INT64_C(0x180000001), UINT64_C(0x1ffffffff), 0, 9, 1}, /* not behind the end */
        {100, 3 * HOUR_US, 200, 300, 0},                        /* nothing lies before it */
        {-1, 3 * HOUR_US, 200, 300, 0},                         /* the first record of the file */
        {INT64_C(0x100000064), 0, 200, 300, 0},                 /* nobody knows how long it ran */
    };
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct tv_write_times times = widening;
        struct tv_write_thread_times thread = {.multiple = 0};
        times.has_common_axis = true;
        times.elapsed = cases[i].elapsed;
        tv_write_clock_take(&thread.clock[TV_CLOCK_WALL], &times, TV_CLOCK_WALL, cases[i].first);
        tv_write_clock_take(&thread.clock[TV_CLOCK_WALL], &times, TV_CLOCK_WALL, cases[i].last);
        tv_write_times_place(&times, &thread, cases[i].before);
        if (thread.multiple != cases[i].expected << 32)
            fail_msg("case %zu: %llu", i, (unsigned long long)thread.multiple);
    }
}

/* Two minutes back, in a trace that cannot have wrapped. */
static void a_wall_clock_that_was_set_back_is_raised(void **state)
{
    (void)state;
    struct tv_write_times times = widening;
    struct tv_write_thread_times thread = {.multiple = 0};
    unsigned changes = 0;
    times.elapsed = 201000000;
    (void)tv_write_time_next(&times, &thread, TV_CLOCK_WALL, 200000000, &changes);
    assert_int_equal(changes, 0);
    assert_int_equal(tv_write_time_next(&times, &thread, TV_CLOCK_WALL, 80000000, &changes),
                     200000000000);
    assert_int_equal(changes, TV_WRITE_TIME_RAISED);
}

/* The CPU clock of a thread does not count from the start of the trace: a wrap would take it 4,175
 * s from its first time on. */
static void a_cpu_clock_that_begins_anew_is_raised(void **state)
{
    (void)state;
    for (uint64_t is_long = 0; is_long < 2; is_long++) {
        struct tv_write_times times = widening;
        struct tv_write_thread_times thread = {.multiple = 0};
        unsigned changes = 0;
        times.elapsed = is_long ? 4175000000 : 4075000000;
        (void)tv_write_time_next(&times, &thread, TV_CLOCK_CPU, 200000000, &changes);
        assert_int_equal(tv_write_time_next(&times, &thread, TV_CLOCK_CPU, 80000000, &changes),
                         is_long ? UINT64_C(4374967296000) : UINT64_C(200000000000));
        assert_int_equal(changes, is_long ? 0 : TV_WRITE_TIME_RAISED);
    }
}

/* 32 bits of a time that is later than the elapsed time are read as a clock that was set back. */
static void wraps_behind_the_elapsed_time_are_told(void **state)
{
    (void)state;
    for (uint64_t is_late = 0; is_late < 2; is_late++) {
        struct tv_write_times times = narrowing;
        struct tv_write_thread_times thread = {.multiple = 0};
        unsigned changes = 0;
        times.elapsed = (HOUR_US + 1) * 1000;
        (void)tv_write_time_next(&times, &thread, TV_CLOCK_WALL, HOUR_US * 1000, &changes);
        (void)tv_write_time_next(&times, &thread, TV_CLOCK_WALL, HOUR_US * (1000 + 500 * is_late),
                                 &changes);
        assert_int_equal(changes, is_late ? TV_WRITE_TIME_AMBIGUOUS : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_of_32_bits_are_unwrapped_and_raised),
        cmocka_unit_test(times_of_64_bits_are_cut_to_microseconds),
        cmocka_unit_test(a_wall_clock_that_was_set_back_is_raised),
        cmocka_unit_test(a_cpu_clock_that_begins_anew_is_raised),
        cmocka_unit_test(wraps_behind_the_elapsed_time_are_told),
        cmocka_unit_test(times_of_32_bits_stay_where_32_bits_stay),
        cmocka_unit_test(what_is_too_late_is_cut),
        cmocka_unit_test(calls_end_with_the_trace_or_with_their_thread),
        cmocka_unit_test(a_late_thread_begins_near_the_record_before_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
