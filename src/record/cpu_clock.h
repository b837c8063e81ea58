/*
 * CPU time of a thread without a system call for each reading.
 *
 * While a thread is not switched out, its CPU time grows as the ticks do. Linux tells of a switch
 * for nothing: a thread's area for restartable sequences (rseq; glibc 2.35 registers it) has the
 * field rseq_cs, which names a section of code. When the kernel switches a thread out, or gives it
 * a signal, outside of that section, it clears the field. So the field is made to name a section
 * that never runs. As long as it still does, CPU time is the ticks plus a constant; when it does
 * not, the constant is read anew with one system call.
 *
 * The ticks must be read before the field: then an uncleared field says that no switch came before
 * the reading. A switch waits for the instructions before it and throws away those behind it, so
 * the processor may well run the two reads in another order.
 */
#ifndef TV_RECORD_CPU_CLOCK_H
#define TV_RECORD_CPU_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "record/ticks.h"

enum tv_cpu_source {
    TV_CPU_NONE,        /* times are not kept: a reading gives the ticks */
    TV_CPU_SYSTEM_CALL, /* each reading is a system call */
    TV_CPU_SWITCHES     /* a system call after each switch */
};

/* The clock of one thread; used by that thread alone. */
struct tv_cpu_clock {
    const volatile uint64_t *field; /* holds `armed` while no switch has come; volatile, because the
                                       kernel writes it */
    uint64_t armed;
    uint64_t offset;        /* CPU time less ticks; CPU time counts from where the clock began */
    uint64_t begin;         /* thread's CPU time when the clock began, in ticks */
    volatile uint64_t *arm; /* the same field where it is to be armed, else NULL */
};

/* The best source that works in this process, looked for once: the first call of a process sleeps
 * for a moment, to see that the kernel clears the field. One thread at a time. */
enum tv_cpu_source tv_cpu_best_source(void);

/* Begins the clock of the calling thread: its CPU time is 0 now. */
void tv_cpu_begin(struct tv_cpu_clock *clock, enum tv_cpu_source source, struct tv_ticks_rate rate);

/* The clock goes on from where another ended that told `before`, in ticks. Not of a clock without
 * times. */
TV_INLINE void tv_cpu_go_on_from(struct tv_cpu_clock *clock, uint64_t before)
{
    clock->begin -= before;
    clock->offset += before;
}

/* Reads the CPU time with a system call; `now` is when it is wanted, in ticks. */
TV_NOINLINE uint64_t tv_cpu_read_anew(struct tv_cpu_clock *clock, struct tv_ticks_rate rate,
                                      uint64_t now);

/* CPU time of the calling thread since its clock began, in ticks. `now` was just read. */
TV_INLINE uint64_t tv_cpu_read(struct tv_cpu_clock *clock, const struct tv_ticks_rate *rate,
                               uint64_t now)
{
    if (TV_LIKELY(*clock->field == clock->armed))
        return now + clock->offset;
    return tv_cpu_read_anew(clock, *rate, now);
}

#endif
