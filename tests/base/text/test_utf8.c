/* Decoding and writing characters. */
#include "base/text/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/utf8_check.h"

/* Decodes all of a text; characters joined by spaces, in hex. */
static void expect_characters(struct tv_str text, const char *expected)
{
    static const char digits[] = "0123456789abcdef";
    char found[200] = "";
    size_t at = 0;
    while (at < text.len) {
        size_t before = at;
        uint32_t value = tv_utf8_next(text, &at);
        char hex[10] = "       ";
        for (int i = 5; i >= 0; i--, value >>= 4)
            hex[i] = digits[value & 15];
        strcat(found, hex);
        assert_true(at > before && at <= text.len);
    }
    assert_string_equal(found, expected);
}

static void every_code_point_comes_back(void **state)
{
    (void)state;
    for (uint32_t character = 0; character <= 0x10ffff; character++) {
        char room[4];
        size_t at = 0;
        if (character >= 0xd800 && character <= 0xdfff)
            continue;
        unsigned len = tv_utf8_put(room, character);
        unsigned expected = character < 0x80      ? 1
                            : character < 0x800   ? 2
                            : character < 0x10000 ? 3
                                                  : 4;
        uint32_t found = tv_utf8_next((struct tv_str){room, len}, &at);
        if (len != expected || found != character || at != len)
            fail_msg("U+%04X: %u bytes, came back as U+%04X after %zu", character, len, found, at);
    }
}

static void every_supplementary_character_comes_from_its_pair(void **state)
{
    (void)state;
    for (uint32_t character = 0x10000; character <= 0x10ffff; character += 7) {
        char room[6];
        size_t at = 0;
        uint32_t offset = character - 0x10000;
        assert_int_equal(tv_utf8_put(room, 0xd800 + (offset >> 10)), 3);
        memcpy(room + 3, "\xed\xb0\x80", 3);
        room[4] = (char)(0xb0 | (offset >> 6 & 0x0f));
        room[5] = (char)(0x80 | (offset & 0x3f));
        uint32_t found = tv_utf8_next((struct tv_str){room, 6}, &at);
        if (found != character || at != 6)
            fail_msg("U+%04X came back as U+%04X after %zu", character, found, at);
    }
}

static void modified_nul_is_understood(void **state)
{
    (void)state;
    expect_characters(TV_STR("a\xc0\x80z"), "000061 000000 00007a ");
    expect_characters(TV_STR("\0"), "000000 ");
}

static void overlong_sequences_are_invalid(void **state)
{
    (void)state;
    expect_characters(TV_STR("\xc0\x81"), "00fffd 00fffd ");
    expect_characters(TV_STR("\xc1\xbf"), "00fffd 00fffd ");
    expect_characters(TV_STR("\xe0\x9f\xbf"), "00fffd 00fffd 00fffd ");
    expect_characters(TV_STR("\xf0\x8f\xbf\xbf"), "00fffd 00fffd 00fffd 00fffd ");
}

static void values_past_the_last_are_invalid(void **state)
{
    (void)state;
    expect_characters(TV_STR("\xf4\x8f\xbf\xbf"), "10ffff ");
    expect_characters(TV_STR("\xf4\x90\x80\x80"), "00fffd 00fffd 00fffd 00fffd ");
    expect_characters(TV_STR("\xf8\x88\x80\x80\x80"), "00fffd 00fffd 00fffd 00fffd 00fffd ");
    expect_characters(TV_STR("\xfe\xff"), "00fffd 00fffd ");
}

static void invalid_byte_moves_on_by_one(void **state)
{
    (void)state;
    expect_characters(TV_STR("\x80"), "00fffd ");
    expect_characters(TV_STR("\xbf\x41"), "00fffd 000041 ");
    expect_characters(TV_STR("\xc3\x41"), "00fffd 000041 ");
    expect_characters(TV_STR("\xe2\x82\x41"), "00fffd 00fffd 000041 ");
    expect_characters(TV_STR("\xf0\x9f\x98\xf0\x9f\x98\x80"), "00fffd 00fffd 00fffd 01f600 ");
}

static void cut_sequences_are_invalid(void **state)
{
    (void)state;
    expect_characters(TV_STR("\xc3"), "00fffd ");
    expect_characters(TV_STR("\xe2\x82"), "00fffd 00fffd ");
    expect_characters(TV_STR("\xf0\x9f\x98"), "00fffd 00fffd 00fffd ");
}

static void half_a_pair_is_one_replacement(void **state)
{
    (void)state;
    expect_characters(TV_STR("\xed\xa0\x80"), "00fffd ");
    expect_characters(TV_STR("\xed\xb0\x80"), "00fffd ");
    expect_characters(TV_STR("\xed\xb0\x80\xed\xa0\x80"), "00fffd 00fffd ");
    expect_characters(TV_STR("\xed\xa0\x80z"), "00fffd 00007a ");
    expect_characters(TV_STR("\xed\xa0\x80\xed\xb0\x80"), "010000 ");
    expect_characters(TV_STR("\xed\x9f\xbf\xee\x80\x80"), "00d7ff 00e000 ");
}

