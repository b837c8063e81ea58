/* What happens to signals. */
#ifndef TV_OS_MEMORY_FAULT_H
#define TV_OS_MEMORY_FAULT_H

#include <signal.h>

/*
 * For the whole process, at its start: a byte of a mapped file that is gone is handled
 * (os/memory/mapping.h), and a write beyond the limit of a file's length (ulimit -f) fails with
 * EFBIG, as one to a full disk fails with ENOSPC, where the system would end the program. Programs
 * that this one starts get neither.
 */
void tv_fault_handle_signals(void);
/* Blocks signals before a thread is started, so that the thread inherits the block and signals
 * reach the main thread only. Signals of a thread's own faults stay: blocked, they would end the
 * program without a word. `old` is the mask to set again afterwards. */
void tv_fault_hold_signals(sigset_t *old);

#endif
