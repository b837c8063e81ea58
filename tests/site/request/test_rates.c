/* site/rates: a limit holds for each client alone, and memory for any number of them is bounded.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "site/request/rates.h"

#define S 1000000000ull

static const struct tv_rate_limit ten_a_minute = {10, 60};

static int make(void **state)
{
    struct tv_rates *rates;
    if (tv_rates_new(&rates, tv_alloc_libc(), NULL) != TV_OK)
        return -1;
    *state = rates;
    return 0;
}

static int end(void **state)
{
    tv_rates_free(*state);
    return 0;
}

static struct tv_http_party party_of(uint32_t number)
{
    struct tv_http_party party = {{[13] = (uint8_t)(number >> 24),
                                   [14] = (uint8_t)(number >> 16),
                                   [15] = (uint8_t)(number >> 8),
                                   [16] = (uint8_t)number}};
    return party;
}

static uint64_t take(void **state, uint32_t number, uint64_t now_ns)
{
    struct tv_http_party party = party_of(number);
    return tv_rates_take(*state, TV_RATE_REQUEST, &ten_a_minute, &party, now_ns);
}

static void a_bucket_holds_one_period_and_fills_evenly(void **state)
{
    for (int i = 0; i < 10; i++)
        assert_int_equal(take(state, 1, 100 * S), 0);
    assert_int_equal(take(state, 1, 100 * S), 6);
    assert_int_equal(take(state, 1, 100 * S), 6); /* a refusal costs nothing */
    assert_int_equal(take(state, 1, 105 * S), 1);
    assert_int_equal(take(state, 1, 106 * S), 0);
    assert_int_equal(take(state, 1, 106 * S), 6);
    for (int i = 0; i < 10; i++)
        assert_int_equal(take(state, 1, 1000 * S), 0);
    assert_int_equal(take(state, 1, 1000 * S), 6);
}

static void others_are_not_held_up(void **state)
{
    struct tv_http_party party = party_of(1);
    for (int i = 0; i < 11; i++)
        (void)take(state, 1, S);
    assert_int_equal(take(state, 1, S), 6);
    assert_int_equal(take(state, 2, S), 0);
    assert_int_equal(tv_rates_take(*state, TV_RATE_UPLOAD, &ten_a_minute, &party, S), 0);
}

static void no_limit_is_none(void **state)
{
    static const struct tv_rate_limit none = {0, 0};
    struct tv_http_party party = party_of(1);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(tv_rates_take(*state, TV_RATE_REQUEST, &none, &party, S), 0);
}

/* A million addresses push out whoever asked least, and not the one that asks all the time. */
static void who_asks_much_is_not_forgotten(void **state)
{
    for (int i = 0; i < 11; i++)
        (void)take(state, 1, S);
    for (uint32_t i = 2; i < 1000000; i++)
        (void)take(state, i, S);
    assert_int_equal(take(state, 1, S), 6);
}

/* Counts that do not divide the period, and the largest, cost at least nothing and wrap nowhere. */
static void the_largest_limits_hold(void **state)
{
    static const struct tv_rate_limit most = {UINT32_MAX, 1};
    static const struct tv_rate_limit weekly = {1, 7 * 86400};
    struct tv_http_party party = party_of(1);
    assert_int_equal(tv_rates_take(*state, TV_RATE_REQUEST, &most, &party, S), 0);
    party = party_of(2);
    assert_int_equal(tv_rates_take(*state, TV_RATE_REQUEST, &weekly, &party, S), 0);
    assert_int_equal(tv_rates_take(*state, TV_RATE_REQUEST, &weekly, &party, S), 7 * 86400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_bucket_holds_one_period_and_fills_evenly, make, end),
        cmocka_unit_test_setup_teardown(others_are_not_held_up, make, end),
        cmocka_unit_test_setup_teardown(no_limit_is_none, make, end),
        cmocka_unit_test_setup_teardown(who_asks_much_is_not_forgotten, make, end),
        cmocka_unit_test_setup_teardown(the_largest_limits_hold, make, end),
    };
    return cmocka_run_group_tests_name("site/rates", tests, NULL, NULL);
}