/* Every pair of bytes, and every third after a lead: nothing is read past the end (ASan). */
static void any_bytes_are_decoded_to_their_end(void **state)
{
    (void)state;
    for (unsigned word = 0; word < 0x1000000; word += 61) {
        char room[3] = {(char)(word >> 16), (char)(word >> 8), (char)word};
        size_t at = 0;
        while (at < 3) {
            size_t before = at;
            uint32_t found = tv_utf8_next((struct tv_str){room, 3}, &at);
            if (at <= before || at > 3 || found > 0x10ffff || (found >= 0xd800 && found < 0xe000))
                fail_msg("%06x: U+%04X, from %zu to %zu", word, found, before, at);
        }
    }
}

/* The first and last of each run, and what stands beside them. */
static void what_cannot_be_seen_needs_an_escape(void **state)
{
    (void)state;
    static const uint32_t in[] = {0,      0x1b,    0x1f,    0x7f,    0x80,    0x9b,   0x9f,
                                  0xad,   0x34f,   0x61c,   0x115f,  0x180e,  0x200b, 0x200f,
                                  0x2028, 0x202e,  0x2060,  0x2066,  0x206f,  0xfe0f, 0xfeff,
                                  0xfff9, 0x1d173, 0x1343f, 0xe0001, 0xe007f, 0xe0fff};
    static const uint32_t out[] = {' ',    '~',    0xa0,   0xac,    0xae,    0x34e,   0x350,
                                   0x5d0,  0x200a, 0x2010, 0x2027,  0x202f,  0x2070,  0xfdff,
                                   0xfe10, 0xfffd, 0xfffc, 0x1f600, 0xdffff, 0xe1000, 0x10ffff};
    for (size_t i = 0; i < TV_COUNT_OF(in); i++) {
        if (!tv_utf8_needs_escape(in[i]))
            fail_msg("U+%04X goes through", in[i]);
    }
    for (size_t i = 0; i < TV_COUNT_OF(out); i++) {
        if (tv_utf8_needs_escape(out[i]))
            fail_msg("U+%04X is escaped", out[i]);
    }
}

/* The checks that this one replaced differed here: in a second spelling, in a surrogate, beyond the
 * last character and where the bytes end. */
static void only_well_formed_characters_pass_the_check(void **state)
{
    static const struct {
        const char *bytes;
        size_t left, len;
    } cases[] = {
        {"", 1, 1}, /* U+0000 */
        {"a", 1, 1},
        {"\x80", 1, 0},
        {"\xc0\x80", 2, 0},
        {"\xc1\xbf", 2, 0},
        {"\xc2\x80", 2, 2},
        {"\xc2\x80", 1, 0},
        {"\xc2z", 2, 0},
        {"\xe0\x9f\xbf", 3, 0},
        {"\xe0\xa0\x80", 3, 3},
        {"\xe0\xa0z", 3, 0},
        {"\xe2\x82\xac", 2, 0},
        {"\xed\x9f\xbf", 3, 3},
        {"\xed\xa0\x80", 3, 0},
        {"\xee\x80\x80", 3, 3},
        {"\xf0\x8f\xbf\xbf", 4, 0},
        {"\xf0\x90\x80\x80", 4, 4},
        {"\xf0\x90\x80z", 4, 0},
        {"\xf4\x8f\xbf\xbf", 4, 4},
        {"\xf4\x90\x80\x80", 4, 0},
        {"\xf5\x80\x80\x80", 4, 0},
        {"\xff", 4, 0},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        size_t len = tv_utf8_check((const uint8_t *)cases[i].bytes, cases[i].left);
        if (len != cases[i].len)
            fail_msg("case %zu has %zu bytes, not %zu", i, len, cases[i].len);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_well_formed_characters_pass_the_check),
        cmocka_unit_test(every_code_point_comes_back),
        cmocka_unit_test(every_supplementary_character_comes_from_its_pair),
        cmocka_unit_test(modified_nul_is_understood),
        cmocka_unit_test(overlong_sequences_are_invalid),
        cmocka_unit_test(values_past_the_last_are_invalid),
        cmocka_unit_test(invalid_byte_moves_on_by_one),
        cmocka_unit_test(cut_sequences_are_invalid),
        cmocka_unit_test(half_a_pair_is_one_replacement),
        cmocka_unit_test(any_bytes_are_decoded_to_their_end),
        cmocka_unit_test(what_cannot_be_seen_needs_an_escape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
