/*
 * A mapped file that somebody shortens while it is read ends the program by a signal; this makes
 * that a message and status 1.
 */
#ifndef TV_OS_FAULT_H
#define TV_OS_FAULT_H

#include <signal.h>

/* For the whole process. */
void tv_fault_explain_shortened_files(void);
/*
 * Before a thread is started that no signal is for: holds back all but those of the thread's own
 * faults, which would end the program without a word. `old` is to be set again afterwards.
 */
void tv_fault_hold_signals(sigset_t *old);

#endif
