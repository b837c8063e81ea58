/*
 * From the slots of a thread's blocks to the records of the file: their times go forward, and are
 * in the file's unit. Under the lock of cold.h.
 */
#ifndef TV_RECORD_BLOCKS_H
#define TV_RECORD_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "record/buffer.h"
#include "record/recording.h"

/* The method and action that a slot has. */
static inline uint32_t tv_slot_word(const struct tv_slot *slot)
{
    uint64_t low_bits = (UINT64_C(1) << TV_SLOT_WORD_BITS) - 1;
    return (uint32_t)((slot->wall_and_low & low_bits) | (slot->cpu_and_high & low_bits)
                                                            << TV_SLOT_WORD_BITS);
}

/* Takes the empty slots out of all blocks of a row, from the last block to the first, and makes
 * their times go forward. */
void tv_blocks_mend(struct tv_row *row);
/* Of a ring, before the first block of a row is written: puts the enters of the calls that were
 * open before it, at the time of its first record. */
void tv_blocks_begin_row(struct tv_recording *recording, struct tv_row *row);
/* When a row's thread was last seen, as the times of a record then would be in the file; a CPU time
 * of 0 where its clock could not be read. False where nothing tells, or the row has no record. For
 * packets, and streams, once all blocks are written; else before. */
bool tv_blocks_last_seen(const struct tv_recording *recording, const struct tv_row *row,
                         uint64_t *wall_ns, uint64_t *cpu_ns);
/* Writes the records of a block that was mended. */
void tv_blocks_put(struct tv_recording *recording, struct tv_row *row,
                   const struct tv_block *block);

#endif
