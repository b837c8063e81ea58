/*
 * The calls that are open on each thread; see format/open_calls.h.
 *
 * Stacks are chains of links in one array; a popped link joins the chain of free ones. Beside the
 * stacks a map counts, by thread and method, how many calls of the method are open. An exit whose
 * count is 0 is known at once to close nothing; any other exit pops only what enters have pushed.
 */
#include "format/open_calls.h"

void tv_open_calls_init(struct tv_open_calls *calls, const struct tv_alloc *alloc)
{
    *calls = (struct tv_open_calls){.alloc = alloc};
    tv_map_init(&calls->open_count, alloc);
}

void tv_open_calls_release(struct tv_open_calls *calls)
{
    tv_alloc_release(calls->alloc, &calls->links, calls->link_cap, sizeof(*calls->links));
    tv_map_release(&calls->open_count);
    tv_open_calls_init(calls, calls->alloc);
}

static uint64_t count_key(uint32_t thread, uint32_t key)
{
    return (uint64_t)thread << 32 | key;
}

static enum tv_code take_link(struct tv_open_calls *calls, uint32_t *link, struct tv_error *err)
{
    if (calls->free_link) {
        *link = calls->free_link - 1;
        calls->free_link = calls->links[*link].below;
        return TV_OK;
    }
    if (calls->link_count >= UINT32_MAX - 1)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more than %u open calls", UINT32_MAX - 1);
    TV_TRY(tv_alloc_grow(calls->alloc, &calls->links, &calls->link_cap, calls->link_count + 1,
                         sizeof(*calls->links), err));
    *link = (uint32_t)calls->link_count++;
    return TV_OK;
}

enum tv_code tv_open_calls_enter(struct tv_open_calls *calls, uint32_t thread,
                                 struct tv_open_stack *stack, uint32_t key, struct tv_error *err)
{
    uint32_t link = 0;
    uint32_t *count;
    TV_TRY(tv_map_slot(&calls->open_count, count_key(thread, key), 0, &count, err));
    TV_TRY(take_link(calls, &link, err));
    (*count)++;
    calls->links[link] = (struct tv_open_call){.key = key, .below = stack->top};
    stack->top = link + 1;
    stack->depth++;
    return TV_OK;
}

uint32_t tv_open_calls_pop(struct tv_open_calls *calls, uint32_t thread,
                           struct tv_open_stack *stack)
{
    tv_assert(stack->top);
    struct tv_open_call *link = &calls->links[stack->top - 1];
    uint32_t popped = stack->top;
    uint32_t key = link->key;
    uint32_t *count;
    /* The slot is there since the enter, so nothing is inserted that could fail. */
    if (tv_map_slot(&calls->open_count, count_key(thread, key), 0, &count, NULL) == TV_OK)
        (*count)--;
    stack->top = link->below;
    stack->depth--;
    link->below = calls->free_link;
    calls->free_link = popped;
    return key;
}

uint32_t tv_open_calls_leave(struct tv_open_calls *calls, uint32_t thread,
                             struct tv_open_stack *stack, uint32_t key)
{
    uint32_t count = tv_map_get(&calls->open_count, count_key(thread, key));
    if (!stack->top || count == TV_MAP_NONE || !count)
        return 0;
    uint32_t closed = 1;
    while (tv_open_calls_pop(calls, thread, stack) != key)
        closed++;
    return closed;
}
