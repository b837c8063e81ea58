/* The clock of a recorder. */
#include "record/ticks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

static void ticks_follow_the_monotonic_clock(void **state)
{
    (void)state;
    struct tv_ticks_rate rate = tv_ticks_measure();
    uint64_t ticks = tv_ticks_now(rate.is_counter);
    uint64_t before = tv_ticks_monotonic_ns();
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    uint64_t elapsed = tv_ticks_monotonic_ns() - before;
    uint64_t told = tv_ticks_to_ns(rate, tv_ticks_now(rate.is_counter) - ticks);
    if (!rate.is_counter)
        printf("skipped: the time-stamp counter: a kernel that does not trust it\n");
    /* Two readings of two clocks each lie apart when the thread is switched out between them. */
    assert_in_range(told, elapsed - elapsed / 1000, elapsed + elapsed / 10);
}

static void the_processor_has_one_plain_name(void **state)
{
    (void)state;
    char name[TV_PROCESSOR_CAP];
    char again[TV_PROCESSOR_CAP];
    tv_ticks_processor(name);
    tv_ticks_processor(again);
    assert_string_equal(name, again);
    for (const char *at = name; *at; at++)
        assert_true(*at >= ' ' && *at < 0x7f);
    assert_true(name[0] != ' ');
    if (!name[0])
        printf("skipped: the name of the processor: a machine that does not tell it\n");
}

static void nanoseconds_and_ticks_turn_into_each_other(void **state)
{
    (void)state;
    struct tv_ticks_rate rate = {.ns_per_tick = UINT64_C(3) << 31, /* 1.5 */
                                 .ticks_per_ns = (UINT64_C(2) << 32) / 3};
    assert_int_equal(tv_ticks_to_ns(rate, 1000), 1500);
    assert_int_equal(tv_ticks_to_ns(rate, UINT64_C(1) << 60), (UINT64_C(3) << 59));
    assert_in_range(tv_ticks_from_ns(rate, 1500), 999, 1000);
}

static void the_rate_is_measured_once(void **state)
{
    (void)state;
    struct tv_ticks_rate first = tv_ticks_measure();
    uint64_t before = tv_ticks_monotonic_ns();
    struct tv_ticks_rate again = tv_ticks_measure();
    assert_int_equal(first.ns_per_tick, again.ns_per_tick);
    assert_int_equal(first.ticks_per_ns, again.ticks_per_ns);
    assert_true(tv_ticks_monotonic_ns() - before < 1000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_follow_the_monotonic_clock),
        cmocka_unit_test(the_processor_has_one_plain_name),
        cmocka_unit_test(nanoseconds_and_ticks_turn_into_each_other),
        cmocka_unit_test(the_rate_is_measured_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
