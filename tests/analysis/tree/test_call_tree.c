/* Trees, top-down and inverted, against stacks that are written out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/question/tree_question.h"
#include "analysis/stacks.h"
#include "analysis/tree/call_tree.h"
#include "analysis/world.h"

#define SEEDS 60

static struct world w;

/* Compares the children of one path, and that nothing is missing. */
static void compare_children(const struct tv_sums *sums, const struct stack *path,
                             enum tv_call_tree_direction direction, unsigned hidden)
{
    uint32_t path_ix[STACK_MOST];
    uint8_t hidden_methods[WORLD_METHODS] = {0};
    struct tv_call_tree tree;
    if (hidden < WORLD_METHODS)
        hidden_methods[world_method_ix(&w, hidden)] = 1;
    for (size_t i = 0; i < path->len; i++)
        path_ix[i] = world_method_ix(&w, path->methods[i]);
    struct tv_call_tree_opts opts = {
        .direction = direction, .path = path_ix, .path_len = path->len, .hidden = hidden_methods};
    tv_call_tree_init(&tree, tv_alloc_libc());
    assert_int_equal(tv_call_tree_compute(&tree, sums, &opts, NULL), TV_OK);
    uint32_t found = 0;
    for (unsigned method = 0; method < WORLD_METHODS; method++) {
        struct stack child = *path;
        child.methods[child.len++] = method;
        struct tv_numbers want = stack_numbers(&w, &child, direction, hidden);
        const struct tv_numbers *got = NULL;
        for (uint32_t i = 0; i < tree.root_count; i++) {
            if (method_number(&w, tree.nodes[tree.root_first + i].method) == method)
                got = &tree.nodes[tree.root_first + i].numbers;
        }
        found += got != NULL;
        if (got)
            assert_memory_equal(got, &want, sizeof(want));
        else
            assert_int_equal(want.calls + want.inclusive_ns[0] + want.inclusive_ns[1], 0);
    }
    assert_int_equal(found, tree.root_count);
    tv_call_tree_release(&tree);
}

static void random_trees_equal_stacks_written_out(void **state)
{
    const struct tv_selection all = {.has_range = false};
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        struct tv_sums sums;
        uint32_t dice = seed;
        world_random(&w, seed);
        tv_sums_init(&sums, tv_alloc_libc());
        assert_int_equal(tv_sums_compute(&sums, &w.index, &all, NULL, NULL), TV_OK);
        for (int i = 0; i < 12 && w.call_count; i++) {
            enum tv_call_tree_direction direction = i % 2 ? TV_INVERTED : TV_TOP_DOWN;
            unsigned hidden = world_dice(&dice, WORLD_METHODS + 2);
            struct stack path =
                stack_of(&w, (int)world_dice(&dice, (uint32_t)w.call_count), direction, hidden);
            path.len = path.len ? world_dice(&dice, (uint32_t)path.len + 1) : 0;
            compare_children(&sums, &path, direction, hidden);
        }
        tv_sums_release(&sums);
        world_release(&w);
    }
}

/* Each method calls each, itself too, down to a depth; a unit of time between records. */
static uint32_t call_all(unsigned thread, unsigned depth, uint32_t now)
{
    unsigned next[STACK_MOST] = {0}; /* the next callee at each depth */
    unsigned at = 0;
    for (;;) {
        if (at < depth && next[at] < WORLD_METHODS) {
            enter(&w.t, thread, M(next[at]), now++);
            next[at++]++;
            if (at < depth)
                next[at] = 0;
        } else if (at) {
            at--;
            leave(&w.t, thread, M(next[at] - 1), now++);
        } else {
            return now;
        }
    }
}

