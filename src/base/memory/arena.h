/* An arena: memory that is allocated piece by piece and released at once, in blocks that double. */
#ifndef TV_BASE_MEMORY_ARENA_H
#define TV_BASE_MEMORY_ARENA_H

#include <stddef.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"

struct tv_arena_block;

struct tv_arena {
    const struct tv_alloc *alloc;
    struct tv_arena_block *newest;
    size_t used; /* bytes used of the newest block, its head included */
};

void tv_arena_init(struct tv_arena *arena, const struct tv_alloc *alloc);
void tv_arena_release(struct tv_arena *arena);
/* len bytes, zeroed, aligned to 16. *out_pointer, a pointer of any type, is untouched on failure.
 * An arena is for one thread at a time. */
enum tv_code tv_arena_take(struct tv_arena *arena, size_t len, void *out_pointer,
                           struct tv_error *err) TV_MUST_CHECK;
/* A copy of a text, with a NUL behind it; *kept is untouched on failure. */
enum tv_code tv_arena_keep(struct tv_arena *arena, struct tv_str text, struct tv_str *kept,
                           struct tv_error *err) TV_MUST_CHECK;

#endif
