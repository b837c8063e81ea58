/*
 * Stacks of method keys, as many as there are threads: chains of links in one array, so that
 * thousands of threads with short stacks cost little. A popped link joins the chain of free ones,
 * and is taken again before the array grows.
 *
 * A stack is a number that its owner keeps: 1 + its top link, 0 where it is empty. Decoding pushes
 * or pops with every record, so this is inline.
 */
#ifndef TV_FORMAT_KEY_STACKS_H
#define TV_FORMAT_KEY_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"

struct tv_key_link {
    uint32_t key;
    uint32_t below; /* 1 + the link below; 0 at the bottom; of a free link: 1 + the next free one */
};

struct tv_key_stacks {
    const struct tv_alloc *alloc;
    struct tv_key_link *links;
    size_t link_count, link_cap;
    uint32_t free_link; /* 1 + the first free link; 0: none */
};

TV_INLINE void tv_key_stacks_init(struct tv_key_stacks *stacks, const struct tv_alloc *alloc)
{
    *stacks = (struct tv_key_stacks){.alloc = alloc};
}

TV_INLINE void tv_key_stacks_release(struct tv_key_stacks *stacks)
{
    tv_alloc_release(stacks->alloc, &stacks->links, stacks->link_cap, sizeof(*stacks->links));
    tv_key_stacks_init(stacks, stacks->alloc);
}

/* Takes a link that is in no stack. There are at most as many as 1 + a link has numbers for. */
TV_MUST_CHECK TV_INLINE enum tv_code tv_key_stacks_take_link(struct tv_key_stacks *stacks,
                                                             uint32_t *link, struct tv_error *err)
{
    if (stacks->free_link) {
        *link = stacks->free_link - 1;
        stacks->free_link = stacks->links[*link].below;
        return TV_OK;
    }
    if (stacks->link_count >= UINT32_MAX - 1)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more than %u open calls", UINT32_MAX - 1);
    TV_TRY(tv_alloc_grow(stacks->alloc, &stacks->links, &stacks->link_cap, stacks->link_count + 1,
                         sizeof(*stacks->links), err));
    *link = (uint32_t)stacks->link_count++;
    return TV_OK;
}

TV_MUST_CHECK TV_INLINE enum tv_code tv_key_stacks_push(struct tv_key_stacks *stacks, uint32_t *top,
                                                        uint32_t key, struct tv_error *err)
{
    uint32_t link = 0;
    TV_TRY(tv_key_stacks_take_link(stacks, &link, err));
    stacks->links[link] = (struct tv_key_link){.key = key, .below = *top};
    *top = link + 1;
    return TV_OK;
}

/* Pops the key on top of a stack that has one. */
TV_INLINE uint32_t tv_key_stacks_pop(struct tv_key_stacks *stacks, uint32_t *top)
{
    struct tv_key_link *link = &stacks->links[*top - 1];
    uint32_t popped = *top;
    *top = link->below;
    link->below = stacks->free_link;
    stacks->free_link = popped;
    return link->key;
}

#endif
