/*
 * Samples of threads of other processes, which the kernel takes itself (perf_event_open(2)). Each
 * time the threads of a process have used `interval_ns` of CPU time on a processor, the kernel
 * copies the registers and the stack of the thread that runs there. No thread is stopped.
 *
 * Samples wait in a ring of memory, one for each processor, until they are read. A sample for which
 * its ring has no room is lost, and counted. One thread.
 */
#ifndef TV_OS_PROCESS_SAMPLE_RINGS_H
#define TV_OS_PROCESS_SAMPLE_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "os/stack_copy.h"

struct tv_sample_rings;

struct tv_ring_sample {
    pid_t process, thread;
    uint64_t at_ns; /* as tv_now_ns() */
    struct tv_stack_copy stack;
    bool has_mapped;    /* it is no sample: the process has mapped code */
    uint64_t mapped_at; /* there */
};

/* Takes a sample, or a report of a mapping; borrowed for the call. */
typedef void tv_ring_take(void *ctx, const struct tv_ring_sample *sample);

/* NULL: this user may not count inside system calls, the kernel is older than Linux 5.13, memory
 * for the rings is missing, or the machine has more than 64 processors or is not x86-64. */
struct tv_sample_rings *tv_sample_rings_new(uint64_t interval_ns);
void tv_sample_rings_free(struct tv_sample_rings *rings);

/* Samples a process, whose only thread is stopped, and all threads that it begins from now on, but
 * not the processes that it starts. To be called anew when it has become another program: the
 * kernel samples one of another user no more. False: there can be no more files, or it is a program
 * of 32 bits; then it is not sampled. */
bool tv_sample_rings_start(struct tv_sample_rings *rings, pid_t process);
bool tv_sample_rings_has(const struct tv_sample_rings *rings, pid_t process);
/* Its samples that were not read yet stay. */
void tv_sample_rings_stop(struct tv_sample_rings *rings, pid_t process);

/* Takes out what is there by now, in the order of time. */
void tv_sample_rings_read(struct tv_sample_rings *rings, tv_ring_take *take, void *ctx);
/* How many samples had no room so far; 0 where the kernel does not tell (before Linux 6.0). */
uint64_t tv_sample_rings_lost(const struct tv_sample_rings *rings);

#endif
