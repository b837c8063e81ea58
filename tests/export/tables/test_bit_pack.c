/* Packed bits, against an own slow reading. */
#include "export/tables/bit_pack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bytes.h"

static void widths_are_least(void **state)
{
    (void)state;
    assert_int_equal(tv_bit_width(0), 1);
    assert_int_equal(tv_bit_width(1), 1);
    assert_int_equal(tv_bit_width(2), 2);
    assert_int_equal(tv_bit_width(255), 8);
    assert_int_equal(tv_bit_width(256), 9);
    assert_int_equal(tv_bit_width(UINT32_MAX), 32);
}

static uint32_t read_bits(const uint8_t *bytes, size_t at, unsigned width)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < width; i++)
        value |= (uint32_t)(bytes[(at + i) / 8] >> (at + i) % 8 & 1) << i;
    return value;
}

static void every_width_is_read_back(void **state)
{
    (void)state;
    enum { COUNT = 21 };
    for (unsigned width = 1; width <= 32; width++) {
        uint8_t words[COUNT * 4];
        struct tv_buffer out;
        tv_buffer_init(&out, tv_alloc_libc());
        for (size_t i = 0; i < COUNT; i++)
            tv_store_le32(words + 4 * i, (uint32_t)(i * 2654435761u) >> (32 - width));
        assert_int_equal(tv_bit_pack(&out, words, 4, COUNT, width, width, NULL), TV_OK);
        assert_int_equal(out.len, 3 * width); /* 21 numbers are three eights */
        for (size_t i = 0; i < COUNT; i++)
            assert_int_equal(read_bits(out.bytes, i * width, width), tv_load_le32(words + 4 * i));
        for (size_t bit = COUNT * width; bit < out.len * 8; bit++)
            assert_int_equal(read_bits(out.bytes, bit, 1), 0);
        tv_buffer_release(&out);
    }
}

static void bytes_are_taken_as_words_too(void **state)
{
    (void)state;
    const uint8_t truths[] = {1, 0, 1, 1, 0, 0, 0, 0, 1};
    struct tv_buffer out;
    tv_buffer_init(&out, tv_alloc_libc());
    assert_int_equal(tv_bit_pack(&out, truths, 1, 9, 1, 8, NULL), TV_OK);
    assert_int_equal(out.len, 8);
    assert_int_equal(tv_load_le64(out.bytes), 0x10d);
    assert_int_equal(tv_bit_pack(&out, truths, 1, 0, 1, 8, NULL), TV_OK);
    assert_int_equal(out.len, 8);
    tv_buffer_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widths_are_least),
        cmocka_unit_test(every_width_is_read_back),
        cmocka_unit_test(bytes_are_taken_as_words_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
