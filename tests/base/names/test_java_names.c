/* Class names of every spelling as Java writes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/names/java_names.h"

static void expect_java(const char *class_name, const char *expected)
{
    char java[100];
    struct tv_str raw = tv_str_from(class_name);
    size_t len = tv_java_class_len(raw);
    assert_true(len < sizeof(java));
    memset(java, '?', sizeof(java));
    tv_java_class_write(raw, java);
    assert_int_equal(java[len], '?');
    java[len] = 0;
    assert_string_equal(java, expected);
}

static void names_of_class_files_get_points(void **state)
{
    (void)state;
    expect_java("java/lang/String", "java.lang.String");
    expect_java("a/b/C$D", "a.b.C$D");
    expect_java("a/-$$Nest-_0/\xc3\xa4", "a.-$$Nest-_0.\xc3\xa4");
    expect_java("java.lang.String", "java.lang.String");
    expect_java("C", "C");
    expect_java("", "");
}

static void descriptors_are_read(void **state)
{
    (void)state;
    expect_java("Ljava/lang/String;", "java.lang.String");
    expect_java("[Ljava/lang/String;", "java.lang.String[]");
    expect_java("[[I", "int[][]");
    expect_java("[Z", "boolean[]");
    expect_java("[J", "long[]");
    expect_java("La;", "a");
}

static size_t named_len(const char *class_name)
{
    return tv_java_class_named_len(tv_str_from(class_name));
}

static void addresses_are_no_part_of_a_class(void **state)
{
    (void)state;
    assert_int_equal(named_len("a.B$$Lambda$7.0x00007f0594001850"), 13);
    assert_int_equal(named_len("a.B$$Lambda/0x7f"), 11);
    assert_int_equal(named_len("a.B"), 3);
    assert_int_equal(named_len("a.0x"), 4);
    assert_int_equal(named_len("a.0xyz"), 6);
    assert_int_equal(named_len(".0x7f"), 5);
    assert_int_equal(named_len("0x7f"), 4);
    assert_int_equal(named_len(""), 0);
}

static void what_is_no_class_name_stays(void **state)
{
    (void)state;
    expect_java("I", "I");
    expect_java("L;", "L;");
    expect_java("[", "[");
    expect_java("[X", "[X");
    expect_java("[II", "[II");
    expect_java("[kernel.kallsyms]", "[kernel.kallsyms]");
    expect_java("/system/lib64/libart.so", "/system/lib64/libart.so");
    expect_java("http://host", "http://host");
    expect_java("a/", "a/");
    expect_java("/", "/");
    expect_java("(0x4)", "(0x4)");
    expect_java("<b>bold</b>", "<b>bold</b>");
    expect_java("a b/c", "a b/c");
    expect_java("L<b>/x;", "<b>/x");
}

static void addresses_of_hidden_classes_keep_their_slash(void **state)
{
    (void)state;
    expect_java("pkg.Outer$$Lambda$7/0x7f", "pkg.Outer$$Lambda$7/0x7f");
    expect_java("pkg/Outer$$Lambda/0x7f", "pkg.Outer$$Lambda/0x7f");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_class_files_get_points),
        cmocka_unit_test(descriptors_are_read),
        cmocka_unit_test(addresses_are_no_part_of_a_class),
        cmocka_unit_test(what_is_no_class_name_stays),
        cmocka_unit_test(addresses_of_hidden_classes_keep_their_slash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