/* All calls that end with the same `len` methods, of depth `len` and more; their own times. */
static struct tv_numbers ends_of_all(unsigned depth, unsigned len)
{
    struct tv_numbers numbers = {.calls = 0};
    uint64_t count = 1;
    for (unsigned at = len; at <= depth; at++, count *= WORLD_METHODS) {
        uint64_t own_ns = count * 1000 * (at < depth ? WORLD_METHODS + 1 : 1);
        numbers.calls += count;
        numbers.inclusive_ns[0] += own_ns;
        numbers.exclusive_ns[0] += at == len ? own_ns : 0;
    }
    numbers.inclusive_ns[1] = numbers.inclusive_ns[0];
    numbers.exclusive_ns[1] = numbers.exclusive_ns[0];
    return numbers;
}

static void run_backwards(void *ctx, tv_task task, void *arg, size_t count)
{
    *(size_t *)ctx = count;
    for (size_t i = count; i-- > 0;)
        task(arg, i);
}

/* More nodes than a slice has, of two threads: slices end within either, and one is of both. */
static void many_nodes_are_inverted_in_slices(void **state)
{
    static const unsigned depths[] = {7, 6};
    const struct tv_selection all = {.has_range = false};
    size_t slices = 0;
    const struct tv_pool backwards = {.run = run_backwards, .ctx = &slices, .thread_count = 2};
    struct tv_call_tree_opts opts = {.direction = TV_INVERTED, .levels = 2, .pool = &backwards};
    struct tv_sums sums;
    struct tv_call_tree tree;
    (void)state;
    world_begin(&w);
    uint32_t now = call_all(MAIN, depths[0], 0);
    (void)call_all(WORKER, depths[1], now);
    world_read(&w);
    tv_sums_init(&sums, tv_alloc_libc());
    tv_call_tree_init(&tree, tv_alloc_libc());
    assert_int_equal(tv_sums_compute(&sums, &w.index, &all, NULL, NULL), TV_OK);
    assert_int_equal(tv_call_tree_compute(&tree, &sums, &opts, NULL), TV_OK);
    assert_in_range(slices, 3, 16);
    assert_int_equal(tree.root_count, WORLD_METHODS);
    assert_int_equal(tree.count, WORLD_METHODS + WORLD_METHODS * WORLD_METHODS);
    for (size_t i = 0; i < tree.count; i++) {
        const struct tv_call_tree_node *node = &tree.nodes[i];
        struct tv_numbers want = ends_of_all(depths[0], node->level + 1);
        struct tv_numbers more = ends_of_all(depths[1], node->level + 1);
        tv_numbers_add(&want, &more);
        assert_memory_equal(&node->numbers, &want, sizeof(want));
        assert_true(node->has_children);
    }
    tv_call_tree_release(&tree);
    tv_sums_release(&sums);
    world_release(&w);
}

/* The node of a method at a level, which the tree has once. */
static const struct tv_call_tree_node *node_of(const struct tv_call_tree *tree, uint32_t level,
                                               unsigned method)
{
    for (size_t i = 0; i < tree->count; i++) {
        const struct tv_call_tree_node *node = &tree->nodes[i];
        if (node->level == level && method_number(&w, node->method) == method)
            return node;
    }
    fail_msg("no node of method %u", method);
    return NULL;
}

