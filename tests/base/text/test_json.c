/* The streaming JSON writer. */
#include "base/text/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/memory/buffer.h"

/* A document being written, and what came out. */
struct page {
    struct tv_json json;
    struct tv_buffer out;
};

static struct tv_json *begin(struct page *page)
{
    tv_buffer_init(&page->out, tv_alloc_libc());
    tv_json_init(&page->json, tv_buffer_sink(&page->out));
    return &page->json;
}

static void expect_text(struct page *page, const char *expected)
{
    struct tv_error err;
    assert_int_equal(tv_json_finish(&page->json, &err), TV_OK);
    assert_int_equal(err.code, TV_OK);
    assert_int_equal(tv_buffer_append(&page->out, "", 1, NULL), TV_OK);
    assert_string_equal((const char *)page->out.bytes, expected);
    tv_buffer_release(&page->out);
}

static void commas_stand_between_items_only(void **state)
{
    (void)state;
    struct page page;
    struct tv_json *json = begin(&page);
    tv_json_open_object(json);
    tv_json_key_u64(json, "a", 1);
    tv_json_key(json, "b");
    tv_json_open_array(json);
    tv_json_null(json);
    tv_json_digits(json, TV_STR("1.5e-7"));
    tv_json_open_object(json);
    tv_json_close_object(json);
    tv_json_open_array(json);
    tv_json_close_array(json);
    tv_json_close_array(json);
    tv_json_key_truth(json, "c", true);
    tv_json_key_i64(json, "d", -1);
    tv_json_key_text(json, "e", "x");
    tv_json_key_str(json, "f", TV_STR("y"));
    tv_json_close_object(json);
    expect_text(
        &page, "{\"a\":1,\"b\":[null,1.5e-7,{},[]],\"c\":true,\"d\":-1,\"e\":\"x\",\"f\":\"y\"}\n");
}

static void numbers_at_their_limits(void **state)
{
    (void)state;
    struct page page;
    struct tv_json *json = begin(&page);
    tv_json_open_array(json);
    tv_json_u64(json, 0);
    tv_json_u64(json, UINT64_MAX);
    tv_json_i64(json, INT64_MAX);
    tv_json_i64(json, INT64_MIN);
    tv_json_truth(json, false);
    tv_json_hex(json, 0);
    tv_json_hex(json, UINT64_MAX);
    tv_json_close_array(json);
    expect_text(&page, "[0,18446744073709551615,9223372036854775807,-9223372036854775808,"
                       "false,\"0x0\",\"0xffffffffffffffff\"]\n");
}

static void expect_written(struct tv_str text, const char *expected)
{
    struct page page;
    char line[200];
    tv_json_str(begin(&page), text);
    strcpy(line, expected);
    strcat(line, "\n");
    expect_text(&page, line);
}

static void quotes_and_control_characters_are_escaped(void **state)
{
    (void)state;
    expect_written(TV_STR("a\"b\\c"), "\"a\\\"b\\\\c\"");
    expect_written(TV_STR("\n\t\x01\x1f"), "\"\\u000a\\u0009\\u0001\\u001f\"");
    expect_written(TV_STR("\x7f"), "\"\\u007f\"");
    expect_written(TV_STR("a\0b"), "\"a\\u0000b\"");
    expect_written(TV_STR("\xc0\x80"), "\"\\u0000\"");
    expect_written(TV_STR("</script>"), "\"</script>\"");
    expect_written((struct tv_str){NULL, 0}, "\"\"");
}

static void line_separators_are_escaped(void **state)
{
    (void)state;
    expect_written(TV_STR("\xe2\x80\xa8\xe2\x80\xa9"), "\"\\u2028\\u2029\"");
    expect_written(TV_STR("\xe2\x80\xa7"), "\"\xe2\x80\xa7\"");
}

/* U+009B starts a control sequence on some terminals, U+202E turns what follows, the others cannot
 * be seen. */
static void what_acts_on_its_surroundings_is_escaped(void **state)
{
    (void)state;
    expect_written(TV_STR("\xc2\x9b"
                          "2J\xc2\x80\xc2\x9f\xc2\xa0"),
                   "\"\\u009b2J\\u0080\\u009f\xc2\xa0\"");
    expect_written(TV_STR("a\xe2\x80\xae"
                          "b\xe2\x81\xa6\xd8\x9c"),
                   "\"a\\u202eb\\u2066\\u061c\"");
    expect_written(TV_STR("\xe2\x80\x8b\xef\xbb\xbf\xc2\xad"), "\"\\u200b\\ufeff\\u00ad\"");
    expect_written(TV_STR("\xf3\xa0\x80\x81\xf3\xa0\x81\xbf"), "\"\\udb40\\udc01\\udb40\\udc7f\"");
}

