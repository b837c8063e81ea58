/* Templates of this test's own: what their tags mean, and what is refused. */
#include "site/document/template.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/memory/buffer.h"

struct child {
    const char *name;
};

struct parent {
    const char *name, *address;
    bool is_so;
    struct child children[2];
    size_t child_count;
};

static void fill_child(const void *row, struct tv_template_value *values)
{
    const struct child *child = row;
    values[0].text = tv_str_from(child->name);
}

static const struct tv_template_name child_names[] = {{"name", TV_TEMPLATE_TEXT, NULL}};
static const struct tv_template_kind child_kind = {child_names, 1, sizeof(struct child),
                                                   fill_child};

static void fill_parent(const void *row, struct tv_template_value *values)
{
    const struct parent *parent = row;
    values[0].text = tv_str_from(parent->name);
    values[1].text = tv_str_from(parent->address);
    values[2].is_so = parent->is_so;
    values[3].rows = parent->children;
    values[3].row_count = parent->child_count;
}

static const struct tv_template_name parent_names[] = {
    {"name", TV_TEMPLATE_TEXT, NULL},
    {"address", TV_TEMPLATE_TEXT, NULL},
    {"is_so", TV_TEMPLATE_TRUTH, NULL},
    {"children", TV_TEMPLATE_ROWS, &child_kind},
};
static const struct tv_template_kind parent_kind = {parent_names, TV_COUNT_OF(parent_names),
                                                    sizeof(struct parent), fill_parent};

static const struct parent full = {"<n>", "/a b", true, {{"x"}, {"y"}}, 2};
static const struct parent empty = {.name = "", .address = ""};

static struct tv_templates templates_of(const char *markup)
{
    return (struct tv_templates){.all = {{"page", tv_str_from(markup)},
                                         {"part", TV_STR("<i>{{name}}</i>\n")},
                                         {"open", TV_STR("<i class=\"")},
                                         {"itself", TV_STR("{{>itself}}")}},
                                 .count = 4};
}

static void expect(const char *markup, const struct parent *row, const char *expected)
{
    const struct tv_template_kind *const kinds[] = {&parent_kind};
    const void *const rows[] = {row};
    struct tv_templates templates = templates_of(markup);
    struct tv_buffer bytes;
    struct tv_out out;
    struct tv_error err = {.code = TV_OK};
    tv_buffer_init(&bytes, tv_alloc_libc());
    tv_out_init(&out, tv_buffer_sink(&bytes));
    if (tv_template_check(&templates, "page", kinds, 1, &err) != TV_OK ||
        tv_template_write(&out, &templates, "page", kinds, rows, 1, &err) != TV_OK)
        fail_msg("%s", err.text);
    assert_int_equal(tv_out_finish(&out, NULL), TV_OK);
    assert_int_equal(tv_buffer_append(&bytes, "", 1, NULL), TV_OK);
    assert_string_equal((const char *)bytes.bytes, expected);
    tv_buffer_release(&bytes);
}

static void holes_are_filled_by_their_place(void **state)
{
    (void)state;
    expect("<p title=\"{{name}}\">{{name}}</p>", &full, "<p title=\"&lt;n&gt;\">&lt;n&gt;</p>");
    expect("<a href=\"{{address}}/x?{{name}}\">{ {} }</a>", &full,
           "<a href=\"/a%20b/x?%3Cn%3E\">{ {} }</a>");
}

static void sections_depend_on_what_is_so(void **state)
{
    static const char markup[] = "{{#is_so}}a{{/is_so}}{{^is_so}}b{{/is_so}}"
                                 "{{#name}}c{{/name}}{{^name}}d{{/name}}"
                                 "{{^children}}e{{/children}}";
    (void)state;
    expect(markup, &full, "ac");
    expect(markup, &empty, "bde");
    expect("<option value=\"1\"{{#is_so}} selected{{/is_so}}>", &full,
           "<option value=\"1\" selected>");
    expect("<option value=\"1\"{{#is_so}} selected{{/is_so}}>", &empty, "<option value=\"1\">");
    expect("{{#is_so}}{{#is_so}}a{{/is_so}}{{/is_so}}b", &empty, "b");
}

