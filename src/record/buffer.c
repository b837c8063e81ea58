/*
 * The buffer of a recording; see record/buffer.h.
 *
 * New blocks are cut off the unused end of one mapping. Blocks that come back stand in lists by
 * size; their slots are cleared on return, so that a block that is taken is always zero. Nothing is
 * ever joined or moved: pointers into blocks stay good until the buffer is released.
 */
#include "record/buffer.h"

#include <string.h>

/* A buffer holds at least this many of its largest blocks. */
#define LARGEST_BLOCKS_LEAST 8u

/* A rest is worth a block from this many slots on: the head and a few records. */
#define REST_SLOTS_LEAST 8u

/* This much of a buffer gets its pages at once, which takes the kernel some milliseconds at the
 * start. Beyond it, each block gets its pages when it is taken. */
#define TOUCHED_MOST ((size_t)64 * 1024 * 1024)

static size_t bytes_of(uint32_t slots)
{
    return sizeof(struct tv_block) + slots * sizeof(struct tv_slot);
}

bool tv_pool_init(struct tv_buffer_pool *pool, size_t len)
{
    *pool = (struct tv_buffer_pool){.len = len};
    while (pool->largest + 1 < TV_BLOCK_SIZES &&
           bytes_of(tv_block_slots(pool->largest + 1)) * LARGEST_BLOCKS_LEAST <= len)
        pool->largest++;
    pool->bytes = tv_mapping_cache_take(len);
    if (!pool->bytes)
        return false;
    tv_mapping_cache_touch(pool->bytes, len < TOUCHED_MOST ? len : TOUCHED_MOST);
    return true;
}

void tv_pool_release(struct tv_buffer_pool *pool)
{
    tv_mapping_cache_release(pool->bytes, pool->len);
    tv_memory_release(&pool->beyond);
    *pool = (struct tv_buffer_pool){.bytes = NULL};
}

static struct tv_block *take_free(struct tv_buffer_pool *pool, unsigned size)
{
    struct tv_block *block = pool->free[size];
    if (block) {
        pool->free[size] = block->next;
        block->next = NULL;
    }
    return block;
}

static struct tv_block *take_new(struct tv_buffer_pool *pool, unsigned size)
{
    size_t len = bytes_of(tv_block_slots(size));
    if (len > pool->len - pool->used)
        return NULL;
    char *at = pool->bytes + pool->used;
    pool->used += len;
    struct tv_block *block = (struct tv_block *)(void *)at;
    if (pool->used > TOUCHED_MOST)
        tv_mapping_cache_touch(block, len);
    block->cap = tv_block_slots(size);
    return block;
}

/* Looks for a block that came back, of the wanted size or larger, before the unused end is cut.
 * Where neither has room, smaller blocks do: a full buffer is filled to its last block. */
struct tv_block *tv_pool_take(struct tv_buffer_pool *pool, unsigned size)
{
    unsigned wanted = size < pool->largest ? size : pool->largest;
    for (unsigned larger = wanted; larger <= pool->largest; larger++) {
        struct tv_block *block = take_free(pool, larger);
        if (block)
            return block;
    }
    for (unsigned i = wanted + 1; i-- > 0;) {
        struct tv_block *block = take_new(pool, i);
        if (!block && i < wanted)
            block = take_free(pool, i);
        if (block)
            return block;
    }
    return NULL;
}

struct tv_block *tv_pool_take_beyond(struct tv_buffer_pool *pool)
{
    struct tv_block *block = tv_memory_take(&pool->beyond, bytes_of(TV_BLOCK_SLOTS_LEAST));
    if (block)
        block->cap = TV_BLOCK_SLOTS_LEAST;
    return block;
}

void tv_pool_give(struct tv_buffer_pool *pool, struct tv_block *block)
{
    memset(block->slots, 0, block->used * sizeof(struct tv_slot));
    block->used = 0;
    unsigned size = 0;
    while (size < pool->largest && tv_block_slots(size + 1) <= block->cap)
        size++;
    block->next = pool->free[size];
    pool->free[size] = block;
}

/* The end of a block becomes a block of its own. A block's head has the size of whole slots, so the
 * rest begins where a slot did. */
void tv_pool_give_rest(struct tv_buffer_pool *pool, struct tv_block *block)
{
    uint32_t left = block->cap - block->used;
    if (left < REST_SLOTS_LEAST)
        return;
    struct tv_block *rest = (struct tv_block *)(void *)(block->slots + block->used);
    block->cap = block->used;
    *rest = (struct tv_block){
        .cap = (uint32_t)(left - sizeof(struct tv_block) / sizeof(struct tv_slot))};
    tv_pool_give(pool, rest);
}
