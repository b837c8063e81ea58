/* The templates of the site: each is as it should be, and whatever is put into any of its holes,
 * the page keeps its elements and attributes. */
#include "site/document/templates.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/memory/buffer.h"

static void every_name_has_a_meaning_and_every_hole_a_place(void **state)
{
    const struct tv_templates templates = tv_document_templates();
    (void)state;
    for (enum tv_document page = 0; page < TV_DOCUMENTS; page++) {
        const struct tv_document_form *form = tv_document_form(page);
        struct tv_error err = {.code = TV_OK};
        if (tv_template_check(&templates, form->name, form->kinds, form->kind_count, &err) != TV_OK)
            fail_msg("%s", err.text);
    }
}

/* --- kinds with the names of another kind, whose every value is the same --- */

#define MIRRORS_MOST 128u

/* What the values of mirrors are. */
static struct tv_str filling;
static bool is_so;

struct mirror {
    const struct tv_template_kind *of;
    struct tv_template_kind kind;
    struct tv_template_name names[TV_TEMPLATE_NAMES_MOST];
};

static struct mirror mirrors[MIRRORS_MOST];
static size_t mirror_count;

static void fill_mirror(const void *row, struct tv_template_value *values)
{
    const struct mirror *mirror = row;
    for (size_t i = 0; i < mirror->kind.name_count; i++) {
        values[i].text = filling;
        values[i].is_so = is_so;
        values[i].rows = NULL;
        for (size_t j = 0; j < mirror_count; j++) {
            if (&mirrors[j].kind == mirror->names[i].rows)
                values[i].rows = &mirrors[j];
        }
        values[i].row_count = is_so && values[i].rows ? 2 : 0;
    }
}

static struct mirror *mirror_named(const struct tv_template_kind *of)
{
    for (size_t i = 0; i < mirror_count; i++) {
        if (mirrors[i].of == of)
            return &mirrors[i];
    }
    assert_true(mirror_count < MIRRORS_MOST);
    mirrors[mirror_count].of = of;
    return &mirrors[mirror_count++];
}

/* Rows are a mirror themselves, any number of times. */
static const struct mirror *mirror_of(const struct tv_template_kind *of)
{
    struct mirror *first = mirror_named(of);
    for (size_t i = 0; i < mirror_count; i++) {
        struct mirror *mirror = &mirrors[i];
        mirror->kind =
            (struct tv_template_kind){mirror->names, mirror->of->name_count, 0, fill_mirror};
        for (size_t j = 0; j < mirror->of->name_count; j++) {
            mirror->names[j] = mirror->of->names[j];
            if (mirror->names[j].rows)
                mirror->names[j].rows = &mirror_named(mirror->names[j].rows)->kind;
        }
    }
    return first;
}

static const char *write(const struct tv_document_form *form, struct tv_buffer *bytes)
{
    const struct tv_templates templates = tv_document_templates();
    const struct tv_template_kind *kinds[TV_TEMPLATE_SCOPES_MOST];
    const void *rows[TV_TEMPLATE_SCOPES_MOST];
    struct tv_error err = {.code = TV_OK};
    struct tv_out out;
    for (size_t i = 0; i < form->kind_count; i++) {
        const struct mirror *mirror = mirror_of(form->kinds[i]);
        kinds[i] = &mirror->kind;
        rows[i] = mirror;
    }
    tv_buffer_init(bytes, tv_alloc_libc());
    tv_out_init(&out, tv_buffer_sink(bytes));
    if (tv_template_write(&out, &templates, form->name, kinds, rows, form->kind_count, &err) !=
            TV_OK ||
        tv_out_finish(&out, &err) != TV_OK)
        fail_msg("%s", err.text);
    assert_null(memchr(bytes->bytes, '\0', bytes->len));
    assert_int_equal(tv_buffer_append(bytes, "", 1, NULL), TV_OK);
    return (const char *)bytes->bytes;
}

/* --- what a browser makes of it --- */

static bool is_address(const char *tag, size_t len)
{
    static const char *const names[] = {" href=", " src=", " action=", " data="};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t name_len = strlen(names[i]);
        if (len >= name_len && memcmp(tag + len - name_len, names[i], name_len) == 0)
            return true;
    }
    return false;
}

