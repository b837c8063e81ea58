/*
 * Mappings, and some that are kept; see os/memory/mapping_cache.h.
 *
 * Blocks of 2 MiB and more use large pages. Kept mappings of large and of small pages are not
 * mixed: a block of small pages gets the shortest kept mapping that fits, or one large page, and
 * what is left over stays kept. Neighbouring kept mappings are joined, so that the pieces of a cut
 * mapping become whole again.
 */
#include "os/memory/mapping_cache.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE_LEN ((size_t)4096)
/* From this length on, large pages are asked for: a fault for each 4 KiB costs more than filling
 * the page, and random reads in small pages cost a look at the page table too. Linux aligns a
 * mapping whose length is a multiple of large pages, and moves it as a whole. */
#define LARGE_PAGE_LEN ((size_t)2 << 20)

void tv_mapping_cache_init(struct tv_mapping_cache *pages)
{
    *pages = (struct tv_mapping_cache){.count = 0};
    (void)pthread_mutex_init(&pages->lock, NULL);
}

static bool is_large(size_t len)
{
    return len >= LARGE_PAGE_LEN;
}

size_t tv_mapping_cache_len(size_t block_len)
{
    size_t page_len = is_large(block_len) ? LARGE_PAGE_LEN : PAGE_LEN;
    return (block_len + page_len - 1) & ~(page_len - 1);
}

/* This is advice: a kernel without large pages refuses, and nothing is lost. */
static void ask_for_large_pages(void *block, size_t len)
{
    if (is_large(len))
        (void)madvise(block, len, MADV_HUGEPAGE);
}

static void *map_anew(size_t len)
{
    void *block = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        return NULL;
    ask_for_large_pages(block, len);
    return block;
}

static void add_kept(struct tv_mapping_cache *pages, struct tv_cached_mapping block)
{
    pages->kept[pages->count++] = block;
    pages->len += block.len;
}

static struct tv_cached_mapping remove_kept(struct tv_mapping_cache *pages, size_t i)
{
    struct tv_cached_mapping kept = pages->kept[i];
    pages->count--;
    pages->len -= kept.len;
    memmove(pages->kept + i, pages->kept + i + 1, (pages->count - i) * sizeof(kept));
    return kept;
}

static void give_back_oldest(struct tv_mapping_cache *pages)
{
    struct tv_cached_mapping kept = remove_kept(pages, 0);
    (void)munmap(kept.at, kept.len);
}

/* The shortest kept mapping, of large pages or of small ones, that is long enough. */
static struct tv_cached_mapping *find_kept(struct tv_mapping_cache *pages, size_t len,
                                           bool in_large)
{
    struct tv_cached_mapping *best = NULL;
    for (size_t i = 0; i < pages->count; i++) {
        struct tv_cached_mapping *kept = &pages->kept[i];
        if (kept->len >= len && is_large(kept->len) == in_large && (!best || kept->len < best->len))
            best = kept;
    }
    return best;
}

/* Takes the last `len` bytes of a kept mapping, which then is shorter or gone. */
static char *cut_end(struct tv_mapping_cache *pages, struct tv_cached_mapping *kept, size_t len)
{
    char *end = kept->at + kept->len - len;
    kept->len -= len;
    pages->len -= len;
    if (!kept->len)
        (void)remove_kept(pages, (size_t)(kept - pages->kept));
    return end;
}

/* Takes a kept mapping for a block, or NULL. A block of small pages takes a whole kept mapping or
 * one large page; what it does not need is kept, or unmapped if it is too short. */
static void *take_kept(struct tv_mapping_cache *pages, size_t len)
{
    struct tv_cached_mapping *kept = find_kept(pages, len, is_large(len));
    size_t taken = len;
    if (kept && !is_large(len))
        taken = kept->len;
    if (!kept && !is_large(len)) {
        kept = find_kept(pages, LARGE_PAGE_LEN, true);
        taken = LARGE_PAGE_LEN;
    }
    if (!kept)
        return NULL;
    char *block = cut_end(pages, kept, taken);
    if (taken - len >= TV_MAPPING_CACHE_LEAST_LEN && pages->count < TV_MAPPING_CACHE_KEPT_COUNT)
        add_kept(pages, (struct tv_cached_mapping){block + len, taken - len});
    else if (taken > len)
        (void)munmap(block + len, taken - len);
    return block;
}

/* Takes a kept mapping, or returns NULL. The caller then maps `more` bytes anew, so `more` bytes of
 * kept ones are unmapped first: kept mappings never add to what the program needs. */
