/* Names of methods that may be one of several. */
#include "base/names/ambiguous_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"

static void what_a_name_lists_is_of_its_class_unless_it_has_one(void **state)
{
    (void)state;
    static const struct {
        const char *class_name;
        const char *name;
        bool is_any;
    } wanted[] = {{"a.Shop", "pay", false},
                  {"a.b.Card", "pay", false},
                  {"a.Shop", "save(a.Item)", false},
                  {"a.b.Card", "<init>", false},
                  {"a.Shop", "more", true}};
    struct tv_str rest = TV_STR("pay | a.b.Card.pay | save(a.Item) | a.b.Card.<init> | more");
    struct tv_alternative got;
    for (size_t i = 0; i < TV_COUNT_OF(wanted); i++) {
        assert_true(tv_alternative_next(TV_STR("a.Shop"), &rest, &got));
        assert_true(tv_str_equal(got.class_name, tv_str_from(wanted[i].class_name)));
        assert_true(tv_str_equal(got.name, tv_str_from(wanted[i].name)));
        assert_int_equal(got.is_any, wanted[i].is_any);
    }
    assert_false(tv_alternative_next(TV_STR("a.Shop"), &rest, &got));
}

static void a_name_without_a_bar_lists_nothing(void **state)
{
    (void)state;
    assert_false(tv_name_is_ambiguous(TV_STR("pay")));
    assert_false(tv_name_is_ambiguous(TV_STR("operator||")));
    assert_false(tv_name_is_ambiguous(TV_STR("")));
    assert_true(tv_name_is_ambiguous(TV_STR("pay | save")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_name_lists_is_of_its_class_unless_it_has_one),
        cmocka_unit_test(a_name_without_a_bar_lists_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
