/*
 * When threads were last seen, as the recorder's property last-seen-nsec tells it: a recording that
 * ends while a thread is in a call has no record of that moment (docs/numbers.md, "Calls").
 */
#ifndef TV_FORMAT_LAST_SEEN_H
#define TV_FORMAT_LAST_SEEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "format/trace.h"

#define TV_LAST_SEEN_KEY "last-seen-nsec"

struct tv_last_seen {
    uint32_t thread;
    uint64_t ns[TV_CLOCK_COUNT]; /* as times of its records; below their unit: not known */
};

/* Whether a value says this and nothing else. */
bool tv_last_seen_is(struct tv_str value);
/* The value of the property; empty where there is none, where a part of it is something else, and
 * in version 1, whose times it does not know. */
struct tv_str tv_last_seen_of(const struct tv_trace *trace);
/* Takes the next thread from the value of the property, which is "1:2000000000:17000;2:...": ids,
 * wall times and CPU times. False at the end, and where it is something else. */
bool tv_last_seen_next(struct tv_str *value, struct tv_last_seen *seen);
/* Moves the times of a thread's last record, units of the trace, on to when it was last seen, where
 * that is later and can be (docs/numbers.md, "Calls"). `threads`: how many may have such times.
 * Whether its wall time is known then. */
bool tv_last_seen_move_on(const struct tv_trace *trace, uint64_t threads,
                          const struct tv_last_seen *seen, uint64_t time[TV_CLOCK_COUNT]);

#endif
