/*
 * The recording under way, and its end before anyone asks for it. Inside the recorder alone, under
 * the lock of cold.h.
 */
#ifndef TV_RECORD_SESSION_H
#define TV_RECORD_SESSION_H

#include <stdbool.h>

#include "record/hot.h"
#include "record/recording.h"

extern struct tv_recording tv_current;
extern struct tv_thread *tv_threads; /* those that have a block */

/* Ends the recording, but not yet the file. */
void tv_session_halt(void);
/* The same with a line on standard error; what the recording was stopped by first stays. */
void tv_session_stop_early(enum tv_recording_stop why);
/* The same where the file cannot be written. */
void tv_session_fail(void);

/* Holds all threads at their next record, with the lock, until the recording is resumed. False, and
 * nothing is held: nothing is recorded, or a thread did not come out of the hot path. */
struct tv_cold;
bool tv_session_pause(struct tv_cold *cold);
void tv_session_resume(const struct tv_cold *cold);

/* Whether this is the process that records: a child that was made behind the C library's back
 * shares the file, but not the recording. */
bool tv_session_is_own(void);

#endif
