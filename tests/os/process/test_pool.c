/* os/pool: every task runs once, on however many threads, and runs may nest and overlap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>

#include "os/process/pool.h"

#define TASKS 1000u

struct counting {
    const struct tv_pool *pool;
    atomic_uint hits[TASKS];
};

static void hit(void *arg, size_t task_ix)
{
    struct counting *counting = arg;
    atomic_fetch_add(&counting->hits[task_ix], 1);
}

static void check_hits(struct counting *counting, unsigned expected)
{
    for (size_t i = 0; i < TASKS; i++)
        assert_int_equal(atomic_load(&counting->hits[i]), expected);
}

static void each_task_runs_once(void **state)
{
    (void)state;
    for (unsigned threads = 0; threads < 5; threads++) {
        struct counting counting = {.pool = NULL};
        struct tv_workers *workers;
        assert_int_equal(tv_workers_new(&workers, tv_alloc_libc(), threads, NULL), TV_OK);
        const struct tv_pool *pool = tv_workers_pool(workers);
        for (unsigned round = 0; round < 200; round++)
            pool->run(pool->ctx, hit, &counting, TASKS);
        check_hits(&counting, 200);
        tv_workers_free(workers);
    }
}

static void run_inside(void *arg, size_t task_ix)
{
    struct counting *counting = arg;
    (void)task_ix;
    counting->pool->run(counting->pool->ctx, hit, counting, TASKS);
}

static void a_task_may_run_tasks(void **state)
{
    struct counting counting = {.pool = NULL};
    struct tv_workers *workers;
    (void)state;
    assert_int_equal(tv_workers_new(&workers, tv_alloc_libc(), 3, NULL), TV_OK);
    counting.pool = tv_workers_pool(workers);
    counting.pool->run(counting.pool->ctx, run_inside, &counting, 10);
    check_hits(&counting, 10);
    tv_workers_free(workers);
}

static void *run_many(void *arg)
{
    struct counting *counting = arg;
    for (unsigned round = 0; round < 100; round++)
        counting->pool->run(counting->pool->ctx, hit, counting, TASKS);
    return NULL;
}

static void several_threads_may_ask(void **state)
{
    struct counting counting = {.pool = NULL};
    struct tv_workers *workers;
    pthread_t threads[4];
    (void)state;
    assert_int_equal(tv_workers_new(&workers, tv_alloc_libc(), 2, NULL), TV_OK);
    counting.pool = tv_workers_pool(workers);
    for (size_t i = 0; i < TV_COUNT_OF(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_many, &counting), 0);
    for (size_t i = 0; i < TV_COUNT_OF(threads); i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    check_hits(&counting, 400);
    tv_workers_free(workers);
}

static void nothing_to_do_is_fine(void **state)
{
    struct tv_workers *workers;
    (void)state;
    assert_int_equal(tv_workers_new(&workers, tv_alloc_libc(), 2, NULL), TV_OK);
    const struct tv_pool *pool = tv_workers_pool(workers);
    pool->run(pool->ctx, hit, NULL, 0);
    assert_int_equal(pool->thread_count, 2);
    tv_workers_free(workers);
    tv_workers_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_task_runs_once),
        cmocka_unit_test(a_task_may_run_tasks),
        cmocka_unit_test(several_threads_may_ask),
        cmocka_unit_test(nothing_to_do_is_fine),
    };
    return cmocka_run_group_tests_name("os/pool", tests, NULL, NULL);
}
