/*
 * The thread of a starter; see os/process/starter.h. It sleeps until there is a function to run,
 * runs the function without the lock, and wakes whoever waits. A child that it starts may be told
 * to end with the thread that started it, so the thread stays until it is stopped.
 */
#include "os/process/starter.h"

#include <string.h>

#include "os/memory/fault.h"

static void *serve(void *arg)
{
    struct tv_starter *starter = arg;
    (void)pthread_mutex_lock(&starter->lock);
    for (;;) {
        while (!starter->body && !starter->is_ending)
            (void)pthread_cond_wait(&starter->changed, &starter->lock);
        if (!starter->body)
            break;
        (void)pthread_mutex_unlock(&starter->lock);
        starter->body(starter->ctx);
        (void)pthread_mutex_lock(&starter->lock);
        starter->body = NULL;
        (void)pthread_cond_broadcast(&starter->changed);
    }
    (void)pthread_mutex_unlock(&starter->lock);
    return NULL;
}

static void destroy(struct tv_starter *starter)
{
    (void)pthread_cond_destroy(&starter->changed);
    (void)pthread_mutex_destroy(&starter->lock);
}

enum tv_code tv_starter_start(struct tv_starter *starter, struct tv_error *err)
{
    sigset_t old;
    *starter = (struct tv_starter){.body = NULL};
    (void)pthread_mutex_init(&starter->lock, NULL);
    (void)pthread_cond_init(&starter->changed, NULL);
    tv_fault_hold_signals(&old);
    int failure = pthread_create(&starter->thread, NULL, serve, starter);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!failure)
        return TV_OK;
    destroy(starter);
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "no thread can be started: %s",
                   strerror(failure));
}

void tv_starter_run(struct tv_starter *starter, void (*body)(void *ctx), void *ctx)
{
    (void)pthread_mutex_lock(&starter->lock);
    starter->body = body;
    starter->ctx = ctx;
    (void)pthread_cond_broadcast(&starter->changed);
    while (starter->body)
        (void)pthread_cond_wait(&starter->changed, &starter->lock);
    (void)pthread_mutex_unlock(&starter->lock);
}

void tv_starter_stop(struct tv_starter *starter)
{
    (void)pthread_mutex_lock(&starter->lock);
    starter->is_ending = true;
    (void)pthread_cond_broadcast(&starter->changed);
    (void)pthread_mutex_unlock(&starter->lock);
    (void)pthread_join(starter->thread, NULL);
    destroy(starter);
}
