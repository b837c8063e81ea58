/* http/pace: what counts is what moved lately. */
#include "http/pace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define S UINT64_C(1000000000)

static void who_is_young_is_not_judged(void **state)
{
    struct tv_pace pace;
    (void)state;
    tv_pace_begin(&pace, 100, 10 * S);
    assert_false(tv_pace_is_below(&pace, 100, 10 * S + TV_PACE_NS - 1, 1000));
    assert_true(tv_pace_is_below(&pace, 100, 10 * S + TV_PACE_NS, 1000));
    assert_true(tv_pace_is_below(&pace, 5099, 10 * S + TV_PACE_NS, 1000));
    assert_false(tv_pace_is_below(&pace, 5100, 10 * S + TV_PACE_NS, 1000));
    assert_false(tv_pace_is_below(&pace, 100, 100 * S, 0));
}

/* A gigabyte at once, and then a trickle. */
static void a_quick_beginning_is_no_credit(void **state)
{
    struct tv_pace pace;
    uint64_t bytes = 1000000000;
    (void)state;
    tv_pace_begin(&pace, 0, 0);
    for (uint64_t s = 1; s <= 30; s++) {
        bytes += 10;
        tv_pace_note(&pace, bytes, s * S);
        assert_int_equal(tv_pace_is_below(&pace, bytes, s * S, 1000), s >= 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_young_is_not_judged),
        cmocka_unit_test(a_quick_beginning_is_no_credit),
    };
    return cmocka_run_group_tests_name("http/pace", tests, NULL, NULL);
}