/* 0 calls 1, which calls itself, and 2, which calls 1, which calls 3. */
static void callers_have_the_inclusive_time_of_outermost_calls(void **state)
{
    const struct tv_selection all = {.has_range = false};
    struct tv_sums sums;
    struct tv_call_tree tree;
    uint8_t hidden[WORLD_METHODS] = {0};
    (void)state;
    world_begin(&w);
    world_enter(&w, MAIN, 0, 0, 0);
    world_enter(&w, MAIN, 1, 10, 10);
    world_enter(&w, MAIN, 1, 20, 20);
    world_leave(&w, MAIN, 1, 30, 30);
    world_leave(&w, MAIN, 1, 40, 40);
    world_enter(&w, MAIN, 2, 50, 50);
    world_enter(&w, MAIN, 1, 60, 60);
    world_enter(&w, MAIN, 3, 62, 62);
    world_leave(&w, MAIN, 3, 72, 72);
    world_leave(&w, MAIN, 1, 80, 80);
    world_leave(&w, MAIN, 2, 90, 90);
    world_leave(&w, MAIN, 0, 100, 100);
    world_end(&w);
    const uint32_t root = world_method_ix(&w, 1);
    struct tv_call_tree_opts opts = {.direction = TV_INVERTED, .root = &root, .levels = 2};
    tv_sums_init(&sums, tv_alloc_libc());
    tv_call_tree_init(&tree, tv_alloc_libc());
    assert_int_equal(tv_sums_compute(&sums, &w.index, &all, NULL, NULL), TV_OK);
    assert_int_equal(tv_call_tree_compute(&tree, &sums, &opts, NULL), TV_OK);
    for (int clock = 0; clock < 2; clock++) {
        assert_int_equal(node_of(&tree, 0, 1)->numbers.inclusive_ns[clock], 40000);
        assert_int_equal(node_of(&tree, 0, 1)->method_inclusive_ns[clock], 50000);
        assert_int_equal(node_of(&tree, 1, 0)->method_inclusive_ns[clock], 30000);
        /* The recursive call is within that of 0. */
        assert_int_equal(node_of(&tree, 1, 1)->method_inclusive_ns[clock], 0);
        assert_int_equal(node_of(&tree, 1, 2)->method_inclusive_ns[clock], 20000);
    }
    /* Siblings are sorted by it on demand: of the callers 0 (30 us), 1 (0) and 2 (20 us). */
    const struct tv_profile_sort by_method = {.key = TV_SORT_METHOD_INCLUSIVE};
    const struct tv_profile_sort upwards = {.key = TV_SORT_METHOD_INCLUSIVE, .order = TV_ASCENDING};
    opts.sort = &by_method;
    assert_int_equal(tv_call_tree_compute(&tree, &sums, &opts, NULL), TV_OK);
    uint32_t first = tree.nodes[tree.root_first].first_child;
    assert_int_equal(method_number(&w, tree.nodes[first].method), 0);
    assert_int_equal(method_number(&w, tree.nodes[first + 1].method), 2);
    assert_int_equal(method_number(&w, tree.nodes[first + 2].method), 1);
    opts.sort = &upwards;
    assert_int_equal(tv_call_tree_compute(&tree, &sums, &opts, NULL), TV_OK);
    first = tree.nodes[tree.root_first].first_child;
    assert_int_equal(method_number(&w, tree.nodes[first].method), 1);
    assert_int_equal(method_number(&w, tree.nodes[first + 2].method), 0);
    /* The cut then takes the same time: of 100 us, 0 has 30, and 2 has 20. All have less of the
     * exclusive time. */
    opts.sort = &by_method;
    opts.cut = 0.25;
    assert_int_equal(tv_call_tree_compute(&tree, &sums, &opts, NULL), TV_OK);
    assert_int_equal(tree.nodes[tree.root_first].child_count, 1);
    assert_int_equal(tree.nodes[tree.root_first].more, 2);
    first = tree.nodes[tree.root_first].first_child;
    assert_int_equal(method_number(&w, tree.nodes[first].method), 0);
    opts.sort = NULL;
    assert_int_equal(tv_call_tree_compute(&tree, &sums, &opts, NULL), TV_OK);
    assert_int_equal(tree.nodes[tree.root_first].child_count, 0);
    /* The callers of a hidden method get its own time; its inclusive time is theirs anyway. */
    hidden[root] = 1;
    opts = (struct tv_call_tree_opts){.direction = TV_INVERTED, .hidden = hidden};
    assert_int_equal(tv_call_tree_compute(&tree, &sums, &opts, NULL), TV_OK);
    assert_int_equal(node_of(&tree, 0, 0)->method_inclusive_ns[0], 100000);
    assert_int_equal(node_of(&tree, 0, 2)->method_inclusive_ns[0], 40000);
    tv_call_tree_release(&tree);
    tv_sums_release(&sums);
    world_release(&w);
}

