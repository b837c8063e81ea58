/*
 * Threads that a runtime carries on those of the kernel, one after another, as Java's virtual
 * threads are. What the kernel's thread records while it carries one goes to the row of that one;
 * so do its open calls, and the CPU time that the kernel's thread takes meanwhile. While nothing
 * carries it, a carried thread has no block of the buffer, and memory for its open calls alone.
 *
 * The kernel's thread calls all of these functions. They do nothing while nothing is recorded. A
 * second call of the same kind changes nothing.
 */
#ifndef TV_RECORD_CARRIED_H
#define TV_RECORD_CARRIED_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the calling thread is known to carry another. */
bool tv_carried_is_one(void);

/* From here on the calling thread carries the one with this ticket, or with 0 one that has none. */
void tv_carried_mount(uint64_t ticket);
/* The calling thread has carried a thread since before the recorder knew of it: from now on its
 * calls are recorded. */
void tv_carried_adopt(void);
/* The calling thread carries none any more. Returns the ticket by which tv_carried_mount continues
 * the thread; 0 if it has recorded nothing. A ticket of an earlier recording counts as 0. */
uint64_t tv_carried_unmount(void);
/* The carried thread ends: its open calls are closed, and its ticket can be given to another. */
void tv_carried_end(void);

#endif