static void *take(struct tv_mapping_cache *pages, size_t len, size_t more)
{
    (void)pthread_mutex_lock(&pages->lock);
    void *block = take_kept(pages, len);
    size_t most = pages->len > more ? pages->len - more : 0;
    while (!block && pages->len > most)
        give_back_oldest(pages);
    (void)pthread_mutex_unlock(&pages->lock);
    return block;
}

void *tv_mapping_cache_map(struct tv_mapping_cache *pages, size_t len)
{
    void *block = pages ? take(pages, len, len) : NULL;
    return block ? block : map_anew(len);
}

void *tv_mapping_cache_map_zeroed(struct tv_mapping_cache *pages, size_t len)
{
    void *block = pages ? take(pages, len, len) : NULL;
    return block ? memset(block, 0, len) : map_anew(len);
}

/* Whether two mappings can be kept as one: large with large, small with small, or small ones that
 * make one large page. */
static bool belong_together(struct tv_cached_mapping first, struct tv_cached_mapping second)
{
    size_t len = first.len + second.len;
    if (first.at + first.len != second.at || len > TV_MAPPING_CACHE_KEPT_LEN)
        return false;
    if (is_large(first.len) || is_large(second.len))
        return is_large(first.len) && is_large(second.len);
    return len < LARGE_PAGE_LEN ||
           (len == LARGE_PAGE_LEN && (uintptr_t)first.at % LARGE_PAGE_LEN == 0);
}

/* Joins a released block with kept mappings on either side of it. */
static struct tv_cached_mapping join_neighbours(struct tv_mapping_cache *pages,
                                                struct tv_cached_mapping block)
{
    for (size_t i = pages->count; i-- > 0;) {
        bool is_before = belong_together(pages->kept[i], block);
        if (!is_before && !belong_together(block, pages->kept[i]))
            continue;
        struct tv_cached_mapping neighbour = remove_kept(pages, i);
        block.at = is_before ? neighbour.at : block.at;
        block.len += neighbour.len;
        i = pages->count; /* the longer block may have other neighbours */
    }
    return block;
}

/* Keeps a released block; the oldest kept mappings go if there is no room for it. */
static void keep(struct tv_mapping_cache *pages, struct tv_cached_mapping block)
{
    (void)pthread_mutex_lock(&pages->lock);
    block = join_neighbours(pages, block);
    while (pages->count == TV_MAPPING_CACHE_KEPT_COUNT ||
           block.len > TV_MAPPING_CACHE_KEPT_LEN - pages->len)
        give_back_oldest(pages);
    add_kept(pages, block);
    (void)pthread_mutex_unlock(&pages->lock);
}

void tv_mapping_cache_unmap(struct tv_mapping_cache *pages, void *block, size_t len)
{
    if (pages && len <= TV_MAPPING_CACHE_KEPT_LEN)
        keep(pages, (struct tv_cached_mapping){block, len});
    else
        (void)munmap(block, len);
}

/* Whether a block must be copied, and cannot move with its pages. */
static bool has_to_copy(size_t old_len, size_t new_len)
{
#ifdef __SANITIZE_THREAD__
    /* ThreadSanitizer would take a new mapping at the old addresses for the old block. */
    (void)old_len;
    (void)new_len;
    return true;
#else
    /* Pages that move stay small. */
    return !is_large(old_len) && is_large(new_len);
#endif
}

/* Moves a block with its pages. NULL where that is not possible, as when the block was joined from
 * several mappings, which the system does not move together. */
static void *move_pages(void *block, size_t old_len, size_t new_len)
{
    if (has_to_copy(old_len, new_len))
        return NULL;
    void *moved = mremap(block, old_len, new_len, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED)
        return NULL;
    if (new_len > old_len)
        ask_for_large_pages(moved, new_len);
    return moved;
}

static void *copy_anew(void *block, size_t old_len, size_t new_len)
{
    void *copy = map_anew(new_len);
    if (!copy)
        return NULL;
    memcpy(copy, block, old_len < new_len ? old_len : new_len);
    (void)munmap(block, old_len);
    return copy;
}

/* Growing prefers a kept mapping, whose pages are there already, to new pages. */
void *tv_mapping_cache_resize(struct tv_mapping_cache *pages, void *block, size_t old_len,
                              size_t new_len)
{
    if (old_len == new_len)
        return block;
    void *kept = pages && new_len > old_len ? take(pages, new_len, new_len - old_len) : NULL;
    if (kept) {
        memcpy(kept, block, old_len);
        tv_mapping_cache_unmap(pages, block, old_len);
        return kept;
    }
    void *moved = move_pages(block, old_len, new_len);
    return moved ? moved : copy_anew(block, old_len, new_len);
}

void tv_mapping_cache_release(struct tv_mapping_cache *pages)
{
    while (pages->count)
        give_back_oldest(pages);
    (void)pthread_mutex_destroy(&pages->lock);
}
