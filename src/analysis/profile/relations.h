/*
 * Who calls a method and what it calls, for a selection: the four groups of the old viewer.
 *
 * A call whose method is already on the stack is recursive. Its time and count stand under its
 * caller's method in `callers_recursive`, else in `callers`; and in the caller's row under its own
 * method in `callees_recursive` when the calling call is recursive, else in `callees`. Since a node
 * has one parent node and one answer to "is it recursive", every edge is a sum over nodes
 * (docs/numbers.md, "The profile"). Root calls have no caller.
 */
#ifndef TV_ANALYSIS_PROFILE_RELATIONS_H
#define TV_ANALYSIS_PROFILE_RELATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/profile/profile.h"
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
    uint32_t method;           /* ordinal of the other method */
    struct tv_numbers numbers; /* of the calls along this edge */
    uint64_t
        of_calls; /* callers: all calls of the method asked about; callees: all calls of `method` */
};

struct tv_relation_rows {
    struct tv_relation_row *rows; /* in the order asked for, ties by rank */
    size_t count;
    size_t cap;
};

struct tv_relations {
    const struct tv_alloc *alloc;
    struct tv_relation_rows groups[TV_RELATION_COUNT];
    struct tv_numbers
        self; /* exclusive_ns: of the outermost calls; calls: how many; inclusive_ns: theirs */
};

/* "callers", "callees", "callers_recursive", "callees_recursive" */
const char *tv_relation_name(enum tv_relation relation);

void tv_relations_init(struct tv_relations *relations, const struct tv_alloc *alloc);
void tv_relations_release(struct tv_relations *relations);
/* `profile` is that of `sums`. One pass over the nodes. */
enum tv_code tv_relations_compute(struct tv_relations *relations, const struct tv_sums *sums,
                                  const struct tv_profile *profile, uint32_t method_ix,
                                  const struct tv_profile_sort *sort,
                                  struct tv_error *err) TV_MUST_CHECK;

#endif
