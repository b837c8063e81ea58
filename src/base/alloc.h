/*
 * The allocator that every part takes as a parameter, so that a test can make the n-th allocation
 * fail.
 *
 * resize(ctx, block, old_len, new_len): block NULL (old_len 0) allocates, new_len 0 releases and
 * returns NULL, anything else resizes; NULL with new_len > 0 means failure and leaves the old block
 * as it was. Blocks are aligned for any type. An allocator that is used by several threads must
 * allow it itself; tv_alloc_libc() does.
 *
 * zeroed(ctx, len): allocates a block of zeros, as resize(ctx, NULL, 0, len) allocates any; NULL
 * for an allocator that has no shorter way than to clear a block, which tv_alloc_new then does.
 * Pages that come fresh from the system are zeros already: clearing them once more touches each of
 * them, also where the caller fills few.
 *
 * The helpers below check sizes, and grow by doubling.
 */
#ifndef TV_BASE_ALLOC_H
#define TV_BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/error.h"

struct tv_alloc {
    void *(*resize)(void *ctx, void *block, size_t old_len, size_t new_len);
    void *ctx;
    void *(*zeroed)(void *ctx, size_t len);
};

/* The C library's allocator; static storage. */
const struct tv_alloc *tv_alloc_libc(void);

/* False when the result does not fit; *out is then untouched. */
bool tv_size_mul(size_t a, size_t b, size_t *out) TV_MUST_CHECK;
bool tv_size_add(size_t a, size_t b, size_t *out) TV_MUST_CHECK;

/* count elements of elem_len bytes, zeroed; count 0 gives NULL and TV_OK. Release with
 * tv_alloc_release. */
enum tv_code tv_alloc_new(const struct tv_alloc *alloc, void *out_pointer, size_t count,
                          size_t elem_len, struct tv_error *err) TV_MUST_CHECK;
/* Releases *pointer and sets it to NULL, so that nothing can release the block again: `pointer` is
 * the address of a pointer to any object type, and no function releases without clearing. */
void tv_alloc_release(const struct tv_alloc *alloc, void *pointer, size_t count, size_t elem_len);

/*
 * Makes room for `need` elements: *pointer and *cap are replaced, doubling; on failure both stay.
 * New elements are not cleared. `pointer` is the address of a pointer to any object type.
 */
enum tv_code tv_alloc_grow(const struct tv_alloc *alloc, void *pointer, size_t *cap, size_t need,
                           size_t elem_len, struct tv_error *err) TV_MUST_CHECK;
/* Cuts to exactly `count` elements; never fails (a block that cannot shrink stays). */
void tv_alloc_shrink(const struct tv_alloc *alloc, void *pointer, size_t *cap, size_t count,
                     size_t elem_len);

#endif
