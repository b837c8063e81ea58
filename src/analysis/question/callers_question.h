/*
 * Who calls a method and what it calls: a question as a struct, and its answer. The four groups of
 * the answer are told in analysis/profile/relations.h. Hidden packages are taken out of stacks, so
 * a caller is the nearest one that is not hidden; the method itself is never hidden. Rows of
 * methods that do not match, or are dropped, are left out and counted.
 */
#ifndef TV_ANALYSIS_QUESTION_CALLERS_QUESTION_H
#define TV_ANALYSIS_QUESTION_CALLERS_QUESTION_H

#include <stdint.h>

#include "analysis/profile/profile.h"
#include "analysis/profile/relations.h"
#include "analysis/question/scope.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/pool.h"
#include "index/index.h"

struct tv_callers_question {
    struct tv_scope scope;
    struct tv_profile_sort sort; /* of the rows of each group */
    uint32_t method_ix;
    double cut; /* rows below this share of the method's inclusive time (0..1) are left out */
};

struct tv_callers {
    struct tv_profile profile; /* of the scope: the method's own row, and what 100 % is */
    struct tv_relations relations;
};

void tv_callers_init(struct tv_callers *callers, const struct tv_alloc *alloc);
void tv_callers_release(struct tv_callers *callers);
/* The index is borrowed for as long as the answer lives. pool may be NULL. */
enum tv_code tv_callers_compute(struct tv_callers *callers, const struct tv_index *index,
                                const struct tv_callers_question *question,
                                const struct tv_pool *pool, struct tv_error *err) TV_MUST_CHECK;

#endif
