/* The order of methods by inclusive time (docs/numbers.md, "The profile"). */
#ifndef TV_INDEX_BUILD_RANKS_H
#define TV_INDEX_BUILD_RANKS_H

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "index/index.h"

/* Ranks the methods of an index, whose profile is there. */
enum tv_code tv_methods_rank(struct tv_index *index, const struct tv_alloc *alloc,
                             struct tv_error *err) TV_MUST_CHECK;

#endif
