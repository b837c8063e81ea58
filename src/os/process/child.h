/* Running a user's program in the user's terminal, and waiting for its end. One thread. */
#ifndef TV_OS_PROCESS_CHILD_H
#define TV_OS_PROCESS_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/compiler.h"
#include "base/error.h"

struct tv_variable {
    const char *name, *value; /* without a value it is not set */
};

struct tv_child {
    const char *const *words; /* the program and its arguments; ends with NULL */
    const struct tv_variable *variables;
    size_t variable_count;
    const char *process_variable;                /* gets the process's number */
    uint64_t duration_ns;                        /* after this its time is over; 0: never */
    bool (*has_begun)(void *ctx);                /* it counts from then on; NULL: from the start */
    void (*over)(void *ctx, pid_t child);        /* called then; may be NULL */
    int request;                                 /* a signal to the caller; 0: none */
    void (*requested)(void *ctx, pid_t child);   /* called when it comes */
    void (*look)(void *ctx, uint64_t passed_ns); /* called five times a second; may be NULL */
    void *ctx;
    bool is_ended; /* it gets SIGTERM besides */
};

/* How a program ended. */
struct tv_child_end {
    int why_not_started;  /* an errno; 0: it was started */
    int status;           /* as waitpid() gives it, where it was started */
    bool was_told_to_end; /* its time was over, and it got SIGTERM */
    uint64_t cpu_ns;      /* that it took, and those of its children that it waited for */
};

/* What signals did before a program is run, which the program inherits. */
struct tv_child_signals {
    sigset_t waited_for; /* what interrupts the wait for the program's end */
    sigset_t mask;
    struct sigaction of_children;
    int request; /* waited for besides; 0: none */
    int came;    /* what ended the last wait; -1: its time */
};

/* Blocks the signals that are waited for, until they are given back. `request` is set before. */
void tv_child_signals_take(struct tv_child_signals *signals);
void tv_child_signals_give_back(const struct tv_child_signals *signals);

/* In the child, before it becomes the program. */
void tv_child_signals_inherit(const struct tv_child_signals *signals);

/*
 * Waits for a change of the program, or for the time; without one for ever. What asks the caller to
 * end is sent on to the program, whose end the caller then sees. False when the time is over.
 */
bool tv_child_signals_wait(struct tv_child_signals *signals, pid_t child,
                           const struct timespec *left);

/*
 * Runs the program in the caller's terminal, with its standard files. A Ctrl-C is the program's
 * affair: the caller waits on; SIGTERM and SIGHUP are sent on to it. Fails when the program cannot
 * be started; the error names it.
 */
enum tv_code tv_child_run(const struct tv_child *program, struct tv_child_end *end,
                          struct tv_error *err) TV_MUST_CHECK;

/* Becomes another program; returns only when that fails. */
void tv_child_become(const char *path, const char *const *words);

#endif