/* An address that others began stays on the site: nothing in it is a scheme or a host. */
static void assert_stays(const char *value, size_t len)
{
    const char *colon = memchr(value, ':', len);
    assert_false(len > 1 && value[0] == '/' && (value[1] == '/' || value[1] == '\\'));
    if (colon && strncmp(value, "data:image/svg+xml,", 19) != 0)
        assert_non_null(memchr(value, '/', (size_t)(colon - value)));
}

/* The next tag at `at` without the values of its attributes; where it ends. */
static const char *next_tag(const char *at, char tag[512])
{
    size_t len = 0;
    bool is_value = false;
    const char *begin = at;
    for (; *at && (is_value || *at != '>'); at++) {
        assert_true(len + 2 < 512);
        if (*at == '"') {
            if (!is_value)
                begin = at + 1;
            else if (is_address(tag, len))
                assert_stays(begin, (size_t)(at - begin));
            is_value = !is_value;
        } else if (!is_value) {
            tag[len++] = *at;
        }
    }
    assert_int_equal(*at, '>');
    tag[len] = '\0';
    return at + 1;
}

static void assert_same_tags(const char *page, const char *plain, const char *hostile)
{
    char tags[2][512];
    for (;;) {
        plain = strchr(plain, '<');
        hostile = strchr(hostile, '<');
        if (!plain || !hostile)
            break;
        plain = next_tag(plain, tags[0]);
        hostile = next_tag(hostile, tags[1]);
        if (strcmp(tags[0], tags[1]) != 0)
            fail_msg("%s: %s> and %s>", page, tags[0], tags[1]);
    }
    assert_ptr_equal(plain, hostile); /* both have no more */
}

static void expect_same_tags(const struct tv_document_form *form, struct tv_str hostile)
{
    struct tv_buffer bytes[2];
    filling = TV_STR("x");
    const char *plain = write(form, &bytes[0]);
    filling = hostile;
    assert_same_tags(form->name, plain, write(form, &bytes[1]));
    tv_buffer_release(&bytes[1]);
    tv_buffer_release(&bytes[0]);
}

static void nothing_in_any_hole_becomes_markup(void **state)
{
    static const struct tv_str texts[] = {
        {"<script>alert(1)</script>", 25},
        {"\"><b onclick=\"a", 15},
        {"' onclick='a", 12},
        {"</textarea></title><b>", 22},
        {"javascript:alert(1)", 19},
        {"//evil.example/", 15},
        {"\\\\evil.example", 14},
        {"/\\evil.example", 14},
        {"\tjava\nscript:alert(1)", 21},
        {"data:text/html,<b>", 18},
        {"&quot;><b>&lt;", 14},
        {"a\0<b>\"", 6},
        {"\xff\xfe\xc0\xbc"
         "b\xc0\xbe\xf8\xed\xa0\x80",
         11},
        {"\xe2\x80\xae\x1b[31m\xef\xbf\xbf", 11},
        {"{{base}}{{#labels}}", 19},
        {"-->]]><!--", 10},
    };
    (void)state;
    for (enum tv_document page = 0; page < TV_DOCUMENTS; page++) {
        for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
            is_so = true;
            expect_same_tags(tv_document_form(page), texts[i]);
            is_so = false;
            expect_same_tags(tv_document_form(page), texts[i]);
        }
    }
}

static void every_template_is_in_a_page(void **state)
{
    const struct tv_templates templates = tv_document_templates();
    (void)state;
    for (size_t i = 0; i < templates.count; i++) {
        bool is_used = false;
        for (enum tv_document page = 0; page < TV_DOCUMENTS; page++)
            is_used |= strcmp(tv_document_form(page)->name, templates.all[i].name) == 0;
        for (size_t j = 0; j < templates.count && !is_used; j++) {
            struct tv_str rest = templates.all[j].markup;
            size_t at;
            while ((at = tv_str_find(rest, TV_STR("{{>"), TV_CASE_EXACT)) != SIZE_MAX) {
                rest = (struct tv_str){rest.at + at + 3, rest.len - at - 3};
                is_used |= tv_str_starts_with(rest, tv_str_from(templates.all[i].name));
            }
        }
        if (!is_used)
            fail_msg("%s.html is in no page", templates.all[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_has_a_meaning_and_every_hole_a_place),
        cmocka_unit_test(nothing_in_any_hole_becomes_markup),
        cmocka_unit_test(every_template_is_in_a_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
