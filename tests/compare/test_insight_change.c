/* Which insights are new, gone, changed and stayed, and what stands beside one that a side lacks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compare/insight_change.h"
#include "compare/made.h"
#include "support/failing_alloc.h"

/* Adds `calls` calls of a method of a millisecond each, and then `slow` calls of fifty. */
static void add_calls(struct made *made, uint32_t method, unsigned calls, unsigned slow,
                      uint32_t *at)
{
    for (unsigned i = 0; i < calls + slow; i++) {
        uint32_t len = i < calls ? 1000 : 50000;
        made_call(made, method, *at, *at + len);
        *at += len;
    }
}

static void make(struct made *made, unsigned slow_of_foo, unsigned slow_of_bar)
{
    uint32_t at = 0;
    made_begin(made, NULL);
    add_calls(made, FOO, 20, slow_of_foo, &at);
    add_calls(made, BAR, 20, slow_of_bar, &at);
    made_end(made);
}

static void find(struct tv_insight_changes *changes, struct made sides[TV_SIDE_COUNT])
{
    const struct tv_index *const indexes[TV_SIDE_COUNT] = {&sides[0].index, &sides[1].index};
    assert_int_equal(tv_insight_changes_find(changes, indexes, tv_alloc_libc(), NULL, NULL), TV_OK);
}

static void release(struct made sides[TV_SIDE_COUNT])
{
    made_release(&sides[0]);
    made_release(&sides[1]);
}

static void new_and_gone_ones_have_the_numbers_of_the_other_side(void **state)
{
    struct made sides[TV_SIDE_COUNT];
    struct tv_insight_changes changes;
    (void)state;
    make(&sides[TV_SIDE_OLD], 1, 0);
    make(&sides[TV_SIDE_NEW], 0, 1);
    find(&changes, sides);
    assert_int_equal(changes.count, 2);
    assert_int_equal(changes.of[0].standing, TV_INSIGHT_IS_NEW);
    assert_true(changes.of[0].places[TV_SIDE_OLD] == SIZE_MAX);
    assert_int_equal(changes.of[0].places[TV_SIDE_NEW], 0);
    assert_int_equal(changes.of[0].lacking.calls, 20);
    assert_int_equal(changes.of[0].lacking.time_ns, 20000000);
    assert_int_equal(changes.of[1].standing, TV_INSIGHT_IS_GONE);
    assert_int_equal(changes.of[1].places[TV_SIDE_OLD], 0);
    assert_int_equal(changes.of[1].lacking.calls, 20);
    release(sides);
}

static void those_of_both_changed_by_their_numbers_of_calls(void **state)
{
    struct made sides[TV_SIDE_COUNT];
    struct tv_insight_changes changes;
    (void)state;
    make(&sides[TV_SIDE_OLD], 1, 1);
    make(&sides[TV_SIDE_NEW], 2, 1);
    find(&changes, sides);
    assert_int_equal(changes.count, 2);
    assert_int_equal(changes.counts[TV_INSIGHT_CHANGED], 1);
    assert_int_equal(changes.counts[TV_INSIGHT_STAYED], 1);
    assert_int_equal(changes.of[0].standing, TV_INSIGHT_CHANGED);
    assert_int_equal(changes.sides[TV_SIDE_NEW].of[changes.of[0].places[TV_SIDE_NEW]].calls, 2);
    assert_int_equal(changes.sides[TV_SIDE_OLD].of[changes.of[0].places[TV_SIDE_OLD]].calls, 1);
    release(sides);
}

static enum tv_code find_with(const struct tv_alloc *alloc, void *ctx)
{
    const struct made *sides = ctx;
    const struct tv_index *const indexes[TV_SIDE_COUNT] = {&sides[0].index, &sides[1].index};
    struct tv_insight_changes changes;
    return tv_insight_changes_find(&changes, indexes, alloc, NULL, NULL);
}

static void a_failed_allocation_is_told(void **state)
{
    struct made sides[TV_SIDE_COUNT];
    (void)state;
    make(&sides[TV_SIDE_OLD], 1, 0);
    make(&sides[TV_SIDE_NEW], 0, 1);
    assert_true(failing_alloc_each(find_with, sides) > 0);
    release(sides);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_and_gone_ones_have_the_numbers_of_the_other_side),
        cmocka_unit_test(those_of_both_changed_by_their_numbers_of_calls),
        cmocka_unit_test(a_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
