/* Text of any bytes. */
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/random_trace.h"

static struct tv_str str(const char *text)
{
    return tv_str_from(text);
}

static void text_with_nothing_at_all_is_empty(void **state)
{
    (void)state;
    const struct tv_str none = {NULL, 0};
    assert_true(tv_str_equal(none, str("")));
    assert_true(tv_str_equal_folded(none, str("")));
    assert_true(tv_str_equal_secret(none, str("")));
    assert_true(tv_str_starts_with(none, none));
    assert_true(tv_str_ends_with(none, none));
    assert_int_equal(tv_str_compare(none, str("")), 0);
    assert_int_equal(tv_str_find(none, none, TV_CASE_EXACT), 0);
    assert_true(tv_str_find(none, str("a"), TV_CASE_FOLD) == SIZE_MAX);
    assert_true(tv_str_glob(none, none));
    assert_true(tv_str_glob(none, str("**")));
    assert_false(tv_str_has_upper(none));
}

static void letters_of_either_case_may_be_one(void **state)
{
    (void)state;
    assert_true(tv_str_equal_folded(str("Content-Type"), str("content-tYPE")));
    assert_false(tv_str_equal_folded(str("Content-Type"), str("Content-Typ")));
    assert_false(tv_str_equal_folded(str("Host"), str("Hosts")));
    assert_false(tv_str_equal_folded(str("[::1]"), str("{::1}"))); /* 0x20 apart, but no letters */
    assert_false(tv_str_equal_secret(str("Content"), str("content")));
}

static void order_is_bytewise_and_shorter_first(void **state)
{
    (void)state;
    static const char *const in_order[] = {"", "A", "AB", "a", "ab", "b", "\x80", "\xff"};
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 8; k++) {
            int order = tv_str_compare(str(in_order[i]), str(in_order[k]));
            if ((order > 0) - (order < 0) != (i > k) - (i < k))
                fail_msg("%d before %d gives %d", i, k, order);
            assert_int_equal(tv_str_equal(str(in_order[i]), str(in_order[k])), i == k);
            assert_int_equal(tv_str_equal_secret(str(in_order[i]), str(in_order[k])), i == k);
        }
    }
    assert_true(tv_str_compare(TV_STR("a\0b"), TV_STR("a\0c")) < 0);
}

static void prefix_is_the_beginning(void **state)
{
    (void)state;
    assert_true(tv_str_starts_with(str("abc"), str("ab")));
    assert_true(tv_str_starts_with(str("abc"), str("")));
    assert_true(tv_str_starts_with(str("abc"), str("abc")));
    assert_false(tv_str_starts_with(str("abc"), str("abcd")));
    assert_false(tv_str_starts_with(str("abc"), str("b")));
    assert_true(tv_str_ends_with(str("abc"), str("bc")));
    assert_true(tv_str_ends_with(str("abc"), str("")));
    assert_true(tv_str_ends_with(str("abc"), str("abc")));
    assert_false(tv_str_ends_with(str("abc"), str("zabc")));
    assert_false(tv_str_ends_with(str("abc"), str("b")));
}

static void expect_parts(const char *text, const char *expected)
{
    char found[100] = "";
    struct tv_str rest = str(text);
    struct tv_str part;
    while (tv_str_split(&rest, ',', &part)) {
        strncat(found, part.at, part.len);
        strcat(found, "|");
    }
    assert_string_equal(found, expected);
}

static void split_gives_empty_parts_too(void **state)
{
    (void)state;
    expect_parts("a,b", "a|b|");
    expect_parts("a", "a|");
    expect_parts("", "|");
    expect_parts(",", "||");
    expect_parts("a,,b,", "a||b||");
    struct tv_str rest = {NULL, 0};
    struct tv_str part;
    assert_false(tv_str_split(&rest, ',', &part));
}

