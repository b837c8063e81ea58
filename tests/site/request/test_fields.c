/* site/fields: what an uploader may say of a trace, and what becomes of names that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "site/config/units.h"
#include "site/request/fields.h"

struct said {
    struct tv_arena arena;
    struct tv_fields fields;
    struct tv_error err;
};

static void begin(struct said *said)
{
    said->err = (struct tv_error){.code = TV_OK};
    tv_arena_init(&said->arena, tv_alloc_libc());
    tv_fields_init(&said->fields, &said->arena);
}

static void end(struct said *said)
{
    tv_arena_release(&said->arena);
}

static void check_text(struct tv_str got, const char *expected)
{
    assert_int_equal(got.len, strlen(expected));
    assert_memory_equal(got.at, expected, got.len);
}

static void a_form_leaves_out_what_was_not_chosen(void **state)
{
    struct said said;
    (void)state;
    begin(&said);
    assert_int_equal(tv_fields_take_query(
                         &said.fields, TV_STR("title=&expires=&listed=1&raw_shared=0"), &said.err),
                     TV_OK);
    assert_false(said.fields.has_expires);
    assert_true(said.fields.is_listed);
    assert_false(said.fields.is_raw_shared);
    end(&said);
}

static void query_fills_fields(void **state)
{
    struct said said;
    (void)state;
    begin(&said);
    assert_int_equal(
        tv_fields_take_query(&said.fields,
                             TV_STR("name=a.trace&title=Cold+start&note=one%0Atwo&label_app=shop&"
                                    "label_build=1.2&expires=30d&raw_shared=1&listed=0"),
                             &said.err),
        TV_OK);
    check_text(said.fields.file, "a.trace");
    check_text(said.fields.title, "Cold start");
    check_text(said.fields.note, "one\ntwo");
    assert_int_equal(said.fields.label_count, 2);
    check_text(said.fields.labels[1].key, "build");
    check_text(said.fields.labels[1].value, "1.2");
    assert_true(said.fields.has_expires);
    assert_int_equal(said.fields.expires_in_s, 30 * 86400);
    assert_true(said.fields.is_raw_shared);
    assert_true(said.fields.has_listed);
    assert_false(said.fields.is_listed);
    end(&said);
}

static void names_of_files_are_no_paths(void **state)
{
    static const char *const names[][2] = {
        {"/etc/passwd", "passwd"},
        {"..\\..\\windows\\system.ini", "system.ini"},
        {"C:\\traces\\cold start.trace", "cold start.trace"},
        {"../", "unnamed.trace"},
        {"..", "unnamed.trace"},
        {".", "unnamed.trace"},
        {"", "unnamed.trace"},
        {"a\r\nSet-Cookie: x", "aSet-Cookie: x"},
        {"evil\xe2\x80\xae"
         "ecart.exe",
         "evilecart.exe"},
        {"\xff.trace", "\xef\xbf\xbd.trace"},
        {"<script>alert(1)<\xe2\x81\x84script>.trace",
         "<script>alert(1)<\xe2\x81\x84script>.trace"},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(names); i++) {
        struct said said;
        begin(&said);
        assert_int_equal(
            tv_fields_take_file_name(&said.fields, tv_str_from(names[i][0]), &said.err), TV_OK);
        check_text(said.fields.file, names[i][1]);
        end(&said);
    }
}

static void long_name_is_cut_between_characters(void **state)
{
    struct said said;
    char name[401];
    (void)state;
    name[0] = 'x';
    for (size_t i = 1; i < sizeof(name) - 1; i += 3) /* three bytes each: 255 ends inside one */
        memcpy(name + i, "\xe2\x82\xac", 3);
    begin(&said);
    assert_int_equal(
        tv_fields_take_file_name(&said.fields, (struct tv_str){name, sizeof(name) - 1}, &said.err),
        TV_OK);
    assert_int_equal(said.fields.file.len, 1 + 84 * 3);
    end(&said);
}

static void name_that_was_told_is_kept_before_that_of_the_form(void **state)
{
    struct said said;
    (void)state;
    begin(&said);
    assert_int_equal(tv_fields_take(&said.fields, TV_STR("name"), TV_STR("told.trace"), &said.err),
                     TV_OK);
    assert_int_equal(tv_fields_take_file_name(&said.fields, TV_STR("blob"), &said.err), TV_OK);
    check_text(said.fields.file, "told.trace");
    end(&said);
}

static void bad_values_are_refused(void **state)
{
    static const char *const queries[] = {
        "title=%zz",           "raw_shared=yes", "listed=2",
        "expires=soon",        "expires=0d",     "label_=x",
        "label_A=x",           "label_a%20b=x",  "unknown=1",
        "label_a=1&label_a=2", "label_%22%3E=x", "bytes=-1",
        "bytes=1e9",           "expires=-1d",    "expires=99999999999999999999d",
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(queries); i++) {
        struct said said;
        begin(&said);
        assert_int_equal(tv_fields_take_query(&said.fields, tv_str_from(queries[i]), &said.err),
                         TV_ERR_ARGUMENT);
        assert_true(said.err.text[0] != '\0');
        end(&said);
    }
}

static void title_that_is_too_long_is_refused(void **state)
{
    struct said said;
    char title[TV_STORE_TITLE_MOST + 1];
    (void)state;
    memset(title, 'x', sizeof(title));
    begin(&said);
    assert_int_equal(tv_fields_take(&said.fields, TV_STR("title"),
                                    (struct tv_str){title, sizeof(title)}, &said.err),
                     TV_ERR_ARGUMENT);
    assert_int_equal(tv_fields_take(&said.fields, TV_STR("title"),
                                    (struct tv_str){title, sizeof(title) - 1}, &said.err),
                     TV_OK);
    end(&said);
}

static void expiry_is_the_shorter_of_what_is_asked_and_allowed(void **state)
{
    struct tv_fields asks = {.has_expires = true, .expires_in_s = 100};
    struct tv_fields asks_for_ever = {.has_expires = true, .expires_in_s = TV_NEVER};
    struct tv_fields asks_nothing = {.has_expires = false};
    (void)state;
    assert_int_equal(tv_fields_expiry(&asks, 50, 1000, 7), 107);
    assert_int_equal(tv_fields_expiry(&asks, 50, 60, 7), 67);
    assert_int_equal(tv_fields_expiry(&asks_for_ever, 50, 60, 7), 67);
    assert_int_equal(tv_fields_expiry(&asks_for_ever, 50, TV_NEVER, 7), 0);
    assert_int_equal(tv_fields_expiry(&asks_nothing, 50, TV_NEVER, 7), 57);
    assert_int_equal(tv_fields_expiry(&asks_nothing, TV_NEVER, TV_NEVER, 7), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(query_fills_fields),
        cmocka_unit_test(a_form_leaves_out_what_was_not_chosen),
        cmocka_unit_test(names_of_files_are_no_paths),
        cmocka_unit_test(long_name_is_cut_between_characters),
        cmocka_unit_test(name_that_was_told_is_kept_before_that_of_the_form),
        cmocka_unit_test(bad_values_are_refused),
        cmocka_unit_test(title_that_is_too_long_is_refused),
        cmocka_unit_test(expiry_is_the_shorter_of_what_is_asked_and_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
