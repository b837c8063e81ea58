/*
 * An allocator for tests: it makes the n-th request fail, counts what is live, checks that lengths
 * are told truly, and moves every block that is resized, so that a kept pointer shows under ASan.
 */
#ifndef TESTS_SUPPORT_FAILING_ALLOC_H
#define TESTS_SUPPORT_FAILING_ALLOC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"

/* No request fails. */
#define NEVER_FAIL UINT64_MAX

struct failing_alloc {
    struct tv_alloc alloc;
    uint64_t requests; /* for new or longer memory; a release or a shorter block is none */
    uint64_t fail_at;  /* the request that fails, counted from 0 */
    uint64_t live;     /* bytes that are allocated and not released */
    uint64_t peak;
    bool has_failed;
    bool was_lied_to; /* an old_len was not the block's length */
};

/* The allocator points into *failing, which must not move. */
void failing_alloc_init(struct failing_alloc *failing, uint64_t fail_at);

/* Does something that allocates, and releases all of it again. */
typedef enum tv_code (*failing_alloc_work)(const struct tv_alloc *alloc, void *ctx);

/* Does the work again and again, each time with the next of its requests failing, until none is
 * left to fail. Each failure must be told as TV_ERR_MEMORY and leave no memory behind, and so must
 * the last work, which is TV_OK. Returns how many requests failed. */
uint64_t failing_alloc_each(failing_alloc_work work, void *ctx);

#endif