static void cut_and_limit_say_what_they_leave_out(void **state)
{
    const struct tv_selection all = {.has_range = false};
    struct tv_call_tree_opts opts = {.levels = 2, .cut = 0.25};
    struct tv_sums sums;
    struct tv_call_tree tree;
    (void)state;
    world_begin(&w);
    world_enter(&w, MAIN, 0, 0, 0);
    world_enter(&w, MAIN, 1, 0, 0);
    world_leave(&w, MAIN, 1, 50, 50);
    world_enter(&w, MAIN, 2, 50, 50);
    world_leave(&w, MAIN, 2, 80, 80);
    world_enter(&w, MAIN, 3, 80, 80);
    world_leave(&w, MAIN, 3, 99, 99);
    world_leave(&w, MAIN, 0, 100, 100);
    world_end(&w);
    tv_sums_init(&sums, tv_alloc_libc());
    tv_call_tree_init(&tree, tv_alloc_libc());
    assert_int_equal(tv_sums_compute(&sums, &w.index, &all, NULL, NULL), TV_OK);
    assert_int_equal(tv_call_tree_compute(&tree, &sums, &opts, NULL), TV_OK);
    const struct tv_call_tree_node *root = &tree.nodes[tree.root_first];
    assert_int_equal(root->child_count, 2);
    assert_int_equal(root->more, 1);
    assert_int_equal(method_number(&w, tree.nodes[root->first_child].method), 1);
    opts = (struct tv_call_tree_opts){.levels = 2, .node_limit = 1};
    assert_int_equal(tv_call_tree_compute(&tree, &sums, &opts, NULL), TV_OK);
    assert_int_equal(tree.nodes[tree.root_first].child_count, 1);
    assert_int_equal(tree.nodes[tree.root_first].more, 2);
    /* By name, upwards: what the cut leaves out stays out, and the limit counts in that order. */
    const struct tv_profile_sort by_name = {.key = TV_SORT_NAME, .order = TV_DESCENDING};
    opts = (struct tv_call_tree_opts){.levels = 2, .cut = 0.25, .sort = &by_name};
    assert_int_equal(tv_call_tree_compute(&tree, &sums, &opts, NULL), TV_OK);
    root = &tree.nodes[tree.root_first];
    assert_int_equal(root->child_count, 2);
    assert_int_equal(method_number(&w, tree.nodes[root->first_child].method), 2);
    assert_int_equal(method_number(&w, tree.nodes[root->first_child + 1].method), 1);
    opts = (struct tv_call_tree_opts){.levels = 2, .node_limit = 1, .sort = &by_name};
    assert_int_equal(tv_call_tree_compute(&tree, &sums, &opts, NULL), TV_OK);
    root = &tree.nodes[tree.root_first];
    assert_int_equal(method_number(&w, tree.nodes[root->first_child].method), 3);
    tv_call_tree_release(&tree);
    tv_sums_release(&sums);
    world_release(&w);
}

/* The sizes of the `most` largest nodes that are shown, the largest first; returns how many nodes
 * are shown in all. */
static size_t list_shown(const struct tv_call_tree *tree, uint64_t *sizes, size_t most)
{
    struct tv_tree_walk walk;
    size_t count = 0;
    tv_tree_walk_begin(&walk, tree, TV_TREE_ALL_LEVELS);
    for (;;) {
        struct tv_tree_step step = tv_tree_walk_next(&walk);
        if (step.event == TV_TREE_END)
            break;
        if (step.event != TV_TREE_NODE)
            continue;
        uint64_t size = step.node->numbers.inclusive_ns[TV_CLOCK_WALL];
        size_t at = count < most ? count : most;
        count++;
        for (; at && sizes[at - 1] < size; at--) {
            if (at < most)
                sizes[at] = sizes[at - 1];
        }
        if (at < most)
            sizes[at] = size;
    }
    return count;
}

