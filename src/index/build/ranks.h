/*
 * The ranks of methods (docs/numbers.md, "The profile"): methods with calls before those without,
 * then by inclusive time on the default clock, then by name, then by id. So the order is the same
 * for the same trace, whatever order the file lists methods in.
 */
#ifndef TV_INDEX_BUILD_RANKS_H
#define TV_INDEX_BUILD_RANKS_H

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "index/index.h"

/* Sets the rank of each method, method_of_rank and ranked_count. The methods have their profile. */
enum tv_code tv_methods_rank(struct tv_index *index, const struct tv_alloc *alloc,
                             struct tv_error *err) TV_MUST_CHECK;

#endif
