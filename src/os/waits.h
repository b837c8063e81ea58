/*
 * Waiting for a condition until a moment. The clock is the one that only goes forward (os/clock.h):
 * by the clock of the day, a wait would end at once or hours late when somebody sets that clock.
 */
#ifndef TV_OS_WAITS_H
#define TV_OS_WAITS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Makes a condition whose timed waits take moments of tv_wait_until. False: memory ran out. */
bool tv_wait_init(pthread_cond_t *condition);
/* The moment `patience_ns` from now, in the form that pthread_cond_timedwait takes. */
struct timespec tv_wait_until(uint64_t patience_ns);

/* Some threads serve many clients at once, so a wait of one of them is a wait of all: the threads
 * of the HTTP library. Says of this thread whether it is such a one for now. */
void tv_wait_forbid(bool is_forbidden);
/* Stands where a wait for a disk or another process may follow. In builds with assertions it ends
 * the program on a thread that must not wait. */
void tv_wait_expect(void);

/* What a request has waited for so far. */
enum tv_waited {
    TV_WAIT_THREAD,   /* one that answers it */
    TV_WAIT_DATABASE, /* connections to it, and what they answer */
    TV_WAIT_FILES,    /* an object store, and an index that is brought */
    TV_WAIT_KINDS
};
struct tv_waits {
    uint64_t ns[TV_WAIT_KINDS];
};
/* Says for which request this thread works from now on; NULL: for none. */
void tv_waits_begin(struct tv_waits *waits);
/* This thread has waited for that since the moment; of a thread that works for no request nothing
 * is noted. */
void tv_waits_note(enum tv_waited what, uint64_t since_ns);
/* How long the request has waited for that; 0 where this thread works for none. */
uint64_t tv_waits_of(enum tv_waited what);

#endif
