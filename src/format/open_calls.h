/*
 * The calls that are open on each thread while its records pass: a stack of method keys for each
 * thread, by the rules of docs/numbers.md ("Calls"). No record costs more than what earlier ones
 * paid for: how often a method is open on a thread is counted, so an exit of one that is not is
 * known without a search.
 */
#ifndef TV_FORMAT_OPEN_CALLS_H
#define TV_FORMAT_OPEN_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/map.h"
#include "format/key_stacks.h"

/* The stack of a thread (format/key_stacks.h), and its height. Zero: no call is open. */
struct tv_open_stack {
    uint32_t top;
    uint32_t depth;
};

struct tv_open_calls {
    const struct tv_alloc *alloc;
    struct tv_map open_count; /* by thread and key */
    struct tv_key_stacks stacks;
};

void tv_open_calls_init(struct tv_open_calls *calls, const struct tv_alloc *alloc);
void tv_open_calls_release(struct tv_open_calls *calls);
/* `thread` is a number that the caller gives to the stack's thread. */
enum tv_code tv_open_calls_enter(struct tv_open_calls *calls, uint32_t thread,
                                 struct tv_open_stack *stack, uint32_t key,
                                 struct tv_error *err) TV_MUST_CHECK;
/* Closes the innermost call of the method and all above it; returns how many these are, 0 when the
 * method is not on the stack. */
uint32_t tv_open_calls_leave(struct tv_open_calls *calls, uint32_t thread,
                             struct tv_open_stack *stack, uint32_t key);
/* Closes the call on top of a stack that has one, and returns its key. */
uint32_t tv_open_calls_pop(struct tv_open_calls *calls, uint32_t thread,
                           struct tv_open_stack *stack);

#endif
