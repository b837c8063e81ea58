/*
 * Which methods of a comparison a mapping of one side says were inlined, or merged with others into
 * one of several names, so that their calls, and
 * the exclusive times of what they were inlined into, are not told apart from those of the other
 * side: R8 inlines otherwise in each build, and the program may be the same.
 */
#ifndef TV_COMPARE_INLINED_METHODS_H
#define TV_COMPARE_INLINED_METHODS_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/str.h"
#include "compare/method_join.h"
#include "compare/side.h"
#include "index/index.h"

/* What was inlined into one method, as tv_method_inlined tells it. */
struct tv_inlined_lists {
    struct tv_str of[TV_SIDE_COUNT];
};

struct tv_inlined_methods {
    const struct tv_alloc *alloc;
    struct tv_arena texts;
    struct tv_inlined_lists *lists; /* by place in the join, while runs are added */
    size_t count, cap;
};

void tv_inlined_methods_init(struct tv_inlined_methods *inlined, const struct tv_alloc *alloc);
void tv_inlined_methods_release(struct tv_inlined_methods *inlined);
/* Adds a run of a side, whose methods stand at these places; TV_NONE: the run has no calls of the
 * method. */
enum tv_code tv_inlined_methods_add(struct tv_inlined_methods *inlined, enum tv_side side,
                                    const struct tv_index *index, const uint32_t *places,
                                    struct tv_error *err) TV_MUST_CHECK;
/* Marks the methods of a join whose runs are all there, before they are sorted: the first
 * `old_count` runs are the old side's. */
enum tv_code tv_inlined_methods_mark(const struct tv_inlined_methods *inlined, struct tv_join *join,
                                     size_t old_count, struct tv_error *err) TV_MUST_CHECK;

#endif
