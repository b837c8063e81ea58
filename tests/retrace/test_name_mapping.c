/* retrace/name_mapping: the classes of a mapping file. */
#include "retrace/name_mapping.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/error.h"

static void expect_str(struct tv_str found, const char *wanted)
{
    assert_int_equal(found.len, strlen(wanted));
    assert_memory_equal(found.at ? found.at : "", wanted, found.len);
}

static void open(struct tv_name_mapping *mapping, const char *text)
{
    struct tv_error err = {.code = TV_OK};
    tv_name_mapping_init(mapping, tv_alloc_libc());
    if (tv_name_mapping_open(mapping, tv_str_from(text), &err) != TV_OK)
        fail_msg("%s", err.text);
}

static void classes_are_found_with_the_lines_below_them(void **state)
{
    struct tv_name_mapping mapping;
    (void)state;
    open(&mapping, "# compiler: R8\n# pg_map_id: 7d4b2a1\r\n# pg_map_hash: SHA-256 7d4b2a10\n"
                   "# {\"id\":\"com.android.tools.r8.mapping\",\"version\":\"2.2\"}\n"
                   "app.Main -> a.a:\n"
                   "# {\"id\":\"sourceFile\",\"fileName\":\"Main.kt\"}\n"
                   "    int x -> a\n"
                   "\n"
                   "    void run() -> b\n"
                   "app.Other -> a.b:\r\n"
                   "app.Last -> a.c:");
    assert_int_equal(mapping.class_count, 3);
    expect_str(mapping.compiler, "R8");
    expect_str(mapping.id, "7d4b2a1");
    expect_str(mapping.hash, "SHA-256 7d4b2a10");
    expect_str(mapping.version, "2.2");
    const struct tv_mapping_class *main_class = tv_name_mapping_class(&mapping, TV_STR("a.a"));
    expect_str(main_class->original, "app.Main");
    expect_str(main_class->body, "\n# {\"id\":\"sourceFile\",\"fileName\":\"Main.kt\"}\n"
                                 "    int x -> a\n\n    void run() -> b");
    expect_str(tv_name_mapping_class(&mapping, TV_STR("a.b"))->body, "");
    expect_str(tv_name_mapping_class(&mapping, TV_STR("a.c"))->body, "");
    assert_null(tv_name_mapping_class(&mapping, TV_STR("app.Main")));
    assert_int_equal(mapping.bad_lines, 0);
    tv_name_mapping_release(&mapping);
}

/* Ends of bodies are searched for in blocks: they are found at every place of a block, with lines
 * of one character before them, and the text may end anywhere. */
static void classes_are_found_at_every_place(void **state)
{
    enum { MOST = 200 };
    char text[MOST + 64];
    (void)state;
    for (size_t len = 0; len < MOST; len++) {
        struct tv_name_mapping mapping;
        size_t at = (size_t)snprintf(text, sizeof(text), "a.A -> b:\n");
        memset(text + at, len % 3 ? ' ' : '\n', len);
        for (size_t i = 3; i < len; i += 5)
            text[at + i] = '\n';
        (void)snprintf(text + at + len, sizeof(text) - at - len, "\nc.C -> d:%s",
                       len % 2 ? "\n" : "");
        open(&mapping, text);
        assert_int_equal(mapping.class_count, 2);
        assert_non_null(tv_name_mapping_class(&mapping, TV_STR("d")));
        const struct tv_str body = tv_name_mapping_class(&mapping, TV_STR("b"))->body;
        assert_true(body.at == text + at - 1 && body.len <= len + 1);
        tv_name_mapping_release(&mapping);
    }
}

/* What R8 writes into the body of a class is no head of the file. */
static void only_the_head_names_the_file(void **state)
{
    struct tv_name_mapping mapping;
    (void)state;
    open(&mapping, "a.A -> b:\n# pg_map_id: 1\n# "
                   "{\"id\":\"com.android.tools.r8.mapping\",\"version\":\"9\"}\n");
    expect_str(mapping.id, "");
    expect_str(mapping.version, "");
    tv_name_mapping_release(&mapping);
}

/* The lines below a line that is no class belong to no class: they could be another's. */
static void bad_lines_are_counted_and_own_what_follows(void **state)
{
    static const char text[] =
        "a.A -> b:\n    int x -> a\nbroken\n    int y -> b\nc.C -> d\n e.E -> f:\n"
        "a.A -> b:\n    int z -> c\n";
    struct tv_name_mapping mapping;
    (void)state;
    open(&mapping, text);
    assert_int_equal(mapping.class_count, 1);
    expect_str(mapping.classes[0].body, "\n    int x -> a");
    assert_int_equal(mapping.bad_lines, 2);
    expect_str(mapping.classes[0].again->body, "\n    int z -> c");
    assert_null(mapping.classes[0].again->again);
    tv_name_mapping_release(&mapping);
}

static void a_mark_of_utf_8_is_passed_over(void **state)
{
    struct tv_name_mapping mapping;
    (void)state;
    open(&mapping, "\xef\xbb\xbf"
                   "a.A -> b:\n");
    expect_str(mapping.classes[0].original, "a.A");
    tv_name_mapping_release(&mapping);
}

static void other_files_are_refused_with_a_reason(void **state)
{
    static const struct {
        struct tv_str text;
        const char *reason;
    } cases[] = {
        {{"PK\x03\x04 a.b.C -> d:\n", 17},
         "a zip archive, and no mapping of names: take the mapping out of it; in a bundle of "
         "Android "
         "(.aab) that is BUNDLE-METADATA/com.android.tools.build.obfuscation/proguard.map"},
        {{"", 0}, "no mapping of names: it has no line such as \"pkg.Class -> a.b:\""},
        {{"*version\n3\n", 11},
         "no mapping of names: it has no line such as \"pkg.Class -> a.b:\""},
        {{"\xff\xfe"
          "a\0 \0-\0>\0",
          10},
         "a mapping of names in UTF-16: save it as UTF-8 and try again"},
        {{"\xfe\xff\0a", 4}, "a mapping of names in UTF-16: save it as UTF-8 and try again"},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct tv_name_mapping mapping;
        struct tv_error err = {.code = TV_OK};
        tv_name_mapping_init(&mapping, tv_alloc_libc());
        assert_int_equal(tv_name_mapping_open(&mapping, cases[i].text, &err), TV_ERR_FORMAT);
        assert_string_equal(err.text, cases[i].reason);
        tv_name_mapping_release(&mapping);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_are_found_with_the_lines_below_them),
        cmocka_unit_test(classes_are_found_at_every_place),
        cmocka_unit_test(only_the_head_names_the_file),
        cmocka_unit_test(bad_lines_are_counted_and_own_what_follows),
        cmocka_unit_test(a_mark_of_utf_8_is_passed_over),
        cmocka_unit_test(other_files_are_refused_with_a_reason),
    };
    return cmocka_run_group_tests_name("retrace/name_mapping", tests, NULL, NULL);
}
