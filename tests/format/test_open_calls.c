/* The calls that are open on each thread. */
#include "format/open_calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { FOO = 4, BAR = 8, QUX = 12 };

static void enter(struct tv_open_calls *calls, uint32_t thread, struct tv_open_stack *stack,
                  uint32_t key)
{
    assert_int_equal(tv_open_calls_enter(calls, thread, stack, key, NULL), TV_OK);
}

static void an_exit_closes_the_innermost_call_of_its_method_and_all_above(void **state)
{
    (void)state;
    struct tv_open_calls calls;
    struct tv_open_stack stack = {.top = 0};
    tv_open_calls_init(&calls, tv_alloc_libc());
    enter(&calls, 0, &stack, FOO);
    enter(&calls, 0, &stack, BAR);
    enter(&calls, 0, &stack, FOO);
    enter(&calls, 0, &stack, QUX);
    assert_int_equal(tv_open_calls_leave(&calls, 0, &stack, QUX), 1);
    assert_int_equal(tv_open_calls_leave(&calls, 0, &stack, QUX), 0); /* no longer open */
    assert_int_equal(stack.depth, 3);
    assert_int_equal(tv_open_calls_leave(&calls, 0, &stack, BAR), 2);
    assert_int_equal(stack.depth, 1);
    assert_int_equal(tv_open_calls_leave(&calls, 0, &stack, FOO), 1);
    assert_int_equal(tv_open_calls_leave(&calls, 0, &stack, FOO), 0);
    assert_int_equal(stack.depth, 0);
    tv_open_calls_release(&calls);
}

static void threads_have_calls_of_their_own(void **state)
{
    (void)state;
    struct tv_open_calls calls;
    struct tv_open_stack one = {.top = 0};
    struct tv_open_stack two = {.top = 0};
    tv_open_calls_init(&calls, tv_alloc_libc());
    enter(&calls, 1, &one, FOO);
    enter(&calls, 2, &two, BAR);
    assert_int_equal(tv_open_calls_leave(&calls, 1, &one, BAR), 0);
    assert_int_equal(tv_open_calls_pop(&calls, 2, &two), BAR);
    assert_int_equal(tv_open_calls_pop(&calls, 1, &one), FOO);
    tv_open_calls_release(&calls);
}

/* A million exits of methods that are not on a deep stack: a search for each would take hours. */
static void exits_that_match_nothing_cost_no_search(void **state)
{
    (void)state;
    struct tv_open_calls calls;
    struct tv_open_stack stack = {.top = 0};
    tv_open_calls_init(&calls, tv_alloc_libc());
    for (uint32_t i = 0; i < 1000000; i++)
        enter(&calls, 0, &stack, FOO);
    for (uint32_t i = 0; i < 1000000; i++)
        assert_int_equal(tv_open_calls_leave(&calls, 0, &stack, BAR), 0);
    assert_int_equal(stack.depth, 1000000);
    tv_open_calls_release(&calls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exit_closes_the_innermost_call_of_its_method_and_all_above),
        cmocka_unit_test(threads_have_calls_of_their_own),
        cmocka_unit_test(exits_that_match_nothing_cost_no_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
