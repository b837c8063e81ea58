/*
 * See retrace/renaming_choice.h. The reader asks for a choice before the first method is renamed:
 * once for the beginning of a large trace, and once for the whole.
 */
#include "retrace/renaming_choice.h"

#include "base/error.h"

void tv_renaming_choice_init(struct tv_renaming_choice *chosen, const struct tv_alloc *alloc,
                             const struct tv_mappings *among)
{
    *chosen = (struct tv_renaming_choice){.among = *among};
    tv_retracer_init(&chosen->retracer, alloc);
}

static enum tv_code choose(void *ctx, const struct tv_trace_method *methods, size_t count,
                           struct tv_error *err)
{
    struct tv_renaming_choice *chosen = ctx;
    TV_TRY(
        tv_mapping_choose(&chosen->choice, &chosen->retracer, &chosen->among, methods, count, err));
    tv_renaming_init(&chosen->renaming, &chosen->retracer);
    return TV_OK;
}

static enum tv_code rename_as_chosen(void *ctx, struct tv_trace_method *method,
                                     struct tv_findings *findings, struct tv_error *err)
{
    struct tv_renaming_choice *chosen = ctx;
    return chosen->choice.by > TV_CHOICE_TIE
               ? tv_renaming_rename(&chosen->renaming, method, findings, err)
               : TV_OK;
}

static bool is_taken(const void *ctx)
{
    const struct tv_renaming_choice *chosen = ctx;
    return chosen->choice.by > TV_CHOICE_TIE;
}

struct tv_renaming_opts tv_renaming_choice_opts(struct tv_renaming_choice *chosen)
{
    return (struct tv_renaming_opts){
        .rename = rename_as_chosen, .begin = choose, .is_taken = is_taken, .ctx = chosen};
}

void tv_renaming_choice_release(struct tv_renaming_choice *chosen)
{
    tv_retracer_release(&chosen->retracer);
}
