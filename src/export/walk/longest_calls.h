/*
 * The longest calls of a thread by their time on the axis clock; of equal ones, those that end
 * first. At most TV_LONGEST_CALLS: a heap with the shortest one on top.
 */
#ifndef TV_EXPORT_WALK_LONGEST_CALLS_H
#define TV_EXPORT_WALK_LONGEST_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "export/walk/call_walk.h"

#define TV_LONGEST_CALLS 256u

struct tv_longest_calls {
    enum tv_clock axis;
    size_t count;
    struct tv_call_event calls[TV_LONGEST_CALLS];
};

/* Takes a call by the event of its exit, which has its whole time. */
void tv_longest_calls_take(struct tv_longest_calls *longest, const struct tv_call_event *call);
/* Sorts the calls by start, callers first. No call may be taken after that. */
void tv_longest_calls_sort(struct tv_longest_calls *longest);

#endif
