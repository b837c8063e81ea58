/* Callgrind's format: functions by hand, recursion, odd names; callgrind_annotate reads it in
 * tests/readers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "export/formats.h"
#include "export/probe.h"

/* Exports, and compares what follows the head. */
static struct tv_export_result expect(const struct world *w, const struct probe_opts *opts,
                                      const char *wanted)
{
    struct tv_buffer out;
    tv_buffer_init(&out, tv_alloc_libc());
    struct tv_export_result result = probe_run(w, &tv_export_callgrind, opts, &out);
    assert_int_equal(tv_buffer_append(&out, "", 1, NULL), TV_OK);
    const char *events = strstr((const char *)out.bytes, "events:");
    assert_non_null(events);
    assert_string_equal(events, wanted);
    tv_buffer_release(&out);
    return result;
}

static void test_functions(void **state)
{
    (void)state;
    static struct world w;
    world_begin(&w);
    world_enter(&w, MAIN, 0, 10, 1);
    world_enter(&w, MAIN, 2, 20, 2);
    world_leave(&w, MAIN, 2, 50, 9);
    world_leave(&w, MAIN, 0, 70, 11);
    world_enter(&w, WORKER, 2, 80, 0);
    world_leave(&w, WORKER, 2, 81, 0);
    world_end(&w);
    expect(&w, &(struct probe_opts){.measure = TV_MEASURE_CPU},
           "events: CPU_ns Wall_ns\nsummary: 10000 61000\n"
           "\nfl=(1) Main.java\nfn=(1) com.app.Main.run ()V\n10 3000 30000\n"
           "cfi=(2) List.java\ncfn=(3) com.lib.List.get (I)J\ncalls=1 30\n10 7000 30000\n"
           "\nfl=(2)\nfn=(3)\n30 7000 31000\n"
           "\nfl=???\nfn=(7) thread 1 main\n0 0 0\n"
           "cfi=(1)\ncfn=(1)\ncalls=1 10\n0 10000 60000\n"
           "\nfl=???\nfn=(8) thread 2 worker\n0 0 0\n"
           "cfi=(2)\ncfn=(3)\ncalls=1 30\n0 0 1000\n");
    expect(&w, &(struct probe_opts){.hidden = "com.app."},
           "events: Wall_ns CPU_ns\nsummary: 31000 7000\n"
           "\nfl=(1) List.java\nfn=(3) com.lib.List.get (I)J\n30 31000 7000\n"
           "\nfl=???\nfn=(7) thread 1 main\n0 0 0\n"
           "cfi=(1)\ncfn=(3)\ncalls=1 30\n0 30000 7000\n"
           "\nfl=???\nfn=(8) thread 2 worker\n0 0 0\n"
           "cfi=(1)\ncfn=(3)\ncalls=1 30\n0 1000 0\n");
    world_release(&w);
}

/* What callers say of a function adds up to its inclusive time, so a recursive call costs nothing.
 */
static void test_recursion(void **state)
{
    (void)state;
    static struct world w;
    world_begin(&w);
    world_enter(&w, MAIN, 0, 0, 0);
    world_enter(&w, MAIN, 0, 10, 10);
    world_enter(&w, MAIN, 2, 20, 20);
    world_leave(&w, MAIN, 2, 30, 30);
    world_leave(&w, MAIN, 0, 50, 50);
    world_leave(&w, MAIN, 0, 70, 70);
    world_end(&w);
    expect(&w, &(struct probe_opts){.measure = TV_MEASURE_WALL},
           "events: Wall_ns CPU_ns\nsummary: 70000 70000\n"
           "\nfl=(1) Main.java\nfn=(1) com.app.Main.run ()V\n10 60000 60000\n"
           "cfi=(1)\ncfn=(1)\ncalls=1 10\n10 0 0\n"
           "cfi=(2) List.java\ncfn=(3) com.lib.List.get (I)J\ncalls=1 30\n10 10000 10000\n"
           "\nfl=(2)\nfn=(3)\n30 10000 10000\n"
           "\nfl=???\nfn=(7) thread 1 main\n0 0 0\n"
           "cfi=(1)\ncfn=(1)\ncalls=1 10\n0 70000 70000\n");
    world_release(&w);
}

/* Line ends would end a line; a name in brackets is no number of a name. */
static void test_odd_names(void **state)
{
    (void)state;
    static struct world w;
    world_begin(&w);
    build_release(&w.t);
    build_text(&w.t, (struct build_opts){.version = 3,
                                         .clock = "dual",
                                         .threads = "1\ta\rb\n",
                                         .methods = "0x4\t(7)\tx\xff\t()V\tA\rB.java\t-2\n"});
    enter(&w.t, MAIN, 0x4, 10);
    enter(&w.t, MAIN, 0x8, 11);
    leave(&w.t, MAIN, 0x8, 12);
    leave(&w.t, MAIN, 0x4, 12);
    world_read(&w);
    struct tv_export_result result =
        expect(&w, &(struct probe_opts){.measure = TV_MEASURE_WALL},
               "events: Wall_ns CPU_ns\nsummary: 2000 2000\n"
               "\nfl=(1) A B.java\nfn=(1) (7).x\xef\xbf\xbd ()V\n0 1000 1000\n"
               "cfi=???\ncfn=(2) (0x8)\ncalls=1 0\n0 1000 1000\n"
               "\nfl=???\nfn=(2)\n0 1000 1000\n"
               "\nfl=???\nfn=(3) thread 1 a b\n0 0 0\n"
               "cfi=(1)\ncfn=(1)\ncalls=1 0\n0 2000 2000\n");
    assert_int_equal(result.changes[TV_EXPORT_NAMES_CHANGED], 3);
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_recursion),
        cmocka_unit_test(test_odd_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
