/*
 * An allocator that gives no more than so many bytes at a time, of another one. Any number of
 * threads, where the other allows it. It must not move.
 */
#ifndef TV_BASE_LIMIT_H
#define TV_BASE_LIMIT_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/alloc.h"

struct tv_limit {
    struct tv_alloc alloc;
    const struct tv_alloc *of; /* knows the blocks, too: they may outlive the limit */
    _Atomic size_t left;
    atomic_bool was_reached; /* a request failed for it */
};

void tv_limit_init(struct tv_limit *limit, const struct tv_alloc *of, size_t most);

#endif