static void expect_number(const char *text, unsigned base, bool is_number, uint64_t expected)
{
    uint64_t value = 77;
    if (tv_str_to_u64(str(text), base, &value) != is_number)
        fail_msg("%s in base %u: expected %d", text, base, is_number);
    if (value != (is_number ? expected : 77))
        fail_msg("%s: expected %llu, found %llu", text, (unsigned long long)expected,
                 (unsigned long long)value);
}

static void numbers_up_to_the_limit(void **state)
{
    (void)state;
    expect_number("0", 10, true, 0);
    expect_number("0007", 10, true, 7);
    expect_number("18446744073709551615", 10, true, UINT64_MAX);
    expect_number("18446744073709551616", 10, false, 0);
    expect_number("99999999999999999999", 10, false, 0);
    expect_number("ffffffffffffffff", 16, true, UINT64_MAX);
    expect_number("0000FFFFffffffffffff", 16, true, 0xffffffffffffffffu);
    expect_number("10000000000000000", 16, false, 0);
    expect_number("beef", 16, true, 0xbeef);
}

static void anything_but_digits_is_no_number(void **state)
{
    (void)state;
    static const char *const odd[] = {"", "-1", "+1", " 1", "1 ", "0x1", "1a", "1.0", "g"};
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
        expect_number(odd[i], 10, false, 0);
    expect_number("g", 16, false, 0);
    expect_number("0x1", 16, false, 0);
    expect_number("\xb1", 16, false, 0);
}

static void expect_decimal(const char *text, bool is_number, double expected)
{
    double value = 77;
    if (tv_str_to_decimal(str(text), &value) != is_number)
        fail_msg("%s: expected %d", text, is_number);
    if (value != (is_number ? expected : 77))
        fail_msg("%s: expected %f, found %f", text, expected, value);
}

static void decimals_have_digits_on_one_side_at_least(void **state)
{
    (void)state;
    expect_decimal("0", true, 0);
    expect_decimal("2.5", true, 2.5);
    expect_decimal(".5", true, 0.5);
    expect_decimal("12.", true, 12);
    expect_decimal("00000000000000000001", true, 1);
    static const char *const odd[] = {"",    ".",   "-1",    "+1",  "1e3", "1.2.3",
                                      "1,5", "a.5", "0x1.8", "1.b", " 1",  "000000000000000000001"};
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
        expect_decimal(odd[i], false, 0);
}

static size_t find_slowly(struct tv_str text, struct tv_str needle, bool is_folded)
{
    for (size_t at = 0; at + needle.len <= text.len; at++) {
        size_t same = 0;
        for (; same < needle.len; same++) {
            unsigned a = (unsigned char)text.at[at + same];
            unsigned b = (unsigned char)needle.at[same];
            if (a != b && !(is_folded && (a ^ b) == 0x20 && (a | 0x20) >= 'a' && (a | 0x20) <= 'z'))
                break;
        }
        if (same == needle.len)
            return at;
    }
    return SIZE_MAX;
}

static void find_agrees_with_a_slow_search(void **state)
{
    (void)state;
    static const char letters[] = {'a', 'A', 'b', '@', '`', '\0', '\xe1', '\xc1'};
    uint64_t seed = 3;
    for (unsigned i = 0; i < 20000; i++) {
        char bytes[16];
        for (size_t k = 0; k < sizeof(bytes); k++)
            bytes[k] = letters[random_below(&seed, 1 + i % 8)];
        struct tv_str text = {bytes, random_below(&seed, 12)};
        struct tv_str needle = {bytes + 12, random_below(&seed, 5)};
        assert_true(tv_str_find(text, needle, TV_CASE_EXACT) == find_slowly(text, needle, false));
        assert_true(tv_str_find(text, needle, TV_CASE_FOLD) == find_slowly(text, needle, true));
    }
}

static void upper_case_is_ascii_only(void **state)
{
    (void)state;
    assert_true(tv_str_has_upper(str("fooBar")));
    assert_false(tv_str_has_upper(str("foo@[bar")));
    assert_false(tv_str_has_upper(str("\xc3\x84")));
}

