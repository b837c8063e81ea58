/* Folded stacks: lines by hand, and their sum, which is all time of the scope. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "export/formats.h"
#include "export/probe.h"

static void test_lines(void **state)
{
    (void)state;
    static struct world w;
    struct tv_buffer out;
    world_begin(&w);
    world_enter(&w, MAIN, 0, 10, 1);
    world_enter(&w, MAIN, 2, 20, 2);
    world_leave(&w, MAIN, 2, 50, 9);
    world_leave(&w, MAIN, 0, 70, 11);
    world_enter(&w, WORKER, 5, 80, 0);
    world_leave(&w, WORKER, 5, 81, 0);
    world_end(&w);
    tv_buffer_init(&out, tv_alloc_libc());
    probe_run(&w, &tv_export_folded, &(struct probe_opts){.levels = 0}, &out);
    assert_true(
        tv_str_equal(tv_buffer_view(&out), TV_STR("main;com.app.Main.run 30000\n"
                                                  "main;com.app.Main.run;com.lib.List.get 30000\n"
                                                  "worker;x.<init> 1000\n")));
    out.len = 0;
    probe_run(&w, &tv_export_folded,
              &(struct probe_opts){.measure = TV_MEASURE_CPU, .hidden = "com.lib."}, &out);
    assert_true(tv_str_equal(tv_buffer_view(&out), TV_STR("main;com.app.Main.run 10000\n")));
    out.len = 0;
    probe_run(&w, &tv_export_folded, &(struct probe_opts){.levels = 1}, &out);
    assert_true(tv_str_equal(tv_buffer_view(&out), TV_STR("main;com.app.Main.run 60000\n"
                                                          "worker;x.<init> 1000\n")));
    tv_buffer_release(&out);
    world_release(&w);
}

/* Names of hostile traces: what ends a frame or a line is replaced, and counted. */
static void test_odd_names(void **state)
{
    (void)state;
    static struct world w;
    struct tv_buffer out;
    world_begin(&w);
    build_release(&w.t);
    build_text(&w.t, (struct build_opts){.version = 3,
                                         .clock = "dual",
                                         .threads = "1\ta;b\n",
                                         .methods = "0x4\tA;\tx;y\xff\x1b\t()V\n"});
    enter(&w.t, MAIN, 0x4, 10);
    leave(&w.t, MAIN, 0x4, 12);
    world_read(&w);
    tv_buffer_init(&out, tv_alloc_libc());
    struct tv_export_result result =
        probe_run(&w, &tv_export_folded, &(struct probe_opts){.levels = 0}, &out);
    assert_true(
        tv_str_equal(tv_buffer_view(&out), TV_STR("a:b;A:.x:y\xef\xbf\xbd\xef\xbf\xbd 2000\n")));
    assert_int_equal(result.changes[TV_EXPORT_NAMES_CHANGED], 2);
    tv_buffer_release(&out);
    world_release(&w);
}

/* Every line repeats its callers: long names would make a file of gigabytes from a small trace. */
static void test_long_names(void **state)
{
    (void)state;
    static struct world w;
    struct tv_buffer out;
    probe_hostile(&w);
    tv_buffer_init(&out, tv_alloc_libc());
    struct tv_export_result result =
        probe_run(&w, &tv_export_folded, &(struct probe_opts){.levels = 0}, &out);
    size_t longest = 0;
    size_t len = 0;
    for (size_t i = 0; i < out.len; i++) {
        len = out.bytes[i] == '\n' ? 0 : len + 1;
        longest = len > longest ? len : longest;
    }
    assert_in_range(longest, 1000, 1100);
    assert_true(result.changes[TV_EXPORT_NAMES_CHANGED] >= 1);
    tv_buffer_release(&out);
    world_release(&w);
}

/* A stack deeper than lines go: what is cut is counted, and no time is lost. */
static void test_deep(void **state)
{
    (void)state;
    static struct world w;
    struct tv_buffer out;
    world_begin(&w);
    for (uint32_t i = 0; i < 1500; i++)
        enter(&w.t, MAIN, M(0), i);
    for (uint32_t i = 0; i < 1500; i++)
        leave(&w.t, MAIN, M(0), 1500 + i);
    world_read(&w);
    tv_buffer_init(&out, tv_alloc_libc());
    struct tv_export_result result =
        probe_run(&w, &tv_export_folded, &(struct probe_opts){.levels = 0}, &out);
    assert_int_equal(result.changes[TV_EXPORT_LEVELS_CUT], 1500 - 1024);
    uint64_t sum = 0;
    assert_int_equal(tv_buffer_append(&out, "", 1, NULL), TV_OK);
    for (char *line = strtok((char *)out.bytes, "\n"); line; line = strtok(NULL, "\n"))
        sum += strtoull(strrchr(line, ' '), NULL, 10);
    assert_int_equal(sum, 2999 * 1000);
    tv_buffer_release(&out);
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_odd_names),
        cmocka_unit_test(test_long_names),
        cmocka_unit_test(test_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
