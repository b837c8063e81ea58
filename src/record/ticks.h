/*
 * The clock of a recorder: ticks of the processor's time-stamp counter where it never stops and
 * runs at one rate on all cores, else the nanoseconds of CLOCK_MONOTONIC, which the C library reads
 * without a system call. Records hold ticks; who writes them to a file turns them into nanoseconds.
 */
#ifndef TV_RECORD_TICKS_H
#define TV_RECORD_TICKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

/* From ticks to nanoseconds and back: factors in units of 2^-32. */
struct tv_ticks_rate {
    bool is_counter; /* the time-stamp counter; else ticks are nanoseconds */
    uint64_t ns_per_tick, ticks_per_ns;
};

#if defined(__x86_64__)
#define TV_HAS_COUNTER 1
#else
#define TV_HAS_COUNTER 0
#endif

/* Not inline: its local variable would cost the hot path the compiler's guard of the stack. */
uint64_t tv_ticks_monotonic_ns(void);

/* Any thread, also in signal handlers. The compiler moves no read of volatile memory across this
 * one of the counter, and the processor's order does not matter: see cpu_clock.h. */
TV_INLINE uint64_t tv_ticks_now(bool is_counter)
{
#if TV_HAS_COUNTER
    if (TV_LIKELY(is_counter))
        return __builtin_ia32_rdtsc();
#else
    (void)is_counter;
#endif
    return tv_ticks_monotonic_ns();
}

/* Waits until the processor has done all that came before: it reads the counter as soon as it can,
 * and what a call still waits for then, as for memory, would be time of its caller. CLOCK_MONOTONIC
 * waits by itself. */
TV_INLINE void tv_ticks_settle(bool is_counter)
{
#if TV_HAS_COUNTER
    if (TV_LIKELY(is_counter))
        __builtin_ia32_lfence();
#else
    (void)is_counter;
#endif
}

/* Chooses the clock and measures its rate, once in a process; later calls give the same. The first
 * takes up to two milliseconds. One thread at a time. */
struct tv_ticks_rate tv_ticks_measure(void);

uint64_t tv_ticks_to_ns(struct tv_ticks_rate rate, uint64_t ticks);
uint64_t tv_ticks_from_ns(struct tv_ticks_rate rate, uint64_t ns);

#endif
