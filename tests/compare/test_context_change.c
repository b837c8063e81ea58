/* What changed in the tree of callers: where a change began, and what moved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare/context_change.h"
#include "support/failing_alloc.h"

/* Methods. */
enum { A, B, C, M, X, METHOD_COUNT };

struct tree {
    struct tv_joined_context of[16];
    struct tv_context_join contexts;
};

static void begin(struct tree *tree)
{
    tv_context_join_init(&tree->contexts, tv_alloc_libc());
    tree->contexts.of = tree->of;
    tree->contexts.run_counts[TV_SIDE_OLD] = tree->contexts.run_counts[TV_SIDE_NEW] = 1;
}

/* A context whose calls take a microsecond each. */
static uint32_t put_range(struct tree *tree, uint32_t parent, uint32_t method,
                          const uint64_t calls[4])
{
    struct tv_joined_context *to = &tree->of[tree->contexts.count];
    *to = (struct tv_joined_context){.parent = parent, .method = method};
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        to->sides[side] =
            (struct tv_context_side){.least_calls = calls[side * 2],
                                     .most_calls = calls[side * 2 + 1],
                                     .time_ns = {calls[side * 2] * 1000, calls[side * 2] * 1000}};
    return (uint32_t)tree->contexts.count++;
}

static uint32_t put(struct tree *tree, uint32_t parent, uint32_t method, uint64_t was, uint64_t is)
{
    return put_range(tree, parent, method, (const uint64_t[]){was, was, is, is});
}

static void find(const struct tree *tree, struct tv_context_changes *changes)
{
    tv_context_changes_init(changes, tv_alloc_libc());
    assert_int_equal(
        tv_context_changes_make(changes, &tree->contexts, METHOD_COUNT, TV_CLOCK_CPU, NULL), TV_OK);
}

static void expect_moved(const struct tv_context_changes *changes, size_t i, uint32_t method,
                         uint64_t calls, uint32_t from, uint32_t to)
{
    assert_true(i < changes->moved_count);
    assert_int_equal(changes->moved[i].method, method);
    assert_int_equal(changes->moved[i].calls, calls);
    assert_int_equal(changes->moved[i].contexts[TV_SIDE_OLD], from);
    assert_int_equal(changes->moved[i].contexts[TV_SIDE_NEW], to);
}

static void what_is_the_same_has_no_change(void **state)
{
    (void)state;
    struct tree tree;
    struct tv_context_changes changes;
    begin(&tree);
    uint32_t a = put(&tree, TV_NONE, A, 1, 1);
    put(&tree, a, B, 7, 7);
    find(&tree, &changes);
    assert_int_equal(changes.began_count, 0);
    assert_int_equal(changes.moved_count, 0);
    assert_int_equal(changes.common_count, 2);
    tv_context_changes_release(&changes);
}

/* M goes from A to C with all that it calls; X, which it calls, went along. */
static void calls_move_to_another_caller_and_take_theirs_along(void **state)
{
    (void)state;
    struct tree tree;
    struct tv_context_changes changes;
    begin(&tree);
    uint32_t a = put(&tree, TV_NONE, A, 1, 1);
    uint32_t c = put(&tree, a, C, 1, 1);
    uint32_t from = put(&tree, a, M, 4, 0);
    put(&tree, from, X, 8, 0);
    uint32_t to = put(&tree, c, M, 0, 4);
    put(&tree, to, X, 0, 8);
    find(&tree, &changes);
    assert_int_equal(changes.moved_count, 1);
    expect_moved(&changes, 0, M, 4, from, to);
    assert_int_equal(changes.began_count, 2); /* both ends */
    assert_int_equal(changes.only_count[TV_SIDE_OLD], 2);
    assert_int_equal(changes.only_count[TV_SIDE_NEW], 2);
    tv_context_changes_release(&changes);
}

/* A caller B that is new stands between, or goes away: one end alone is where a change began. */
static void a_caller_between_moves_what_it_wraps(void **state)
{
    (void)state;
    for (unsigned goes = 0; goes < 2; goes++) {
        struct tree tree;
        struct tv_context_changes changes;
        begin(&tree);
        uint32_t a = put(&tree, TV_NONE, A, 1, 1);
        uint32_t direct = put(&tree, a, M, goes ? 0 : 3, goes ? 3 : 0);
        uint32_t b = put(&tree, a, B, goes ? 3 : 0, goes ? 0 : 3);
        uint32_t wrapped = put(&tree, b, M, goes ? 3 : 0, goes ? 0 : 3);
        find(&tree, &changes);
        assert_int_equal(changes.moved_count, 1);
        expect_moved(&changes, 0, M, 3, goes ? wrapped : direct, goes ? direct : wrapped);
        tv_context_changes_release(&changes);
    }
}

