/*
 * The allocator of WebAssembly modules; see engine/wasm_alloc.h. All calls end at the C library's
 * allocator; only lengths are changed on the way.
 */
#include "engine/wasm_alloc.h"

#include <malloc.h>
#include <stdbool.h>

/* A block that grows to LONG_BLOCK bytes or more, and to more than STEP_TIMES times its length, is
 * the block of an index, which is made in steps (index/block.h) and will grow once more. */
#define LONG_BLOCK ((size_t)1 << 20)
#define STEP_TIMES 4u

/* Nobody moves pages here, so a long block that grows would be copied, and be there twice
 * meanwhile. So the index gets room for its last step at once, which costs nothing but addresses
 * until it is used. */
static void *resize(void *ctx, void *block, size_t old_len, size_t new_len)
{
    (void)ctx;
    const struct tv_alloc *libc = tv_alloc_libc();
    if (new_len > TV_WASM_BLOCK_MOST)
        return NULL;
    if (block && new_len > old_len && new_len >= LONG_BLOCK) {
        if (new_len <= malloc_usable_size(block))
            return block;
        const size_t with_room = new_len + new_len / 8 * 3;
        const bool is_step = new_len / STEP_TIMES > old_len && with_room <= TV_WASM_BLOCK_MOST;
        void *longer = is_step ? libc->resize(libc->ctx, block, old_len, with_room) : NULL;
        if (longer)
            return longer;
    }
    return libc->resize(libc->ctx, block, old_len, new_len);
}

static void *zeroed(void *ctx, size_t len)
{
    (void)ctx;
    const struct tv_alloc *libc = tv_alloc_libc();
    return len <= TV_WASM_BLOCK_MOST ? libc->zeroed(libc->ctx, len) : NULL;
}

const struct tv_alloc *tv_wasm_alloc(void)
{
    static const struct tv_alloc alloc = {.resize = resize, .zeroed = zeroed};
    return &alloc;
}
