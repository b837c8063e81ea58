/* Names of methods as Java writes them, from the descriptors of class files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>

#include "analysis/selection/java_text.h"
#include "analysis/world.h"

static struct world w;

/* Reads a trace with one method, which is described by these columns. */
static void begin_method(const char *columns)
{
    char line[200];
    (void)snprintf(line, sizeof(line), "0x4\t%s\n", columns);
    build_text(&w.t, (struct build_opts){.version = 3, .clock = "dual", .methods = line});
    tv_trace_init(&w.trace, tv_alloc_libc());
    tv_index_init(&w.index);
    enter(&w.t, MAIN, 4, 0);
    leave(&w.t, MAIN, 4, 1);
    world_read(&w);
}

static void expect_text(const char *columns, const char *text)
{
    struct tv_buffer out;
    begin_method(columns);
    tv_buffer_init(&out, tv_alloc_libc());
    assert_int_equal(tv_method_java_text(&w.index, 0, &out, NULL), TV_OK);
    assert_int_equal(tv_buffer_append(&out, "", 1, NULL), TV_OK);
    assert_string_equal((const char *)out.bytes, text);
    tv_buffer_release(&out);
    world_release(&w);
}

static void types_have_their_simple_names(void **state)
{
    (void)state;
    expect_text("a.b.C\tm\t()V\t", "a.b.C.m()");
    expect_text("a.b.C\tm\t(I)J\t", "a.b.C.m(int)");
    expect_text("C\tm\t(ZBCSIJFD)V\t", "C.m(boolean, byte, char, short, int, long, float, double)");
    expect_text("C\tm\t(Ljava/lang/String;Lx/Outer$Inner;)Ljava/lang/Object;\t",
                "C.m(String, Outer$Inner)");
    expect_text("C\tm\t(Ljava.lang.String;)V\t", "C.m(String)");
}

static void arrays_have_their_brackets(void **state)
{
    (void)state;
    expect_text("C\tm\t([I)V\t", "C.m(int[])");
    expect_text("C\tm\t([[Ljava/lang/String;I)[I\t", "C.m(String[][], int)");
}

static void a_method_without_a_signature_has_no_brackets(void **state)
{
    (void)state;
    expect_text("a.C\tm\t\t", "a.C.m");
}

/* Nothing is lost of what a reader cannot explain. */
static void what_is_no_descriptor_stays(void **state)
{
    static const char *const odd[] = {"(I",    "(I)",  "I)V", "(Q)V", "(Ljava/lang/String)V",
                                      "(L;)V", "([)V", "()",  "()VV", "()I;",
                                      "(II"};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(odd); i++) {
        char columns[100];
        char text[100];
        (void)snprintf(columns, sizeof(columns), "a.C\tm\t%s\t", odd[i]);
        (void)snprintf(text, sizeof(text), "a.C.m %s", odd[i]);
        expect_text(columns, text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_have_their_simple_names),
        cmocka_unit_test(arrays_have_their_brackets),
        cmocka_unit_test(a_method_without_a_signature_has_no_brackets),
        cmocka_unit_test(what_is_no_descriptor_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
