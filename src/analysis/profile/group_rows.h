/*
 * Rows of groups of methods: what the row of a method would have if the methods of its group were
 * one.
 *
 * Calls and exclusive times are the sums of the methods'. A call that lies in another call of its
 * group is nested: it counts as recursive, and its inclusive time is in that of the outermost call.
 */
#ifndef TV_ANALYSIS_PROFILE_GROUP_ROWS_H
#define TV_ANALYSIS_PROFILE_GROUP_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/profile/profile.h"
#include "analysis/selection/sums.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"

/* Which methods are together. */
struct tv_method_groups {
    const uint32_t *of; /* per method of the index: its group; TV_NONE: it is in none */
    size_t count;       /* of groups */
    uint32_t root; /* only what this method called counts, and it itself; TV_NONE: everything */
};

/* How a node stands to the others of its group. */
enum tv_nesting {
    TV_NESTING_NONE, /* its method is in no group, or it is not below the root */
    TV_NESTING_OUTERMOST,
    TV_NESTING_NESTED
};

/* Tells of each node how it stands: nesting[node] is an enum tv_nesting, TV_NESTING_NONE for nodes
 * of threads that are not selected. Each node is met twice, however deep the tree is. */
enum tv_code tv_groups_nesting(const struct tv_method_groups *groups, const struct tv_sums *sums,
                               uint8_t *nesting, const struct tv_alloc *alloc,
                               struct tv_error *err) TV_MUST_CHECK;
/* Adds to rows, one for each group. */
enum tv_code tv_groups_rows(const struct tv_method_groups *groups, const struct tv_sums *sums,
                            struct tv_method_row *rows, const struct tv_alloc *alloc,
                            struct tv_error *err) TV_MUST_CHECK;

#endif