/* By the book: a star takes nothing, or one byte and stays. */
static bool glob_slowly(struct tv_str text, struct tv_str pattern)
{
    bool is_reached[20] = {true}; /* pattern.at[0..k) matches what was seen of the text */
    for (size_t k = 0; k < pattern.len && pattern.at[k] == '*'; k++)
        is_reached[k + 1] = true;
    for (size_t at = 0; at < text.len; at++) {
        bool is_next[20] = {false};
        for (size_t k = 0; k < pattern.len; k++) {
            bool is_star = pattern.at[k] == '*';
            if (is_reached[k] && is_star)
                is_next[k] = true;
            if (is_reached[k] &&
                (pattern.at[k] == '?' || (!is_star && pattern.at[k] == text.at[at])))
                is_next[k + 1] = true;
        }
        for (size_t k = 0; k < pattern.len; k++) {
            if (is_next[k] && pattern.at[k] == '*')
                is_next[k + 1] = true;
        }
        memcpy(is_reached, is_next, sizeof(is_reached));
    }
    return is_reached[pattern.len];
}

static void glob_agrees_with_a_slow_match(void **state)
{
    (void)state;
    static const char letters[] = {'a', 'b', '*', '?'};
    uint64_t seed = 5;
    for (unsigned i = 0; i < 50000; i++) {
        char bytes[20];
        for (size_t k = 0; k < 20; k++)
            bytes[k] = letters[random_below(&seed, k < 12 ? 2 : 4)];
        struct tv_str text = {bytes, random_below(&seed, 12)};
        struct tv_str pattern = {bytes + 12, random_below(&seed, 8)};
        if (tv_str_glob(text, pattern) != glob_slowly(text, pattern))
            fail_msg("%.*s against %.*s: expected %d", (int)text.len, text.at, (int)pattern.len,
                     pattern.at, glob_slowly(text, pattern));
    }
}

static void a_glob_begins_with_what_is_no_wildcard(void **state)
{
    (void)state;
    assert_true(tv_str_equal(tv_str_glob_beginning(str("a.b*c?")), str("a.b")));
    assert_true(tv_str_equal(tv_str_glob_beginning(str("a?")), str("a")));
    assert_true(tv_str_equal(tv_str_glob_beginning(str("ab")), str("ab")));
    assert_true(tv_str_is_glob(str("*")) && tv_str_is_glob(str("a?b")));
    assert_false(tv_str_is_glob(str("ab")) || tv_str_is_glob(str("")));
}

static void glob_of_many_stars_ends(void **state)
{
    (void)state;
    static char text[20000];
    static char pattern[2000];
    memset(text, 'a', sizeof(text));
    for (size_t i = 0; i < sizeof(pattern); i++)
        pattern[i] = i % 2 ? 'a' : '*';
    pattern[sizeof(pattern) - 1] = 'b';
    assert_false(tv_str_glob((struct tv_str){text, sizeof(text)},
                             (struct tv_str){pattern, sizeof(pattern)}));
}

static void hash_differs_by_every_bit_and_length(void **state)
{
    (void)state;
    uint8_t bytes[40] = {0};
    uint64_t zeros = tv_hash_bytes(bytes, sizeof(bytes));
    for (unsigned bit = 0; bit < 320; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_true(tv_hash_bytes(bytes, sizeof(bytes)) != zeros);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t len = 0; len < sizeof(bytes); len++)
        assert_true(tv_hash_bytes(bytes, len) != tv_hash_bytes(bytes, len + 1));
    assert_true(tv_hash_bytes("abcdefghi", 9) == tv_hash_bytes("abcdefghi\xff", 9));
}

