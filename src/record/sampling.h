/*
 * The stack of open calls of one thread, for tracing that looks at it now and then instead of
 * recording each call. The thread changes it; another looks. Nobody waits: who looks while it
 * changes, looks again.
 */
#ifndef TV_RECORD_SAMPLING_H
#define TV_RECORD_SAMPLING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

/* Calls deeper than this are counted, but not seen. */
#define TV_STACK_SEEN 2048u

struct tv_stack {
    _Atomic uint32_t version; /* odd while the thread changes the stack */
    _Atomic uint32_t depth;
    _Atomic uint32_t methods[TV_STACK_SEEN]; /* outermost first */
};

/* A stack as it was at one moment. */
struct tv_stack_view {
    uint32_t depth; /* of what is seen */
    uint32_t methods[TV_STACK_SEEN];
};

/* Changes the version. The stores that follow it are releases, so that nobody sees them before it.
 */
TV_INLINE void tv_stack_change_version(struct tv_stack *stack, memory_order order)
{
    uint32_t version = atomic_load_explicit(&stack->version, memory_order_relaxed);
    atomic_store_explicit(&stack->version, version + 1, order);
}

/* By the stack's thread alone, also in its signal handlers: one that interrupts a change leaves the
 * version odd, and the stack as it found it. */
TV_INLINE void tv_stack_enter(struct tv_stack *stack, uint32_t method)
{
    uint32_t depth = atomic_load_explicit(&stack->depth, memory_order_relaxed);
    tv_stack_change_version(stack, memory_order_relaxed);
    if (depth < TV_STACK_SEEN)
        atomic_store_explicit(&stack->methods[depth], method, memory_order_release);
    atomic_store_explicit(&stack->depth, depth + 1, memory_order_release);
    tv_stack_change_version(stack, memory_order_release);
}

/* A call that began before tracing is not on the stack; its end changes nothing. */
TV_INLINE void tv_stack_exit(struct tv_stack *stack)
{
    uint32_t depth = atomic_load_explicit(&stack->depth, memory_order_relaxed);
    if (!depth)
        return;
    tv_stack_change_version(stack, memory_order_relaxed);
    atomic_store_explicit(&stack->depth, depth - 1, memory_order_release);
    tv_stack_change_version(stack, memory_order_release);
}

/* Takes a view of a stack of another thread; false when that changed it all the time. */
bool tv_stack_look(struct tv_stack *stack, struct tv_stack_view *view);

/* Tells the exits and enters that lead from one view to the next, as ART writes them: what both
 * begin with stays, the rest of the old one is left, innermost first, then that of the new one
 * entered. */
struct tv_stack_change {
    void (*enter)(void *ctx, uint32_t method);
    void (*exit)(void *ctx, uint32_t method);
    void *ctx;
};
void tv_stack_compare(const struct tv_stack_view *before, const struct tv_stack_view *now,
                      const struct tv_stack_change *change);

#endif
