/* Texts of a dictionary: each once, valid UTF-8, without U+0000. */
#include "export/tables/text_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint32_t add(struct tv_text_set *set, struct tv_str text)
{
    uint32_t entry = UINT32_MAX;
    assert_int_equal(tv_text_set_add(set, text, &entry, NULL), TV_OK);
    return entry;
}

static void texts_are_kept_once(void **state)
{
    (void)state;
    struct tv_text_set set;
    tv_text_set_init(&set, tv_alloc_libc());
    assert_int_equal(add(&set, TV_STR("a")), 0);
    assert_int_equal(add(&set, TV_STR("")), 1);
    assert_int_equal(add(&set, TV_STR("b")), 2);
    assert_int_equal(add(&set, TV_STR("a")), 0);
    assert_int_equal(add(&set, (struct tv_str){NULL, 0}), 1);
    struct tv_dictionary view = tv_text_set_view(&set);
    assert_int_equal(view.count, 3);
    assert_true(tv_str_equal(view.texts[2], TV_STR("b")));
    tv_text_set_release(&set);
}

static void what_is_not_utf_8_is_replaced(void **state)
{
    (void)state;
    static const struct {
        struct tv_str text, kept;
    } cases[] = {
        {{"\xff", 1}, {"\xef\xbf\xbd", 3}},
        {{"a\0b", 3},
         {"a\xef\xbf\xbd"
          "b",
          5}},
        {{"a\xc0\x80", 3}, {"a\xef\xbf\xbd", 4}},                   /* U+0000 in dex */
        {{"\xed\xa0\xbd\xed\xb8\x80", 6}, {"\xf0\x9f\x98\x80", 4}}, /* a pair in dex */
        {{"\xed\xa0\xbd!", 4}, {"\xef\xbf\xbd!", 4}},               /* half a pair */
    };
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct tv_text_set set;
        tv_text_set_init(&set, tv_alloc_libc());
        (void)add(&set, cases[i].text);
        struct tv_str kept = tv_text_set_view(&set).texts[0];
        assert_true(tv_str_equal(kept, cases[i].kept));
        assert_int_equal(add(&set, cases[i].kept), 0); /* equal in the file: one entry */
        tv_text_set_release(&set);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_kept_once),
        cmocka_unit_test(what_is_not_utf_8_is_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
