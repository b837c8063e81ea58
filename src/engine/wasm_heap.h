/*
 * Blocks of one growing memory: the heap of WebAssembly modules, in fewer bytes than the C
 * library's, which every page with an engine has to load.
 *
 * The memory is a row of blocks without gaps. A head in front of each has its length and that of
 * the block before it, so a released block is joined with free neighbours at once. Free blocks are
 * in lists by length, four lists for each power of two; bits tell which lists have any. So an
 * allocation looks at a bounded number of blocks, however many are free. A heap belongs to one
 * thread.
 */
#ifndef TV_ENGINE_WASM_HEAP_H
#define TV_ENGINE_WASM_HEAP_H

#include <stddef.h>
#include <stdint.h>

/* Blocks begin at multiples of it. */
#define TV_HEAP_ALIGN ((size_t)16)
#define TV_HEAP_LISTS (4 * 8 * sizeof(size_t))

struct tv_heap_block;

struct tv_heap {
    /* Makes the memory longer by `least` bytes or more, a multiple of the alignment, and returns by
     * how many; 0: it is refused. */
    size_t (*grow)(struct tv_heap *heap, size_t least);
    char *end; /* of the memory, aligned; a heap without memory has here where it will begin */
    struct tv_heap_block *last;
    struct tv_heap_block *lists[TV_HEAP_LISTS]; /* NULL: no such block is free */
    uint64_t has_free[TV_HEAP_LISTS / 64];      /* bits of lists that are not empty */
};

/* Takes `len` bytes of memory, a multiple of the alignment, that stand behind the end. */
void tv_heap_add(struct tv_heap *heap, size_t len);

/* Makes `block` at least len bytes long, and may move it; its bytes stay, as far as there is room.
 * block NULL: a new one. NULL: no room; `block` is as it was. */
void *tv_heap_resize(struct tv_heap *heap, void *block, size_t len);
/* NULL is allowed. */
void tv_heap_release(struct tv_heap *heap, void *block);
/* The bytes of a block, which may be more than were asked for. */
size_t tv_heap_block_len(const void *block);

#endif
