/* The way that most of the time takes, against trees of one level asked for one after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/tree/call_tree.h"
#include "analysis/world.h"

#define SEEDS 60
#define LEVELS 12

static struct world w;

static int64_t cpu_of(const struct tv_call_tree_node *node)
{
    return tv_measure_of(node->numbers.inclusive_ns, TV_MEASURE_CPU);
}

/* Compares a list of the way with the tree of one level below the same path; the node that the way
 * goes on with, or TV_NONE. */
static uint32_t compare_list(const struct tv_call_tree *way, uint32_t first, uint32_t count,
                             uint32_t more, const struct tv_call_tree *level, double share)
{
    int64_t sum = 0;
    assert_int_equal(count, level->root_count);
    assert_int_equal(more, level->more);
    for (uint32_t i = 0; i < count; i++) {
        const struct tv_call_tree_node *got = &way->nodes[first + i];
        const struct tv_call_tree_node *want = &level->nodes[level->root_first + i];
        assert_int_equal(got->method, want->method);
        assert_int_equal(got->has_children, want->has_children);
        assert_memory_equal(&got->numbers, &want->numbers, sizeof(got->numbers));
        if (i) { /* no other node is opened */
            assert_int_equal(got->child_count, 0);
            assert_int_equal(got->more, 0);
        }
        sum += cpu_of(got);
    }
    bool goes_on = count && way->nodes[first].has_children &&
                   (double)cpu_of(&way->nodes[first]) >= share * (double)sum;
    return goes_on ? first : TV_NONE;
}

/* Goes along the way; the number of its lists. */
static uint32_t compare_way(const struct tv_sums *sums, struct tv_call_tree_opts opts, double share)
{
    uint32_t path[LEVELS + 1] = {0};
    struct tv_call_tree way;
    tv_call_tree_init(&way, tv_alloc_libc());
    assert_int_equal(tv_call_tree_follow(&way, sums, &opts, share, NULL), TV_OK);
    uint32_t first = way.root_first;
    uint32_t count = way.root_count;
    uint32_t more = way.more;
    uint32_t lists = 0;
    size_t nodes = 0;
    for (uint32_t at = 0; at != TV_NONE && lists < opts.levels; lists++) {
        struct tv_call_tree level;
        struct tv_call_tree_opts level_opts = opts;
        level_opts.levels = 1;
        level_opts.path = path;
        level_opts.path_len = lists;
        tv_call_tree_init(&level, tv_alloc_libc());
        assert_int_equal(tv_call_tree_compute(&level, sums, &level_opts, NULL), TV_OK);
        nodes += level.count;
        at = compare_list(&way, first, count, more, &level, share);
        tv_call_tree_release(&level);
        if (at == TV_NONE)
            continue;
        path[lists] = way.nodes[at].method;
        first = way.nodes[at].first_child;
        count = way.nodes[at].child_count;
        more = way.nodes[at].more;
        for (uint32_t i = first; i < first + count && lists + 1 < opts.levels; i++) {
            assert_int_equal(way.nodes[i].parent, at);
            assert_int_equal(way.nodes[i].level, lists + 1);
        }
    }
    assert_int_equal(way.levels, lists);
    assert_true(way.count <= nodes);
    tv_call_tree_release(&way);
    return lists;
}

static void the_way_has_the_lists_that_single_questions_have(void **state)
{
    static const double shares[] = {0, 0.5, 0.9, 1};
    const struct tv_selection all = {.has_range = false};
    uint32_t longest = 0;
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        struct tv_sums sums;
        world_any(&w, seed);
        tv_sums_init(&sums, tv_alloc_libc());
        assert_int_equal(tv_sums_compute(&sums, &w.index, &all, NULL, NULL), TV_OK);
        for (unsigned i = 0; i < 2 * TV_COUNT_OF(shares); i++) {
            struct tv_call_tree_opts opts = {.direction = i % 2 ? TV_INVERTED : TV_TOP_DOWN,
                                             .measure = TV_MEASURE_CPU,
                                             .levels = LEVELS,
                                             .node_limit = seed % 3};
            uint32_t lists = compare_way(&sums, opts, shares[i / 2]);
            longest = lists > longest ? lists : longest;
        }
        tv_sums_release(&sums);
        world_release(&w);
    }
    assert_true(longest > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_way_has_the_lists_that_single_questions_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
