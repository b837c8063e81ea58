/* Numbers from and to little-endian bytes at any address. */
#include "base/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const uint8_t bytes[] = {0x00, 0x81, 0x92, 0xa3, 0xb4, 0xc5, 0xd6, 0xe7, 0xf8};

static void little_endian_at_an_odd_address(void **state)
{
    (void)state;
    assert_int_equal(tv_load_le16(bytes + 1), 0x9281);
    assert_int_equal(tv_load_le32(bytes + 1), 0xb4a39281);
    assert_true(tv_load_le64(bytes + 1) == 0xf8e7d6c5b4a39281u);
}

static void stored_numbers_load_again(void **state)
{
    (void)state;
    uint8_t room[9] = {0};
    tv_store_le64(room + 1, 0xf8e7d6c5b4a39281u);
    assert_memory_equal(room, bytes, sizeof(bytes));
    tv_store_le32(room + 1, 0x01020304u);
    assert_int_equal(tv_load_le32(room + 1), 0x01020304u);
    assert_int_equal(room[5], 0xc5);
    tv_store_le16(room + 1, 0xffeeu);
    assert_int_equal(tv_load_le16(room + 1), 0xffee);
    assert_int_equal(room[3], 0x02);
}

static void expect_uleb(uint64_t value, const char *expected, size_t len)
{
    uint8_t room[TV_LEB_MOST];
    assert_int_equal(tv_store_uleb(room, value), len);
    assert_memory_equal(room, expected, len);
}

static void numbers_take_as_many_bytes_as_they_need(void **state)
{
    (void)state;
    expect_uleb(0, "\0", 1);
    expect_uleb(127, "\x7f", 1);
    expect_uleb(128, "\x80\1", 2);
    expect_uleb(UINT64_MAX, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", TV_LEB_MOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(little_endian_at_an_odd_address),
        cmocka_unit_test(stored_numbers_load_again),
        cmocka_unit_test(numbers_take_as_many_bytes_as_they_need),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
