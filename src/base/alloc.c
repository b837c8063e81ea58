/*
 * Allocators; see base/alloc.h. This is the only file that calls malloc.
 *
 * An allocator is one function, resize, which makes, changes and frees a block. Callers give the
 * old length each time, so an allocator that counts bytes needs no head before its blocks.
 */
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static void *libc_resize(void *ctx, void *block, size_t old_len, size_t new_len)
{
    (void)ctx;
    (void)old_len;
    if (!new_len) {
        free(block);
        return NULL;
    }
    return realloc(block, new_len);
}

static void *libc_zeroed(void *ctx, size_t len)
{
    (void)ctx;
    return calloc(1, len);
}

static const struct tv_alloc libc_alloc = {.resize = libc_resize, .zeroed = libc_zeroed};

const struct tv_alloc *tv_alloc_libc(void)
{
    return &libc_alloc;
}

bool tv_size_mul(size_t a, size_t b, size_t *out)
{
    size_t product;
    if (__builtin_mul_overflow(a, b, &product))
        return false;
    *out = product;
    return true;
}

bool tv_size_add(size_t a, size_t b, size_t *out)
{
    size_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return false;
    *out = sum;
    return true;
}

static void *new_zeroed(const struct tv_alloc *alloc, size_t len)
{
    if (alloc->zeroed)
        return alloc->zeroed(alloc->ctx, len);
    void *block = alloc->resize(alloc->ctx, NULL, 0, len);
    if (block)
        memset(block, 0, len);
    return block;
}

/* out_pointer is the address of a pointer to any type; copying its bytes breaks no rule
 * on aliasing. */
enum tv_code tv_alloc_new(const struct tv_alloc *alloc, void *out_pointer, size_t count,
                          size_t elem_len, struct tv_error *err)
{
    void *block = NULL;
    size_t len;
    if (!tv_size_mul(count, elem_len, &len))
        return tv_fail_memory(err, UINT64_MAX);
    if (len) {
        block = new_zeroed(alloc, len);
        if (!block)
            return tv_fail_memory(err, len);
    }
    memcpy(out_pointer, &block, sizeof(block));
    return TV_OK;
}

/* The pointer's type is the caller's, so it is copied by its bytes: reading it as a void pointer
 * would break the rule of strict aliasing. */
void tv_alloc_release(const struct tv_alloc *alloc, void *pointer, size_t count, size_t elem_len)
{
    void *block;
    void *const none = NULL;
    memcpy(&block, pointer, sizeof(block));
    memcpy(pointer, &none, sizeof(none));
    if (block)
        (void)alloc->resize(alloc->ctx, block, count * elem_len, 0);
}

/* A grown block has at least this many bytes. Less is not worth a block; more is lost where many
 * blocks stay short. */
#define LEAST_GROWN_LEN 64u

/* The pointer is read and written by memcpy, because it may be of any type. A failure leaves the
 * old block as it was. */
enum tv_code tv_alloc_grow(const struct tv_alloc *alloc, void *pointer, size_t *cap, size_t need,
                           size_t elem_len, struct tv_error *err)
{
    if (need <= *cap)
        return TV_OK;
    size_t new_cap = *cap > SIZE_MAX / 2 ? SIZE_MAX : *cap * 2;
    if (new_cap < need)
        new_cap = need;
    if (new_cap < LEAST_GROWN_LEN / elem_len)
        new_cap = LEAST_GROWN_LEN / elem_len;
    size_t new_len;
    if (!tv_size_mul(new_cap, elem_len, &new_len))
        return tv_fail_memory(err, UINT64_MAX);
    void *old;
    memcpy(&old, pointer, sizeof(old));
    void *block = alloc->resize(alloc->ctx, old, *cap * elem_len, new_len);
    if (!block)
        return tv_fail_memory(err, new_len);
    memcpy(pointer, &block, sizeof(block));
    *cap = new_cap;
    return TV_OK;
}

/* Where no smaller block can be had, the larger one stays; that is no failure. */
void tv_alloc_shrink(const struct tv_alloc *alloc, void *pointer, size_t *cap, size_t count,
                     size_t elem_len)
{
    if (count >= *cap)
        return;
    void *old;
    memcpy(&old, pointer, sizeof(old));
    void *block = alloc->resize(alloc->ctx, old, *cap * elem_len, count * elem_len);
    if (!block && count)
        return;
    memcpy(pointer, &block, sizeof(block));
    *cap = count;
}
