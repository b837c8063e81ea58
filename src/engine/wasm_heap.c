/*
 * The heap of WebAssembly modules; see engine/wasm_heap.h.
 *
 * Lists by length are those of the allocator TLSF (Masmano and others, 2004), with two bits below
 * the highest one. A block that is the last one, or has a free one behind it, grows where it is. In
 * a module the C library's names are defined here, so that the linker takes none of the library's
 * own.
 */
#include "engine/wasm_heap.h"

#include <stdbool.h>
#include <string.h>

#define HEAD_LEN TV_HEAP_ALIGN
#define SHORTEST (HEAD_LEN + TV_HEAP_ALIGN)
#define IS_FREE ((size_t)1)
/* Blocks of a list that an allocation of the list's own length looks at: they differ in length. */
#define MOST_LOOKS 16u

struct tv_heap_block {
    size_t len;        /* with its head; IS_FREE is added to that of a free block */
    size_t before_len; /* of the block in front of it; 0: there is none */
    struct tv_heap_block *next, *previous; /* in the list, of free blocks alone */
};

static bool is_free(const struct tv_heap_block *block)
{
    return block->len & IS_FREE;
}

static size_t len_of(const struct tv_heap_block *block)
{
    return block->len & ~IS_FREE;
}

/* What stands so many bytes behind the block's head. */
static void *behind(struct tv_heap_block *block, size_t len)
{
    return (char *)block + len;
}

/* The list of a length: its highest bit and the two below it. */
static size_t list_of(size_t len)
{
    size_t units = len / TV_HEAP_ALIGN;
    size_t highest = 63 - (size_t)__builtin_clzll(units);
    return highest * 4 + ((units << 2 >> highest) & 3);
}

static void take_out(struct tv_heap *heap, struct tv_heap_block *block)
{
    size_t list = list_of(len_of(block));
    block->len = len_of(block);
    if (block->next)
        block->next->previous = block->previous;
    if (block->previous)
        block->previous->next = block->next;
    else
        heap->lists[list] = block->next;
    if (!heap->lists[list])
        heap->has_free[list / 64] &= ~(UINT64_C(1) << list % 64);
}

static void set_len(struct tv_heap *heap, struct tv_heap_block *block, size_t len)
{
    struct tv_heap_block *next = behind(block, len);
    block->len = len;
    if ((char *)next == heap->end)
        heap->last = block;
    else
        next->before_len = len;
}

/* The free block behind one, taken out of its list; NULL: it is none. */
static struct tv_heap_block *take_next(struct tv_heap *heap, struct tv_heap_block *block)
{
    struct tv_heap_block *next = behind(block, block->len);
    if ((char *)next == heap->end || !is_free(next))
        return NULL;
    take_out(heap, next);
    return next;
}

/* Makes a block free that is in no list. */
static void set_free(struct tv_heap *heap, struct tv_heap_block *block)
{
    struct tv_heap_block *next = take_next(heap, block);
    if (next)
        set_len(heap, block, block->len + next->len);
    if (block->before_len) {
        struct tv_heap_block *before = (void *)((char *)block - block->before_len);
        if (is_free(before)) {
            take_out(heap, before);
            set_len(heap, before, before->len + block->len);
            block = before;
        }
    }
    size_t list = list_of(block->len);
    block->len |= IS_FREE;
    block->previous = NULL;
    block->next = heap->lists[list];
    if (block->next)
        block->next->previous = block;
    heap->lists[list] = block;
    heap->has_free[list / 64] |= UINT64_C(1) << list % 64;
}

void tv_heap_add(struct tv_heap *heap, size_t len)
{
    struct tv_heap_block *block = (void *)heap->end;
    block->before_len = heap->last ? len_of(heap->last) : 0;
    heap->end += len;
    set_len(heap, block, len);
    set_free(heap, block);
}

/* Makes the memory longer, until a free block of `len` bytes is the last one. */
static bool lengthen(struct tv_heap *heap, size_t len)
{
    size_t has = heap->last && is_free(heap->last) ? len_of(heap->last) : 0;
    if (has >= len)
        return true;
    size_t added = heap->grow(heap, len - has);
    if (added)
        tv_heap_add(heap, added);
    return added != 0;
}

