/*
 * Running a user's program, and looking at its threads at an interval, and at those of the
 * processes that it starts: each is stopped for a moment by ptrace(2), and goes on. A thread that
 * has not run since it was last looked at is left alone; one that waits anew is stopped only where
 * its stack cannot be known otherwise: a call that waits ends early by that (some by EINTR), and
 * takes CPU time that it would not have. One thread.
 *
 * A running thread is not stopped where the kernel copies its stack by itself after each interval
 * of CPU time (sample_rings.h). Else a timer on the CPU time of each thread stops it, where the
 * kernel lets this user have one (thread_timer.h). Else running threads are stopped at random
 * distances around the interval, so that no program is in step with them; on a busy machine such a
 * look comes late, and finds the program in a system call too often.
 */
#ifndef TV_OS_PROCESS_SAMPLER_H
#define TV_OS_PROCESS_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/compiler.h"
#include "base/error.h"
#include "os/process/child.h"
#include "os/process/thread_facts.h"

struct tv_stack_copy;

struct tv_sampled_thread {
    pid_t process, id;
    uint64_t at_ns;    /* when: as tv_now_ns(). Of one thread it may step back a bit */
    uint64_t cpu_ns;   /* that it has used since it, or the program, began */
    uint64_t begin_ns; /* when it, or the program, began: as tv_now_ns() */
    /* The thread may have been found ready to run between the look before and this one, which tells
     * when a wait ended or began: a running thread is looked at when it has used the interval of
     * CPU time, which takes long where other threads have the processors. */
    uint64_t ready_ns; /* the first time, where the look before found it waiting; else 0 */
    uint64_t ran_ns;   /* the last time, where this look, and not the one before, does; else 0 */
    bool is_running;   /* on a processor; else it waits, for one or for anything else */
    bool is_by_timer;  /* its CPU time was the reason, so that it did run */
    bool is_waiting;   /* it is in, or was taken out of, a system call that waits */
    bool is_recalled;  /* it is not stopped: recall() has found its stack */
    const struct tv_stack_copy *copy; /* its stack, if it is not stopped; else NULL */
    bool is_cut;                      /* look() sets it: the copy has not all of the stack */
    char name[TV_THREAD_NAME_CAP];    /* as the kernel has it */
};

struct tv_sampler {
    const char *const *words;            /* the program and its arguments; ends with NULL */
    const struct tv_variable *variables; /* of its environment */
    size_t variable_count;
    uint64_t interval_ns;
    uint64_t duration_ns; /* how long to sample; 0: until the program ends */
    bool is_ended;        /* then it gets SIGTERM; else Ctrl-C ends the looking alone */
    bool follows;         /* the processes that it starts are sampled, too */
    void *ctx;
    /* Once for each process, before it runs its first instruction: the first is the program. */
    enum tv_code (*begin)(void *ctx, pid_t process, struct tv_error *err);
    /* A process has no thread any more, or is no longer sampled. */
    void (*leave)(void *ctx, pid_t process);
    /* The looking has ended before the program did; it is not called where that failed. */
    void (*over)(void *ctx);
    /* A thread waits there and is not stopped. Whether its stack can be known so; if the thread has
     * not run meanwhile, look() follows, else what was found means nothing. */
    bool (*recall)(void *ctx, pid_t process, const struct tv_wait_place *place);
    /* A thread is stopped, or recalled, or its stack was copied. A failure ends the looking, and
     * the program runs on. */
    enum tv_code (*look)(void *ctx, struct tv_sampled_thread *thread, struct tv_error *err);
    /* A process has mapped code at `address` since the last sample. */
    void (*map)(void *ctx, pid_t process, uint64_t address);
    /* At the end: `count` copies are missing, since they were not read in time. */
    void (*lose)(void *ctx, uint64_t count);
    /* A thread has not run since it was last looked at: its stack is the same. */
    void (*rest)(void *ctx, pid_t process, pid_t thread);
    /* A thread ends, or is no longer sampled. */
    void (*end)(void *ctx, const struct tv_sampled_thread *thread);
    /* Called five times a second while the program is sampled; may be NULL. */
    void (*tell)(void *ctx, uint64_t passed_ns);
    /* Called after looks: whether enough was seen. Then sampling ends, and the program runs on. */
    bool (*is_enough)(void *ctx);
    int request;                  /* a signal to the caller; 0: none */
    void (*requested)(void *ctx); /* the request came while the program is sampled */
    /* The process became another program. False: that is not to be looked at, nor what it starts.
     */
    bool (*replace)(void *ctx, pid_t process);
};

/* Why no program of this user can be looked at; NULL: none is known. */
const char *tv_sampler_is_forbidden(void);

/* Runs the program to its end in the caller's terminal; what it started may run on then. Fails when
 * it cannot be started, or looked at. */
enum tv_code tv_sampler_run(const struct tv_sampler *sampler, struct tv_child_end *end,
                            struct tv_error *err) TV_MUST_CHECK;

#endif
