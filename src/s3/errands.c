/* Threads and their two queues; see s3/errands.h. All that is shared is under one lock, which is
 * held for moments; whoever waits for an errand is woken when any is done. */
#include "s3/errands.h"

#include <pthread.h>

#include "os/clock.h"
#include "os/network/libcurl.h"
#include "os/process/threads.h"
#include "os/waits.h"

struct queue {
    struct tv_errand *first, *last;
};

struct tv_errands {
    const struct tv_alloc *alloc;
    struct tv_libcurl libcurl;
    pthread_mutex_t lock;
    pthread_cond_t came, came_here, done;
    struct queue small, bulky, local;
    unsigned bulky_count; /* under way */
    bool is_ending;
    pthread_t threads[TV_S3_THREADS];
    unsigned count;
    pthread_t local_threads[TV_S3_LOCAL_THREADS];
    unsigned local_count;
};

static struct tv_errand *take_first(struct queue *queue)
{
    struct tv_errand *first = queue->first;
    queue->first = first->next;
    if (!queue->first)
        queue->last = NULL;
    return first;
}

/* The next errand, with the lock; NULL: there is none that may begin. */
static struct tv_errand *take(struct tv_errands *errands)
{
    /* Where the system gave no thread to local ones, any does them. */
    if (!errands->local_count && errands->local.first)
        return take_first(&errands->local);
    if (errands->small.first)
        return take_first(&errands->small);
    /* Where the system gave few threads, one of them takes bulky ones all the same. */
    if (!errands->bulky.first ||
        (errands->bulky_count &&
         errands->bulky_count + TV_S3_THREADS - TV_S3_BULKY_MOST >= errands->count))
        return NULL;
    errands->bulky_count++;
    return take_first(&errands->bulky);
}

static struct tv_errand *take_local(struct tv_errands *errands)
{
    return errands->local.first ? take_first(&errands->local) : NULL;
}

/* Does errands until the end, and waits for `came` where there is none to take. */
static void do_errands(struct tv_errands *errands, struct tv_errand *(*next)(struct tv_errands *),
                       pthread_cond_t *came, const struct tv_s3_line *line)
{
    (void)pthread_mutex_lock(&errands->lock);
    while (!errands->is_ending) {
        struct tv_errand *errand = next(errands);
        if (!errand) {
            (void)pthread_cond_wait(came, &errands->lock);
            continue;
        }
        bool is_bulky = errand->is_bulky;
        (void)pthread_mutex_unlock(&errands->lock);
        errand->run(errand->ctx, line);
        (void)pthread_mutex_lock(&errands->lock);
        errand->is_done = true;
        errands->bulky_count -= is_bulky;
        if (is_bulky)
            (void)pthread_cond_signal(&errands->came);
        (void)pthread_cond_broadcast(&errands->done);
    }
    (void)pthread_mutex_unlock(&errands->lock);
}

static void *work(void *arg)
{
    struct tv_errands *errands = arg;
    const struct tv_s3_line line = {&errands->libcurl, errands->libcurl.at_curl_easy_init()};
    do_errands(errands, take, &errands->came, &line);
    errands->libcurl.at_curl_easy_cleanup(line.curl);
    return NULL;
}

static void *work_locally(void *arg)
{
    struct tv_errands *errands = arg;
    const struct tv_s3_line none = {.curl = NULL};
    do_errands(errands, take_local, &errands->came_here, &none);
    return NULL;
}

enum tv_code tv_errands_start(struct tv_errands **errands, const struct tv_alloc *alloc,
                              struct tv_error *err)
{
    struct tv_errands *made = NULL;
    TV_TRY(tv_alloc_new(alloc, &made, 1, sizeof(*made), err));
    made->alloc = alloc;
    enum tv_code code = tv_libcurl_load(&made->libcurl, err);
    if (code != TV_OK) {
        tv_alloc_release(alloc, &made, 1, sizeof(*made));
        return code;
    }
    (void)pthread_mutex_init(&made->lock, NULL);
    (void)pthread_cond_init(&made->came, NULL);
    (void)pthread_cond_init(&made->came_here, NULL);
    (void)pthread_cond_init(&made->done, NULL);
    (void)pthread_mutex_lock(&made->lock); /* which each thread takes first */
    made->count = tv_threads_start(made->threads, TV_S3_THREADS, work, made);
    made->local_count =
        tv_threads_start(made->local_threads, TV_S3_LOCAL_THREADS, work_locally, made);
    (void)pthread_mutex_unlock(&made->lock);
    *errands = made;
    if (made->count)
        return TV_OK;
    tv_errands_stop(made);
    *errands = NULL;
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "no thread can be started");
}

void tv_errands_stop(struct tv_errands *errands)
{
    if (!errands)
        return;
    const struct tv_alloc *alloc = errands->alloc;
    (void)pthread_mutex_lock(&errands->lock);
    errands->is_ending = true;
    (void)pthread_cond_broadcast(&errands->came);
    (void)pthread_cond_broadcast(&errands->came_here);
    (void)pthread_mutex_unlock(&errands->lock);
    tv_threads_join(errands->threads, errands->count);
    tv_threads_join(errands->local_threads, errands->local_count);
    (void)pthread_cond_destroy(&errands->done);
    (void)pthread_cond_destroy(&errands->came_here);
    (void)pthread_cond_destroy(&errands->came);
    (void)pthread_mutex_destroy(&errands->lock);
    tv_alloc_release(alloc, &errands, 1, sizeof(*errands));
}

void tv_errands_give(struct tv_errands *errands, struct tv_errand *errand)
{
    struct queue *queue = errand->is_local   ? &errands->local
                          : errand->is_bulky ? &errands->bulky
                                             : &errands->small;
    errand->is_done = false;
    errand->next = NULL;
    (void)pthread_mutex_lock(&errands->lock);
    if (queue->last)
        queue->last->next = errand;
    else
        queue->first = errand;
    queue->last = errand;
    (void)pthread_cond_signal(errand->is_local && errands->local_count ? &errands->came_here
                                                                       : &errands->came);
    (void)pthread_mutex_unlock(&errands->lock);
}

void tv_errands_await(struct tv_errands *errands, const struct tv_errand *errand)
{
    const uint64_t begun_ns = tv_now_ns();
    tv_wait_expect();
    (void)pthread_mutex_lock(&errands->lock);
    while (!errand->is_done)
        (void)pthread_cond_wait(&errands->done, &errands->lock);
    (void)pthread_mutex_unlock(&errands->lock);
    tv_waits_note(TV_WAIT_FILES, begun_ns);
}

void tv_errands_run(struct tv_errands *errands, struct tv_errand *errand)
{
    tv_errands_give(errands, errand);
    tv_errands_await(errands, errand);
}
