/* retrace/retrace: the names of methods in the source. */
#include "retrace/retrace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/error.h"
#include "support/failing_alloc.h"

static const char mapping[] = "# compiler: R8\n"
                              "app.data.Store -> a.b:\n"
                              "    void save(app.data.Row,int) -> a\n"
                              "    app.data.Row load(int[]) -> a\n"
                              "    void drop() -> b\n"
                              "    void wipe(long) -> b\n"
                              "    void app.data.Base.sync() -> c\n"
                              "    void made() -> d\n"
                              "      # {\"id\":\"com.android.tools.r8.synthesized\"}\n"
                              "    1:1:void inlined():3:3 -> e\n"
                              "    1:1:void whole(app.data.Row):4 -> e\n"
                              "app.data.Row -> a.c:\n"
                              "app.Main -> app.Main:\n"
                              "    void p() -> a\n    void q() -> a\n    void r() -> a\n    void "
                              "s() -> a\n    void t() -> a\n";

struct expected {
    const char *class_name, *name, *signature; /* in the trace */
    enum tv_retrace_by by;
    const char *found; /* class, blank, name, blank, signature */
};

static const struct expected cases[] = {
    {"a.b", "a", "(La/c;I)V", TV_RETRACE_BY_SIGNATURE, "app.data.Store save (Lapp/data/Row;I)V"},
    {"a.b", "a", "([I)La/c;", TV_RETRACE_BY_SIGNATURE, "app.data.Store load ([I)Lapp/data/Row;"},
    {"a.b", "e", "(La/c;)V", TV_RETRACE_BY_SIGNATURE, "app.data.Store whole (Lapp/data/Row;)V"},
    /* It came from another class. */
    {"a.b", "c", "()V", TV_RETRACE_BY_SIGNATURE, "app.data.Base sync ()V"},
    /* No method has the signature: R8 changed it. */
    {"a.b", "c", "(La/c;)V", TV_RETRACE_BY_NAME, "app.data.Base sync (Lapp/data/Row;)V"},
    {"a.b", "b", "(Z)V", TV_RETRACE_AMBIGUOUS, "app.data.Store drop | wipe (Z)V"},
    {"a.b", "a", "", TV_RETRACE_AMBIGUOUS, "app.data.Store save | load "},
    {"app.Main", "a", "(Z)V", TV_RETRACE_AMBIGUOUS, "app.Main p | q | r | s | more (Z)V"},
    /* The method kept its name. */
    {"a.b", "onCreate", "([[La/c;La/d;)V", TV_RETRACE_BY_CLASS,
     "app.data.Store onCreate ([[Lapp/data/Row;La/d;)V"},
    {"a.b$$Lambda$3", "run", "()V", TV_RETRACE_BY_CLASS, "app.data.Store$$Lambda$3 run ()V"},
    {"java.util.Map", "get", "(La/c;)V", TV_RETRACE_BY_NOTHING,
     "java.util.Map get (Lapp/data/Row;)V"},
    {"b.b", "a", "no descriptor La/c;", TV_RETRACE_BY_NOTHING, "b.b a no descriptor La/c;"},
    {"", "", "", TV_RETRACE_BY_NOTHING, "  "},
};

static struct tv_method_name name_of(const struct expected *of)
{
    return (struct tv_method_name){tv_str_from(of->class_name), tv_str_from(of->name),
                                   tv_str_from(of->signature)};
}

static void methods_have_the_names_of_the_source(void **state)
{
    struct tv_retracer retracer;
    (void)state;
    tv_retracer_init(&retracer, tv_alloc_libc());
    assert_int_equal(tv_retracer_open(&retracer, TV_STR(mapping), NULL), TV_OK);
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct tv_method_name written = name_of(&cases[i]);
        struct tv_retraced found;
        char text[200];
        assert_int_equal(tv_retrace_method(&retracer, &written, &found, NULL), TV_OK);
        (void)snprintf(text, sizeof(text), "%.*s %.*s %.*s", (int)found.name.class_name.len,
                       found.name.class_name.at, (int)found.name.name.len, found.name.name.at,
                       (int)found.name.signature.len, found.name.signature.at);
        assert_string_equal(text, cases[i].found);
        assert_int_equal(found.by, cases[i].by);
        assert_false(found.is_synthesized);
    }
    tv_retracer_release(&retracer);
}

static void what_the_compiler_made_is_said(void **state)
{
    const struct tv_method_name written = {TV_STR("a.b"), TV_STR("d"), TV_STR("()V")};
    struct tv_retracer retracer;
    struct tv_retraced found;
    (void)state;
    tv_retracer_init(&retracer, tv_alloc_libc());
    assert_int_equal(tv_retracer_open(&retracer, TV_STR(mapping), NULL), TV_OK);
    assert_int_equal(tv_retrace_method(&retracer, &written, &found, NULL), TV_OK);
    assert_true(found.is_synthesized);
    tv_retracer_release(&retracer);
}

/* A file of n methods of one name, asked for each of them, must not take n * n steps. */
static void many_overloads_take_no_more_than_a_search_each(void **state)
{
    enum { MANY = 20000, LINE = 64 };
    static char text[MANY * LINE + 32];
    struct tv_retracer retracer;
    size_t len = (size_t)snprintf(text, sizeof(text), "app.A -> a:\n");
    (void)state;
    for (unsigned i = 0; i < MANY; i++)
        len += (size_t)snprintf(text + len, LINE, "    void m%u(t%u) -> a\n", i, i);
    tv_retracer_init(&retracer, tv_alloc_libc());
    assert_int_equal(tv_retracer_open(&retracer, (struct tv_str){text, len}, NULL), TV_OK);
    for (unsigned i = 0; i < MANY; i++) {
        char signature[LINE];
        char wanted[LINE];
        struct tv_retraced found;
        (void)snprintf(signature, sizeof(signature), "(Lt%u;)%c", i, i % 2 ? 'V' : 'I');
        (void)snprintf(wanted, sizeof(wanted), "m%u", i);
        const struct tv_method_name written = {TV_STR("a"), TV_STR("a"), tv_str_from(signature)};
        assert_int_equal(tv_retrace_method(&retracer, &written, &found, NULL), TV_OK);
        assert_int_equal(found.by, i % 2 ? TV_RETRACE_BY_SIGNATURE : TV_RETRACE_AMBIGUOUS);
        if (i % 2)
            assert_true(tv_str_equal(found.name.name, tv_str_from(wanted)));
    }
    tv_retracer_release(&retracer);
}

static enum tv_code look_all_up(const struct tv_alloc *alloc, void *ctx)
{
    struct tv_retracer retracer;
    (void)ctx;
    tv_retracer_init(&retracer, alloc);
    enum tv_code code = tv_retracer_open(&retracer, TV_STR(mapping), NULL);
    for (size_t i = 0; i < TV_COUNT_OF(cases) && code == TV_OK; i++) {
        struct tv_method_name written = name_of(&cases[i]);
        struct tv_retraced found;
        code = tv_retrace_method(&retracer, &written, &found, NULL);
    }
    tv_retracer_release(&retracer);
    return code;
}

static void memory_that_runs_short_is_told(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(look_all_up, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_have_the_names_of_the_source),
        cmocka_unit_test(what_the_compiler_made_is_said),
        cmocka_unit_test(many_overloads_take_no_more_than_a_search_each),
        cmocka_unit_test(memory_that_runs_short_is_told),
    };
    return cmocka_run_group_tests_name("retrace/retrace", tests, NULL, NULL);
}
