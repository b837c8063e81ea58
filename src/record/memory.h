/*
 * Memory of the recorder: straight from the kernel, because the program that is recorded may be
 * inside malloc, or be malloc. Nothing is given back singly. Callers hold the lock of cold.h.
 */
#ifndef TV_RECORD_MEMORY_H
#define TV_RECORD_MEMORY_H

#include <stddef.h>

/* Pieces that are released together. Zero at first. */
struct tv_memory {
    struct tv_memory_chunk *chunks;
    size_t used, cap; /* of the newest chunk */
};

/* Zeroed memory, aligned to 16 bytes; NULL when there is none. */
void *tv_memory_take(struct tv_memory *memory, size_t len);
void tv_memory_release(struct tv_memory *memory);

/* Whole pages of zeros; NULL when there are none. */
void *tv_mapping_cache_take(size_t len);
void tv_mapping_cache_release(void *pages, size_t len);
/* Makes the kernel provide pages now, where it can, so that the first write into each does not have
 * to wait for it. */
void tv_mapping_cache_touch(void *from, size_t len);

#endif
