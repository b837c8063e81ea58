/* Graphs: one by hand, names that the language would obey, and more than fits. */
#include "export/report/dot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/world.h"
#include "base/memory/buffer.h"

/* Draws a world and releases it. */
static void draw(struct world *w, unsigned percent, enum tv_dot_numbers numbers,
                 struct tv_buffer *out)
{
    const struct tv_selection all = {.has_range = false};
    struct tv_sums sums;
    struct tv_export_names names;
    struct tv_report report;
    tv_buffer_init(out, tv_alloc_libc());
    tv_sums_init(&sums, tv_alloc_libc());
    tv_export_names_init(&names, tv_alloc_libc());
    tv_report_init(&report, tv_alloc_libc());
    assert_int_equal(tv_sums_compute(&sums, &w->index, &all, NULL, NULL), TV_OK);
    assert_int_equal(tv_export_names_make(&names, &w->index, TV_STR(""), NULL, NULL), TV_OK);
    assert_int_equal(
        tv_report_make(&report, &sums, &names,
                       &(struct tv_report_opts){.clock = TV_CLOCK_WALL, .has_toplevel = true},
                       NULL),
        TV_OK);
    assert_int_equal(tv_dot_write(&report, percent, numbers, tv_buffer_sink(out), NULL), TV_OK);
    assert_int_equal(tv_buffer_append(out, "", 1, NULL), TV_OK);
    tv_report_release(&report);
    tv_export_names_release(&names);
    tv_sums_release(&sums);
    world_release(w);
}

static void callees_below_the_share_are_left_out(void **state)
{
    static struct world w;
    struct tv_buffer out;
    (void)state;
    world_begin(&w);
    world_enter(&w, MAIN, 0, 0, 0);
    world_enter(&w, MAIN, 1, 0, 0);
    world_leave(&w, MAIN, 1, 5000, 0);
    world_enter(&w, MAIN, 2, 5000, 0);
    world_leave(&w, MAIN, 2, 6900, 0); /* 19 % */
    world_leave(&w, MAIN, 0, 10000, 0);
    world_end(&w);
    draw(&w, 20, TV_DOT_WHOLE_MS, &out);
    assert_string_equal((const char *)out.bytes,
                        "digraph g {\nnode [shape = box,height=.1];\n"
                        "node0[label = \"[0] (toplevel) (10, 0, 0)\"]\n"
                        "node1[label = \"[1] com.app.Main.run (10, 3, 1)\"]\n"
                        "node2[label = \"[2] com.app.Main.Load (5, 5, 1)\"]\n"
                        "node0 -> node1\nnode1 -> node2\n}\n");
    tv_buffer_release(&out);
}

/* Calls of microseconds show something, and what the numbers are is said. */
static void numbers_have_units(void **state)
{
    static struct world w;
    struct tv_buffer out;
    (void)state;
    world_begin(&w);
    world_enter(&w, MAIN, 0, 0, 0);
    world_enter(&w, MAIN, 1, 0, 0);
    world_leave(&w, MAIN, 1, 120, 0);
    world_enter(&w, MAIN, 1, 120, 0);
    world_leave(&w, MAIN, 1, 123, 0);
    world_leave(&w, MAIN, 0, 130, 0);
    world_end(&w);
    draw(&w, 20, TV_DOT_WITH_UNITS, &out);
    assert_string_equal((const char *)out.bytes,
                        "digraph g {\nnode [shape = box,height=.1];\n"
                        "node0[label = \"[0] (toplevel)\\n0.13 ms wall\"]\n"
                        "node1[label = \"[1] com.app.Main.run\\n"
                        "0.13 ms, 0.007 ms exclusive, 1 call\"]\n"
                        "node2[label = \"[2] com.app.Main.Load\\n"
                        "0.123 ms, 0.123 ms exclusive, 2 calls\"]\n"
                        "node0 -> node1\nnode1 -> node2\n}\n");
    tv_buffer_release(&out);
}

static void names_stay_within_their_quotes(void **state)
{
    static struct world w;
    struct tv_buffer out;
    (void)state;
    world_begin(&w);
    build_release(&w.t);
    build_text(&w.t, (struct build_opts){.version = 3,
                                         .clock = "dual",
                                         .methods = "0x4\ta\"b\\\t<init>\x1b\xff\t()V\n"});
    enter(&w.t, MAIN, 0x4, 10);
    leave(&w.t, MAIN, 0x4, 12);
    world_read(&w);
    draw(&w, 0, TV_DOT_WHOLE_MS, &out);
    assert_non_null(strstr((const char *)out.bytes,
                           "node1[label = \"[1] a\\\"b\\\\.<init>?\xef\xbf\xbd (0, 0, 1)\"]\n"));
    tv_buffer_release(&out);
}

/* A chain of more methods than a graph holds: the nearest to the root stay, and it says so. */
static void a_long_chain_is_cut_at_its_end(void **state)
{
    static struct world w;
    struct tv_buffer lines;
    struct tv_buffer out;
    (void)state;
    world_begin(&w);
    build_release(&w.t);
    tv_buffer_init(&lines, tv_alloc_libc());
    for (unsigned i = 1; i <= TV_DOT_NODES + 5; i++) {
        char line[64];
        int len = snprintf(line, sizeof(line), "0x%x\tC\tm%u\t()V\n", i * 4, i);
        assert_int_equal(tv_buffer_append(&lines, line, (size_t)len, NULL), TV_OK);
    }
    assert_int_equal(tv_buffer_append(&lines, "", 1, NULL), TV_OK);
    build_text(&w.t, (struct build_opts){
                         .version = 3, .clock = "dual", .methods = (const char *)lines.bytes});
    for (unsigned i = 1; i <= TV_DOT_NODES + 5; i++)
        enter(&w.t, MAIN, i * 4, i);
    for (unsigned i = TV_DOT_NODES + 5; i; i--)
        leave(&w.t, MAIN, i * 4, 100000 - i);
    world_read(&w);
    draw(&w, 0, TV_DOT_WHOLE_MS, &out);
    assert_non_null(strstr((const char *)out.bytes, " C.m1 "));
    assert_non_null(strstr((const char *)out.bytes, " C.m999 "));
    assert_null(strstr((const char *)out.bytes, " C.m1000 "));
    assert_non_null(strstr((const char *)out.bytes, "Only the methods nearest to the root"));
    tv_buffer_release(&lines);
    tv_buffer_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callees_below_the_share_are_left_out),
        cmocka_unit_test(numbers_have_units),
        cmocka_unit_test(names_stay_within_their_quotes),
        cmocka_unit_test(a_long_chain_is_cut_at_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
