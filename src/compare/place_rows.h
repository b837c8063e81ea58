/*
 * The numbers of what stands at one place of the calling context tree, by method, so that two
 * traces can be set beside each other there: their paths are compared by the names of methods, as
 * in a join (compare/method_join.h), and several methods of a trace may be one step.
 *
 * Top-down, a place is a path from a root, and what stands there are the methods that are called
 * from it. Inverted, it is a path from a method to its callers, and what stands there are the next
 * callers, each with the exclusive time and the calls of the first method.
 */
#ifndef TV_COMPARE_PLACE_ROWS_H
#define TV_COMPARE_PLACE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/profile/profile.h"
#include "analysis/selection/sums.h"
#include "analysis/tree/call_tree.h"
#include "base/compiler.h"
#include "base/error.h"

struct tv_tree_place {
    enum tv_call_tree_direction direction;
    const uint32_t *steps; /* of the path, by numbers that both traces have in common */
    size_t len;
    const uint32_t *step_of; /* by method of the trace: the number that it has; TV_NONE: none */
};

/* Adds to the rows, one for each method of the sums' index, zeros before. */
enum tv_code tv_place_rows(const struct tv_tree_place *place, const struct tv_sums *sums,
                           struct tv_method_row *rows, struct tv_error *err) TV_MUST_CHECK;

#endif
