/*
 * Sets of calls in a request; see api/set_query.h.
 *
 * A step is KIND:VALUE, and behind that come parts KEY=VALUE, all separated by ":". Texts are
 * percent-encoded once more within it, since they may have any of these signs.
 */
#include "api/set_query.h"

#include "analysis/calls/call_steps.h"
#include "api/query.h"
#include "base/error.h"

/* A step as it is written. */
struct written {
    struct tv_str kind;
    struct tv_str value;
    struct tv_str past; /* packages that are no part of a path */
    struct tv_call_limits limits;
    bool has_past;
    bool has_limits;
};

static enum tv_code bad_step(struct tv_error *err)
{
    return tv_fail(
        err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
        "calls must be steps separated by \";\": along:RANKS, upwards:RANKS, methods:RANKS, "
        "search:TEXT or call:THREAD.DEPTH.NUMBER");
}

/* "FROM-BELOW" in ns, where BELOW may be missing. It is not 0, which limits have for none. */
static enum tv_code read_limits(struct tv_str text, struct tv_call_limits *limits,
                                struct tv_error *err)
{
    struct tv_str from;
    if (!tv_str_split(&text, '-', &from) || !tv_str_to_u64(from, 10, &limits->least_ns) ||
        !text.at ||
        (text.len && (!tv_str_to_u64(text, 10, &limits->below_ns) || !limits->below_ns)))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "durations of calls must be FROM-BELOW in ns, or FROM-, with BELOW above 0");
    return TV_OK;
}

/* Notes that a part was there. A second one would say something else of the same calls. */
static enum tv_code take_once(bool *has, const char *what, struct tv_error *err)
{
    if (*has)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "a step of calls has %s twice", what);
    *has = true;
    return TV_OK;
}

/* Reads "past=PACKAGES" or "MEASURE=FROM-BELOW". */
static enum tv_code read_part(const struct tv_params *params, struct tv_str part,
                              struct written *step, struct tv_error *err)
{
    struct tv_str key;
    if (!tv_str_split(&part, '=', &key))
        return bad_step(err);
    if (tv_str_equal(key, TV_STR("past"))) {
        TV_TRY(take_once(&step->has_past, "past", err));
        return tv_params_decode(params->arena, part, &step->past, err);
    }
    for (unsigned i = 0; i < TV_MEASURE_COUNT; i++) {
        if (!tv_str_equal(key, tv_str_from(tv_measure_words[i])))
            continue;
        TV_TRY(take_once(&step->has_limits, "durations", err));
        step->limits.measure = (enum tv_measure)i;
        return read_limits(part, &step->limits, err);
    }
    return bad_step(err);
}

static enum tv_code read_step(const struct tv_params *params, struct tv_str text,
                              struct written *step, struct tv_error *err)
{
    struct tv_str part;
    *step = (struct written){.past = {NULL, 0}};
    if (!tv_str_split(&text, ':', &step->kind) || !tv_str_split(&text, ':', &step->value))
        return bad_step(err);
    while (tv_str_split(&text, ':', &part))
        TV_TRY(read_part(params, part, step, err));
    if (step->has_past && !tv_str_equal(step->kind, TV_STR("along")) &&
        !tv_str_equal(step->kind, TV_STR("upwards")))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "a step of calls has past, which only a path takes: along or upwards");
    return TV_OK;
}

/* A step that names methods by rank: a path, or some methods. */
static enum tv_code take_ranks(const struct tv_params *params, const struct tv_index *index,
                               const struct written *step, enum tv_call_step_kind kind,
                               struct tv_scope *scope, struct tv_error *err)
{
    uint64_t *ranks = NULL;
    uint32_t *methods;
    size_t count = 0;
    TV_TRY(tv_params_numbers(params, "calls", step->value, '.', &ranks, &count, err));
    if (kind != TV_STEP_METHODS && count > TV_CALL_PATH_LIMIT)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "a path of %zu methods; at most %u",
                       count, TV_CALL_PATH_LIMIT);
    TV_TRY(tv_query_ranks(params, index, ranks, count, &methods, err));
    const struct tv_call_step taken = {.kind = kind, .of = methods, .len = count};
    return tv_scope_take_step(scope, index, &taken, step->past, &step->limits, params->arena, err);
}

static enum tv_code take_search(const struct tv_params *params, const struct tv_index *index,
                                const struct written *step, struct tv_scope *scope,
                                struct tv_error *err)
{
    struct tv_str pattern;
    TV_TRY(tv_params_decode(params->arena, step->value, &pattern, err));
    if (!pattern.len)
        return bad_step(err);
    return tv_scope_take_matching(scope, index, &pattern, 1, &step->limits, params->arena, err);
}

static enum tv_code take_call(const struct tv_params *params, const struct tv_index *index,
                              const struct written *step, struct tv_scope *scope,
                              struct tv_error *err)
{
    struct tv_call_ref ref;
    if (step->has_limits)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "a step to one call takes no durations");
    TV_TRY(tv_query_call_text(step->value, "calls", index, &ref, err));
    return tv_scope_take_call(scope, index, ref, params->arena, err);
}

static enum tv_code take_step(const struct tv_params *params, const struct tv_index *index,
                              const struct written *step, struct tv_scope *scope,
                              struct tv_error *err)
{
    static const char *const kinds[] = {"along", "upwards", "methods"};
    static const enum tv_call_step_kind kind_of[] = {TV_STEP_FROM_ROOT, TV_STEP_TO_CALLERS,
                                                     TV_STEP_METHODS};
    for (size_t i = 0; i < TV_COUNT_OF(kinds); i++) {
        if (tv_str_equal(step->kind, tv_str_from(kinds[i])))
            return take_ranks(params, index, step, kind_of[i], scope, err);
    }
    if (tv_str_equal(step->kind, TV_STR("search")))
        return take_search(params, index, step, scope, err);
    if (tv_str_equal(step->kind, TV_STR("call")))
        return take_call(params, index, step, scope, err);
    return bad_step(err);
}

enum tv_code tv_query_set(const struct tv_params *params, const struct tv_index *index,
                          struct tv_scope *scope, struct tv_error *err)
{
    struct tv_str text;
    struct tv_str part;
    if (!tv_params_find(params, "calls", &text) || !text.len)
        return TV_OK;
    for (unsigned count = 0; tv_str_split(&text, ';', &part); count++) {
        struct written step;
        if (count == TV_SET_STEP_LIMIT)
            return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "calls has more than %u steps",
                           TV_SET_STEP_LIMIT);
        TV_TRY(read_step(params, part, &step, err));
        TV_TRY(take_step(params, index, &step, scope, err));
    }
    return TV_OK;
}
