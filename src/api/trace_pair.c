/*
 * The same part of two traces; see api/trace_pair.h. What a parameter names by a number of the new
 * trace (threads) is found in the old one by its name; moments and patterns mean the same in both.
 */
#include "api/trace_pair.h"

#include "api/diff_query.h"
#include "api/query.h"
#include "base/error.h"
#include "base/memory/text_map.h"
#include "compare/run_clocks.h"

enum tv_code tv_trace_pair_tell(const struct tv_trace_pair *pair, enum tv_side side,
                                enum tv_code code, const struct tv_error *why, struct tv_error *err)
{
    const struct tv_str file = pair->of[side]->file;
    return code == TV_OK ? TV_OK
                         : tv_fail(err, code, why->offset, "%.*s: %s", tv_str_shown_len(file),
                                   file.at, why->text);
}

enum tv_code tv_trace_pair_find_old(const struct tv_request *request, size_t *place,
                                    struct tv_error *err)
{
    struct tv_diff_traces named;
    const struct tv_api_trace *old_trace;
    TV_TRY(tv_diff_traces_take(&request->params, &named, err));
    if (!named.counts[TV_SIDE_OLD])
        return tv_params_missing("old", err);
    if (named.counts[TV_SIDE_OLD] != 1)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "this compares with one trace, not with several");
    TV_TRY(tv_diff_trace_find(request->api, &named, 0, &old_trace, err));
    *place = (size_t)(old_trace - request->api->traces);
    return TV_OK;
}

void tv_trace_pair_init(struct tv_trace_pair *pair, const struct tv_alloc *alloc)
{
    *pair = (struct tv_trace_pair){.of = {NULL, NULL}};
    tv_matched_index_init(&pair->matched, alloc);
}

void tv_trace_pair_release(struct tv_trace_pair *pair)
{
    tv_matched_index_release(&pair->matched);
}

enum tv_code tv_matched_pair_make(const struct tv_params *params,
                                  const struct tv_index *const sides[TV_SIDE_COUNT],
                                  struct tv_matched_index *made, struct tv_error *err)
{
    struct tv_hand_matches matches;
    tv_hand_matches_init(&matches, made->alloc);
    enum tv_code code = tv_diff_matches_take(params, &matches, err);
    if (code == TV_OK)
        code = tv_hand_matches_look(&matches, sides[TV_SIDE_NEW], err);
    if (code == TV_OK)
        code = tv_hand_matches_check(&matches, TV_SIDE_NEW, err);
    if (code == TV_OK)
        code = tv_matched_index_make(made, &matches, sides[TV_SIDE_OLD], err);
    if (code == TV_OK)
        code = tv_hand_matches_check(&matches, TV_SIDE_OLD, err);
    tv_hand_matches_release(&matches);
    return code;
}

/* What is kept of the old trace's names from one question to the next is not of the view's. */
static enum tv_code match_by_hand(const struct tv_request *request, struct tv_trace_pair *pair,
                                  struct tv_error *err)
{
    const struct tv_api_trace *old_trace = pair->of[TV_SIDE_OLD];
    const struct tv_index *const sides[TV_SIDE_COUNT] = {old_trace->index,
                                                         pair->of[TV_SIDE_NEW]->index};
    TV_TRY(tv_matched_pair_make(&request->params, sides, &pair->matched, err));
    pair->old_trace = *old_trace;
    pair->old_trace.index = &pair->matched.index;
    pair->old_trace.leans = NULL;
    pair->of[TV_SIDE_OLD] = &pair->old_trace;
    return TV_OK;
}

static enum tv_code find_sides(const struct tv_request *request, struct tv_trace_pair *pair,
                               struct tv_error *err)
{
    size_t place;
    struct tv_str text;
    TV_TRY(tv_trace_pair_find_old(request, &place, err));
    pair->of[TV_SIDE_OLD] = &request->api->traces[place];
    pair->of[TV_SIDE_NEW] = tv_api_meant(request->api);
    return tv_params_find(&request->params, "matched", &text) ? match_by_hand(request, pair, err)
                                                              : TV_OK;
}

