/*
 * The allocator that every part takes as a parameter, so that a test can make the n-th allocation
 * fail.
 *
 * resize(ctx, block, old_len, new_len): block NULL (old_len 0) allocates, new_len 0 releases and
 * returns NULL, anything else resizes; NULL with new_len > 0 means failure and leaves the old block
 * as it was. Blocks are aligned for any type. An allocator that is used by several threads must
 * allow it itself; tv_alloc_libc() does.
 */
#ifndef TV_ALLOC_H
#define TV_ALLOC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tv_alloc {
    void *(*resize)(void *ctx, void *block, size_t old_len, size_t new_len);
    void *ctx;
};

/* The C library's allocator; static storage. */
const struct tv_alloc *tv_alloc_libc(void);

#ifdef __cplusplus
}
#endif

#endif
