/* Callers and callees of a method; see analysis/question/callers_question.h. The sums of the nodes
 * are needed only until the profile and the relations are made of them. */
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

enum tv_code tv_callers_compute(struct tv_callers *callers, const struct tv_index *index,
                                const struct tv_callers_question *question,
                                const struct tv_pool *pool, struct tv_error *err)
{
    struct tv_sums sums;
    tv_sums_init(&sums, callers->profile.alloc);
    enum tv_code code = tv_sums_compute(&sums, index, &question->scope.selection, pool, err);
    if (code == TV_OK)
        code = tv_profile_of_sums(&callers->profile, &sums, err);
    if (code == TV_OK)
        code = tv_relations_compute(&callers->relations, &sums, &callers->profile,
                                    question->method_ix, &question->sort, err);
    tv_sums_release(&sums);
    return code;
}
