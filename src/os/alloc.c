/*
 * Which kind a block is follows from its length alone, and the caller always tells it: no header is
 * needed. A mapping is rounded up to whole pages; those that were never touched cost nothing.
 */
#include "os/alloc.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"

#define PAGE_LEN ((size_t)4096)
/* From here on large pages are asked for: a fault each 4 KiB costs more than filling them, and what
 * is looked up at random in small ones costs a look at the page table, too. Linux aligns a mapping
 * to them whose length is a multiple of theirs, and so moves them as a whole. */
#define LARGE_PAGE_LEN ((size_t)2 << 20)

static size_t round_to_pages(size_t len)
{
    size_t page_len = len >= LARGE_PAGE_LEN ? LARGE_PAGE_LEN : PAGE_LEN;
    return (len + page_len - 1) & ~(page_len - 1);
}

/* Advice: a kernel without large pages says no. */
static void ask_for_large_pages(void *block, size_t len)
{
    if (len >= LARGE_PAGE_LEN)
        (void)madvise(block, len, MADV_HUGEPAGE);
}

static void *map_pages(size_t len)
{
    void *block = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        return NULL;
    ask_for_large_pages(block, len);
    return block;
}

/* Whether pages cannot just go to another address. */
static bool has_to_copy(size_t old_pages, size_t new_pages)
{
#ifdef __SANITIZE_THREAD__
    /* It would take the addresses left behind, when they are mapped anew, for the old block. */
    (void)old_pages;
    (void)new_pages;
    return true;
#else
    /* Small pages stay small wherever they go. */
    return old_pages < LARGE_PAGE_LEN && new_pages >= LARGE_PAGE_LEN;
#endif
}

static void *move_pages(void *block, size_t old_pages, size_t new_pages)
{
    if (!has_to_copy(old_pages, new_pages)) {
        block = mremap(block, old_pages, new_pages, MREMAP_MAYMOVE);
        return block == MAP_FAILED ? NULL : block;
    }
    void *moved = map_pages(new_pages);
    if (!moved)
        return NULL;
    memcpy(moved, block, old_pages < new_pages ? old_pages : new_pages);
    (void)munmap(block, old_pages);
    return moved;
}

static void *resize_mapping(void *block, size_t old_len, size_t new_len)
{
    size_t old_pages = round_to_pages(old_len);
    size_t new_pages = round_to_pages(new_len);
    if (old_pages == new_pages)
        return block;
    block = move_pages(block, old_pages, new_pages);
    if (!block)
        return NULL;
    if (new_pages > old_pages)
        ask_for_large_pages(block, new_pages);
    return block;
}

static void release(void *block, size_t len)
{
    const struct tv_alloc *small = tv_alloc_libc();
    if (len >= TV_OS_MAP_LEN)
        (void)munmap(block, round_to_pages(len));
    else if (block)
        (void)small->resize(small->ctx, block, len, 0);
}

static void *resize(void *ctx, void *block, size_t old_len, size_t new_len)
{
    const struct tv_alloc *small = tv_alloc_libc();
    bool was_mapped = block && old_len >= TV_OS_MAP_LEN;
    (void)ctx;
    if (!new_len) {
        release(block, block ? old_len : 0);
        return NULL;
    }
    if (new_len > SIZE_MAX / 2)
        return NULL;
    if (new_len < TV_OS_MAP_LEN && !was_mapped)
        return small->resize(small->ctx, block, old_len, new_len);
    if (new_len >= TV_OS_MAP_LEN && was_mapped)
        return resize_mapping(block, old_len, new_len);
    void *moved = new_len >= TV_OS_MAP_LEN ? map_pages(round_to_pages(new_len))
                                           : small->resize(small->ctx, NULL, 0, new_len);
    if (!moved || !block)
        return moved;
    memcpy(moved, block, old_len < new_len ? old_len : new_len);
    release(block, old_len);
    return moved;
}

static const struct tv_alloc os_alloc = {.resize = resize, .ctx = NULL};

const struct tv_alloc *tv_os_alloc(void)
{
    return &os_alloc;
}
