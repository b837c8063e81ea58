/*
 * The lock for all that is not the hot path; see record/cold.h.
 *
 * One mutex for the whole process. Signals are blocked before it is taken: a handler that records
 * may need the lock, and would wait for the very thread that it interrupted. fork() takes the lock
 * too (pthread_atfork), so that the child never inherits it locked by a thread that the child does
 * not have.
 */
#include "record/cold.h"

#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tv_cold forking;

/* Neither a signal's handler nor the end of the thread may come while the lock is held: a thread
 * that was cancelled would leave it locked for all others, for good. Signals are blocked first and
 * unblocked last, so that a handler that jumps away leaves nothing changed. */
void tv_cold_enter(struct tv_cold *cold)
{
    cold->error = errno;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &cold->signals);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cold->cancel_state);
    pthread_mutex_lock(&lock);
}

void tv_cold_leave(const struct tv_cold *cold)
{
    pthread_mutex_unlock(&lock);
    pthread_setcancelstate(cold->cancel_state, NULL);
    errno = cold->error;
    pthread_sigmask(SIG_SETMASK, &cold->signals, NULL);
}

void tv_cold_before_fork(void)
{
    struct tv_cold cold;
    tv_cold_enter(&cold);
    forking = cold;
}

void tv_cold_after_fork(void)
{
    struct tv_cold cold = forking;
    tv_cold_leave(&cold);
}
