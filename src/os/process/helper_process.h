/*
 * This program, run again beside itself for another task, with pipes to its standard files: the
 * viewer's threads are in Landlock domains (os/sandbox/landlock.h), where no program is started and
 * no connection is made; what needs either is the task of a helper. One thread starts and ends a
 * helper.
 */
#ifndef TV_OS_PROCESS_HELPER_PROCESS_H
#define TV_OS_PROCESS_HELPER_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/compiler.h"
#include "base/error.h"

struct tv_helper {
    pid_t pid; /* 0: none runs */
    int in;    /* closed, the helper's standard input ends; -1: closed */
    int out;   /* to read without waiting, as `said` */
    int said;  /* its standard error */
};

void tv_helper_init(struct tv_helper *helper);
/* Starts this program with the words behind its name, which end with NULL. */
enum tv_code tv_helper_start(struct tv_helper *helper, const char *const *words,
                             struct tv_error *err) TV_MUST_CHECK;
/* Sends a signal to the helper, if it runs. */
void tv_helper_signal(const struct tv_helper *helper, int number);
/* Closes the pipes, and waits for the helper's end. Returns its status, or 128 and the signal that
 * ended it. */
int tv_helper_end(struct tv_helper *helper);

#endif
