/*
 * Worker threads as a parameter: the pure parts say what may run at once, the system decides on how
 * many threads. Results never depend on that number.
 *
 * Who asks may lose interest while the work goes on. Then *is_unwanted becomes true; loops that may
 * take long look at it every TV_WANTED_STEPS steps, and fail with TV_ERR_CANCELLED.
 */
#ifndef TV_BASE_MEMORY_POOL_H
#define TV_BASE_MEMORY_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/error.h"

typedef void (*tv_task)(void *arg, size_t task_ix);

struct tv_pool {
    /* Runs task(arg, 0..count-1), in any order and on any threads, and returns when all are done.
     */
    void (*run)(void *ctx, tv_task task, void *arg, size_t count);
    void *ctx;
    unsigned thread_count; /* how many may run at once; 1 when run is serial */
    /* Becomes true when nobody wants the results any more; NULL: they are wanted in any case. */
    const atomic_bool *is_unwanted;
};

/* Runs the tasks one after another on the calling thread; static storage. */
const struct tv_pool *tv_pool_serial(void);
/* A pool, or the serial one for NULL, whose results are wanted until that becomes true. */
struct tv_pool tv_pool_until(const struct tv_pool *pool, const atomic_bool *is_unwanted);

/* Few enough steps to take less than a millisecond, and so many that looking costs nothing. */
#define TV_WANTED_STEPS 4096u

/* NULL: it is wanted in any case. */
TV_INLINE bool tv_is_unwanted(const atomic_bool *is_unwanted)
{
    return is_unwanted && atomic_load_explicit(is_unwanted, memory_order_relaxed);
}

/* TV_ERR_CANCELLED: it is unwanted. */
enum tv_code tv_check_wanted(const atomic_bool *is_unwanted, struct tv_error *err) TV_MUST_CHECK;

#endif
