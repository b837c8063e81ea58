/*
 * The stack of open calls of one thread; see record/sampling.h.
 *
 * A sequence lock: the thread makes the version odd, changes its stack, and makes it even again. A
 * look copies the stack, and counts only if the version was even and is still the same. Two views
 * of a stack are compared from the bottom; what is above their common part was left and entered.
 */
#include "record/sampling.h"

/* Looks that are tried before one is given up. A thread that enters and leaves calls without a
 * pause changes its stack half of the time, so a hundred tries in a row seldom fail. */
#define LOOKS_MOST 100

bool tv_stack_look(struct tv_stack *stack, struct tv_stack_view *view)
{
    for (int looks = 0; looks < LOOKS_MOST; looks++) {
        uint32_t version = atomic_load_explicit(&stack->version, memory_order_acquire);
        if (version % 2)
            continue;
        uint32_t depth = atomic_load_explicit(&stack->depth, memory_order_acquire);
        view->depth = depth < TV_STACK_SEEN ? depth : TV_STACK_SEEN;
        for (uint32_t i = 0; i < view->depth; i++)
            view->methods[i] = atomic_load_explicit(&stack->methods[i], memory_order_acquire);
        /* The loads above come before this one, since each is an acquire. */
        if (atomic_load_explicit(&stack->version, memory_order_relaxed) == version)
            return true;
    }
    return false;
}

void tv_stack_compare(const struct tv_stack_view *before, const struct tv_stack_view *now,
                      const struct tv_stack_change *change)
{
    uint32_t same = 0;
    while (same < before->depth && same < now->depth && before->methods[same] == now->methods[same])
        same++;
    for (uint32_t i = before->depth; i-- > same;)
        change->exit(change->ctx, before->methods[i]);
    for (uint32_t i = same; i < now->depth; i++)
        change->enter(change->ctx, now->methods[i]);
}
