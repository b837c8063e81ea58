/*
 * What changed in the tree of callers: contexts whose calls changed in their place, and methods
 * whose calls moved from some callers to others.
 *
 * The calls of a context follow those of its caller: where a method is called twice as often, so is
 * all below it. A change is told of the context where it began: whose caller has calls on both
 * sides and the same number of them, or which is new or gone below a caller of both sides. Of a
 * method that one side lacks altogether no context is told: that it is new or gone says as much.
 *
 * Calls of a method moved where it has fewer in some contexts and more in others: as many as the
 * smaller sum of both. What only went along with its caller did not move: at one end of a move the
 * change began at the method itself.
 */
#ifndef TV_COMPARE_CONTEXT_CHANGE_H
#define TV_COMPARE_CONTEXT_CHANGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "compare/context_join.h"

/* A method whose calls moved. */
struct tv_moved_method {
    uint32_t method;                     /* place in the join */
    uint64_t calls;                      /* that moved, at least, in every run */
    uint32_t contexts[TV_SIDE_COUNT];    /* where it lost most of them, and gained most */
    size_t context_count[TV_SIDE_COUNT]; /* in how many contexts it lost and gained calls */
};

struct tv_context_changes {
    const struct tv_alloc *alloc;
    uint32_t *began; /* contexts where a change began, those with most time at stake first */
    size_t began_count, began_cap;
    struct tv_moved_method *moved; /* those with most time where they went first */
    size_t moved_count, moved_cap;
    size_t common_count;              /* contexts with calls on both sides */
    size_t only_count[TV_SIDE_COUNT]; /* with calls on this one alone */
};

void tv_context_changes_init(struct tv_context_changes *changes, const struct tv_alloc *alloc);
void tv_context_changes_release(struct tv_context_changes *changes);
/* Finds the changes between finished contexts of a join that has `method_count` methods. Times are
 * of `clock`. */
enum tv_code tv_context_changes_make(struct tv_context_changes *changes,
                                     const struct tv_context_join *contexts, size_t method_count,
                                     enum tv_clock clock, struct tv_error *err) TV_MUST_CHECK;

/* The mean inclusive time of a context in the runs of a side. */
uint64_t tv_context_time(const struct tv_context_join *contexts, uint32_t place, enum tv_side side,
                         enum tv_clock clock);

#endif
