/*
 * A timer on the CPU time of another process's thread, which stops the thread for its tracer: the
 * kernel counts the time (perf_event_open(2)), and sends a signal that the thread itself never
 * sees, since the tracer takes it. No thread is stopped but one that runs, and at no moment of its
 * CPU time more often than at another.
 */
#ifndef TV_OS_PROCESS_THREAD_TIMER_H
#define TV_OS_PROCESS_THREAD_TIMER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The signal of the timer: it is ignored by default, so one that comes after the tracing has ended
 * does no harm. */
#define TV_THREAD_TIMER_SIGNAL SIGURG

/* One thread that traces the other. All of it 0: there is none. */
struct tv_thread_timer {
    int file; /* 1 + its number; 0: none */
};

/* False where the kernel lets this user have none that counts system calls, too. */
bool tv_thread_timer_start(struct tv_thread_timer *timer, pid_t thread, uint64_t interval_ns);
void tv_thread_timer_stop(struct tv_thread_timer *timer);
/* It stops the thread no more. A signal that is on its way is still known as its own. */
void tv_thread_timer_pause(const struct tv_thread_timer *timer);

/* Whether the signal that has stopped the thread is the timer's: it must not reach the thread. */
bool tv_thread_timer_has_stopped(const struct tv_thread_timer *timer, pid_t thread, int signal);

#endif
