/*
 * What a set of methods took together: the totals below a filtered, searched or marked list.
 *
 * Exclusive times and calls of a set are the sums of its methods'. Its inclusive time is that of
 * its outermost calls, which lie in no other call of the set: so where methods of the set call each
 * other, their time counts once, and the total is never more than 100 %.
 */
#ifndef TV_ANALYSIS_PROFILE_SET_TOTALS_H
#define TV_ANALYSIS_PROFILE_SET_TOTALS_H

#include <stdint.h>

#include "analysis/selection/sums.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"

struct tv_set_totals {
    uint64_t methods; /* of the set, those with calls or time in the selection */
    struct tv_numbers numbers;
};

/* Adds up the set: is_member[method] is 1 or 0. One pass over the nodes of the selected threads,
 * with a byte of scratch for each node and each method. */
enum tv_code tv_set_totals_compute(struct tv_set_totals *totals, const struct tv_sums *sums,
                                   const uint8_t *is_member, const struct tv_alloc *alloc,
                                   struct tv_error *err) TV_MUST_CHECK;

#endif
