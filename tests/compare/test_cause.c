/* Why a time changed, by hand and by law. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare/cause.h"

static void expect(struct tv_calls_and_time old_side, struct tv_calls_and_time new_side,
                   int64_t by_calls_ns, int64_t by_cost_ns)
{
    struct tv_cause cause = tv_cause_of(old_side, new_side);
    assert_int_equal(cause.by_calls_ns, by_calls_ns);
    assert_int_equal(cause.by_cost_ns, by_cost_ns);
}

#define SIDE(calls, time_ns) ((struct tv_calls_and_time){(calls), (time_ns)})

static void a_change_splits_into_calls_and_cost(void **state)
{
    (void)state;
    expect(SIDE(10, 1000), SIDE(12, 1200), 200, 0); /* two more calls, each as before */
    expect(SIDE(10, 1000), SIDE(10, 1500), 0, 500); /* each call dearer */
    expect(SIDE(10, 1000), SIDE(12, 1800), 200, 600);
    expect(SIDE(10, 1000), SIDE(5, 800), -500, 300);
    expect(SIDE(0, 0), SIDE(5, 800), 800, 0);    /* new */
    expect(SIDE(5, 800), SIDE(0, 0), -800, 0);   /* gone */
    expect(SIDE(3, 100), SIDE(4, 100), 33, -33); /* a part of a nanosecond goes to the cost */
    expect(SIDE(3, 100), SIDE(2, 100), -33, 33);
}

static void both_parts_add_up_whatever_the_numbers(void **state)
{
    (void)state;
    uint64_t dice = 88172645463325252u;
    for (unsigned i = 0; i < 100000; i++) {
        uint64_t of[4];
        for (unsigned k = 0; k < 4; k++) {
            dice ^= dice << 13;
            dice ^= dice >> 7;
            dice ^= dice << 17;
            of[k] = dice >> (2 + dice % 62);
        }
        struct tv_cause cause = tv_cause_of(SIDE(of[0], of[1]), SIDE(of[2], of[3]));
        assert_int_equal(cause.by_calls_ns + cause.by_cost_ns, (int64_t)of[3] - (int64_t)of[1]);
    }
}

static void a_part_beyond_measure_is_bounded(void **state)
{
    (void)state;
    struct tv_cause cause = tv_cause_of(SIDE(1, UINT64_C(1) << 40), SIDE(UINT64_C(1) << 40, 0));
    assert_int_equal(cause.by_calls_ns, INT64_C(1) << 62);
    assert_int_equal(cause.by_calls_ns + cause.by_cost_ns, -(INT64_C(1) << 40));
    cause = tv_cause_of(SIDE(1, UINT64_MAX), SIDE(UINT64_MAX, UINT64_MAX));
    assert_int_equal(cause.by_calls_ns + cause.by_cost_ns, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_splits_into_calls_and_cost),
        cmocka_unit_test(both_parts_add_up_whatever_the_numbers),
        cmocka_unit_test(a_part_beyond_measure_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
