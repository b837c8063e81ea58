/*
 * Recording by looks: a thread of the recorder's own looks at the stacks of all others, or somebody
 * tells of them, and what has changed is recorded. Inside the recorder alone.
 */
#ifndef TV_RECORD_WATCH_H
#define TV_RECORD_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "record/hot.h"

/* The thread that looks, until its session ends. */
void *tv_watch_run(void *unused);

/* Prepares what watching needs, before it begins; false without memory. */
bool tv_watch_begin(void);
/* Is called when the thread does not look any more; ends the timers, too. */
void tv_watch_end(void);
/* In the child of a fork: it has no timers. */
void tv_watch_after_fork(void);

/*
 * Under the lock of cold.h.
 */

/* A timer looks at the calling thread while it runs. Without one, its CPU time is told by the other
 * looks. */
void tv_watch_time(struct tv_row *row);
/* The thread ends, or the recording does: all that was seen of it is recorded. */
void tv_watch_leave(struct tv_thread *thread);
/* The thread ends: its calls do. For threads that have a stack. */
void tv_watch_end_thread(struct tv_thread *thread);

#endif
