/*
 * The pool of one: tasks run where they are asked for, one after the other, in the order of their
 * numbers.
 */
#include "base/memory/pool.h"

static void run_serially(void *ctx, tv_task task, void *arg, size_t count)
{
    (void)ctx;
    for (size_t i = 0; i < count; i++)
        task(arg, i);
}

static const struct tv_pool serial_pool = {.run = run_serially, .ctx = NULL, .thread_count = 1};

const struct tv_pool *tv_pool_serial(void)
{
    return &serial_pool;
}

struct tv_pool tv_pool_until(const struct tv_pool *pool, const atomic_bool *is_unwanted)
{
    struct tv_pool until = pool ? *pool : serial_pool;
    until.is_unwanted = is_unwanted;
    return until;
}

enum tv_code tv_check_wanted(const atomic_bool *is_unwanted, struct tv_error *err)
{
    return tv_is_unwanted(is_unwanted)
               ? tv_fail(err, TV_ERR_CANCELLED, TV_NO_OFFSET, "nobody waits for the answer")
               : TV_OK;
}
