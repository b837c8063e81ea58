/* What conversions of text leave in bytes, against the conversions themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory/text_damage.h"

#define LEN 4096u

/* Bytes of any value, as records have; each seed gives others. */
static void fill(uint8_t *bytes, size_t len, uint32_t seed)
{
    for (size_t i = 0; i < len; i++) {
        seed = seed * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(seed >> 24);
    }
}

struct converted {
    uint8_t bytes[3 * LEN];
    size_t len;
};

static void put(struct converted *out, const char *bytes, size_t len)
{
    memcpy(out->bytes + out->len, bytes, len);
    out->len += len;
}

static void convert(struct converted *out, const uint8_t *bytes, size_t len,
                    enum tv_text_damage how)
{
    out->len = 0;
    for (size_t i = 0; i < len; i++) {
        const char one = (char)bytes[i];
        const char two[] = {(char)(0xc0 | bytes[i] >> 6), (char)(0x80 | (bytes[i] & 0x3f))};
        bool is_dropped = one == '\r' && i + 1 < len && bytes[i + 1] == '\n';
        if (how == TV_TEXT_DAMAGE_UTF8 && bytes[i] >= 0x80)
            put(out, "\xef\xbf\xbd", 3);
        else if (how == TV_TEXT_DAMAGE_LATIN1 && bytes[i] >= 0x80)
            put(out, two, 2);
        else if (how == TV_TEXT_DAMAGE_CRLF && one == '\n')
            put(out, "\r\n", 2);
        else if (how != TV_TEXT_DAMAGE_LF || !is_dropped)
            put(out, &one, 1);
    }
}

static void each_conversion_is_told(void **state)
{
    static const enum tv_text_damage all[] = {TV_TEXT_DAMAGE_WELL, TV_TEXT_DAMAGE_UTF8,
                                              TV_TEXT_DAMAGE_LATIN1, TV_TEXT_DAMAGE_CRLF};
    (void)state;
    for (uint32_t seed = 0; seed < 200; seed++) {
        for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
            uint8_t bytes[LEN];
            struct converted converted;
            bool changes_characters =
                all[i] == TV_TEXT_DAMAGE_UTF8 || all[i] == TV_TEXT_DAMAGE_LATIN1;
            fill(bytes, sizeof(bytes), seed);
            convert(&converted, bytes, sizeof(bytes), all[i]);
            assert_int_equal(tv_text_damage_judge(converted.bytes, converted.len), all[i]);
            assert_int_equal(tv_text_damage_characters(converted.bytes, converted.len),
                             changes_characters ? all[i] : TV_TEXT_DAMAGE_WELL);
            assert_int_equal(tv_text_damage_has_returns(converted.bytes, converted.len),
                             all[i] == TV_TEXT_DAMAGE_CRLF);
        }
    }
}

/* That none is left shows only where there would be many. */
static void dropped_returns_are_told_by_their_number(void **state)
{
    const size_t len = (size_t)4 << 20;
    uint8_t *bytes = malloc(len);
    size_t kept = 0;
    (void)state;
    assert_non_null(bytes);
    fill(bytes, len, 7);
    assert_int_equal(tv_text_damage_judge(bytes, len), TV_TEXT_DAMAGE_WELL);
    for (size_t i = 0; i < len; i++) {
        bool is_dropped = bytes[i] == '\r' && i + 1 < len && bytes[i + 1] == '\n';
        if (!is_dropped)
            bytes[kept++] = bytes[i];
    }
    assert_true(kept < len);
    assert_int_equal(tv_text_damage_judge(bytes, kept), TV_TEXT_DAMAGE_LF);
    assert_int_equal(tv_text_damage_judge(bytes, 4096), TV_TEXT_DAMAGE_WELL);
    assert_true(tv_text_damage_lacks_pairs(bytes, 4096));
    free(bytes);
}

/* One, two and three bytes too few of a character are as good as the character. */
static void cut_characters_are_characters(void **state)
{
    char text[64];
    (void)state;
    for (size_t i = 0; i < 20; i++)
        memcpy(text + 3 * i, "\xef\xbf\xbd", 3);
    for (size_t len = 24; len < 60; len++)
        assert_int_equal(tv_text_damage_characters((const uint8_t *)text, len),
                         TV_TEXT_DAMAGE_UTF8);
}

static void chance_is_no_conversion(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
    } cases[] = {
        {"", 0},
        {"\n", 1},
        {"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
         "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9",
         34}, /* one character again and again */
        {"\xc0\x80\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf"
         "\xbd\xef\xbf\xbd",
         26}, /* c0 begins no character */
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(tv_text_damage_characters((const uint8_t *)cases[i].bytes, cases[i].len),
                         TV_TEXT_DAMAGE_WELL);
}

static void refusal_says_how_to_copy(void **state)
{
    struct tv_error err;
    (void)state;
    assert_int_equal(tv_text_damage_refuse(TV_TEXT_DAMAGE_WELL, 0, &err), TV_OK);
    for (int i = TV_TEXT_DAMAGE_UTF8; i <= TV_TEXT_DAMAGE_LF; i++) {
        assert_int_equal(tv_text_damage_refuse((enum tv_text_damage)i, 9, &err), TV_ERR_FORMAT);
        assert_int_equal(err.offset, 9);
        assert_non_null(strstr(err.text, "adb pull"));
        assert_non_null(strstr(err.text, "adb exec-out cat")); /* the text is not cut */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_conversion_is_told),
        cmocka_unit_test(dropped_returns_are_told_by_their_number),
        cmocka_unit_test(cut_characters_are_characters),
        cmocka_unit_test(chance_is_no_conversion),
        cmocka_unit_test(refusal_says_how_to_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
