/*
 * Memory of the recorder; see record/memory.h.
 *
 * Memory is cut off chunks of at least 256 KiB that come from mmap(). Nothing is given back singly:
 * all chunks are unmapped together at the end of what they were taken for. The pages are zero,
 * since the kernel gives them so and no chunk is used twice.
 */
#include "record/memory.h"

#include <stdint.h>
#include <sys/mman.h>

#define ALIGNMENT 16u
#define CHUNK_LEN ((size_t)256 * 1024)
#define PAGE 4096u

struct tv_memory_chunk {
    struct tv_memory_chunk *next;
    size_t len;
};

void *tv_mapping_cache_take(size_t len)
{
    void *pages = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

void tv_mapping_cache_release(void *pages, size_t len)
{
    if (pages)
        munmap(pages, len);
}

/* Has the kernel provide the pages at once: later, each first write to a page would be a fault in
 * the middle of the program that is measured. Only a hint, so failures do not matter. */
void tv_mapping_cache_touch(void *from, size_t len)
{
#ifdef MADV_POPULATE_WRITE
    uintptr_t begin = (uintptr_t)from & ~(uintptr_t)(PAGE - 1);
    uintptr_t end = ((uintptr_t)from + len) & ~(uintptr_t)(PAGE - 1);
    char *page = (char *)from - ((uintptr_t)from - begin);
    if (end > begin) {
        (void)madvise(page, end - begin, MADV_HUGEPAGE);
        (void)madvise(page, end - begin, MADV_POPULATE_WRITE);
    }
#else
    (void)from;
    (void)len;
#endif
}

void *tv_memory_take(struct tv_memory *memory, size_t len)
{
    len = (len + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (len > memory->cap - memory->used) {
        size_t head = (sizeof(struct tv_memory_chunk) + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
        size_t cap = len + head > CHUNK_LEN ? len + head : CHUNK_LEN;
        struct tv_memory_chunk *chunk = tv_mapping_cache_take(cap);
        if (!chunk)
            return NULL;
        *chunk = (struct tv_memory_chunk){.next = memory->chunks, .len = cap};
        memory->chunks = chunk;
        memory->used = head;
        memory->cap = cap;
    }
    void *taken = (char *)memory->chunks + memory->used;
    memory->used += len;
    return taken;
}

void tv_memory_release(struct tv_memory *memory)
{
    while (memory->chunks) {
        struct tv_memory_chunk *next = memory->chunks->next;
        tv_mapping_cache_release(memory->chunks, memory->chunks->len);
        memory->chunks = next;
    }
    *memory = (struct tv_memory){.chunks = NULL};
}
