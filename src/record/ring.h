/*
 * A recording that keeps what was recorded last: when its buffer is full, the oldest full block of
 * all threads is taken for the next records. The calls that such a block leaves open are noted for
 * its row, so that the file begins with them. Under the lock of cold.h.
 */
#ifndef TV_RECORD_RING_H
#define TV_RECORD_RING_H

#include <stdbool.h>

#include "record/recording.h"

/* The blocks of a row, which its thread has left, may be taken from here on. Not while a record
 * that a signal handler interrupted is to be put into one of them. */
void tv_ring_offer(struct tv_recording *recording, struct tv_row *row);
/* Gives the oldest of the offered blocks back to the pool; false: there is none. */
bool tv_ring_give_oldest(struct tv_recording *recording);
/* The thread of a row has ended: the row may be another's when it has no blocks. */
void tv_ring_end_row(struct tv_recording *recording, struct tv_row *row);
/* Before the file is written, once all blocks are mended: finds where its time begins, as of now,
 * in ticks since the recording's start. */
void tv_ring_set_begin(struct tv_recording *recording, uint64_t now_ticks);

#endif
