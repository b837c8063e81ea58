/*
 * Stacks of a world's calls, written out call by call: what trees and flame graphs merge. Slow and
 * obvious; nothing of it is shared with the program.
 */
#ifndef TESTS_ANALYSIS_STACKS_H
#define TESTS_ANALYSIS_STACKS_H

#include <stddef.h>

#include "analysis/selection/sums.h"
#include "analysis/tree/call_tree.h"
#include "analysis/world.h"

#define STACK_MOST 192

/* Methods of a stack: from the root to a call, or from a call up when inverted. */
struct stack {
    unsigned methods[STACK_MOST];
    size_t len;
};

/* The methods around a call, without the hidden one; WORLD_METHODS hides none. */
struct stack stack_of(const struct world *w, int call, enum tv_call_tree_direction direction,
                      unsigned hidden);
/* The node at a path: what all calls whose stack begins with the path spent themselves, and how
 * many calls end there. */
struct tv_numbers stack_numbers(const struct world *w, const struct stack *path,
                                enum tv_call_tree_direction direction, unsigned hidden);
/* The world's number of a method of its index. */
unsigned method_number(const struct world *w, uint32_t method_ix);

#endif
