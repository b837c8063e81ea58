/*
 * Recording by looks: a thread of the recorder's own looks at the stacks of all others, or somebody
 * tells of them, and what has changed is recorded. Inside the recorder alone.
 */
#ifndef TV_RECORD_WATCH_H
#define TV_RECORD_WATCH_H

#include <stdint.h>

#include "record/hot.h"

/* The thread that looks, until its session ends. */
void *tv_watch_run(void *unused);

#endif
