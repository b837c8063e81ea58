/* Ids as clients write them: alone, and at the end of a link. */
#include "store/trace_id.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/units.h"

#define ID "0123456789abcdef0123456789abcdef"

static void a_link_has_it_at_its_end(void **state)
{
    static const char *const links[] = {ID,
                                        " " ID "/ ",
                                        "https://a.example/traces/trace/" ID,
                                        "http://a/trace/" ID "//",
                                        "http://a/trace/" ID "/#tab=flame&without=java/lang",
                                        "http://a/trace/" ID "?x=/" ID "/y"};
    (void)state;
    for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
        struct tv_id id = {.hex = "none"};
        assert_true(tv_trace_id_of_link(tv_str_from(links[i]), &id));
        assert_string_equal(id.hex, ID);
    }
}

/* Of two of one second the later one is greater; one that took longer stands at its end. */
static void new_ids_of_a_second_are_in_order(void **state)
{
    static const struct {
        uint64_t now_ns;
        const char *begins;
    } cases[] = {{9 * TV_NS_PER_S, "000"},
                 {10 * (uint64_t)TV_NS_PER_S, "000"},
                 {10 * (uint64_t)TV_NS_PER_S + 1000000, "004"},
                 {10 * (uint64_t)TV_NS_PER_S + 500000000, "800"},
                 {10 * (uint64_t)TV_NS_PER_S + 999999999, "fff"},
                 {11 * (uint64_t)TV_NS_PER_S, "fff"},
                 {UINT64_MAX, "fff"}};
    struct tv_id before = {.hex = ""};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct tv_id id, read;
        assert_int_equal(tv_trace_id_make(&id, 10, cases[i].now_ns, NULL), TV_OK);
        assert_memory_equal(id.hex, cases[i].begins, 3);
        assert_true(tv_trace_id_read(tv_str_from(id.hex), &read));
        assert_string_not_equal(id.hex + 3, before.hex + 3 * (i > 0));
        before = id;
    }
}

static void what_is_none_leaves_the_id(void **state)
{
    static const char *const links[] = {"",    "/", "#" ID, "x" ID, ID "x", "http://a/" ID "/owner",
                                        "0123"};
    (void)state;
    for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
        struct tv_id id = {.hex = "none"};
        assert_false(tv_trace_id_of_link(tv_str_from(links[i]), &id));
        assert_string_equal(id.hex, "none");
    }
}

static void a_link_is_no_id(void **state)
{
    struct tv_id id = {.hex = "none"};
    (void)state;
    assert_true(tv_trace_id_read(TV_STR(ID), &id));
    assert_false(tv_trace_id_read(TV_STR("a/" ID), &id));
    assert_string_equal(id.hex, ID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_link_has_it_at_its_end),
        cmocka_unit_test(new_ids_of_a_second_are_in_order),
        cmocka_unit_test(what_is_none_leaves_the_id),
        cmocka_unit_test(a_link_is_no_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
