/*
 * Calls that take longer than a time, which have a ring written while it still has what was going
 * on: the trigger of a flight recorder. The calling thread notes when each call begins, so this
 * costs two more readings of the clock for a call, and nothing where it is not asked for.
 */
#ifndef TV_RECORD_SLOW_H
#define TV_RECORD_SLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "record/methods.h"

/* Calls deeper than this are not timed. */
#define TV_SLOW_DEPTH 1024u

/* The time in ticks; 0: no call is timed. */
extern uint64_t tv_slow_ticks;

/* From the next recording on, of methods whose name ends with `name`, or of all (NULL); 0 ns: of
 * none. The name is copied. Under the lock of cold.h. */
void tv_slow_prepare(uint64_t ns, const char *name);
void tv_slow_end(void);
/* Whether a name tells which methods are timed. */
bool tv_slow_has_name(void);
/* A method was described: what it is called is compared. Under the lock. */
void tv_slow_meet(uint32_t number, const struct tv_recorded_method *method);
/* The method is called so, which its description does not have: functions of C have addresses
 * there.
 */
void tv_slow_meet_name(uint32_t number, const char *name);

/* How many methods have that name. */
uint32_t tv_slow_count(void);

/* A call of the calling thread begins at this depth, or ends there. */
void tv_slow_enter(uint32_t level);
void tv_slow_leave(uint32_t level, uint32_t number);
/* The open calls of the calling thread are others. */
void tv_slow_forget(void);
/* The calling thread ends. */
void tv_slow_release(void);

/* The call that the dump under way was asked for; 0: by nobody's call. Forgets it. */
uint32_t tv_slow_take(uint64_t *ns);

#endif
