/*
 * Memory of the recorder: directly from the kernel, because the recorded program may be inside
 * malloc, or be malloc. Pieces are not released one by one. Callers hold the lock of cold.h.
 */
#ifndef TV_RECORD_MEMORY_H
#define TV_RECORD_MEMORY_H

#include <stddef.h>

/* Pieces that are released together. Zero at first. */
struct tv_memory {
    struct tv_memory_chunk *chunks;
    size_t used, cap; /* of the newest chunk */
};

/* Zeroed memory, aligned to 16 bytes; NULL: memory ran out. */
void *tv_memory_take(struct tv_memory *memory, size_t len);
void tv_memory_release(struct tv_memory *memory);

/* Whole pages of zeros; NULL: memory ran out. */
void *tv_mapping_cache_take(size_t len);
void tv_mapping_cache_release(void *pages, size_t len);
/* Makes the kernel provide pages now, if it can, so that the first write to each page does not
 * wait. */
void tv_mapping_cache_touch(void *from, size_t len);

#endif
