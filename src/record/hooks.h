/*
 * What `traceview record` and the library for instrumented programs agree on, and what the parts of
 * the library need of each other.
 */
#ifndef TV_RECORD_HOOKS_H
#define TV_RECORD_HOOKS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Marks functions that replace those of the compiler or the C library. */
#define TV_HOOKS_SHOWN __attribute__((visibility("default")))

/* The environment of a program that is recorded. */
#define TV_HOOKS_FILE "TRACEVIEW_RECORD_FILE"       /* the file of the stream */
#define TV_HOOKS_PROCESS "TRACEVIEW_RECORD_PROCESS" /* the id of the process that is recorded */
/* What the names of the files of further processes begin with; a process's number follows. Without
 * it only one process is recorded. */
#define TV_HOOKS_PARTS "TRACEVIEW_RECORD_PARTS"
/* A file that `traceview record` holds a lock on while it records. Without that lock no process
 * begins to record, and those that record stop. */
#define TV_HOOKS_WHILE "TRACEVIEW_RECORD_WHILE"
#define TV_HOOKS_CLOCK "TRACEVIEW_RECORD_CLOCK"   /* "wall" or "dual" */
#define TV_HOOKS_BUFFER "TRACEVIEW_RECORD_BUFFER" /* bytes */
#define TV_HOOKS_MOST "TRACEVIEW_RECORD_MOST"     /* bytes of the file; then recording stops */
#define TV_HOOKS_RING "TRACEVIEW_RECORD_RING"     /* "yes": the buffer keeps what came last */
/* Of a ring: nanoseconds. A longer call of a method whose name ends with SLOW_NAME has the ring
 * written. */
#define TV_HOOKS_SLOW "TRACEVIEW_RECORD_SLOW"
#define TV_HOOKS_SLOW_NAME "TRACEVIEW_RECORD_SLOW_NAME"
#define TV_HOOKS_DEPTH "TRACEVIEW_RECORD_DEPTH" /* calls deeper than this are left out */
#define TV_HOOKS_THEN "TRACEVIEW_RECORD_THEN"   /* "stop" or "keep" the program on Ctrl-C */

/* Ends the recording, and nothing else. */
#define TV_HOOKS_STOP_SIGNAL (SIGRTMAX - 2)
/* Has the ring written into a file whose name is that of the recording, this suffix and a number.
 */
#define TV_HOOKS_DUMP_SIGNAL (SIGRTMAX - 3)
#define TV_HOOKS_DUMP_SUFFIX ".dump-"

/* Handles the signal that stops recording. The program does not see our handlers. */
void tv_hooks_handle_stop(void (*handler)(int));
/* Handles a signal that would end the program, unless the program handles it or nobody can. */
void tv_hooks_handle_end(int number, void (*handler)(int));
/* Ends the program by a signal, as if nobody handled it. */
void tv_hooks_end_by(int number);

/* Call it before an exec: ends the recording, if it is of this process and has a record. Returns
 * whether it did. */
bool tv_hooks_end_before_exec(void);

#endif