/* As many as the smaller of both: two of six were dropped. */
static void calls_that_are_gone_did_not_move(void **state)
{
    (void)state;
    struct tree tree;
    struct tv_context_changes changes;
    begin(&tree);
    uint32_t a = put(&tree, TV_NONE, A, 1, 1);
    uint32_t b = put(&tree, a, B, 1, 1);
    uint32_t from = put(&tree, a, M, 10, 4);
    uint32_t to = put(&tree, b, M, 1, 5);
    find(&tree, &changes);
    expect_moved(&changes, 0, M, 4, from, to);
    tv_context_changes_release(&changes);
}

/* What is called as often by each call of its caller is the caller's change. */
static void a_change_begins_where_the_caller_has_none(void **state)
{
    (void)state;
    struct tree tree;
    struct tv_context_changes changes;
    begin(&tree);
    uint32_t a = put(&tree, TV_NONE, A, 1, 1);
    uint32_t b = put(&tree, a, B, 2, 4);
    put(&tree, b, C, 20, 40);
    uint32_t x = put(&tree, b, X, 0, 4); /* new below a caller of both sides */
    put(&tree, a, X, 1, 1);
    put(&tree, a, M, 0, 9); /* a method that the old side lacks */
    find(&tree, &changes);
    assert_int_equal(changes.began_count, 2);
    assert_int_equal(changes.began[0], x); /* 4 us more, and b 2 us */
    assert_int_equal(changes.began[1], b);
    assert_int_equal(changes.moved_count, 0);
    tv_context_changes_release(&changes);
}

/* Ranges that meet decide nothing, and gaps between ranges are what every run has. */
static void counts_that_vary_are_judged_by_their_ranges(void **state)
{
    (void)state;
    struct tree tree;
    struct tv_context_changes changes;
    begin(&tree);
    uint32_t a = put(&tree, TV_NONE, A, 1, 1);
    uint32_t b = put(&tree, a, B, 1, 1);
    put_range(&tree, a, C, (const uint64_t[]){5, 9, 8, 9});
    uint32_t from = put_range(&tree, a, M, (const uint64_t[]){10, 11, 2, 3});
    uint32_t to = put_range(&tree, b, M, (const uint64_t[]){0, 1, 9, 9});
    find(&tree, &changes);
    assert_int_equal(changes.moved_count, 1);
    expect_moved(&changes, 0, M, 7, from, to);
    assert_int_equal(changes.began_count, 2);
    tv_context_changes_release(&changes);
}

static enum tv_code make_with(const struct tv_alloc *alloc, void *ctx)
{
    const struct tree *tree = ctx;
    struct tv_context_changes changes;
    tv_context_changes_init(&changes, alloc);
    enum tv_code code =
        tv_context_changes_make(&changes, &tree->contexts, METHOD_COUNT, TV_CLOCK_WALL, NULL);
    tv_context_changes_release(&changes);
    return code;
}

static void memory_that_is_refused_is_told(void **state)
{
    (void)state;
    struct tree tree;
    begin(&tree);
    uint32_t a = put(&tree, TV_NONE, A, 1, 1);
    uint32_t c = put(&tree, a, C, 1, 1);
    put(&tree, a, M, 4, 0);
    put(&tree, c, M, 0, 4);
    put(&tree, a, X, 4, 1);
    put(&tree, c, X, 0, 4);
    assert_true(failing_alloc_each(make_with, &tree) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_the_same_has_no_change),
        cmocka_unit_test(calls_move_to_another_caller_and_take_theirs_along),
        cmocka_unit_test(a_caller_between_moves_what_it_wraps),
        cmocka_unit_test(calls_that_are_gone_did_not_move),
        cmocka_unit_test(a_change_begins_where_the_caller_has_none),
        cmocka_unit_test(counts_that_vary_are_judged_by_their_ranges),
        cmocka_unit_test(memory_that_is_refused_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
