/* site/webhook/webhook: how often builds are judged; that they are, and are told, is tested by
 * tests/site/sited_webhook.py. */
#include "site/webhook/webhook.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"

static void a_long_judgement_is_followed_by_a_long_pause(void **state)
{
    (void)state;
    assert_int_equal(tv_webhook_pause_ns(0, 0), 5 * TV_NS_PER_S);
    assert_int_equal(tv_webhook_pause_ns(TV_NS_PER_S / 2, 0), 5 * TV_NS_PER_S);
    assert_int_equal(tv_webhook_pause_ns(4 * (uint64_t)TV_NS_PER_S, 0), 40 * (uint64_t)TV_NS_PER_S);
}

static void a_judgement_that_fails_is_made_ever_less_often(void **state)
{
    (void)state;
    assert_int_equal(tv_webhook_pause_ns(0, 1), 10 * (uint64_t)TV_NS_PER_S);
    assert_int_equal(tv_webhook_pause_ns(0, 6), 320 * (uint64_t)TV_NS_PER_S);
    assert_int_equal(tv_webhook_pause_ns(0, 1000), 320 * (uint64_t)TV_NS_PER_S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_judgement_is_followed_by_a_long_pause),
        cmocka_unit_test(a_judgement_that_fails_is_made_ever_less_often),
    };
    return cmocka_run_group_tests_name("site/webhook", tests, NULL, NULL);
}