/* Marks the threads of the old trace whose names threads of the selection have. */
static enum tv_code mark_named(const struct tv_trace_pair *pair, struct tv_text_map *names,
                               uint8_t *is_chosen, size_t *count, struct tv_error *err)
{
    const struct tv_index *new_index = pair->of[TV_SIDE_NEW]->index;
    const struct tv_index *old_index = pair->of[TV_SIDE_OLD]->index;
    const struct tv_selection *selection = &pair->scopes[TV_SIDE_NEW].selection;
    for (uint32_t i = 0; i < tv_selection_thread_count(selection, new_index); i++) {
        uint32_t *slot;
        struct tv_str name = tv_index_thread_name(new_index, tv_selection_thread(selection, i));
        TV_TRY(tv_text_map_slot(names, name, 0, &slot, err));
    }
    for (uint32_t i = 0; i < old_index->thread_count; i++) {
        is_chosen[i] = tv_text_map_get(names, tv_index_thread_name(old_index, i)) != TV_MAP_NONE;
        *count += is_chosen[i];
    }
    return TV_OK;
}

/* Threads are chosen in the new trace by their ids; in the old one those of the same names are
 * meant. */
static enum tv_code take_threads(const struct tv_request *request, struct tv_trace_pair *pair,
                                 struct tv_error *err)
{
    const struct tv_api_trace *old_trace = pair->of[TV_SIDE_OLD];
    const struct tv_index *index = old_trace->index;
    struct tv_text_map names;
    uint8_t *is_chosen;
    size_t count = 0;
    TV_TRY(tv_arena_take(request->arena, index->thread_count + (size_t)1, &is_chosen, err));
    tv_text_map_init(&names, request->alloc);
    enum tv_code code = mark_named(pair, &names, is_chosen, &count, err);
    tv_text_map_release(&names);
    TV_TRY(code);
    if (!count)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                       "%.*s has no thread of these names: choose others",
                       tv_str_shown_len(old_trace->file), old_trace->file.at);
    return tv_scope_take_threads(&pair->scopes[TV_SIDE_OLD], index, is_chosen, request->arena, err);
}

/* What a parameter is called when it is asked of the old trace; empty: it is about the new one. */
static struct tv_str name_of_old(const struct tv_params *params, struct tv_str name)
{
    static const struct {
        struct tv_str own, old;
    } moments[] = {{{"from", 4}, {"old_from", 8}}, {{"to", 2}, {"old_to", 6}}};
    struct tv_str text;
    if (tv_str_equal(name, TV_STR("threads")) || tv_str_equal(name, TV_STR("clock")))
        return TV_STR("");
    for (size_t i = 0; i < TV_COUNT_OF(moments); i++) {
        if (tv_str_equal(name, moments[i].old))
            return moments[i].own;
        if (tv_str_equal(name, moments[i].own) && tv_params_find(params, moments[i].old.at, &text))
            return TV_STR("");
    }
    return name;
}

/* What is asked of the old trace: all parameters but those that name something of the new one, and
 * its own moments where it has some. */
static struct tv_params params_of_old(const struct tv_params *params)
{
    struct tv_params others = {.arena = params->arena};
    for (size_t i = 0; i < params->count; i++) {
        const struct tv_str name = name_of_old(params, params->of[i].name);
        if (name.len)
            others.of[others.count++] = (struct tv_param){name, params->of[i].value};
    }
    return others;
}

