/*
 * Counts the bytes that an allocator gives; see base/memory/limit.h.
 *
 * What is left is one atomic number, so threads share the limit without a lock. Bytes are taken
 * from it before the block is asked for, and given back where that fails. was_reached remembers
 * that the limit, and not the system, refused: then the text of the error can say so.
 */
#include "base/memory/limit.h"

#include <stdbool.h>

#include "base/memory/pool.h"

/* Takes bytes from what is left, or nothing if that is too little; other threads may do the
 * same meanwhile. */
static bool take(struct tv_limit *limit, size_t len)
{
    size_t left = atomic_load(&limit->left);
    do {
        if (left < len) {
            atomic_store(&limit->was_reached, true);
            return false;
        }
    } while (!atomic_compare_exchange_weak(&limit->left, &left, left - len));
    return true;
}

/* Taken before it is asked for, and given back where that failed: two threads may not both have the
 * last bytes. */
static void *resize_limited(void *ctx, void *block, size_t old_len, size_t new_len)
{
    struct tv_limit *limit = ctx;
    size_t more = new_len > old_len ? new_len - old_len : 0;
    if (more && (tv_is_unwanted(limit->is_unwanted) || !take(limit, more)))
        return NULL;
    void *resized = limit->of->resize(limit->of->ctx, block, old_len, new_len);
    if (!resized && new_len)
        atomic_fetch_add(&limit->left, more);
    else if (new_len < old_len)
        atomic_fetch_add(&limit->left, old_len - new_len);
    return resized;
}

static void *zeroed_limited(void *ctx, size_t len)
{
    struct tv_limit *limit = ctx;
    if (tv_is_unwanted(limit->is_unwanted) || !take(limit, len))
        return NULL;
    void *block = limit->of->zeroed(limit->of->ctx, len);
    if (!block)
        atomic_fetch_add(&limit->left, len);
    return block;
}

void tv_limit_init(struct tv_limit *limit, const struct tv_alloc *of, size_t most)
{
    *limit = (struct tv_limit){.alloc = {.resize = resize_limited, .ctx = limit}, .of = of};
    limit->alloc.zeroed = of->zeroed ? zeroed_limited : NULL;
    atomic_init(&limit->left, most);
    atomic_init(&limit->was_reached, false);
}

enum tv_code tv_limit_tell(const struct tv_limit *limit, enum tv_code code, const char *text,
                           struct tv_error *err)
{
    if (code == TV_ERR_MEMORY && tv_is_unwanted(limit->is_unwanted))
        return tv_check_wanted(limit->is_unwanted, err);
    if (code != TV_ERR_MEMORY || !atomic_load(&limit->was_reached))
        return code;
    return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "%s", text);
}
