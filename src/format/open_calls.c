/*
 * The calls that are open on each thread; see format/open_calls.h.
 *
 * Beside the stacks (format/key_stacks.h) a map counts, by thread and method, how many calls of the
 * method are open. An exit whose count is 0 is known at once to close nothing; any other exit pops
 * only what enters have pushed.
 */
#include "format/open_calls.h"

void tv_open_calls_init(struct tv_open_calls *calls, const struct tv_alloc *alloc)
{
    *calls = (struct tv_open_calls){.alloc = alloc};
    tv_map_init(&calls->open_count, alloc);
    tv_key_stacks_init(&calls->stacks, alloc);
}

void tv_open_calls_release(struct tv_open_calls *calls)
{
    tv_key_stacks_release(&calls->stacks);
    tv_map_release(&calls->open_count);
    tv_open_calls_init(calls, calls->alloc);
}

static uint64_t count_key(uint32_t thread, uint32_t key)
{
    return (uint64_t)thread << 32 | key;
}

enum tv_code tv_open_calls_enter(struct tv_open_calls *calls, uint32_t thread,
                                 struct tv_open_stack *stack, uint32_t key, struct tv_error *err)
{
    uint32_t *count;
    TV_TRY(tv_map_slot(&calls->open_count, count_key(thread, key), 0, &count, err));
    TV_TRY(tv_key_stacks_push(&calls->stacks, &stack->top, key, err));
    (*count)++;
    stack->depth++;
    return TV_OK;
}

uint32_t tv_open_calls_pop(struct tv_open_calls *calls, uint32_t thread,
                           struct tv_open_stack *stack)
{
    tv_assert(stack->top);
    uint32_t key = tv_key_stacks_pop(&calls->stacks, &stack->top);
    uint32_t *count;
    /* The slot is there since the enter, so nothing is inserted that could fail. */
    if (tv_map_slot(&calls->open_count, count_key(thread, key), 0, &count, NULL) == TV_OK)
        (*count)--;
    stack->depth--;
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
