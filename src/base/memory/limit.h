/* An allocator that passes requests on to another one, until the bytes in use at a time reach a
 * limit; then it fails. Any number of threads may use it, where the other one allows that. It must
 * not be moved, since its allocator points to it. */
#ifndef TV_BASE_MEMORY_LIMIT_H
#define TV_BASE_MEMORY_LIMIT_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"

struct tv_limit {
    struct tv_alloc alloc;
    /* The other one, to which blocks may be released after the limit is gone. */
    const struct tv_alloc *of;
    _Atomic size_t left;     /* bytes that may still be given */
    atomic_bool was_reached; /* a request failed because of the limit */
    /* Becomes true when nobody wants what the memory is for (base/memory/pool.h): then requests
     * fail. NULL, as it is at first: it is wanted in any case. */
    const atomic_bool *is_unwanted;
};

void tv_limit_init(struct tv_limit *limit, const struct tv_alloc *of, size_t most);
/* What to tell of work that ended with `code`: TV_ERR_LIMIT with the text where it was the limit
 * that left the work without memory, TV_ERR_CANCELLED where nobody wants the work, else the code as
 * it is, and *err too. */
enum tv_code tv_limit_tell(const struct tv_limit *limit, enum tv_code code, const char *text,
                           struct tv_error *err) TV_MUST_CHECK;

#endif
