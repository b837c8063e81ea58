/* base/base64: bytes as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base64.h"

static void each_length_has_its_padding(void **unused)
{
    static const struct {
        const char *bytes;
        const char *text;
    } cases[] = {{"", ""},
                 {"f", "Zg=="},
                 {"fo", "Zm8="},
                 {"foo", "Zm9v"},
                 {"foob", "Zm9vYg=="},
                 {"fooba", "Zm9vYmE="},
                 {"foobar", "Zm9vYmFy"}};
    (void)unused;
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct tv_buffer text;
        tv_buffer_init(&text, tv_alloc_libc());
        assert_int_equal(tv_base64_append(&text, tv_str_from(cases[i].bytes), NULL), TV_OK);
        assert_true(tv_str_equal(tv_buffer_view(&text), tv_str_from(cases[i].text)));
        tv_buffer_release(&text);
    }
}

static void it_is_appended_and_may_have_any_byte(void **unused)
{
    struct tv_buffer text;
    (void)unused;
    tv_buffer_init(&text, tv_alloc_libc());
    assert_int_equal(tv_buffer_append(&text, ">", 1, NULL), TV_OK);
    assert_int_equal(tv_base64_append(&text, TV_STR("\xff\xef\xbe\x00"), NULL), TV_OK);
    assert_true(tv_str_equal(tv_buffer_view(&text), TV_STR(">/+++AA==")));
    tv_buffer_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_length_has_its_padding),
        cmocka_unit_test(it_is_appended_and_may_have_any_byte),
    };
    return cmocka_run_group_tests_name("base/base64", tests, NULL, NULL);
}
