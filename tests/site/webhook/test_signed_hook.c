/* site/webhook/signed_hook: what is signed, when it is tried again, and whom it reaches; requests
 * are made against a receiver by tests/site/sited_webhook.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "site/webhook/signed_hook.h"

/* As `printf '1700000000.{"a":1}' | openssl dgst -sha256 -hmac Holunder-4b91e07c` has it. */
static void signature_is_of_time_and_body(void **state)
{
    char signature[TV_HOOK_SIGNATURE_CAP];
    (void)state;
    assert_int_equal(tv_hook_sign(tv_alloc_libc(), TV_STR("Holunder-4b91e07c"), 1700000000,
                                  TV_STR("{\"a\":1}"), signature, NULL),
                     TV_OK);
    assert_string_equal(signature,
                        "sha256=5050a6573406ad3ab7580ae8c8709398d792028d38948ae6e55b09fce2109626");
}

static void next_try_is_by_chance_within_a_time_that_doubles(void **state)
{
    (void)state;
    assert_int_equal(tv_hook_next(1000, 1, 0), 1001);
    assert_int_equal(tv_hook_next(1000, 1, TV_HOOK_FIRST_S - 1), 1000 + TV_HOOK_FIRST_S);
    assert_int_equal(tv_hook_next(1000, 1, TV_HOOK_FIRST_S), 1001);
    assert_int_equal(tv_hook_next(1000, 3, 4 * TV_HOOK_FIRST_S - 1), 1000 + 4 * TV_HOOK_FIRST_S);
    assert_int_equal(tv_hook_next(1000, UINT32_MAX, TV_HOOK_LONGEST_S - 1),
                     1000 + TV_HOOK_LONGEST_S);
    for (uint64_t chance = 0; chance < 100000; chance += 7)
        assert_in_range(tv_hook_next(0, 40, chance * 2654435761u), 1, TV_HOOK_LONGEST_S);
}

static void private_networks_are_reached_where_they_are_named(void **state)
{
    struct tv_site_config config = {.webhook_to = {.count = 1}};
    struct tv_address named, other, everybodys;
    (void)state;
    assert_true(tv_network_parse(TV_STR("10.1.2.0/24"), &config.webhook_to.of[0]));
    assert_true(tv_address_parse(TV_STR("10.1.2.3"), &named));
    assert_true(tv_address_parse(TV_STR("10.1.3.3"), &other));
    assert_true(tv_address_parse(TV_STR("1.1.1.1"), &everybodys));
    assert_true(tv_hook_allows(&config, &named));
    assert_false(tv_hook_allows(&config, &other));
    assert_true(tv_hook_allows(&config, &everybodys));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signature_is_of_time_and_body),
        cmocka_unit_test(next_try_is_by_chance_within_a_time_that_doubles),
        cmocka_unit_test(private_networks_are_reached_where_they_are_named),
    };
    return cmocka_run_group_tests_name("site/signed_hook", tests, NULL, NULL);
}
