/* The growing tree of calling contexts: children are found however many there are, and trees of
 * later calls are merged into it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "index/build/nodes.h"

#define KEY(i) (((uint32_t)(i) + 1) * 4)

/* One more than lists of siblings hold: the first child, lists of 4, 8 and 16, then a hash map. */
#define MANY 40u

static uint32_t child_of(struct tv_nodes *nodes, uint32_t parent, uint32_t key)
{
    uint32_t child = 0;
    assert_int_equal(tv_nodes_child(nodes, parent, key, 0, &child, NULL), TV_OK);
    return child;
}

static void begin(struct tv_nodes *nodes)
{
    assert_int_equal(tv_nodes_init(nodes, tv_alloc_libc(), NULL), TV_OK);
    assert_int_equal(nodes->count, TV_FIRST_CHILD);
}

/* Each of two parents gets children in turn, so that their lists grow between each other's. */
static void children_are_made_once_and_found_again(void **state)
{
    struct tv_nodes nodes;
    uint32_t parents[2];
    uint32_t children[2][MANY];
    (void)state;
    begin(&nodes);
    parents[0] = child_of(&nodes, TV_FIRST_NODE, KEY(0));
    parents[1] = child_of(&nodes, TV_FIRST_NODE, KEY(1));
    for (uint32_t i = 0; i < MANY; i++) {
        for (uint32_t p = 0; p < 2; p++) {
            children[p][i] = child_of(&nodes, parents[p], KEY(i));
            assert_int_equal(children[p][i], nodes.count - 1);
            assert_int_equal(nodes.parent[children[p][i]], parents[p]);
            assert_int_equal(nodes.keys[children[p][i]], KEY(i));
        }
        size_t count = nodes.count;
        for (uint32_t k = 0; k <= i; k++) {
            assert_int_equal(child_of(&nodes, parents[0], KEY(k)), children[0][k]);
            assert_int_equal(child_of(&nodes, parents[1], KEY(k)), children[1][k]);
        }
        assert_int_equal(nodes.count, count);
    }
    tv_nodes_release(&nodes);
}

/* Lists that were outgrown serve again: what 100 parents with MANY children leave behind is not
 * more than what they need at once. */
static void outgrown_lists_are_used_again(void **state)
{
    struct tv_nodes nodes;
    (void)state;
    begin(&nodes);
    for (uint32_t i = 0; i < MANY; i++)
        (void)child_of(&nodes, TV_FIRST_NODE, KEY(i));
    size_t siblings = nodes.sibling_count;
    for (uint32_t p = 0; p < MANY; p++) {
        uint32_t parent = child_of(&nodes, TV_FIRST_NODE, KEY(p));
        for (uint32_t i = 0; i < MANY; i++)
            (void)child_of(&nodes, parent, KEY(i));
        for (uint32_t i = 0; i < MANY; i++)
            assert_int_equal(nodes.parent[child_of(&nodes, parent, KEY(i))], parent);
    }
    assert_int_equal(siblings, 1 + 2 + 4);
    assert_int_equal(nodes.sibling_count, siblings);
    tv_nodes_release(&nodes);
}

static void adopted_root_is_a_child_of_the_new_one(void **state)
{
    struct tv_nodes nodes;
    uint32_t root = TV_FIRST_NODE;
    (void)state;
    begin(&nodes);
    uint32_t child = child_of(&nodes, root, KEY(0));
    assert_int_equal(tv_nodes_adopt(&nodes, &root, KEY(7), 0, NULL), TV_OK);
    assert_int_not_equal(root, TV_FIRST_NODE);
    assert_int_equal(nodes.parent[root], root);
    assert_int_equal(nodes.parent[TV_FIRST_NODE], root);
    assert_int_equal(nodes.parent[child], TV_FIRST_NODE);
    assert_int_equal(nodes.keys[TV_FIRST_NODE], KEY(7));
    assert_int_equal(child_of(&nodes, root, KEY(7)), TV_FIRST_NODE);
    assert_int_equal(child_of(&nodes, TV_FIRST_NODE, KEY(0)), child);
    tv_nodes_release(&nodes);
}

/* Adds children to nodes of a tree by dice; its calls count 1, 10 or 100 and so on. */
static void grow_randomly(struct tv_nodes *nodes, uint32_t seed, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        uint32_t below = (uint32_t)nodes->count - TV_FIRST_NODE;
        uint32_t parent = TV_FIRST_NODE + (seed >> 8) % (below < 4 ? below : 4);
        (void)child_of(nodes, parent, KEY((seed >> 16) % 30));
    }
}

static void count_calls(struct tv_nodes *nodes, uint32_t each)
{
    assert_int_equal(tv_nodes_make_sums(nodes, NULL), TV_OK);
    for (size_t i = TV_FIRST_NODE; i < nodes->count; i++)
        nodes->sums[i] = (struct tv_node_sums){each, {each + 1, each + 2}};
}

/* What the node has of the calls of the tree that was there and of the one that came. */
static void expect_sums(const struct tv_node_sums *sums, uint32_t times_old, uint32_t times_new)
{
    assert_int_equal(sums->calls, times_old * 10 + times_new * 100);
    assert_int_equal(sums->inclusive[0], times_old * 11 + times_new * 101);
    assert_int_equal(sums->inclusive[1], times_old * 12 + times_new * 102);
}

static void merging_adds_what_is_new_and_sums_what_is_not(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 30; seed++) {
        struct tv_nodes nodes;
        struct tv_nodes from;
        begin(&nodes);
        begin(&from);
        grow_randomly(&nodes, seed, 60);
        grow_randomly(&from, seed + 100, 60);
        count_calls(&nodes, 10);
        count_calls(&from, 100);
        uint32_t *node_of = calloc(from.count, sizeof(*node_of));
        uint8_t *is_hit = calloc(nodes.count + from.count, 1);
        assert_non_null(node_of);
        assert_non_null(is_hit);
        size_t before = nodes.count;
        assert_int_equal(tv_nodes_merge(&nodes, &from, node_of, NULL), TV_OK);
        assert_int_equal(node_of[TV_FIRST_NODE], TV_FIRST_NODE);
        for (uint32_t i = TV_FIRST_CHILD; i < from.count; i++) {
            assert_int_equal(nodes.parent[node_of[i]], node_of[from.parent[i]]);
            assert_int_equal(nodes.keys[node_of[i]], from.keys[i]);
            assert_int_equal(child_of(&nodes, node_of[from.parent[i]], from.keys[i]), node_of[i]);
        }
        for (uint32_t i = TV_FIRST_NODE; i < from.count; i++) {
            assert_false(is_hit[node_of[i]]); /* no two became one */
            is_hit[node_of[i]] = 1;
        }
        for (uint32_t i = TV_FIRST_NODE; i < nodes.count; i++)
            expect_sums(&nodes.sums[i], i < before, is_hit[i]);
        free(node_of);
        free(is_hit);
        tv_nodes_release(&from);
        tv_nodes_release(&nodes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_are_made_once_and_found_again),
        cmocka_unit_test(outgrown_lists_are_used_again),
        cmocka_unit_test(adopted_root_is_a_child_of_the_new_one),
        cmocka_unit_test(merging_adds_what_is_new_and_sums_what_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
