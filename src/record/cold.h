/*
 * The lock for all that is not the hot path: who holds it gets no signal and is not cancelled, so a
 * handler that records never waits for the thread that it interrupts. errno is kept.
 */
#ifndef TV_RECORD_COLD_H
#define TV_RECORD_COLD_H

#include <signal.h>

struct tv_cold {
    sigset_t signals;
    int cancel_state, error;
};

void tv_cold_enter(struct tv_cold *cold);
void tv_cold_leave(const struct tv_cold *cold);

/* Of fork(): the parent's thread takes the lock before it, and both sides let go of it. */
void tv_cold_before_fork(void);
void tv_cold_after_fork(void);

#endif
