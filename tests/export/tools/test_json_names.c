/* Names as JSON strings: escaped as base/text/json.h escapes, and once. */
#include "export/tools/json_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"
#include "export/probe.h"

static void test_quoted(void **state)
{
    (void)state;
    static struct world w;
    struct tv_error err = {.code = TV_OK};
    struct tv_export_names names;
    struct tv_json_names json_names;
    struct tv_str first, again;
    world_begin(&w);
    build_release(&w.t);
    build_text(&w.t, (struct build_opts){.version = 3,
                                         .clock = "dual",
                                         .threads = "1\tmain\n",
                                         .methods = "0x4\tA\"\\\t<\xff\x1b\t()V\n"});
    enter(&w.t, MAIN, 0x4, 10);
    world_read(&w);
    tv_export_names_init(&names, tv_alloc_libc());
    tv_json_names_init(&json_names, tv_alloc_libc());
    assert_int_equal(tv_export_names_make(&names, &w.index, TV_STR("x.trace"), NULL, &err), TV_OK);
    assert_int_equal(tv_json_names_begin(&json_names, &names, &err), TV_OK);
    assert_int_equal(tv_json_names_method(&json_names, 0, &first, &err), TV_OK);
    assert_true(tv_str_equal(first, TV_STR("\"A\\\"\\\\.<\xef\xbf\xbd\\u001b ()V\"")));
    assert_int_equal(tv_json_names_method(&json_names, 0, &again, &err), TV_OK);
    assert_ptr_equal(again.at, first.at);
    tv_json_names_release(&json_names);
    tv_export_names_release(&names);
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_quoted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
