/*
 * All edges between the methods of a selection: who called whom, how often, and for how long.
 *
 * The nodes of one caller and one callee are one edge, as far as both are recursive or both are
 * not: the old tools keep calls of recursive and of outermost calls apart, and inclusive time must
 * not be added up over both. A root call's edge has no caller. Each node is part of exactly one
 * edge, so the numbers of a method are sums over its edges.
 */
#ifndef TV_ANALYSIS_PROFILE_EDGES_H
#define TV_ANALYSIS_PROFILE_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/selection/sums.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"

struct tv_edge {
    uint32_t caller; /* ordinal of the method; TV_NONE: the calls are root calls */
    uint32_t callee;
    bool is_caller_recursive;  /* the calling call is recursive */
    bool is_callee_recursive;  /* the calls are recursive: their callee was on the stack already */
    struct tv_numbers numbers; /* of the calls */
};

struct tv_edges {
    const struct tv_alloc *alloc;
    struct tv_edge *of;
    size_t count;
    size_t cap;
};

void tv_edges_init(struct tv_edges *edges, const struct tv_alloc *alloc);
void tv_edges_release(struct tv_edges *edges);
/* Computes the edges of sums, ordered by caller and then by callee, edges without a caller last;
 * outermost before recursive ones. The sums are borrowed only for the call. */
enum tv_code tv_edges_compute(struct tv_edges *edges, const struct tv_sums *sums,
                              struct tv_error *err) TV_MUST_CHECK;

#endif
