/*
 * Relations: who calls a method and what it calls, for a selection, in the four groups of the old
 * viewer.
 *
 * A call whose method is already on the stack is recursive. A call stands under the method of its
 * caller in `callers_recursive` if it is recursive itself, else in `callers`; and, in the view of
 * its caller's method, under its own method in `callees_recursive` if the calling call is
 * recursive, else in `callees`. Root calls have no caller.
 *
 * A node has one parent node, and all its calls are recursive or none. So every edge between
 * methods is a sum over nodes (docs/numbers.md, "The profile").
 */
#ifndef TV_ANALYSIS_PROFILE_RELATIONS_H
#define TV_ANALYSIS_PROFILE_RELATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/profile/profile.h"
#include "analysis/selection/name_pattern.h"
#include "analysis/selection/sums.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"

enum tv_relation {
    TV_RELATION_CALLERS,
    TV_RELATION_CALLEES,
    TV_RELATION_CALLERS_RECURSIVE,
    TV_RELATION_CALLEES_RECURSIVE,
    TV_RELATION_COUNT
};

struct tv_relation_row {
    uint32_t method;           /* ordinal of the caller or callee */
    struct tv_numbers numbers; /* of the calls from the one to the other */
    /* What `calls` are a share of: all calls of the method asked about for a caller, all calls of
     * `method` for a callee. */
    uint64_t of_calls;
};

struct tv_relation_rows {
    struct tv_relation_row *rows; /* sorted as asked, ties by rank */
    size_t count;
    size_t cap;
    size_t left_out_count;      /* rows that are not shown */
    struct tv_numbers left_out; /* what these add up to */
};

struct tv_relations {
    const struct tv_alloc *alloc;
    struct tv_relation_rows groups[TV_RELATION_COUNT];
    struct tv_numbers self; /* of the method's outermost calls */
};

/* The name in answers: "callers", "callees", "callers_recursive", "callees_recursive". */
const char *tv_relation_name(enum tv_relation relation);

void tv_relations_init(struct tv_relations *relations, const struct tv_alloc *alloc);
void tv_relations_release(struct tv_relations *relations);
struct tv_relations_question {
    uint32_t method_ix;
    const struct tv_profile_sort *sort;    /* of the rows of each group */
    const struct tv_method_filter *filter; /* what rows are shown; NULL: all are */
    double cut; /* rows below this share of the method's inclusive time are left out, too */
};

/* Computes the relations of a method in one pass over the nodes. `profile` is that of `sums`; all
 * but the sums is borrowed for the call only. */
enum tv_code tv_relations_compute(struct tv_relations *relations, const struct tv_sums *sums,
                                  const struct tv_profile *profile,
                                  const struct tv_relations_question *question,
                                  struct tv_error *err) TV_MUST_CHECK;

#endif
