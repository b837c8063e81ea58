/*
 * A timer on the CPU time of a thread of this process: it interrupts the thread there where it
 * runs, by a signal that nobody else has. The kernel looks at such timers at its ticks, some
 * hundred times a second, so no thread is interrupted more often than that.
 */
#ifndef TV_RECORD_CPU_TIMER_H
#define TV_RECORD_CPU_TIMER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What is done in the interrupted thread: it may do what a signal handler may. `context` is that of
 * sigaction(2). */
typedef void (*tv_cpu_timer_handler)(void *context);

/* One of a thread; all of it 0: there is none. */
struct tv_cpu_timer {
    int id; /* 1 + the kernel's; 0: none */
};

/* From here on timers call the handler; false where no signal is free. One handler at a time. */
bool tv_cpu_timer_begin(tv_cpu_timer_handler handler);
/* The handler is called no more, once those that are under way have returned. */
void tv_cpu_timer_end(void);
/* In the child of a fork: it has no timers, and waits for none of the parent's handlers. */
void tv_cpu_timer_after_fork(void);

/* By any thread, for another or itself. False where the kernel has no more timers. */
bool tv_cpu_timer_start(struct tv_cpu_timer *timer, pid_t thread, uint64_t interval_ns);
void tv_cpu_timer_stop(struct tv_cpu_timer *timer);

/* The CPU time of the calling thread, in nanoseconds; in signal handlers, too. */
uint64_t tv_cpu_timer_own_ns(void);

#endif
