/* base/base93: bytes as text. What web/src/base/base93.test.ts reads is what is written here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/bytes/base93.h"
#include "base/memory/buffer.h"
#include "base/str.h"

static struct tv_buffer text;

static void write_text(const void *bytes, size_t len)
{
    struct tv_out out;
    tv_buffer_init(&text, tv_alloc_libc());
    tv_out_init(&out, tv_buffer_sink(&text));
    tv_base93_put(&out, bytes, len);
    assert_int_equal(tv_out_finish(&out, NULL), TV_OK);
}

static uint32_t value_of(size_t at)
{
    return (uint32_t)(text.bytes[at] - (text.bytes[at] < '<' ? '!' : '!' + 1));
}

/* Reads the text back, slowly and by the rule alone. */
static size_t read_back(uint8_t *bytes)
{
    uint64_t bits = 0;
    unsigned count = 0;
    size_t len = 0;
    for (size_t at = 0; at < text.len; at += 2) {
        uint64_t pair = value_of(at) + (at + 1 < text.len ? 93 * value_of(at + 1) : 0);
        bits |= pair << count;
        count += at + 1 == text.len ? 8 : pair % 8192 < 93 * 93 - 8192 ? 14 : 13;
        for (; count >= 8; count -= 8, bits >>= 8)
            bytes[len++] = (uint8_t)bits;
    }
    return len;
}

static void bytes_of_any_length_come_back(void **state)
{
    uint8_t bytes[700], back[1000];
    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * i * 7 + i / 3);
    for (size_t len = 0; len <= sizeof(bytes); len++) {
        write_text(bytes, len);
        assert_int_equal(read_back(back), len);
        assert_memory_equal(back, bytes, len);
        tv_buffer_release(&text);
    }
}

static void the_ends_of_two_bytes_come_back(void **state)
{
    (void)state;
    for (unsigned value = 0; value < 65536; value++) {
        uint8_t bytes[] = {(uint8_t)value, (uint8_t)(value >> 8)}, back[8];
        write_text(bytes, sizeof(bytes));
        assert_int_equal(read_back(back), sizeof(bytes));
        assert_memory_equal(back, bytes, sizeof(bytes));
        tv_buffer_release(&text);
    }
}

static void no_character_can_end_a_block_of_a_page(void **state)
{
    uint8_t bytes[4096];
    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * i >> 3);
    write_text(bytes, sizeof(bytes));
    for (size_t i = 0; i < text.len; i++) {
        assert_in_range(text.bytes[i], '!', '~');
        assert_int_not_equal(text.bytes[i], '<');
    }
    assert_in_range(text.len, sizeof(bytes) * 16 / 14, sizeof(bytes) * 16 / 13 + 2);
    tv_buffer_release(&text);
}

static void the_text_is_the_one_that_pages_read(void **state)
{
    (void)state;
    write_text("a trace in a page", 17);
    assert_true(tv_str_equal(tv_buffer_view(&text), TV_STR("-{\"=SCo/m9}m3'W&#PP]-")));
    tv_buffer_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_of_any_length_come_back),
        cmocka_unit_test(the_ends_of_two_bytes_come_back),
        cmocka_unit_test(no_character_can_end_a_block_of_a_page),
        cmocka_unit_test(the_text_is_the_one_that_pages_read),
    };
    return cmocka_run_group_tests_name("base/base93", tests, NULL, NULL);
}