static void blanks_are_trimmed_and_only_at_the_ends(void **state)
{
    static const char *const texts[][2] = {
        {" \ta b\t ", "a b"}, {"a", "a"}, {" \t ", ""}, {"", ""}, {"\ra \r", "a"}, {"a\n", "a\n"}};
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        assert_true(tv_str_equal(tv_str_trim(tv_str_from(texts[i][0])), tv_str_from(texts[i][1])));
    assert_int_equal(tv_str_trim(TV_STR("\0 a")).len, 3); /* a byte 0 is no blank */
}

static void words_are_taken_until_a_line_has_none(void **state)
{
    static const char *const words[] = {"one", "two", "", ""};
    struct tv_str line = TV_STR(" one\t two\r");
    (void)state;
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        assert_true(tv_str_equal(tv_str_take_word(&line), tv_str_from(words[i])));
    assert_int_equal(line.len, 0);
}

static void numbers_with_separators_are_read_whole(void **state)
{
    uint64_t a = 0, b = 0;
    uint64_t *const numbers[] = {&a, &b};
    static const char *const wrong[] = {"", "1", "1:", ":1", "1:2:", "1:2:3", "1:x", "1: 2", "1,2"};
    (void)state;
    assert_true(tv_str_to_numbers(str("17:18446744073709551615"), ':', numbers, 2));
    assert_int_equal(a, 17);
    assert_true(b == UINT64_MAX);
    for (size_t i = 0; i < TV_COUNT_OF(wrong); i++) {
        if (tv_str_to_numbers(str(wrong[i]), ':', numbers, 2))
            fail_msg("\"%s\" is taken for two numbers", wrong[i]);
    }
}

static void a_word_of_a_list_is_a_whole_one(void **state)
{
    (void)state;
    assert_true(tv_str_has_word(str("boot, chosen"), str("boot")));
    assert_true(tv_str_has_word(str("boot, chosen"), str("chosen")));
    assert_false(tv_str_has_word(str("boot, chosen"), str("hose")));
    assert_false(tv_str_has_word(str(""), str("boot")));
    assert_false(tv_str_has_word((struct tv_str){NULL, 0}, str("boot")));
}

static void a_file_has_its_name_behind_the_last_slash(void **state)
{
    static const char *const rows[][2] = {
        {"/a/b.trace", "b.trace"}, {"b.trace", "b.trace"}, {"a/", ""}, {"", ""}, {"/", ""}};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++) {
        assert_string_equal(tv_file_name_of(rows[i][0]), rows[i][1]);
        assert_true(tv_str_equal(tv_str_file_name(str(rows[i][0])), str(rows[i][1])));
    }
    assert_int_equal(tv_str_file_name((struct tv_str){NULL, 0}).len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_with_separators_are_read_whole),
        cmocka_unit_test(a_word_of_a_list_is_a_whole_one),
        cmocka_unit_test(a_file_has_its_name_behind_the_last_slash),
        cmocka_unit_test(blanks_are_trimmed_and_only_at_the_ends),
        cmocka_unit_test(words_are_taken_until_a_line_has_none),
        cmocka_unit_test(text_with_nothing_at_all_is_empty),
        cmocka_unit_test(letters_of_either_case_may_be_one),
        cmocka_unit_test(order_is_bytewise_and_shorter_first),
        cmocka_unit_test(prefix_is_the_beginning),
        cmocka_unit_test(split_gives_empty_parts_too),
        cmocka_unit_test(numbers_up_to_the_limit),
        cmocka_unit_test(anything_but_digits_is_no_number),
        cmocka_unit_test(decimals_have_digits_on_one_side_at_least),
        cmocka_unit_test(find_agrees_with_a_slow_search),
        cmocka_unit_test(upper_case_is_ascii_only),
        cmocka_unit_test(glob_agrees_with_a_slow_match),
        cmocka_unit_test(a_glob_begins_with_what_is_no_wildcard),
        cmocka_unit_test(glob_of_many_stars_ends),
        cmocka_unit_test(hash_differs_by_every_bit_and_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
