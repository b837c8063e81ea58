/* The pool of one. */
#include "base/memory/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct order {
    size_t seen[8];
    size_t count;
};

static void note(void *arg, size_t task_ix)
{
    struct order *order = arg;
    order->seen[order->count++] = task_ix;
}

static void serial_pool_runs_each_task_once_in_order(void **state)
{
    (void)state;
    const struct tv_pool *pool = tv_pool_serial();
    struct order order = {.count = 0};
    assert_int_equal(pool->thread_count, 1);
    pool->run(pool->ctx, note, &order, 8);
    assert_int_equal(order.count, 8);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(order.seen[i], i);
    pool->run(pool->ctx, note, &order, 0);
    assert_int_equal(order.count, 8);
}

static void what_nobody_wants_is_told(void **state)
{
    (void)state;
    struct tv_error err = {.code = TV_OK};
    atomic_bool is_unwanted = false;
    assert_int_equal(tv_check_wanted(NULL, &err), TV_OK);
    assert_int_equal(tv_check_wanted(&is_unwanted, &err), TV_OK);
    atomic_store(&is_unwanted, true);
    assert_int_equal(tv_check_wanted(&is_unwanted, &err), TV_ERR_CANCELLED);
    assert_string_equal(err.text, "nobody waits for the answer");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(serial_pool_runs_each_task_once_in_order),
        cmocka_unit_test(what_nobody_wants_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
