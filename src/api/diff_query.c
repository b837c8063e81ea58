/*
 * The sides of a comparison as parameters; see api/diff_query.h. A trace that is named twice is
 * refused: it would be one run that counts as two, and look stable.
 */
#include "api/diff_query.h"

#define DEFAULT_ROWS 10u

static const char *const kind_words[] = {
    [TV_TIME_INCLUSIVE] = "inclusive", [TV_TIME_EXCLUSIVE] = "exclusive"};

static enum tv_code add_name(struct tv_diff_traces *traces, struct tv_str name, enum tv_side side,
                             struct tv_error *err)
{
    const size_t count = traces->counts[TV_SIDE_OLD] + traces->counts[TV_SIDE_NEW];
    for (size_t i = 0; i < count; i++) {
        if (tv_str_equal(traces->names[i], name))
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                           "trace \"%.*s\" stands twice, and is one run", tv_str_shown_len(name),
                           name.at);
    }
    if (count == TV_DIFF_TRACES_MOST)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "more than %u traces",
                       TV_DIFF_TRACES_MOST);
    traces->names[count] = name;
    traces->counts[side]++;
    return TV_OK;
}

enum tv_code tv_diff_traces_take(const struct tv_params *params, struct tv_diff_traces *traces,
                                 struct tv_error *err)
{
    *traces = (struct tv_diff_traces){.counts = {0, 0}};
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
        struct tv_str names;
        struct tv_str name;
        if (!tv_params_find(params, tv_side_words[side], &names))
            continue;
        while (tv_str_split(&names, ',', &name))
            TV_TRY(add_name(traces, name, (enum tv_side)side, err));
    }
    return TV_OK;
}

enum tv_code tv_diff_traces_read(struct tv_str query, struct tv_arena *arena,
                                 struct tv_diff_traces *traces, struct tv_error *err)
{
    struct tv_params params;
    TV_TRY(tv_params_parse(&params, arena, query, NULL, err));
    return tv_diff_traces_take(&params, traces, err);
}

enum tv_code tv_diff_opts_take(const struct tv_params *params, struct tv_comparison_opts *opts,
                               struct tv_error *err)
{
    struct tv_str text;
    unsigned clock = TV_CLOCK_CPU;
    unsigned kind = TV_TIME_INCLUSIVE;
    double least = TV_COMPARED_LEAST * 100;
    opts->most_rows = DEFAULT_ROWS;
    opts->has_clock = tv_params_find(params, "clock", &text);
    TV_TRY(tv_params_choice(params, "clock", tv_run_clock_words, TV_CLOCK_COUNT, &clock, err));
    TV_TRY(tv_params_choice(params, "by", kind_words, TV_COUNT_OF(kind_words), &kind, err));
    TV_TRY(tv_params_decimal(params, "least", &least, err));
    TV_TRY(tv_params_u64(params, "n", 0, UINT32_MAX, &opts->most_rows, err));
    if (!(least > 0 && least <= 100))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "least must be more than 0 percent, and at most 100");
    opts->clock = (enum tv_clock)clock;
    opts->kind = (enum tv_time_kind)kind;
    opts->least = least / 100;
    return TV_OK;
}

enum tv_code tv_diff_matches_take(const struct tv_params *params, struct tv_hand_matches *matches,
                                  struct tv_error *err)
{
    struct tv_str lines;
    struct tv_str names[TV_SIDE_COUNT];
    if (!tv_params_find(params, "matched", &lines))
        return TV_OK;
    while (tv_str_split(&lines, '\n', &names[TV_SIDE_OLD])) {
        names[TV_SIDE_NEW] = TV_STR("");
        (void)tv_str_split(&lines, '\n', &names[TV_SIDE_NEW]);
        TV_TRY(tv_hand_matches_add(matches, names[TV_SIDE_OLD], names[TV_SIDE_NEW], err));
    }
    return TV_OK;
}

static const struct tv_api_trace *open_trace(const struct tv_api *api, struct tv_str name)
{
    for (size_t i = 0; i < api->trace_count; i++) {
        if (api->traces[i].index && tv_str_equal(api->traces[i].name, name))
            return &api->traces[i];
    }
    return NULL;
}

enum tv_code tv_diff_trace_find(const struct tv_api *api, const struct tv_diff_traces *traces,
                                size_t i, const struct tv_api_trace **trace, struct tv_error *err)
{
    const struct tv_str name = traces->names[i];
    *trace = open_trace(api, name);
    if (!*trace)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no trace \"%.*s\" is open here",
                       tv_str_shown_len(name), name.at);
    if (!traces->counts[TV_SIDE_NEW] && *trace == tv_api_meant(api))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "the trace cannot be compared with itself");
    return TV_OK;
}

static enum tv_code take_sides(const struct tv_api *api, const struct tv_params *params,
                               bool may_be_closed, struct tv_diff_sides *sides,
                               struct tv_error *err)
{
    struct tv_diff_traces named;
    TV_TRY(tv_diff_traces_take(params, &named, err));
    const size_t count = named.counts[TV_SIDE_OLD] + named.counts[TV_SIDE_NEW];
    for (size_t i = 0; i < count; i++) {
        sides->names[i] = named.names[i];
        sides->of[i] = NULL;
        if (!may_be_closed || !api->opener || open_trace(api, named.names[i]))
            TV_TRY(tv_diff_trace_find(api, &named, i, &sides->of[i], err));
    }
    sides->counts[TV_SIDE_OLD] = named.counts[TV_SIDE_OLD];
    sides->counts[TV_SIDE_NEW] = named.counts[TV_SIDE_NEW];
    if (!named.counts[TV_SIDE_NEW]) {
        sides->of[count] = tv_api_meant(api);
        sides->counts[TV_SIDE_NEW] = 1;
    }
    return TV_OK;
}

enum tv_code tv_diff_sides_take(const struct tv_api *api, const struct tv_params *params,
                                struct tv_diff_sides *sides, struct tv_error *err)
{
    return take_sides(api, params, false, sides, err);
}

enum tv_code tv_diff_sides_take_closed(const struct tv_api *api, const struct tv_params *params,
                                       struct tv_diff_sides *sides, struct tv_error *err)
{
    return take_sides(api, params, true, sides, err);
}

enum tv_code tv_diff_refuse(enum tv_code code, struct tv_error *err)
{
    if (code != TV_ERR_UNSUPPORTED)
        return code;
    if (err)
        err->code = TV_ERR_ARGUMENT;
    return TV_ERR_ARGUMENT;
}
