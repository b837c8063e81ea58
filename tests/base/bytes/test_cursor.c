/* Steps over untrusted bytes. */
#include "base/bytes/cursor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define CURSOR(literal) ((struct tv_cursor){(const uint8_t *)(literal), sizeof(literal) - 1, 0})

static void takes_move_on_and_stop_at_the_end(void **state)
{
    (void)state;
    struct tv_cursor cursor =
        CURSOR("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f");
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    assert_true(tv_cursor_take_u8(&cursor, &u8));
    assert_true(tv_cursor_take_u16(&cursor, &u16));
    assert_true(tv_cursor_take_u32(&cursor, &u32));
    assert_true(tv_cursor_take_u64(&cursor, &u64));
    assert_int_equal(u8, 0x01);
    assert_int_equal(u16, 0x0302);
    assert_int_equal(u32, 0x07060504);
    assert_true(u64 == 0x0f0e0d0c0b0a0908u);
    assert_int_equal(tv_cursor_left(&cursor), 0);
    assert_false(tv_cursor_take_u8(&cursor, &u8));
    assert_int_equal(u8, 0x01);
}

static void take_that_does_not_fit_moves_nothing(void **state)
{
    (void)state;
    struct tv_cursor cursor = CURSOR("\x01\x02\x03\x04\x05\x06\x07");
    uint16_t u16 = 9;
    uint32_t u32 = 9;
    uint64_t u64 = 9;
    struct tv_str view = {NULL, 9};
    assert_false(tv_cursor_take_u64(&cursor, &u64));
    assert_true(tv_cursor_skip(&cursor, 4));
    assert_false(tv_cursor_take_u32(&cursor, &u32));
    assert_true(tv_cursor_skip(&cursor, 2));
    assert_false(tv_cursor_take_u16(&cursor, &u16));
    assert_false(tv_cursor_take_str(&cursor, 2, &view));
    assert_int_equal(cursor.pos, 6);
    assert_int_equal(u16 + u32 + u64 + view.len, 36);
}

static void length_near_the_limit_does_not_wrap(void **state)
{
    (void)state;
    struct tv_cursor cursor = CURSOR("abc");
    struct tv_str view;
    cursor.pos = 2;
    assert_false(tv_cursor_skip(&cursor, UINT64_MAX));
    assert_false(tv_cursor_skip(&cursor, UINT64_MAX - 1));
    assert_false(tv_cursor_take_str(&cursor, UINT64_MAX - 1, &view));
    assert_int_equal(cursor.pos, 2);
    assert_true(tv_cursor_take_str(&cursor, 1, &view));
    assert_int_equal(view.at[0], 'c');
    assert_true(tv_cursor_take_str(&cursor, 0, &view));
    assert_int_equal(view.len, 0);
}

static void expect_lines(struct tv_cursor cursor, const char *expected)
{
    char found[200] = "";
    struct tv_str line;
    while (tv_cursor_take_line(&cursor, &line)) {
        strncat(found, line.at, line.len);
        strcat(found, "|");
    }
    assert_string_equal(found, expected);
    assert_int_equal(tv_cursor_left(&cursor), 0);
}

static void lines_end_with_or_without_carriage_return(void **state)
{
    (void)state;
    expect_lines(CURSOR(""), "");
    expect_lines(CURSOR("a"), "a|");
    expect_lines(CURSOR("a\n"), "a|");
    expect_lines(CURSOR("a\r\nb\n\nc"), "a|b||c|");
    expect_lines(CURSOR("\r\n\n"), "||");
    expect_lines(CURSOR("a\rb\n"), "a\rb|");
    expect_lines(CURSOR("a\r\r\n"), "a\r|");
    expect_lines(CURSOR("a\r"), "a\r|"); /* the end of the bytes is no line end */
}

static void expect_uleb(struct tv_cursor cursor, uint64_t expected)
{
    uint64_t value = 0;
    assert_true(tv_cursor_take_uleb(&cursor, &value));
    if (value != expected)
        fail_msg("expected %llx, found %llx", (unsigned long long)expected,
                 (unsigned long long)value);
    assert_int_equal(tv_cursor_left(&cursor), 0);
}

static void unsigned_leb128_of_every_length(void **state)
{
    (void)state;
    expect_uleb(CURSOR("\x00"), 0);
    expect_uleb(CURSOR("\x7f"), 127);
    expect_uleb(CURSOR("\x80\x01"), 128);
    expect_uleb(CURSOR("\xe5\x8e\x26"), 624485);
    expect_uleb(CURSOR("\x80\x00"), 0); /* longer than it need be */
    expect_uleb(CURSOR("\xff\xff\xff\xff\x0f"), UINT32_MAX);
    expect_uleb(CURSOR("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), UINT64_MAX);
    expect_uleb(CURSOR("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f"), (uint64_t)1 << 63);
}

static void leb128_without_an_end_moves_nothing(void **state)
{
    (void)state;
    struct tv_cursor cut = CURSOR("\x80\x80");
    struct tv_cursor endless = CURSOR("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01");
    struct tv_cursor empty = CURSOR("");
    uint64_t value = 5;
    int64_t number = 5;
    assert_false(tv_cursor_take_uleb(&cut, &value));
    assert_false(tv_cursor_take_sleb(&cut, &number));
    assert_false(tv_cursor_take_uleb(&endless, &value));
    assert_false(tv_cursor_take_sleb(&endless, &number));
    assert_false(tv_cursor_take_uleb(&empty, &value));
    assert_int_equal(cut.pos + endless.pos + empty.pos, 0);
    assert_int_equal(value, 5);
    assert_int_equal(number, 5);
}

static void expect_sleb(struct tv_cursor cursor, int64_t expected)
{
    int64_t value = 0;
    assert_true(tv_cursor_take_sleb(&cursor, &value));
    if (value != expected)
        fail_msg("expected %lld, found %lld", (long long)expected, (long long)value);
    assert_int_equal(tv_cursor_left(&cursor), 0);
}

static void signed_leb128_extends_its_sign(void **state)
{
    (void)state;
    expect_sleb(CURSOR("\x00"), 0);
    expect_sleb(CURSOR("\x3f"), 63);
    expect_sleb(CURSOR("\x40"), -64);
    expect_sleb(CURSOR("\x7f"), -1);
    expect_sleb(CURSOR("\x80\x01"), 128);
    expect_sleb(CURSOR("\x80\x7f"), -128);
    expect_sleb(CURSOR("\xc0\xbb\x78"), -123456);
    expect_sleb(CURSOR("\xff\x7f"), -1);
    expect_sleb(CURSOR("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00"), INT64_MAX);
    expect_sleb(CURSOR("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f"), INT64_MIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_move_on_and_stop_at_the_end),
        cmocka_unit_test(take_that_does_not_fit_moves_nothing),
        cmocka_unit_test(length_near_the_limit_does_not_wrap),
        cmocka_unit_test(lines_end_with_or_without_carriage_return),
        cmocka_unit_test(unsigned_leb128_of_every_length),
        cmocka_unit_test(leb128_without_an_end_moves_nothing),
        cmocka_unit_test(signed_leb128_extends_its_sign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
