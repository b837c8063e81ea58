/*
 * Stacks of waiting threads that are known again without stopping the thread. A stack follows from
 * the registers and from the words of the thread's memory that were read to follow it. A thread
 * that waits again in the same system call at the same stack pointer, with all of those words
 * unchanged, has the same stack.
 *
 * A cache: without memory, or above a limit, it forgets what it has. One thread.
 */
#ifndef TV_OS_SYMBOLS_KEPT_STACKS_H
#define TV_OS_SYMBOLS_KEPT_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/memory/arena.h"
#include "base/memory/map.h"

/* A word of a thread's memory. */
struct tv_stack_word {
    uint64_t at, value;
};

struct tv_kept_stack {
    uint64_t code, stack; /* where it waits: the instruction, and the stack pointer */
    bool is_whole;        /* the outermost call is among the addresses */
    size_t count, word_count;
    const uint64_t *addresses;         /* of the calls, innermost first */
    const struct tv_stack_word *words; /* that were read to follow it */
    const struct tv_kept_stack *next;  /* of the same place, older; NULL: there is none */
};

struct tv_kept_stacks {
    struct tv_arena arena;
    struct tv_map last; /* 1 + of the newest of a place, in `all` */
    const struct tv_kept_stack **all;
    size_t count, cap, bytes;
};

void tv_kept_stacks_init(struct tv_kept_stacks *stacks, const struct tv_alloc *alloc);
/* Forgets all: the memory of the process means something else now. */
void tv_kept_stacks_release(struct tv_kept_stacks *stacks);
/* Keeps a copy. */
void tv_kept_stacks_keep(struct tv_kept_stacks *stacks, const struct tv_kept_stack *stack);
/* The stack of a thread that waits there; NULL: it is not known. `read` reads a word of the
 * thread's memory, and fails where there is none. Borrowed until the next change. */
const struct tv_kept_stack *
tv_kept_stacks_find(const struct tv_kept_stacks *stacks, uint64_t code, uint64_t stack,
                    bool (*read)(void *ctx, uint64_t at, uint64_t *value), void *ctx);

#endif
