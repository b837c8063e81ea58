/*
 * Threads that share their work; see os/process/threads.h.
 *
 * A thread inherits which signals are held back from who starts it, so they are held back there for
 * as long as threads are started.
 */
#include "os/process/threads.h"

#include <signal.h>
#include <stddef.h>

#include "os/memory/fault.h"

unsigned tv_threads_start(pthread_t *threads, unsigned most, void *(*run)(void *ctx), void *ctx)
{
    sigset_t old;
    unsigned count = 0;
    tv_fault_hold_signals(&old);
    while (count < most && pthread_create(&threads[count], NULL, run, ctx) == 0)
        count++;
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return count;
}

void tv_threads_join(const pthread_t *threads, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        (void)pthread_join(threads[i], NULL);
}