static void rows_come_one_by_one_and_their_names_first(void **state)
{
    (void)state;
    expect("{{#children}}[{{name}} {{address}}]{{/children}}{{name}}", &full,
           "[x /a b][y /a b]&lt;n&gt;");
    expect("{{#children}}{{#children}}{{name}}{{/children}}{{/children}}", &full, "xyxy");
}

static void a_tag_takes_the_line_that_it_has_alone(void **state)
{
    (void)state;
    expect("{{! words }}\na\n  {{#is_so}}\n b\n  {{/is_so}}\n{{>part}}\n{{name}}\nc", &full,
           "a\n b\n<i>&lt;n&gt;</i>\n&lt;n&gt;\nc");
    expect("a {{>part}} b", &full, "a <i>&lt;n&gt;</i>\n b");
}

static void expect_refused(const char *markup, const char *why)
{
    const struct tv_template_kind *const kinds[] = {&parent_kind};
    struct tv_templates templates = templates_of(markup);
    struct tv_error err = {.code = TV_OK};
    assert_int_equal(tv_template_check(&templates, "page", kinds, 1, &err), TV_ERR_FORMAT);
    if (!strstr(err.text, why))
        fail_msg("%s: %s, not %s", markup, err.text, why);
}

static void names_that_mean_nothing_are_refused(void **state)
{
    (void)state;
    expect_refused("a\n{{nmae}}", "page.html, line 2: nothing has this name: nmae");
    expect_refused("{{#nmae}}{{/nmae}}", "nothing has this name");
    expect_refused("{{^is_so}}{{nmae}}{{/is_so}}", "nothing has this name");
    expect_refused("{{#children}}{{nmae}}{{/children}}", "nothing has this name");
    expect_refused("{{is_so}}", "no text");
    expect_refused("{{children}}", "no text");
    expect_refused("{{ name }}", "this is no name");
    expect_refused("{{{name}}}", "this is no name");
    expect_refused("{{&name}}", "this is no name");
    expect_refused("{{>nothing}}", "no template has this name");
}

static void holes_that_cannot_be_escaped_are_refused(void **state)
{
    (void)state;
    expect_refused("<script>{{name}}</script>", "script");
    expect_refused("<style>{{name}}</style>", "style");
    expect_refused("<p class={{name}}>", "quoted");
    expect_refused("<p {{name}}>", "quoted");
    expect_refused("<p onclick=\"{{name}}\">", "this attribute");
    expect_refused("<a href=\"javascript:{{name}}\">", "an address");
    expect_refused("<a href=\"{{address}}{{name}}\">", "first part");
}

static void sections_are_whole(void **state)
{
    (void)state;
    expect_refused("{{#is_so}}a", "no end");
    expect_refused("{{^is_so}}a", "no end");
    expect_refused("a{{/is_so}}", "ends nothing");
    expect_refused("{{#is_so}}{{#name}}{{/is_so}}{{/name}}", "ends nothing");
    expect_refused("{{#is_so}}<p class=\"{{/is_so}}a\">", "another place");
    expect_refused("{{#is_so}}<script>{{/is_so}}</script>", "another place");
    expect_refused("<p{{#is_so}} a{{/is_so}}b>", "another place");
    expect_refused("{{name", "no end");
    expect_refused("<p {{>part}}>", "between elements");
    expect_refused("{{>open}}", "inside of a tag");
    expect_refused("{{>itself}}", "too deep");
}

static void a_template_with_a_fault_is_not_written(void **state)
{
    const struct tv_template_kind *const kinds[] = {&parent_kind};
    const void *const rows[] = {&full};
    struct tv_templates templates = templates_of("{{nmae}}");
    struct tv_out out;
    (void)state;
    tv_out_init(&out, (struct tv_sink){NULL, NULL});
    assert_int_equal(tv_template_write(&out, &templates, "page", kinds, rows, 1, NULL),
                     TV_ERR_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holes_are_filled_by_their_place),
        cmocka_unit_test(sections_depend_on_what_is_so),
        cmocka_unit_test(rows_come_one_by_one_and_their_names_first),
        cmocka_unit_test(a_tag_takes_the_line_that_it_has_alone),
        cmocka_unit_test(names_that_mean_nothing_are_refused),
        cmocka_unit_test(holes_that_cannot_be_escaped_are_refused),
        cmocka_unit_test(sections_are_whole),
        cmocka_unit_test(a_template_with_a_fault_is_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