static void valid_text_goes_through(void **state)
{
    (void)state;
    expect_written(TV_STR("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"),
                   "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"");
}

static void invalid_bytes_become_replacements(void **state)
{
    (void)state;
    expect_written(TV_STR("\xff"), "\"\xef\xbf\xbd\"");
    expect_written(TV_STR("a\x80z"), "\"a\xef\xbf\xbdz\"");
    expect_written(TV_STR("\xe2\x82"), "\"\xef\xbf\xbd\xef\xbf\xbd\""); /* cut */
    expect_written(TV_STR("\xed\xa0\x80"), "\"\xef\xbf\xbd\"");         /* half a pair */
}

static void surrogate_pairs_become_their_character(void **state)
{
    (void)state;
    expect_written(TV_STR("\xed\xa0\xbd\xed\xb8\x80"), "\"\xf0\x9f\x98\x80\"");
    expect_written(TV_STR("\xed\xa0\xbd\xed\xa0\xbd\xed\xb8\x80"),
                   "\"\xef\xbf\xbd\xf0\x9f\x98\x80\"");
}

/* The room of the writer is 1024 bytes; text crosses its end at every distance. */
static void long_text_crosses_the_room(void **state)
{
    (void)state;
    static char text[1100];
    memset(text, 'x', sizeof(text));
    for (size_t len = 1000; len < 1040; len++) {
        struct page page;
        struct tv_json *json = begin(&page);
        tv_json_open_array(json);
        tv_json_str(json, (struct tv_str){text, len});
        tv_json_text(json, "\n");
        tv_json_close_array(json);
        assert_int_equal(tv_json_finish(json, NULL), TV_OK);
        assert_int_equal(page.out.len, len + 14);
        assert_memory_equal(page.out.bytes + len + 2, "\",\"\\u000a\"]\n", 12);
        tv_buffer_release(&page.out);
    }
}

static enum tv_code nest(unsigned levels, struct tv_error *err)
{
    struct page page;
    struct tv_json *json = begin(&page);
    for (unsigned i = 0; i < levels; i++)
        tv_json_open_array(json);
    for (unsigned i = 0; i < levels; i++) {
        tv_json_close_array(json);
        if (i + 1 < levels)
            tv_json_null(json);
    }
    enum tv_code code = tv_json_finish(json, err);
    if (code == TV_OK)
        assert_int_equal(page.out.len, levels * 2 + (levels - 1) * 5 + 1);
    tv_buffer_release(&page.out);
    return code;
}

static void depth_has_a_limit(void **state)
{
    (void)state;
    struct tv_error err;
    assert_int_equal(nest(900, &err), TV_OK);
    assert_int_equal(nest(901, &err), TV_ERR_LIMIT);
    assert_non_null(strstr(err.text, "900 levels"));
    assert_int_equal(nest(1000, &err), TV_ERR_LIMIT);
}

/* A sink that takes some writes and refuses all others. */
struct narrow {
    unsigned takes;
    unsigned asked;
};

static enum tv_code refuse(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    struct narrow *narrow = ctx;
    (void)bytes;
    (void)len;
    if (narrow->asked++ < narrow->takes)
        return TV_OK;
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "disk full");
}

static void failure_of_the_sink_sticks(void **state)
{
    (void)state;
    struct narrow narrow = {.takes = 1};
    struct tv_json json;
    struct tv_error err;
    tv_json_init(&json, (struct tv_sink){.write = refuse, .ctx = &narrow});
    tv_json_open_array(&json);
    for (unsigned i = 0; i < 10000; i++)
        tv_json_text(&json, "some text");
    tv_json_close_array(&json);
    assert_int_equal(tv_json_finish(&json, &err), TV_ERR_SYSTEM);
    assert_int_equal(err.code, TV_ERR_SYSTEM);
    assert_string_equal(err.text, "disk full");
    assert_int_equal(narrow.asked, 2);
}

static void failure_of_the_last_flush_is_told(void **state)
{
    (void)state;
    struct narrow narrow = {.takes = 0};
    struct tv_json json;
    tv_json_init(&json, (struct tv_sink){.write = refuse, .ctx = &narrow});
    tv_json_u64(&json, 1);
    assert_int_equal(narrow.asked, 0);
    assert_int_equal(tv_json_finish(&json, NULL), TV_ERR_SYSTEM);
    assert_int_equal(narrow.asked, 1);
}

static void first_failure_is_the_one_told(void **state)
{
    (void)state;
    struct narrow narrow = {.takes = 0};
    struct tv_json json;
    struct tv_error err;
    tv_json_init(&json, (struct tv_sink){.write = refuse, .ctx = &narrow});
    for (unsigned i = 0; i < 950; i++)
        tv_json_open_array(&json);
    for (unsigned i = 0; i < 950; i++)
        tv_json_close_array(&json);
    assert_int_equal(tv_json_finish(&json, &err), TV_ERR_LIMIT);
    assert_int_equal(narrow.asked, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commas_stand_between_items_only),
        cmocka_unit_test(numbers_at_their_limits),
        cmocka_unit_test(quotes_and_control_characters_are_escaped),
        cmocka_unit_test(line_separators_are_escaped),
        cmocka_unit_test(what_acts_on_its_surroundings_is_escaped),
        cmocka_unit_test(valid_text_goes_through),
        cmocka_unit_test(invalid_bytes_become_replacements),
        cmocka_unit_test(surrogate_pairs_become_their_character),
        cmocka_unit_test(long_text_crosses_the_room),
        cmocka_unit_test(depth_has_a_limit),
        cmocka_unit_test(failure_of_the_sink_sticks),
        cmocka_unit_test(failure_of_the_last_flush_is_told),
        cmocka_unit_test(first_failure_is_the_one_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