/* A free block of at least `len` bytes; NULL: there is none, or none is found quickly. */
static struct tv_heap_block *find(struct tv_heap *heap, size_t len)
{
    size_t list = list_of(len);
    struct tv_heap_block *block = heap->lists[list];
    for (unsigned i = 0; block && i < MOST_LOOKS; i++, block = block->next) {
        if (len_of(block) >= len)
            return block;
    }
    /* All blocks of the lists behind are long enough. */
    for (list++; list < TV_HEAP_LISTS; list = (list / 64 + 1) * 64) {
        uint64_t lists = heap->has_free[list / 64] >> list % 64;
        if (lists)
            return heap->lists[list + (size_t)__builtin_ctzll(lists)];
    }
    return NULL;
}

/* Gives back what a block has beyond `len` bytes. */
static void *cut(struct tv_heap *heap, struct tv_heap_block *block, size_t len)
{
    size_t whole = block->len;
    if (whole - len >= SHORTEST) {
        struct tv_heap_block *rest = behind(block, len);
        set_len(heap, block, len);
        set_len(heap, rest, whole - len);
        set_free(heap, rest);
    }
    return behind(block, HEAD_LEN);
}

static void *allocate(struct tv_heap *heap, size_t len)
{
    struct tv_heap_block *block = find(heap, len);
    if (!block && lengthen(heap, len))
        block = heap->last;
    if (!block)
        return NULL;
    take_out(heap, block);
    return cut(heap, block, len);
}

/* Makes a block longer where it is, if what stands behind it is free or the end. */
static void widen(struct tv_heap *heap, struct tv_heap_block *block, size_t len)
{
    struct tv_heap_block *next = behind(block, block->len);
    bool is_end = (char *)next == heap->end || (next == heap->last && is_free(next));
    if (is_end && !lengthen(heap, len - block->len))
        return;
    if ((char *)next == heap->end || !is_free(next) || block->len + len_of(next) < len)
        return;
    take_out(heap, next);
    set_len(heap, block, block->len + next->len);
}

static struct tv_heap_block *head_of(const void *block)
{
    return (void *)((char *)(uintptr_t)block - HEAD_LEN);
}

size_t tv_heap_block_len(const void *block)
{
    return head_of(block)->len - HEAD_LEN;
}

void *tv_heap_resize(struct tv_heap *heap, void *block, size_t len)
{
    if (len > SIZE_MAX / 2)
        return NULL;
    size_t whole = (len + HEAD_LEN + TV_HEAP_ALIGN - 1) & ~(TV_HEAP_ALIGN - 1);
    if (whole < SHORTEST)
        whole = SHORTEST;
    if (!block)
        return allocate(heap, whole);
    struct tv_heap_block *head = head_of(block);
    if (head->len < whole)
        widen(heap, head, whole);
    if (head->len >= whole)
        return cut(heap, head, whole);
    void *moved = allocate(heap, whole);
    if (moved) {
        memcpy(moved, block, tv_heap_block_len(block));
        set_free(heap, head);
    }
    return moved;
}

void tv_heap_release(struct tv_heap *heap, void *block)
{
    if (block)
        set_free(heap, head_of(block));
}

#ifdef __wasm__
#define PAGE ((size_t)65536)
#define MOST_PAGES ((size_t)65536)

extern char __heap_base[]; /* by the linker: where the module's own data end */

static size_t grow_memory(struct tv_heap *heap, size_t least)
{
    (void)heap;
    size_t pages = least / PAGE + (least % PAGE != 0);
    /* The last page of all addresses is left out, because the address behind it would be 0. */
    if (pages >= MOST_PAGES - __builtin_wasm_memory_size(0))
        return 0;
    return __builtin_wasm_memory_grow(0, pages) == SIZE_MAX ? 0 : pages * PAGE;
}

/* The module's heap, at first with the rest of its first pages. */
static struct tv_heap *heap_of_module(void)
{
    static struct tv_heap heap = {.grow = grow_memory};
    if (!heap.end) {
        uintptr_t begin = ((uintptr_t)__heap_base + TV_HEAP_ALIGN - 1) & ~(TV_HEAP_ALIGN - 1);
        heap.end = (char *)begin;
        tv_heap_add(&heap, __builtin_wasm_memory_size(0) * PAGE - begin);
    }
    return &heap;
}

void *realloc(void *block, size_t len)
{
    return tv_heap_resize(heap_of_module(), block, len);
}

void free(void *block)
{
    tv_heap_release(heap_of_module(), block);
}

size_t malloc_usable_size(void *block)
{
    return tv_heap_block_len(block);
}
#endif
