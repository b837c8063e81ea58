/* base/percent: text in addresses and forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/memory/buffer.h"
#include "base/text/percent.h"

/* What a text reads as; *is_right: no % stood alone. */
static size_t read_all(struct tv_str raw, char *out, bool *is_right)
{
    size_t len = 0;
    *is_right = true;
    for (size_t at = 0; at < raw.len;)
        *is_right &= tv_percent_next(raw, &at, &out[len++]);
    return len;
}

static void a_percent_sign_and_two_digits_are_a_byte(void **unused)
{
    char out[16];
    bool is_right;
    (void)unused;
    assert_int_equal(read_all(TV_STR("a%41+%2b%c3%A9"), out, &is_right), 6);
    assert_memory_equal(out, "aA +\xc3\xa9", 6);
    assert_true(is_right);
}

static void a_percent_sign_alone_is_told_and_stays(void **unused)
{
    static const char *const texts[] = {"%", "%4", "%4g", "%g4"};
    (void)unused;
    for (size_t i = 0; i < 4; i++) {
        char out[16];
        bool is_right;
        const struct tv_str raw = tv_str_from(texts[i]);
        assert_int_equal(read_all(raw, out, &is_right), raw.len);
        assert_memory_equal(out, raw.at, raw.len);
        assert_false(is_right);
    }
}

static void what_is_written_is_read_back(void **unused)
{
    struct tv_buffer buffer;
    struct tv_out out;
    char all[256];
    char back[256];
    bool is_right;
    (void)unused;
    for (unsigned i = 0; i < sizeof(all); i++)
        all[i] = (char)i;
    tv_buffer_init(&buffer, tv_alloc_libc());
    tv_out_init(&out, tv_buffer_sink(&buffer));
    tv_percent_put(&out, (struct tv_str){all, sizeof(all)});
    assert_int_equal(tv_out_finish(&out, NULL), TV_OK);
    assert_int_equal(tv_str_find(tv_buffer_view(&buffer), TV_STR("%00%01"), TV_CASE_EXACT), 0);
    assert_int_equal(buffer.len, 66 + 3 * (256 - 66));
    assert_int_equal(read_all(tv_buffer_view(&buffer), back, &is_right), sizeof(all));
    assert_memory_equal(back, all, sizeof(all));
    assert_true(is_right);
    tv_buffer_release(&buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_percent_sign_and_two_digits_are_a_byte),
        cmocka_unit_test(a_percent_sign_alone_is_told_and_stays),
        cmocka_unit_test(what_is_written_is_read_back),
    };
    return cmocka_run_group_tests_name("base/percent", tests, NULL, NULL);
}
