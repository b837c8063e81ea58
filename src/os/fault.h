/* What happens to signals. A mapped file that somebody shortens while it is read ends a program by
 * SIGBUS; here this becomes a message and status 1. */
#ifndef TV_OS_FAULT_H
#define TV_OS_FAULT_H

#include <signal.h>

/* Installs the handler, for the whole process. */
void tv_fault_explain_shortened_files(void);
/* Blocks signals before a thread is started, so that the thread inherits the block and signals
 * reach the main thread only. Signals of a thread's own faults stay: blocked, they would end the
 * program without a word. `old` is the mask to set again afterwards. */
void tv_fault_hold_signals(sigset_t *old);

#endif
