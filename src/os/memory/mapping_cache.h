/*
 * Mappings for large blocks; some that were released are kept for blocks to come.
 *
 * The kernel must clear each fresh page, one fault each, and a virtual machine may have to get the
 * page back from its host first, which takes thirty times as long. Answers that need the same room
 * one after the other need no fresh page, if the room of one is kept for the next.
 *
 * Keeping never makes the program larger than it was with all blocks in use at once: when no kept
 * mapping is long enough, as many kept bytes are given back as are mapped anew.
 */
#ifndef TV_OS_MEMORY_MAPPING_CACHE_H
#define TV_OS_MEMORY_MAPPING_CACHE_H

#include <pthread.h>
#include <stddef.h>

/* Blocks of this length and more are mappings of their own. */
#define TV_MAPPING_CACHE_LEAST_LEN ((size_t)128 * 1024)

/* The most bytes and mappings that are kept. */
#define TV_MAPPING_CACHE_KEPT_LEN ((size_t)128 << 20)
#define TV_MAPPING_CACHE_KEPT_COUNT 32u

struct tv_cached_mapping {
    char *at;
    size_t len;
};

/* Any number of threads at once. */
struct tv_mapping_cache {
    pthread_mutex_t lock;
    struct tv_cached_mapping kept[TV_MAPPING_CACHE_KEPT_COUNT]; /* the oldest first */
    size_t count;
    size_t len; /* bytes kept */
};

void tv_mapping_cache_init(struct tv_mapping_cache *pages);
void tv_mapping_cache_release(struct tv_mapping_cache *pages);

/* The length of the mapping for a block of `block_len` bytes. All other functions here take
 * such lengths. */
size_t tv_mapping_cache_len(size_t block_len);
/* Maps a block, whose content is not defined; NULL when there is no memory. With `pages` NULL
 * nothing is kept. */
void *tv_mapping_cache_map(struct tv_mapping_cache *pages, size_t len);
/* Maps a block of zeros: a kept mapping is cleared; the pages of a fresh one are zeros and stay
 * untouched. */
void *tv_mapping_cache_map_zeroed(struct tv_mapping_cache *pages, size_t len);
void tv_mapping_cache_unmap(struct tv_mapping_cache *pages, void *block, size_t len);
/* Makes a block longer or shorter, perhaps at another address; NULL when that cannot be, and the
 * block stays as it is. */
void *tv_mapping_cache_resize(struct tv_mapping_cache *pages, void *block, size_t old_len,
                              size_t new_len);

#endif
