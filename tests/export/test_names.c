/* Names of exports: those of the index, and of methods that the trace does not describe. */
#include "export/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"
#include "export/probe.h"

static void assert_text(struct tv_str text, const char *expected)
{
    if (!tv_str_equal(text, tv_str_from(expected)))
        fail_msg("'%.*s' is not '%s'", (int)text.len, text.at, expected);
}

static void test_names(void **state)
{
    (void)state;
    static struct world w;
    struct tv_error err = {.code = TV_OK};
    struct tv_export_names names;
    struct tv_buffer text;
    world_begin(&w);
    enter(&w.t, MAIN, 0x7770, 10);
    enter(&w.t, MAIN, M(0), 20);
    world_read(&w);
    tv_buffer_init(&text, tv_alloc_libc());
    tv_export_names_init(&names, tv_alloc_libc());
    assert_int_equal(tv_export_names_make(&names, &w.index, TV_STR("x"), NULL, &err), TV_OK);
    const struct tv_export_method *unknown =
        &names.methods[tv_index_method_of_id(&w.index, 0x7770)];
    assert_text(unknown->class_name, "");
    assert_text(unknown->name, "(0x7770)");
    assert_int_equal(tv_export_whole_name(unknown, &text, &err), TV_OK);
    assert_text(tv_buffer_view(&text), "(0x7770)");
    const struct tv_export_method *run = &names.methods[tv_index_method_of_id(&w.index, M(0))];
    assert_int_equal(tv_export_short_name(run, &text, &err), TV_OK);
    assert_text(tv_buffer_view(&text), "com.app.Main.run");
    assert_int_equal(tv_export_whole_name(run, &text, &err), TV_OK);
    assert_text(tv_buffer_view(&text), "com.app.Main.run ()V");
    assert_text(names.threads[tv_index_thread_of_id(&w.index, MAIN)], "main");
    tv_export_names_release(&names);
    tv_buffer_release(&text);
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
