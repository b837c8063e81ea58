/*
 * The lean indexes that were asked for last; see analysis/lean/lean.h.
 *
 * A lean index is made without holding the lock. Two threads that ask for the same one at the same
 * time may therefore both make it, and both are kept for a while. The reason: a thread that reads a
 * saved index may be stopped in the middle (os/memory/mapping.h), and would never release the lock.
 */
#include "analysis/lean/lean.h"
#include "analysis/selection/name_pattern.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/memory/limit.h"
#include "index/memory.h"

void tv_lean_cache_init(struct tv_lean_cache *cache, const struct tv_alloc *alloc, unsigned most)
{
    tv_assert(most && most <= TV_LEAN_CACHE_ROOM);
    *cache = (struct tv_lean_cache){.alloc = alloc, .most = most, .lock = ATOMIC_FLAG_INIT};
}

static void free_lean(struct tv_lean *lean)
{
    const struct tv_alloc *alloc = lean->alloc;
    tv_lean_release(lean);
    tv_alloc_release(alloc, &lean, 1, sizeof(*lean));
}

void tv_lean_cache_release(struct tv_lean_cache *cache)
{
    for (unsigned i = 0; i < cache->most && cache->kept[i]; i++) {
        free_lean(cache->kept[i]);
        cache->kept[i] = NULL;
    }
}

static void lock(struct tv_lean_cache *cache)
{
    while (atomic_flag_test_and_set_explicit(&cache->lock, memory_order_acquire)) {
    }
}

static void unlock(struct tv_lean_cache *cache)
{
    atomic_flag_clear_explicit(&cache->lock, memory_order_release);
}

/* Puts a lean index first; gives the one that has no room any more, or NULL. */
static struct tv_lean *put_first(struct tv_lean_cache *cache, struct tv_lean *lean)
{
    struct tv_lean *moved = lean;
    for (unsigned i = 0; i < cache->most && moved; i++) {
        struct tv_lean *here = cache->kept[i];
        cache->kept[i] = moved;
        moved = here == lean ? NULL : here;
    }
    return moved;
}

/* The holder is counted under the lock, so the index cannot be freed between finding and using it.
 */
static struct tv_lean *find(struct tv_lean_cache *cache, const struct tv_index *whole,
                            struct tv_str hidden)
{
    struct tv_lean *found = NULL;
    lock(cache);
    for (unsigned i = 0; i < cache->most && cache->kept[i] && !found; i++) {
        struct tv_lean *kept = cache->kept[i];
        if (kept->whole == whole && tv_str_equal(tv_buffer_view(&kept->hidden), hidden))
            found = kept;
    }
    if (found) {
        found->holder_count++;
        (void)put_first(cache, found);
    }
    unlock(cache);
    return found;
}

/* Puts a new lean index into the cache. It has two holders then: whoever asked for it, and the
 * cache.
 */
static void keep(struct tv_lean_cache *cache, struct tv_lean *lean)
{
    lock(cache);
    lean->holder_count = 2;
    struct tv_lean *former = put_first(cache, lean);
    bool is_free = former && --former->holder_count == 0;
    unlock(cache);
    if (is_free)
        free_lean(former);
}

/* The lock is not held while indexes are freed, nor while one is made: both take long, and other
 * threads only need the list. */
void tv_lean_cache_forget(struct tv_lean_cache *cache, const struct tv_index *whole)
{
    struct tv_lean *gone[TV_LEAN_CACHE_ROOM];
    unsigned gone_count = 0;
    unsigned left = 0;
    lock(cache);
    for (unsigned i = 0; i < cache->most; i++) {
        struct tv_lean *kept = cache->kept[i];
        cache->kept[i] = NULL;
        if (kept && kept->whole == whole)
            gone[gone_count++] = kept;
        else if (kept)
            cache->kept[left++] = kept;
    }
    unlock(cache);
    for (unsigned i = 0; i < gone_count; i++)
        free_lean(gone[i]);
}

static enum tv_code make_without(struct tv_lean *lean, const struct tv_index *whole,
                                 struct tv_str hidden, const struct tv_pool *pool,
                                 struct tv_error *err)
{
    struct tv_method_filter filter;
    tv_method_filter_init(&filter, lean->alloc);
    enum tv_code code = tv_method_filter_make(
        &filter, whole, &(struct tv_method_filter_opts){.hidden = hidden}, err);
    if (code == TV_OK)
        code = tv_lean_make(lean, whole, filter.hidden, pool, err);
    if (code == TV_OK)
        code = tv_buffer_append(&lean->hidden, hidden.at, hidden.len, err);
    tv_method_filter_release(&filter);
    return code;
}

enum tv_code tv_lean_hold(struct tv_lean_cache *cache, const struct tv_index *whole,
                          struct tv_str hidden, const struct tv_pool *pool, struct tv_lean **lean,
                          struct tv_error *err)
{
    struct tv_lean *made = find(cache, whole, hidden);
    *lean = made;
    if (made)
        return TV_OK;
    TV_TRY(tv_alloc_new(cache->alloc, &made, 1, sizeof(*made), err));
    struct tv_limit limit;
    tv_limit_init(&limit, cache->alloc, tv_memory_of_answer(whole));
    tv_lean_init(made, &limit.alloc);
    enum tv_code code = make_without(made, whole, hidden, pool, err);
    code = tv_memory_tell(&limit, code, whole, "hiding packages takes too much memory: show them",
                          err);
    /* The limit ends here; what was taken under it is given back to the allocator itself. */
    made->alloc = cache->alloc;
    made->hidden.alloc = cache->alloc;
    if (code != TV_OK) {
        free_lean(made);
        return code;
    }
    keep(cache, made);
    *lean = made;
    return TV_OK;
}

void tv_lean_let_go(struct tv_lean_cache *cache, struct tv_lean *lean)
{
    if (!lean)
        return;
    lock(cache);
    bool is_free = --lean->holder_count == 0;
    unlock(cache);
    if (is_free)
        free_lean(lean);
}
