/*
 * Worker threads as a parameter: the pure parts say what may run at once, the system decides on how
 * many threads. Results never depend on that number.
 */
#ifndef TV_BASE_MEMORY_POOL_H
#define TV_BASE_MEMORY_POOL_H

#include <stddef.h>

typedef void (*tv_task)(void *arg, size_t task_ix);

struct tv_pool {
    /* Runs task(arg, 0..count-1), in any order and on any threads, and returns when all are done.
     */
    void (*run)(void *ctx, tv_task task, void *arg, size_t count);
    void *ctx;
    unsigned thread_count; /* how many may run at once; 1 when run is serial */
};

/* Runs the tasks one after another on the calling thread; static storage. */
const struct tv_pool *tv_pool_serial(void);

#endif
