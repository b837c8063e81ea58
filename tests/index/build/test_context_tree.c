/* The calling context tree: numbers, parents, recursion, many children. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "index/made.h"

static void nodes_are_numbered_by_first_call(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&t, WORKER, BAZ, 5);
    enter(&t, MAIN, FOO, 10);
    enter(&t, MAIN, BAZ, 11);
    leave(&t, MAIN, BAZ, 12);
    enter(&t, MAIN, BAR, 13);
    leave(&t, MAIN, BAR, 14);
    leave(&t, MAIN, FOO, 15);
    enter(&t, MAIN, BAR, 16);
    enter(&t, MAIN, BAZ, 17);
    make_index(&index, &t);
    expect_nodes(&index, MAIN, TV_CLOCK_WALL,
                 "foo x1 5-3, foo.baz x1 1-1, foo.bar x1 1-1, bar x1 1-1, bar.baz x1 0-0");
    expect_number("first of main", thread_of(&index, MAIN)->node_first, 0);
    expect_number("first of worker", thread_of(&index, WORKER)->node_first, 5);
    tv_index_release(&index);
}

/* Adopting calls come last in the file, and stand above all others in the tree. */
static void parent_stands_before_its_children_after_adoption(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    for (uint32_t i = 0; i < 10; i++) {
        enter(&t, MAIN, FOO, 10 + i);
        leave(&t, MAIN, FOO, 10 + i);
        leave(&t, MAIN, i % 2 ? BAZ : BAR, 10 + i);
    }
    make_index(&index, &t);
    expect_number("nodes", index.node_count, 20);
    for (uint32_t node = 0; node < 20; node++) {
        uint32_t parent = index.node_parent[node];
        if (parent != TV_NONE && parent >= node)
            fail_msg("node %u has the parent %u", node, parent);
        uint32_t depth = parent == TV_NONE ? 0 : index.node_depth[parent] + 1;
        expect_number("depth", index.node_depth[node], depth);
        if (node < 10) /* the adopters, outermost first */
            expect_number("id", index.methods[index.node_method[node]].id, node % 2 ? BAR : BAZ);
    }
    tv_index_release(&index);
}

static void recursion_is_a_method_on_the_path(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&t, MAIN, FOO, 10);
    enter(&t, MAIN, BAR, 10);
    enter(&t, MAIN, FOO, 10);
    enter(&t, MAIN, BAR, 10);
    leave(&t, MAIN, BAR, 10);
    leave(&t, MAIN, FOO, 10);
    leave(&t, MAIN, BAR, 10);
    leave(&t, MAIN, FOO, 10);
    enter(&t, MAIN, BAR, 10); /* no longer on the path */
    enter(&t, MAIN, FOO, 10);
    make_index(&index, &t);
    expect_nodes(&index, MAIN, TV_CLOCK_WALL,
                 "foo x1 0-0, foo.bar x1 0-0, foo.bar.foo* x1 0-0, foo.bar.foo.bar* x1 0-0, "
                 "bar x1 0-0, bar.foo x1 0-0");
    tv_index_release(&index);
}

/* They stand in a list that grows from 4 to 16 beside the first, then in a hash: none is lost or
 * doubled on the way. */
static void children_are_found_before_and_after_there_are_many(void **state)
{
    (void)state;
    for (uint32_t children = 1; children <= 40; children++) {
        struct trace_builder t;
        struct tv_index index;
        build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
        enter(&t, MAIN, FOO, 10);
        for (uint32_t i = 0; i < children * 3; i++) {
            uint32_t child = 0x100 + 4 * (i % children);
            enter(&t, MAIN, child, 10 + i);
            leave(&t, MAIN, child, 10 + i);
        }
        leave(&t, MAIN, FOO, 100);
        make_index(&index, &t);
        expect_number("nodes", index.node_count, children + 1);
        for (uint32_t node = 1; node <= children; node++) {
            expect_number("calls", tv_index_node_calls(&index, node), 3);
            expect_number("id", index.methods[index.node_method[node]].id, 0x100 + 4 * (node - 1));
        }
        tv_index_release(&index);
    }
}

static void the_same_path_on_two_threads_is_two_nodes(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&t, MAIN, FOO, 10);
    leave(&t, MAIN, FOO, 11);
    enter(&t, WORKER, FOO, 12);
    leave(&t, WORKER, FOO, 15);
    make_index(&index, &t);
    expect_nodes(&index, MAIN, TV_CLOCK_WALL, "foo x1 1-1");
    expect_nodes(&index, WORKER, TV_CLOCK_WALL, "foo x1 3-3");
    tv_index_release(&index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_numbered_by_first_call),
        cmocka_unit_test(parent_stands_before_its_children_after_adoption),
        cmocka_unit_test(recursion_is_a_method_on_the_path),
        cmocka_unit_test(children_are_found_before_and_after_there_are_many),
        cmocka_unit_test(the_same_path_on_two_threads_is_two_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
