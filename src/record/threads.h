/*
 * Threads that record: their rows, blocks and names. Inside the recorder alone; under the lock of
 * cold.h, but for what the hot path calls (hot.h).
 */
#ifndef TV_RECORD_THREADS_H
#define TV_RECORD_THREADS_H

#include <stdbool.h>

#include "record/hot.h"
#include "record/recording.h"

/* Makes the calling thread's end known to the recorder: the destructor of a thread's key. */
extern pthread_key_t tv_threads_end_key;
void tv_threads_end(void *ended);

/* Notes how far the thread's block is filled. */
void tv_threads_leave_block(const struct tv_thread *thread);
/* Replaces the thread's full block. A block that an interrupted record is still to be put into
 * stays, and is written with the next. */
bool tv_threads_change_block(struct tv_thread *thread, bool is_nested);

/* A thread that has a row records from here on: it gets a block and is in the list. False: the
 * buffer is full, which ends the recording. */
bool tv_threads_begin(struct tv_thread *thread);
/* The thread records no more, or not for now: its row stays, its memory goes. */
void tv_threads_leave(struct tv_thread *thread);

/* The thread is seen where it is, for the last time in the file that is about to be written: at a
 * wall time in ticks, and with the CPU time that it has now. */
void tv_threads_see(const struct tv_thread *thread, uint64_t wall);

/* The name that the kernel has for a thread; what was there stays where that cannot be told. */
void tv_threads_read_name(struct tv_row *row);
void tv_threads_name_row(struct tv_thread *thread);

#endif
