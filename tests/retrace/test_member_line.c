/* retrace/member_line: one line of a mapping file about a member. */
#include "retrace/member_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"

static void expect_str(struct tv_str found, const char *wanted)
{
    assert_int_equal(found.len, strlen(wanted));
    assert_memory_equal(found.at ? found.at : "", wanted, found.len);
}

struct expected {
    const char *line;
    bool is_method;
    const char *range, *type, *class_name, *name, *parameters, *written, *source_range;
};

static void lines_are_taken_apart(void **state)
{
    static const struct expected cases[] = {
        {"    void <init>() -> <init>", true, "", "void", "", "<init>", "", "<init>", ""},
        {"    1:5:int add(int,long[]):20:24 -> a", true, "1:5", "int", "", "add", "int,long[]", "a",
         "20:24"},
        {"1:1:void b(a.B):7 -> c\r", true, "1:1", "void", "", "b", "a.B", "c", "7"},
        {"\t12:void pc() -> c", true, "12", "void", "", "pc", "", "c", ""},
        {" a.B[] x.y.Outer$Inner.make(int):3:3 -> z", true, "", "a.B[]", "x.y.Outer$Inner", "make",
         "int", "z", "3:3"},
        {"    java.lang.String name -> b", false, "", "java.lang.String", "", "name", "", "b", ""},
        {"    int x.Old.count -> c", false, "", "int", "x.Old", "count", "", "c", ""},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct tv_member_line found;
        assert_true(tv_member_line_parse(tv_str_from(cases[i].line), &found));
        assert_int_equal(found.is_method, cases[i].is_method);
        expect_str(found.range, cases[i].range);
        expect_str(found.type, cases[i].type);
        expect_str(found.class_name, cases[i].class_name);
        expect_str(found.name, cases[i].name);
        expect_str(found.parameters, cases[i].parameters);
        expect_str(found.written, cases[i].written);
        expect_str(found.source_range, cases[i].source_range);
    }
}

static void what_is_no_member_is_refused(void **state)
{
    static const char *const lines[] = {
        "",
        "   ",
        "void a()",
        "void a() ->",
        "void a() -> ",
        " -> b",
        "a -> b",
        "() -> b",
        "void  -> b",
        "void a( -> b",
        "void a(int -> b",
        "void a() x -> b",
        "void a():x -> b",
        "void a():1:2:3 -> b",
        "void a(): -> b",
        "1:void",
        "1:2 void a() -> b",
        "1: -> b",
        "void a b -> c",
        "void a() -> b c",
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(lines); i++) {
        struct tv_member_line found;
        if (tv_member_line_parse(tv_str_from(lines[i]), &found))
            fail_msg("taken for a member: %s", lines[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_taken_apart),
        cmocka_unit_test(what_is_no_member_is_refused),
    };
    return cmocka_run_group_tests_name("retrace/member_line", tests, NULL, NULL);
}
