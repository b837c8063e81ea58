/* JSON token by token: what it is, and what it is not. */
#include "base/text/json_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The tokens of a text as letters, and "!" where it is refused. */
static void expect_tokens(const char *text, const char *expected)
{
    static const char letters[] = {
        [TV_JSON_OBJECT] = '{',    [TV_JSON_OBJECT_END] = '}', [TV_JSON_ARRAY] = '[',
        [TV_JSON_ARRAY_END] = ']', [TV_JSON_KEY] = 'k',        [TV_JSON_STRING] = 's',
        [TV_JSON_NUMBER] = 'n',    [TV_JSON_WORD] = 'w',       [TV_JSON_END] = '.'};
    struct tv_json_reader reader = tv_json_reader_of(tv_str_from(text));
    enum tv_json_token token = TV_JSON_OBJECT;
    char got[64] = "";
    for (size_t i = 0; token != TV_JSON_END && i < sizeof(got) - 1; i++) {
        enum tv_code code = tv_json_read(&reader, &token, NULL);
        got[i] = '!';
        if (code != TV_OK)
            break;
        got[i] = letters[token];
    }
    if (strcmp(got, expected) != 0)
        fail_msg("%s: %s, expected %s", text, got, expected);
}

static void each_kind_of_value_is_a_token(void **state)
{
    (void)state;
    expect_tokens("{\"a\": [1, -2.5e+3, true, null], \"b\" : {}, \"c\":\"x\"}\n",
                  "{k[nnww]k{}ks}.");
    expect_tokens(" 7 ", "n.");
    expect_tokens("[]", "[].");
    expect_tokens("\"\\\"\\\\\"", "s.");
    expect_tokens("[[{}],[[]]]", "[[{}][[]]].");
}

static void what_is_no_json_is_refused(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"", "!"},           {"{", "{!"},     {"[1,]", "[n!"},     {"{\"a\"}", "{k!"},
        {"{\"a\":}", "{k!"}, {"{a:1}", "{!"}, {"[1 2]", "[n!"},    {"{\"a\":1,}", "{kn!"},
        {"1 2", "n!"},       {"]", "!"},      {"[1}", "[n!"},      {"01", "!"},
        {"1.", "!"},         {".5", "!"},     {"1e", "!"},         {"-", "!"},
        {"+1", "!"},         {"True", "!"},   {"\"a", "!"},        {"\"a\n\"", "!"},
        {"\"a\\", "!"},      {"[,1]", "[!"},  {"{,}", "{!"},       {"nulls", "!"},
        {"1e+", "!"},        {"NaN", "!"},    {"{\"a\" 1}", "{k!"}};
    for (size_t i = 0; i < TV_COUNT_OF(bad); i++)
        expect_tokens(bad[i][0], bad[i][1]);
}

static void nesting_has_a_limit(void **state)
{
    (void)state;
    char text[2 * TV_JSON_LEVELS_MOST + 4] = "";
    struct tv_json_reader reader;
    enum tv_json_token token;
    struct tv_error err = {.code = TV_OK};
    memset(text, '[', TV_JSON_LEVELS_MOST + 1);
    reader = tv_json_reader_of(tv_str_from(text));
    for (unsigned i = 0; i < TV_JSON_LEVELS_MOST; i++)
        assert_int_equal(tv_json_read(&reader, &token, NULL), TV_OK);
    assert_int_equal(tv_json_read(&reader, &token, &err), TV_ERR_FORMAT);
    assert_string_equal(err.text, "no JSON: it nests too deep");
    assert_int_equal(err.offset, TV_JSON_LEVELS_MOST);
}

static void values_are_passed_over_whole(void **state)
{
    (void)state;
    struct tv_json_reader reader =
        tv_json_reader_of(TV_STR("{\"a\":[{\"b\":[1]}],\"c\":2,\"d\":[]}"));
    enum tv_json_token token;
    assert_int_equal(tv_json_read(&reader, &token, NULL), TV_OK);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(tv_json_read(&reader, &token, NULL), TV_OK);
        assert_int_equal(token, TV_JSON_KEY);
        assert_int_equal(reader.raw.at[0], "acd"[i]);
        assert_int_equal(tv_json_read_past(&reader, token, NULL), TV_OK);
    }
    assert_int_equal(tv_json_read(&reader, &token, NULL), TV_OK);
    assert_int_equal(token, TV_JSON_OBJECT_END);
    reader = tv_json_reader_of(TV_STR("[1"));
    assert_int_equal(tv_json_read(&reader, &token, NULL), TV_OK);
    assert_int_equal(tv_json_read_past(&reader, token, NULL), TV_ERR_FORMAT);
}

static void expect_text(const char *raw, const char *expected)
{
    const struct tv_str text = tv_str_from(raw);
    char *out = malloc(text.len); /* as long as it may be, so that a sanitizer sees a byte more */
    size_t len;
    assert_non_null(out);
    enum tv_code code = tv_json_unescape(text, out, &len, NULL);
    assert_int_equal(code, expected ? TV_OK : TV_ERR_FORMAT);
    if (expected && !tv_str_equal((struct tv_str){out, len}, tv_str_from(expected)))
        fail_msg("%s: %.*s", raw, (int)len, out);
    free(out);
}

static void escapes_are_what_they_stand_for(void **state)
{
    (void)state;
    expect_text("a\\n\\t\\\"\\\\\\/b", "a\n\t\"\\/b");
    expect_text("\\u0041\\u00e9\\u20ac", "A\xc3\xa9\xe2\x82\xac");
    expect_text("\\ud83d\\ude00!", "\xf0\x9f\x98\x80!");
    expect_text("\\ud83d", "\xef\xbf\xbd");
    expect_text("\\ude00\\u0041", "\xef\xbf\xbd"
                                  "A");
    expect_text("\\ud83d\\u0041", "\xef\xbf\xbd"
                                  "A");
    expect_text("\\ud83d\\u00", NULL);
    expect_text("\\x", NULL);
    expect_text("\\u12", NULL);
    expect_text("\\", NULL);
    expect_text("\\u 123", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_value_is_a_token),
        cmocka_unit_test(what_is_no_json_is_refused),
        cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(values_are_passed_over_whole),
        cmocka_unit_test(escapes_are_what_they_stand_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
