/*
 * Callers and callees of a method; see analysis/question/callers_question.h.
 *
 * The sums of the nodes of the scope come first, then the profile of all methods, then the
 * relations of the one method. The sums are needed only until the other two are made of them.
 */
#include "analysis/question/callers_question.h"

#include "base/error.h"

void tv_callers_init(struct tv_callers *callers, const struct tv_alloc *alloc)
{
    tv_profile_init(&callers->profile, alloc);
    tv_relations_init(&callers->relations, alloc);
}

void tv_callers_release(struct tv_callers *callers)
{
    tv_relations_release(&callers->relations);
    tv_profile_release(&callers->profile);
}

/* An answer while it is made. */
struct making {
    struct tv_callers *callers;
    const struct tv_callers_question *question;
    const struct tv_pool *pool;
    struct tv_method_filter filter;
    struct tv_sums sums;
};

/* The method that is asked about stays in the stacks, whatever its package is. */
static enum tv_code make(struct making *making, const struct tv_index *index, struct tv_error *err)
{
    const struct tv_callers_question *question = making->question;
    const struct tv_scope *scope = &question->scope;
    struct tv_profile *profile = &making->callers->profile;
    struct tv_method_filter *filter = &making->filter;
    const struct tv_relations_question asked = {.method_ix = question->method_ix,
                                                .sort = &question->sort,
                                                .filter = filter,
                                                .cut = question->cut};
    TV_TRY(tv_method_filter_make(filter, index, &scope->methods, err));
    TV_TRY(tv_sums_compute(&making->sums, index, &scope->selection, making->pool, err));
    if (filter->hidden) {
        filter->hidden[question->method_ix] = 0;
        TV_TRY(tv_sums_hide(&making->sums, filter->hidden, 0, err));
    }
    TV_TRY(tv_profile_of_sums(profile, &making->sums, err));
    return tv_relations_compute(&making->callers->relations, &making->sums, profile, &asked, err);
}

enum tv_code tv_callers_compute(struct tv_callers *callers, const struct tv_index *index,
                                const struct tv_callers_question *question,
                                const struct tv_pool *pool, struct tv_error *err)
{
    struct making making = {.callers = callers, .question = question, .pool = pool};
    tv_method_filter_init(&making.filter, callers->profile.alloc);
    tv_sums_init(&making.sums, callers->profile.alloc);
    enum tv_code code = make(&making, index, err);
    tv_sums_release(&making.sums);
    tv_method_filter_release(&making.filter);
    return code;
}
