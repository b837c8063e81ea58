/*
 * What a person ends a task with that has no end of its own: a key, Ctrl-C, or SIGTERM and SIGHUP.
 * While a stopper is open, these signals are read and do nothing else, and keys are not shown. One
 * thread, one stopper at a time.
 */
#ifndef TV_OS_PROCESS_STOP_REQUEST_H
#define TV_OS_PROCESS_STOP_REQUEST_H

#include <signal.h>
#include <stdbool.h>
#include <termios.h>

#include "base/compiler.h"
#include "base/error.h"

struct tv_stop_request {
    int fd;        /* readable once a signal has come, and until tv_stop_request_wait told of it */
    bool has_keys; /* standard input is a terminal, and keys end the task, too */
    sigset_t mask; /* as before */
    struct termios terminal;
};

enum tv_stop { TV_STOP_NOT, TV_STOP_KEY, TV_STOP_SIGNAL };

enum tv_code tv_stop_request_open(struct tv_stop_request *stop, struct tv_error *err) TV_MUST_CHECK;
/* Waits for as long as `ms` milliseconds for an end. */
enum tv_stop tv_stop_request_wait(struct tv_stop_request *stop, unsigned ms);
/* From here on keys are left alone; signals are still read. */
void tv_stop_request_leave_keys(struct tv_stop_request *stop);
/* Puts back what signals and keys did before. */
void tv_stop_request_close(struct tv_stop_request *stop);

#endif
