/*
 * The buffer of a recording: blocks of records. A thread owns the blocks that it fills, so nothing
 * is shared while it does. Its first block is small and each next twice as large, up to a limit, so
 * that neither thousands of threads nor one thread waste room. Callers hold the lock of cold.h.
 */
#ifndef TV_RECORD_BUFFER_H
#define TV_RECORD_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "record/memory.h"

/*
 * A record as a thread leaves it, 16 bytes: two numbers of 64 bits, each with 48 bits of a time in
 * ticks above 16 bits of the word (method id and action). Ticks of 48 bits pass after 15 hours at
 * 5 GHz, so a thread must record something that often. The first number is stored last and is never
 * zero, since wall times begin at 1: a zero there is a slot that is still being filled.
 */
struct tv_slot {
    uint64_t wall_and_low;
    uint64_t cpu_and_high;
};

#define TV_SLOT_WORD_BITS 16u
#define TV_SLOT_TIME_BITS 48u

struct tv_block {
    struct tv_block *next;               /* the thread's next block, or the next free one */
    uint32_t cap;                        /* slots that it has */
    uint32_t used;                       /* slots that are filled, once its thread has left it */
    _Alignas(16) struct tv_slot slots[]; /* 16 bytes behind the begin, on any machine */
};

#define TV_BLOCK_SLOTS_LEAST 62u /* with its head, a block of 1008 bytes */
#define TV_BLOCK_SIZES 6u        /* each twice the one before */

struct tv_buffer_pool {
    char *bytes;
    size_t len, used;
    unsigned largest; /* the last of TV_BLOCK_SIZES that fits the buffer */
    struct tv_block
        *free[TV_BLOCK_SIZES]; /* of at least the size's slots; the first has rests, too */
    struct tv_memory beyond;   /* blocks of streams for threads that the buffer has no room for */
};

TV_INLINE uint32_t tv_block_slots(unsigned size)
{
    return TV_BLOCK_SLOTS_LEAST << size;
}

/* False when there is no memory. */
bool tv_pool_init(struct tv_buffer_pool *pool, size_t len);
void tv_pool_release(struct tv_buffer_pool *pool);

/* An empty block of this size, or a smaller one where there is no such; NULL when the buffer is
 * full. Its slots are zero. */
struct tv_block *tv_pool_take(struct tv_buffer_pool *pool, unsigned size);
/* A small block beyond the buffer; NULL when there is no memory. */
struct tv_block *tv_pool_take_beyond(struct tv_buffer_pool *pool);
/* Gives back a block that nobody uses; its used slots are cleared. */
void tv_pool_give(struct tv_buffer_pool *pool, struct tv_block *block);
/* Gives back what a block has behind its used slots, where that is worth it. */
void tv_pool_give_rest(struct tv_buffer_pool *pool, struct tv_block *block);

#endif
