/* The stack of open calls of one thread, and what changes in it. */
#include "record/sampling.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct tv_stack stack;
static struct tv_stack_view before, now;
static char told[256];

static void tell(const char *what, uint32_t method)
{
    size_t len = strlen(told);
    (void)snprintf(told + len, sizeof(told) - len, "%s%u ", what, method);
}

static void tell_enter(void *ctx, uint32_t method)
{
    (void)ctx;
    tell("+", method);
}

static void tell_exit(void *ctx, uint32_t method)
{
    (void)ctx;
    tell("-", method);
}

static void look_and_expect(const char *changes)
{
    const struct tv_stack_change change = {tell_enter, tell_exit, NULL};
    told[0] = '\0';
    assert_true(tv_stack_look(&stack, &now));
    tv_stack_compare(&before, &now, &change);
    before = now;
    assert_string_equal(told, changes);
}

static void what_both_begin_with_stays(void **state)
{
    (void)state;
    tv_stack_exit(&stack); /* of a call that began before */
    tv_stack_enter(&stack, 1);
    tv_stack_enter(&stack, 2);
    tv_stack_enter(&stack, 3);
    look_and_expect("+1 +2 +3 ");
    look_and_expect("");
    tv_stack_exit(&stack);
    tv_stack_exit(&stack);
    tv_stack_enter(&stack, 4);
    tv_stack_enter(&stack, 3);
    look_and_expect("-3 -2 +4 +3 ");
    tv_stack_exit(&stack);
    tv_stack_enter(&stack, 3); /* another call of the same method: a run goes on */
    look_and_expect("");
    for (int i = 0; i < 3; i++)
        tv_stack_exit(&stack);
    look_and_expect("-3 -4 -1 ");
}

static void calls_that_are_too_deep_are_counted_but_not_seen(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < TV_STACK_SEEN + 5; i++)
        tv_stack_enter(&stack, 7);
    assert_true(tv_stack_look(&stack, &now));
    assert_int_equal(now.depth, TV_STACK_SEEN);
    for (uint32_t i = 0; i < TV_STACK_SEEN + 4; i++)
        tv_stack_exit(&stack);
    assert_true(tv_stack_look(&stack, &now));
    assert_int_equal(now.depth, 1);
    tv_stack_exit(&stack);
}

static _Atomic int is_over;

/* At every moment the stack is 1, 2, 3, ... up to its depth. */
static void *climb(void *ctx)
{
    (void)ctx;
    while (!is_over) {
        for (uint32_t i = 1; i <= 20; i++)
            tv_stack_enter(&stack, i);
        sched_yield(); /* a program does something in its calls */
        for (uint32_t i = 1; i <= 20; i++)
            tv_stack_exit(&stack);
    }
    return NULL;
}

static void a_view_is_of_one_moment(void **state)
{
    (void)state;
    pthread_t thread;
    unsigned views = 0;
    assert_int_equal(pthread_create(&thread, NULL, climb, NULL), 0);
    while (views < 1000) { /* however busy the machine is */
        if (!tv_stack_look(&stack, &now))
            continue;
        views++;
        for (uint32_t i = 0; i < now.depth; i++)
            assert_int_equal(now.methods[i], i + 1);
    }
    is_over = 1;
    pthread_join(thread, NULL);
}

static void a_stack_that_changes_all_the_time_is_not_seen(void **state)
{
    (void)state;
    stack.version++;
    assert_false(tv_stack_look(&stack, &now));
    stack.version++;
    assert_true(tv_stack_look(&stack, &now));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_both_begin_with_stays),
        cmocka_unit_test(calls_that_are_too_deep_are_counted_but_not_seen),
        cmocka_unit_test(a_view_is_of_one_moment),
        cmocka_unit_test(a_stack_that_changes_all_the_time_is_not_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