static enum tv_code take_scopes(const struct tv_request *request, struct tv_trace_pair *pair,
                                struct tv_error *err)
{
    const struct tv_params *params = &request->params;
    const struct tv_index *old_index = pair->of[TV_SIDE_OLD]->index;
    const struct tv_index *new_index = pair->of[TV_SIDE_NEW]->index;
    struct tv_scope *old_scope = &pair->scopes[TV_SIDE_OLD];
    struct tv_scope *new_scope = &pair->scopes[TV_SIDE_NEW];
    const struct tv_params others = params_of_old(params);
    struct tv_error why = {.code = TV_OK};
    struct tv_str text;
    TV_TRY(tv_query_scope(params, new_index, new_scope, err));
    enum tv_code code = tv_query_scope(&others, old_index, old_scope, &why);
    TV_TRY(tv_trace_pair_tell(pair, TV_SIDE_OLD, code, &why, err));
    if (tv_params_find(params, "threads", &text))
        TV_TRY(take_threads(request, pair, err));
    TV_TRY(tv_query_idle(params, new_index, new_scope, err));
    return tv_query_idle(&others, old_index, old_scope, err);
}

/* A part of one of two calls is refused, since none would be taken. */
static enum tv_code check_no_part(const struct tv_params *params, struct tv_error *err)
{
    static const char *const others[] = {TV_TRACE_PAIR_PARAMS};
    struct tv_str text;
    for (size_t i = 0; i < TV_COUNT_OF(others); i++)
        if (tv_params_find(params, others[i], &text))
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                           "old_call and new_call are all of two calls: leave %s out", others[i]);
    return TV_OK;
}

enum tv_code tv_trace_pair_take_calls(const struct tv_request *request, struct tv_trace_pair *pair,
                                      bool *is_of_calls, struct tv_error *err)
{
    static const char *const names[TV_SIDE_COUNT] = {TV_CALL_PAIR_PARAMS};
    struct tv_str text;
    *is_of_calls = tv_params_find(&request->params, "old_call", &text) ||
                   tv_params_find(&request->params, "new_call", &text);
    if (!*is_of_calls)
        return TV_OK;
    TV_TRY(check_no_part(&request->params, err));
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
        struct tv_call_ref call;
        struct tv_scope *scope = &pair->scopes[side];
        pair->of[side] = tv_api_meant(request->api);
        tv_scope_init(scope, request->index);
        TV_TRY(tv_query_call_of(&request->params, names[side], request->index, &call, err));
        TV_TRY(tv_scope_take_call(scope, request->index, call, request->arena, err));
    }
    return TV_OK;
}

enum tv_code tv_trace_pair_take(const struct tv_request *request, struct tv_trace_pair *pair,
                                struct tv_error *err)
{
    TV_TRY(find_sides(request, pair, err));
    return take_scopes(request, pair, err);
}

enum tv_code tv_trace_pair_take_clock(const struct tv_request *request, struct tv_trace_pair *pair,
                                      struct tv_error *err)
{
    struct tv_run_clocks clocks = {.has_idle_cpu = false};
    struct tv_error why = {.code = TV_OK};
    struct tv_str text;
    unsigned choice = 0;
    enum tv_clock clock = TV_CLOCK_CPU;
    enum tv_measure measure = pair->scopes[TV_SIDE_NEW].measure;
    TV_TRY(tv_params_choice(&request->params, "clock", tv_measure_words, TV_MEASURE_COUNT, &choice,
                            err));
    if (tv_params_find(&request->params, "clock", &text)) {
        measure = (enum tv_measure)choice;
    } else {
        for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
            const struct tv_api_trace *trace = pair->of[side];
            tv_run_clocks_take(&clocks, trace->index, trace->file);
        }
        TV_TRY(tv_diff_refuse(tv_run_clocks_choose(&clocks, NULL, &clock, err), err));
        measure = clock == TV_CLOCK_CPU ? TV_MEASURE_CPU : TV_MEASURE_WALL;
    }
    TV_TRY(tv_scope_take_measure(&pair->scopes[TV_SIDE_NEW], pair->of[TV_SIDE_NEW]->index, measure,
                                 err));
    enum tv_code code = tv_scope_take_measure(&pair->scopes[TV_SIDE_OLD],
                                              pair->of[TV_SIDE_OLD]->index, measure, &why);
    return tv_trace_pair_tell(pair, TV_SIDE_OLD, code, &why, err);
}
