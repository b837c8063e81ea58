/* base/base64: text as bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/bytes/base64.h"
#include "base/compiler.h"
#include "base/memory/buffer.h"

struct pair {
    const char *text;
    const char *bytes;
};

static void expect_decoded(const struct pair *pair)
{
    const uint8_t *text = (const uint8_t *)pair->text;
    size_t len = strlen(pair->text);
    size_t measured;
    uint8_t bytes[32];
    assert_true(tv_base64_measure(text, len, &measured));
    assert_int_equal(measured, strlen(pair->bytes));
    assert_int_equal(tv_base64_decode(text, len, bytes, sizeof(bytes)), measured);
    assert_memory_equal(bytes, pair->bytes, measured);
}

static void each_length_has_its_padding(void **unused)
{
    static const struct pair pairs[] = {{"Zg==", "f"},          {"Zm8=", "fo"},
                                        {"Zm9v", "foo"},        {"Zm9vYg==", "foob"},
                                        {"Zm9vYmFy", "foobar"}, {"/+++", "\xff\xef\xbe"}};
    (void)unused;
    for (size_t i = 0; i < TV_COUNT_OF(pairs); i++)
        expect_decoded(&pairs[i]);
}

static void line_breaks_may_stand_anywhere(void **unused)
{
    static const struct pair pairs[] = {{"Zm9v\nYmFy\n", "foobar"}, {" Z\r\nm 9\tv", "foo"}};
    (void)unused;
    for (size_t i = 0; i < TV_COUNT_OF(pairs); i++)
        expect_decoded(&pairs[i]);
}

static void other_characters_are_refused(void **unused)
{
    static const char *const texts[] = {"Zm9v-", "Zm=v", "Zm9\x80", "Zg==="};
    (void)unused;
    for (size_t i = 0; i < TV_COUNT_OF(texts); i++) {
        size_t measured;
        assert_false(tv_base64_measure((const uint8_t *)texts[i], strlen(texts[i]), &measured));
    }
}

static void no_more_is_decoded_than_there_is_room_for(void **unused)
{
    uint8_t bytes[3] = {0, 0, '!'};
    (void)unused;
    assert_int_equal(tv_base64_decode((const uint8_t *)"Zm9vYmFy", 8, bytes, 2), 2);
    assert_memory_equal(bytes, "fo!", 3);
}

static void what_is_written_reads_back(void **unused)
{
    static const char *const rows[][2] = {
        {"", ""},        {"f", "Zg=="},          {"fo", "Zm8="},
        {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}, {"\xff\xfe\xfb\xff", "//77/w=="}};
    (void)unused;
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++) {
        struct tv_buffer text;
        struct tv_out out;
        tv_buffer_init(&text, tv_alloc_libc());
        tv_out_init(&out, tv_buffer_sink(&text));
        tv_base64_put(&out, (const uint8_t *)rows[i][0], strlen(rows[i][0]));
        assert_int_equal(tv_out_finish(&out, NULL), TV_OK);
        assert_true(tv_str_equal(tv_buffer_view(&text), tv_str_from(rows[i][1])));
        tv_buffer_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_length_has_its_padding),
        cmocka_unit_test(line_breaks_may_stand_anywhere),
        cmocka_unit_test(other_characters_are_refused),
        cmocka_unit_test(no_more_is_decoded_than_there_is_room_for),
        cmocka_unit_test(what_is_written_reads_back),
    };
    return cmocka_run_group_tests_name("base/base64", tests, NULL, NULL);
}
