/* Text in markup. */
#include "base/text/markup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory/buffer.h"

static struct tv_out markup;
static struct tv_buffer out;

static void begin(void)
{
    tv_buffer_init(&out, tv_alloc_libc());
    tv_out_init(&markup, tv_buffer_sink(&out));
}

static void expect(const char *expected)
{
    assert_int_equal(tv_out_finish(&markup, NULL), TV_OK);
    assert_int_equal(tv_buffer_append(&out, "", 1, NULL), TV_OK);
    assert_string_equal((const char *)out.bytes, expected);
    tv_buffer_release(&out);
}

static void what_has_a_meaning_in_markup_is_escaped(void **state)
{
    (void)state;
    begin();
    tv_markup_text(&markup, TV_STR("<init> & \"a\" 'b' ]]>"));
    expect("&lt;init&gt; &amp; &quot;a&quot; &#39;b&#39; ]]&gt;");
}

static void what_xml_cannot_hold_is_written_otherwise(void **state)
{
    (void)state;
    begin();
    tv_markup_text(&markup, TV_STR("\x01\x1b[31m\n\t\r\x7f"));
    tv_markup_text(&markup, TV_STR("|\xff|\xc0\x80|\xed\xa0\x80|\xef\xbf\xbe|\xef\xbf\xbf"));
    expect(
        "\\x01\\x1b[31m\\n\\t\\x0d\\x7f|\xef\xbf\xbd|\\x00|\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd");
}

static void what_turns_text_around_or_is_not_seen_is_written_as_an_escape(void **state)
{
    (void)state;
    begin();
    tv_markup_text(&markup, TV_STR("a\xe2\x80\xae"
                                   "b\xe2\x80\x8b\xf3\xa0\x80\xa0\xc3\xbc"));
    expect("a\\u202eb\\u200b\\U000e0020\xc3\xbc");
}

static void a_long_name_shows_its_beginning_and_its_length(void **state)
{
    static char name[60000];
    char expected[TV_MARKUP_NAME_SHOWN + 32];
    (void)state;
    memset(name, 'n', sizeof(name));
    memset(expected, 'n', TV_MARKUP_NAME_SHOWN);
    strcpy(expected + TV_MARKUP_NAME_SHOWN, " (+59,000 bytes)");
    begin();
    tv_markup_name(&markup, (struct tv_str){name, sizeof(name)});
    expect(expected);
    expected[TV_MARKUP_NAME_SHOWN] = '\0';
    begin();
    tv_markup_name(&markup, (struct tv_str){name, TV_MARKUP_NAME_SHOWN});
    expect(expected);
}

static void what_fills_a_pattern_is_escaped_and_the_pattern_is_not(void **state)
{
    (void)state;
    begin();
    TV_MARKUP(&markup, "<a title=\"{}\">{}</a>{}", TV_STR("\"><script>"), TV_STR("{}&"),
              TV_STR(""));
    expect("<a title=\"&quot;&gt;&lt;script&gt;\">{}&amp;</a>");
}

static void lines_stay_lines(void **state)
{
    (void)state;
    begin();
    tv_markup_lines(&markup, TV_STR("a\r\n<b>\n\nc\n"));
    expect("a\n&lt;b&gt;\n\nc\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_a_meaning_in_markup_is_escaped),
        cmocka_unit_test(what_xml_cannot_hold_is_written_otherwise),
        cmocka_unit_test(what_turns_text_around_or_is_not_seen_is_written_as_an_escape),
        cmocka_unit_test(a_long_name_shows_its_beginning_and_its_length),
        cmocka_unit_test(what_fills_a_pattern_is_escaped_and_the_pattern_is_not),
        cmocka_unit_test(lines_stay_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
