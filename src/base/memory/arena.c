/*
 * Bump allocation; see base/memory/arena.h. Blocks are a chain from the newest to the oldest, and
 * only the newest one has room; what is left in an older one is given up.
 */
#include "base/memory/arena.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

#define ALIGNMENT 16u
#define FIRST_BLOCK_LEN 4096u

struct tv_arena_block {
    struct tv_arena_block *older;
    size_t len; /* bytes, this head included */
};

/* The length of a block's head, rounded up so that what is allocated after it is aligned. */
#define HEAD_LEN ((sizeof(struct tv_arena_block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)

void tv_arena_init(struct tv_arena *arena, const struct tv_alloc *alloc)
{
    *arena = (struct tv_arena){.alloc = alloc, .newest = NULL, .used = 0};
}

void tv_arena_release(struct tv_arena *arena)
{
    while (arena->newest) {
        struct tv_arena_block *older = arena->newest->older;
        tv_alloc_release(arena->alloc, &arena->newest, arena->newest->len, 1);
        arena->newest = older;
    }
    arena->used = 0;
}

/* Each block is twice as long as the one before, which keeps the number of blocks small. The rest
 * of the block before stays unused. */
static enum tv_code add_block(struct tv_arena *arena, size_t need, struct tv_error *err)
{
    size_t len = arena->newest ? arena->newest->len : FIRST_BLOCK_LEN / 2;
    len = len > SIZE_MAX / 2 ? SIZE_MAX : len * 2;
    size_t least;
    if (!tv_size_add(need, HEAD_LEN, &least))
        return tv_fail_memory(err, UINT64_MAX);
    if (len < least)
        len = least;
    struct tv_arena_block *block = arena->alloc->resize(arena->alloc->ctx, NULL, 0, len);
    if (!block)
        return tv_fail_memory(err, len);
    *block = (struct tv_arena_block){.older = arena->newest, .len = len};
    arena->newest = block;
    arena->used = HEAD_LEN;
    return TV_OK;
}

/* Blocks are zeros, as from tv_alloc_new. What is left of a block when the next one comes is lost,
 * which the size of blocks keeps small. */
enum tv_code tv_arena_take(struct tv_arena *arena, size_t len, void *out_pointer,
                           struct tv_error *err)
{
    size_t need;
    if (!tv_size_add(len, ALIGNMENT - 1, &need))
        return tv_fail_memory(err, UINT64_MAX);
    need = need / ALIGNMENT * ALIGNMENT;
    if (!arena->newest || need > arena->newest->len - arena->used)
        TV_TRY(add_block(arena, need, err));
    void *at = (char *)arena->newest + arena->used;
    arena->used += need;
    memset(at, 0, len);
    memcpy(out_pointer, &at, sizeof(at));
    return TV_OK;
}

enum tv_code tv_arena_keep(struct tv_arena *arena, struct tv_str text, struct tv_str *kept,
                           struct tv_error *err)
{
    char *at;
    if (text.len == SIZE_MAX)
        return tv_fail_memory(err, UINT64_MAX);
    TV_TRY(tv_arena_take(arena, text.len + 1, &at, err));
    if (text.len)
        memcpy(at, text.at, text.len);
    *kept = (struct tv_str){at, text.len};
    return TV_OK;
}
