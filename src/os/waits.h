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
/* The moment that comes so long after now, as pthread_cond_timedwait wants it. */
struct timespec tv_wait_until(uint64_t patience_ns);

#endif
