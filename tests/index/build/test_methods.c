/* Methods: which are known, and what they took. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "index/made.h"

static void recursion_counts_inclusive_time_once(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&t, MAIN, FOO, 0);
    enter(&t, MAIN, BAR, 10);
    enter(&t, MAIN, FOO, 20);
    leave(&t, MAIN, FOO, 50);
    leave(&t, MAIN, BAR, 60);
    leave(&t, MAIN, FOO, 100);
    enter(&t, MAIN, FOO, 100);
    leave(&t, MAIN, FOO, 105);
    make_index(&index, &t);
    expect_profile(&index, TV_CLOCK_WALL, "foo 2+1 105-85, bar 1+0 50-20");
    tv_index_release(&index);
}

/* The adopter comes last in the file, and is on the path of the calls before it. */
static void adopting_call_makes_earlier_ones_recursive(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&t, MAIN, FOO, 0);
    leave(&t, MAIN, FOO, 10);
    leave(&t, MAIN, FOO, 100);
    make_index(&index, &t);
    expect_profile(&index, TV_CLOCK_WALL, "foo 1+1 100-100");
    expect_nodes(&index, MAIN, TV_CLOCK_WALL, "foo x1 100-90, foo.foo* x1 10-10");
    tv_index_release(&index);
}

static void unknown_methods_follow_the_known(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&t, MAIN, FOO, 10);
    enter(&t, MAIN, 0x100, 11);
    size_t first = t.last_off;
    leave(&t, MAIN, 0xfffffffcu, 12); /* dropped, but named */
    build_record(&t, (struct build_record){MAIN, 0x200, RESERVED, 13, 13});
    leave(&t, MAIN, 0x100, 14);
    make_index(&index, &t);
    expect_number("methods", index.method_count, 6);
    expect_finding(&index, TV_FINDING_UNKNOWN_METHOD, 3, first);
    uint32_t ix = tv_index_method_of_id(&index, 0x100);
    const struct tv_index_method *method = &index.methods[ix];
    expect_number("is known", method->is_known, 0);
    assert_int_equal(method->class_len, 7);
    assert_memory_equal(index.text + method->class_off, "(0x100)", 7);
    expect_number("calls", method->calls, 1);
    assert_true(tv_index_method_of_id(&index, 0xfffffffcu) != TV_NONE);
    assert_true(tv_index_method_of_id(&index, 0x200) != TV_NONE);
    expect_number("never met", tv_index_method_of_id(&index, 0x300), TV_NONE);
    tv_index_release(&index);
}

/* A call that was dropped first names the method before a call does. */
static void unknown_method_is_first_met_where_a_record_names_it(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&t, MAIN, FOO, 10);
    leave(&t, MAIN, 0x100, 11);
    size_t first = t.last_off;
    enter(&t, MAIN, 0x100, 12);
    leave(&t, MAIN, 0x100, 14);
    make_index(&index, &t);
    expect_finding(&index, TV_FINDING_UNKNOWN_METHOD, 1, first);
    tv_index_release(&index);
}

static void unknown_adopter_is_met_at_its_exit(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&t, MAIN, FOO, 10);
    leave(&t, MAIN, FOO, 11);
    leave(&t, MAIN, 0x100, 12);
    size_t first = t.last_off;
    make_index(&index, &t);
    expect_finding(&index, TV_FINDING_UNKNOWN_METHOD, 1, first);
    tv_index_release(&index);
}

/* An adopting call comes last in the file and first in the tree. */
static void unknown_methods_stand_alike_by_every_way(void **state)
{
    (void)state;
    static const uint64_t expected[] = {0x204, 0x200, 0x100, 0x104};
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual", .methods = ""});
    for (uint32_t i = 0; i < 2; i++) {
        enter(&t, MAIN, 0x100 + 4 * i, 10 + i);
        leave(&t, MAIN, 0x100 + 4 * i, 10 + i);
        leave(&t, MAIN, 0x200 + 4 * i, 10 + i);
    }
    make_index(&index, &t);
    expect_number("methods", index.method_count, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_true(tv_index_method_of_id(&index, expected[i]) != TV_NONE);
    tv_index_release(&index);
}

static void equal_names_stay_separate_methods(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3,
                                       .clock = "dual",
                                       .methods = "0x4\ta\tb\t()V\n0x8\ta\tb\t()V\n"});
    enter(&t, MAIN, 0x4, 10);
    enter(&t, MAIN, 0x8, 12);
    leave(&t, MAIN, 0x8, 15);
    leave(&t, MAIN, 0x4, 20);
    make_index(&index, &t);
    expect_nodes(&index, MAIN, TV_CLOCK_WALL, "b x1 10-7, b.b x1 3-3");
    tv_index_release(&index);
}

static void profile_adds_up_over_threads(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&t, MAIN, FOO, 10);
    enter(&t, WORKER, FOO, 12);
    enter(&t, WORKER, BAR, 13);
    leave(&t, WORKER, BAR, 15);
    leave(&t, WORKER, FOO, 20);
    leave(&t, MAIN, FOO, 30);
    make_index(&index, &t);
    expect_profile(&index, TV_CLOCK_CPU, "foo 2+0 28-26, bar 1+0 2-2");
    expect_number("all", index.info->total[TV_CLOCK_CPU], 28);
    expect_number("main", thread_of(&index, MAIN)->root_total[TV_CLOCK_CPU], 20);
    expect_number("worker", thread_of(&index, WORKER)->root_total[TV_CLOCK_CPU], 8);
    tv_index_release(&index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recursion_counts_inclusive_time_once),
        cmocka_unit_test(adopting_call_makes_earlier_ones_recursive),
        cmocka_unit_test(unknown_methods_follow_the_known),
        cmocka_unit_test(unknown_method_is_first_met_where_a_record_names_it),
        cmocka_unit_test(unknown_adopter_is_met_at_its_exit),
        cmocka_unit_test(unknown_methods_stand_alike_by_every_way),
        cmocka_unit_test(equal_names_stay_separate_methods),
        cmocka_unit_test(profile_adds_up_over_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