/* A limited tree shows the largest nodes of the whole one, and makes few others. */
static void an_inverted_tree_is_made_as_far_as_it_is_shown(void **state)
{
    enum { SHOWN = 12 };
    const struct tv_selection all = {.has_range = false};
    uint64_t sizes[2][SHOWN];
    struct tv_call_tree_opts opts = {.direction = TV_INVERTED, .levels = 7};
    struct tv_sums sums;
    struct tv_call_tree whole;
    struct tv_call_tree limited;
    (void)state;
    world_begin(&w);
    (void)call_all(MAIN, 7, 0);
    world_read(&w);
    tv_sums_init(&sums, tv_alloc_libc());
    tv_call_tree_init(&whole, tv_alloc_libc());
    tv_call_tree_init(&limited, tv_alloc_libc());
    assert_int_equal(tv_sums_compute(&sums, &w.index, &all, NULL, NULL), TV_OK);
    assert_int_equal(tv_call_tree_compute(&whole, &sums, &opts, NULL), TV_OK);
    opts.row_limit = SHOWN;
    assert_int_equal(tv_call_tree_compute(&limited, &sums, &opts, NULL), TV_OK);
    assert_true(list_shown(&whole, sizes[0], SHOWN) > 50 * SHOWN);
    assert_int_equal(list_shown(&limited, sizes[1], SHOWN), SHOWN);
    assert_memory_equal(sizes[0], sizes[1], SHOWN * sizeof(sizes[0][0]));
    assert_true(limited.is_limited);
    assert_true(limited.count <= SHOWN * (WORLD_METHODS + 1));
    opts = (struct tv_call_tree_opts){.direction = TV_INVERTED, .levels = 7, .cut = 0.05};
    assert_int_equal(tv_call_tree_compute(&limited, &sums, &opts, NULL), TV_OK);
    assert_true(limited.count < whole.count / 50);
    tv_call_tree_release(&limited);
    tv_call_tree_release(&whole);
    tv_sums_release(&sums);
    world_release(&w);
}

static void a_tree_that_nobody_wants_is_not_made(void **state)
{
    const struct tv_selection all = {.has_range = false};
    const struct tv_selection part = {.has_range = true, .from_ns = 1, .to_ns = 1000000};
    atomic_bool is_unwanted = false;
    struct tv_pool pool = *tv_pool_serial();
    struct tv_sums sums;
    struct tv_call_tree tree;
    (void)state;
    pool.is_unwanted = &is_unwanted;
    world_begin(&w);
    (void)call_all(MAIN, 4, 0);
    world_read(&w);
    tv_sums_init(&sums, tv_alloc_libc());
    tv_call_tree_init(&tree, tv_alloc_libc());
    for (unsigned direction = TV_TOP_DOWN; direction <= TV_INVERTED; direction++) {
        const struct tv_call_tree_opts opts = {.direction = (enum tv_call_tree_direction)direction,
                                               .levels = 4};
        atomic_store(&is_unwanted, false);
        assert_int_equal(tv_sums_compute(&sums, &w.index, &all, &pool, NULL), TV_OK);
        assert_int_equal(tv_call_tree_compute(&tree, &sums, &opts, NULL), TV_OK);
        atomic_store(&is_unwanted, true);
        assert_int_equal(tv_call_tree_compute(&tree, &sums, &opts, NULL), TV_ERR_CANCELLED);
        assert_null(tree.nodes);
    }
    assert_int_equal(tv_sums_compute(&sums, &w.index, &part, &pool, NULL), TV_ERR_CANCELLED);
    tv_call_tree_release(&tree);
    tv_sums_release(&sums);
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_trees_equal_stacks_written_out),
        cmocka_unit_test(many_nodes_are_inverted_in_slices),
        cmocka_unit_test(callers_have_the_inclusive_time_of_outermost_calls),
        cmocka_unit_test(cut_and_limit_say_what_they_leave_out),
        cmocka_unit_test(an_inverted_tree_is_made_as_far_as_it_is_shown),
        cmocka_unit_test(a_tree_that_nobody_wants_is_not_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
