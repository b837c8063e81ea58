/* Where text of others may stand in markup, and how it is escaped there. */
#include "site/document/escape_context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/memory/buffer.h"

static struct tv_escape_context place_after(const char *markup)
{
    struct tv_escape_context place = {.state = TV_ESCAPE_TEXT};
    tv_escape_context_pass(&place, tv_str_from(markup));
    return place;
}

static void expect_put(const char *markup, struct tv_str text, const char *expected)
{
    struct tv_escape_context place = place_after(markup);
    struct tv_buffer bytes;
    struct tv_out out;
    tv_buffer_init(&bytes, tv_alloc_libc());
    tv_out_init(&out, tv_buffer_sink(&bytes));
    assert_null(tv_escape_context_fault(&place));
    tv_escape_context_put(&place, &out, text);
    assert_int_equal(tv_out_finish(&out, NULL), TV_OK);
    assert_int_equal(tv_buffer_append(&bytes, "", 1, NULL), TV_OK);
    assert_string_equal((const char *)bytes.bytes, expected);
    tv_buffer_release(&bytes);
}

static void text_is_escaped_as_text(void **state)
{
    (void)state;
    expect_put("<p class=\"a>b\">", TV_STR("<b>&\"'\0\xff"),
               "&lt;b&gt;&amp;&quot;&#39;\\x00\xef\xbf\xbd");
    expect_put("<!DOCTYPE html><title>", TV_STR("a\nb"), "a\\nb");
    expect_put("<TEXTAREA rows=\"2\">", TV_STR("a\r\n</textarea>"), "a\n&lt;/textarea&gt;");
    expect_put("<textarea></textarea>", TV_STR("a\nb"), "a\\nb");
}

static void values_of_attributes_cannot_end_them(void **state)
{
    (void)state;
    expect_put("<input disabled value=\"", TV_STR("\" onclick=\"'"), "&quot; onclick=&quot;&#39;");
    expect_put("<p data-most=\"", TV_STR("<"), "&lt;");
}

static void addresses_stay_on_the_site(void **state)
{
    (void)state;
    expect_put("<a href=\"", TV_STR("/a/b-c"), "/a/b-c");
    expect_put("<a href=\"", TV_STR("/a \"/b"), "/a%20%22/b");
    expect_put("<a href=\"", TV_STR("javascript:alert(1)"), "javascript%3Aalert%281%29");
    expect_put("<a href=\"", TV_STR("//evil.example"), "%2F%2Fevil.example");
    expect_put("<a href=\"", TV_STR("/\\evil"), "/%5Cevil");
    expect_put("<a href=\"", TV_STR("/"), "%2F");
    expect_put("<a href=\"", TV_STR(""), "");
    expect_put("<object data=\"/trace/", TV_STR("../x?\0&\xff"), "..%2Fx%3F%00%26%FF");
}

static void expect_fault(const char *markup, const char *why)
{
    struct tv_escape_context place = place_after(markup);
    const char *fault = tv_escape_context_fault(&place);
    if (!fault || !strstr(fault, why))
        fail_msg("%s: %s, not %s", markup, fault ? fault : "no fault", why);
}

static void what_acts_takes_no_text(void **state)
{
    (void)state;
    expect_fault("<script>", "script");
    expect_fault("<Script>if (a</b) '", "script");
    expect_fault("<script></scrip", "script");
    expect_fault("<style media=\"print\">", "style");
    expect_fault("<noscript><p>", "script");
    expect_fault("<p style=\"", "this attribute");
    expect_fault("<p onclick=\"", "this attribute");
    expect_fault("<iframe srcdoc=\"", "this attribute");
    expect_fault("<meta http-equiv=\"refresh\" content=\"", "this attribute");
    expect_put("<script>a</script><p>", TV_STR("<"), "&lt;");
}

static void markup_that_is_not_strict_takes_no_text(void **state)
{
    (void)state;
    expect_fault("<p class=", "quoted");
    expect_fault("<p class=a", "strict");
    expect_fault("<p class='", "strict");
    expect_fault("<p ", "quoted");
    expect_fault("<p data-", "quoted");
    expect_fault("<", "quoted");
    expect_fault("<!-- ", "strict");
    expect_fault("a < b", "strict");
    expect_fault("<a-name-that-has-no-end-in-html>", "strict");
}

/* A name is kept with a NUL at its end. */
static void a_name_is_a_byte_shorter_than_its_room(void **state)
{
    char markup[2 + TV_ESCAPE_NAME_CAP + 1] = "<";
    (void)state;
    memset(markup + 1, 'a', TV_ESCAPE_NAME_CAP - 1);
    markup[TV_ESCAPE_NAME_CAP] = '>';
    expect_put(markup, TV_STR("<"), "&lt;");
    markup[TV_ESCAPE_NAME_CAP] = 'a';
    markup[TV_ESCAPE_NAME_CAP + 1] = '>';
    expect_fault(markup, "strict");
}

static void the_template_says_where_an_address_begins(void **state)
{
    struct tv_escape_context place = place_after("<a href=\"");
    (void)state;
    expect_fault("<a href=\"https://", "slash");
    expect_fault("<a href=\"javascript:", "slash");
    expect_fault("<a href=\"//", "slash");
    expect_fault("<a href=\"/\\", "slash");
    expect_fault("<a href=\"/", "first part");
    tv_escape_context_put(&place, NULL, TV_STR(""));
    assert_non_null(tv_escape_context_fault(&place)); /* two holes */
    tv_escape_context_pass(&place, TV_STR("javascript:"));
    assert_non_null(tv_escape_context_fault(&place));
    place = place_after("<a href=\"");
    tv_escape_context_put(&place, NULL, TV_STR(""));
    tv_escape_context_pass(&place, TV_STR("/list?q="));
    assert_null(tv_escape_context_fault(&place));
    tv_escape_context_pass(&place, TV_STR("\" title=\"")); /* forgets the address */
    assert_null(tv_escape_context_fault(&place));
}

static void an_attribute_without_value_ends_before_a_tags_end(void **state)
{
    struct tv_escape_context place = place_after("<option selected");
    struct tv_escape_context tag = place_after("<option ");
    (void)state;
    tv_escape_context_end_attribute(&place, 'x');
    assert_false(tv_escape_context_is_equal(&place, &tag));
    tv_escape_context_end_attribute(&place, '>');
    assert_true(tv_escape_context_is_equal(&place, &tag));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_escaped_as_text),
        cmocka_unit_test(values_of_attributes_cannot_end_them),
        cmocka_unit_test(addresses_stay_on_the_site),
        cmocka_unit_test(what_acts_takes_no_text),
        cmocka_unit_test(markup_that_is_not_strict_takes_no_text),
        cmocka_unit_test(a_name_is_a_byte_shorter_than_its_room),
        cmocka_unit_test(the_template_says_where_an_address_begins),
        cmocka_unit_test(an_attribute_without_value_ends_before_a_tags_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
