/* Worker threads behind struct tv_pool (base/memory/pool.h). The threads start with the pool and
 * sleep between runs; the thread that calls run works too. There is one run at a time: a thread
 * that calls run meanwhile, or a task that does, runs its tasks itself, one after another. */
#ifndef TV_OS_PROCESS_POOL_H
#define TV_OS_PROCESS_POOL_H

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/pool.h"

struct tv_workers;

/* The number of processors that this process may run on, at least 1. */
unsigned tv_processor_count(void);

/* Starts `count` - 1 threads; 0: as many as there are processors. When a thread cannot be started,
 * fewer work. */
enum tv_code tv_workers_new(struct tv_workers **workers, const struct tv_alloc *alloc,
                            unsigned count, struct tv_error *err) TV_MUST_CHECK;
/* Waits for the threads to end; NULL is fine. */
void tv_workers_free(struct tv_workers *workers);
/* The pool of the workers; lives as long as they do. */
const struct tv_pool *tv_workers_pool(const struct tv_workers *workers);

#endif
