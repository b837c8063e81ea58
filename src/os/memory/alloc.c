/*
 * The program's allocator; see os/memory/alloc.h.
 *
 * The caller always tells a block's length, and the length alone says whether the block is a
 * mapping: no header is needed. Pages of a mapping that were never touched cost nothing, so a
 * mapping is rounded up freely.
 */
#include "os/memory/alloc.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"

static void release(struct tv_mapping_cache *pages, void *block, size_t len)
{
    const struct tv_alloc *small = tv_alloc_libc();
    if (len >= TV_OS_MAP_LEN)
        tv_mapping_cache_unmap(pages, block, tv_mapping_cache_len(len));
    else if (block)
        (void)small->resize(small->ctx, block, len, 0);
}

/* A block that changes its kind is copied; otherwise its kind's own way of resizing is used. */
static void *resize(void *ctx, void *block, size_t old_len, size_t new_len)
{
    struct tv_mapping_cache *pages = ctx;
    const struct tv_alloc *small = tv_alloc_libc();
    bool was_mapped = block && old_len >= TV_OS_MAP_LEN;
    if (!new_len) {
        release(pages, block, block ? old_len : 0);
        return NULL;
    }
    if (new_len > SIZE_MAX / 2)
        return NULL;
    if (new_len < TV_OS_MAP_LEN && !was_mapped)
        return small->resize(small->ctx, block, old_len, new_len);
    if (new_len >= TV_OS_MAP_LEN && was_mapped)
        return tv_mapping_cache_resize(pages, block, tv_mapping_cache_len(old_len),
                                       tv_mapping_cache_len(new_len));
    void *moved = new_len >= TV_OS_MAP_LEN
                      ? tv_mapping_cache_map(pages, tv_mapping_cache_len(new_len))
                      : small->resize(small->ctx, NULL, 0, new_len);
    if (!moved || !block)
        return moved;
    memcpy(moved, block, old_len < new_len ? old_len : new_len);
    release(pages, block, old_len);
    return moved;
}

static void *zeroed(void *ctx, size_t len)
{
    const struct tv_alloc *small = tv_alloc_libc();
    if (len > SIZE_MAX / 2)
        return NULL;
    return len < TV_OS_MAP_LEN ? small->zeroed(small->ctx, len)
                               : tv_mapping_cache_map_zeroed(ctx, tv_mapping_cache_len(len));
}

static const struct tv_alloc os_alloc = {.resize = resize, .zeroed = zeroed};

const struct tv_alloc *tv_os_alloc(void)
{
    return &os_alloc;
}

struct tv_alloc tv_os_alloc_with(struct tv_mapping_cache *pages)
{
    return (struct tv_alloc){.resize = resize, .ctx = pages, .zeroed = zeroed};
}
