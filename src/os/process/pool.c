/*
 * Worker threads; see os/process/pool.h.
 *
 * A run is a counter from which every thread takes the number of its next task. A run ends when all
 * tasks are done and no worker reads the run's fields any more: `inside` counts the workers that
 * do. So the fields can be set for the next run without a lock around each task.
 */
#include "os/process/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/alloc.h"
#include "base/error.h"
#include "os/memory/mapping.h"
#include "os/process/threads.h"
#include "os/sandbox/landlock.h"

#define THREAD_LIMIT 64u

struct tv_workers {
    const struct tv_alloc *alloc;
    struct tv_pool pool;
    pthread_mutex_t run_lock; /* held by the caller of run while its run lasts */
    pthread_mutex_t lock;     /* guards all fields below but the atomic ones */
    pthread_cond_t work_came; /* a run begins, or the pool ends */
    pthread_cond_t work_done; /* the last worker left the run */
    tv_task task;
    void *arg;
    size_t count;
    atomic_size_t next;     /* the next task to take */
    atomic_bool is_stopped; /* a task of the run was stopped (os/memory/mapping.h) */
    unsigned inside;        /* workers that take tasks of the run */
    uint64_t run_ix;        /* counts runs, so that a worker joins each at most once */
    bool is_open;           /* workers may join the run */
    bool is_ending;
    unsigned thread_count;
    pthread_t threads[THREAD_LIMIT];
};

static void take_tasks(void *ctx)
{
    struct tv_workers *workers = ctx;
    for (;;) {
        size_t task_ix = atomic_fetch_add(&workers->next, 1);
        if (task_ix >= workers->count)
            return;
        workers->task(workers->arg, task_ix);
    }
}

/* Takes tasks until none are left. A task may meet a byte of a file that is gone and not return:
 * then the run is over for all threads, and is_stopped tells the caller. */
static void take_part(struct tv_workers *workers)
{
    if (tv_mapping_run(take_tasks, workers, NULL) == TV_OK)
        return;
    atomic_store(&workers->is_stopped, true);
    atomic_store(&workers->next, workers->count);
}

/* The life of a worker: waits for a run that it has not joined, takes tasks until none are left,
 * leaves the run. */
static void *work(void *arg)
{
    struct tv_workers *workers = arg;
    uint64_t seen_run = 0;
    /* Tasks work in memory alone, on bytes of traces too. */
    const struct tv_landlock domain = tv_landlock_for_readers();
    (void)tv_landlock_close(&domain);
    pthread_mutex_lock(&workers->lock);
    for (;;) {
        while (!workers->is_ending && (!workers->is_open || workers->run_ix == seen_run))
            pthread_cond_wait(&workers->work_came, &workers->lock);
        if (workers->is_ending)
            break;
        seen_run = workers->run_ix;
        workers->inside++;
        pthread_mutex_unlock(&workers->lock);
        take_part(workers);
        pthread_mutex_lock(&workers->lock);
        workers->inside--;
        if (!workers->inside)
            pthread_cond_signal(&workers->work_done);
    }
    pthread_mutex_unlock(&workers->lock);
    return NULL;
}

/* Runs all tasks, on the calling thread too. When another run is under way, the tasks run on the
 * calling thread alone: waiting for that run could be waiting for oneself. */
static void run(void *ctx, tv_task task, void *arg, size_t count)
{
    struct tv_workers *workers = ctx;
    if (count < 2 || pthread_mutex_trylock(&workers->run_lock) != 0) {
        tv_pool_serial()->run(tv_pool_serial()->ctx, task, arg, count);
        return;
    }
    pthread_mutex_lock(&workers->lock);
    workers->task = task;
    workers->arg = arg;
    workers->count = count;
    atomic_store(&workers->next, 0);
    atomic_store(&workers->is_stopped, false);
    workers->run_ix++;
    workers->is_open = true;
    pthread_cond_broadcast(&workers->work_came);
    pthread_mutex_unlock(&workers->lock);
    take_part(workers);
    pthread_mutex_lock(&workers->lock);
    workers->is_open = false;
    while (workers->inside)
        pthread_cond_wait(&workers->work_done, &workers->lock);
    bool is_stopped = atomic_load(&workers->is_stopped);
    pthread_mutex_unlock(&workers->lock);
    pthread_mutex_unlock(&workers->run_lock);
    /* The results of the tasks are not complete, so the caller cannot go on either. */
    if (is_stopped)
        tv_mapping_stop();
}

unsigned tv_processor_count(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > 0 ? (unsigned)count : 1;
}

enum tv_code tv_workers_new(struct tv_workers **workers, const struct tv_alloc *alloc,
                            unsigned count, struct tv_error *err)
{
    struct tv_workers *made = NULL;
    *workers = NULL;
    TV_TRY(tv_alloc_new(alloc, &made, 1, sizeof(*made), err));
    made->alloc = alloc;
    (void)pthread_mutex_init(&made->run_lock, NULL);
    (void)pthread_mutex_init(&made->lock, NULL);
    (void)pthread_cond_init(&made->work_came, NULL);
    (void)pthread_cond_init(&made->work_done, NULL);
    unsigned wanted = count ? count : tv_processor_count();
    made->thread_count = tv_threads_start(
        made->threads, wanted > THREAD_LIMIT ? THREAD_LIMIT : wanted - 1, work, made);
    made->pool = (struct tv_pool){.run = run, .ctx = made, .thread_count = made->thread_count + 1};
    *workers = made;
    return TV_OK;
}

void tv_workers_free(struct tv_workers *workers)
{
    if (!workers)
        return;
    pthread_mutex_lock(&workers->lock);
    workers->is_ending = true;
    pthread_cond_broadcast(&workers->work_came);
    pthread_mutex_unlock(&workers->lock);
    tv_threads_join(workers->threads, workers->thread_count);
    (void)pthread_cond_destroy(&workers->work_done);
    (void)pthread_cond_destroy(&workers->work_came);
    (void)pthread_mutex_destroy(&workers->lock);
    (void)pthread_mutex_destroy(&workers->run_lock);
    tv_alloc_release(workers->alloc, &workers, 1, sizeof(*workers));
}

const struct tv_pool *tv_workers_pool(const struct tv_workers *workers)
{
    return &workers->pool;
}
