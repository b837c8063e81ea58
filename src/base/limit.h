/* An allocator that passes requests on to another one, until the bytes in use at a time reach a
 * limit; then it fails. Any number of threads may use it, where the other one allows that. It must
 * not be moved, since its allocator points to it. */
#ifndef TV_BASE_LIMIT_H
#define TV_BASE_LIMIT_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/alloc.h"

struct tv_limit {
    struct tv_alloc alloc;
    /* The other one, to which blocks may be released after the limit is gone. */
    const struct tv_alloc *of;
    _Atomic size_t left;     /* bytes that may still be given */
    atomic_bool was_reached; /* a request failed because of the limit */
};

void tv_limit_init(struct tv_limit *limit, const struct tv_alloc *of, size_t most);

#endif
