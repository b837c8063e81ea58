/*
 * What counts for whoever asks; see site/fleet/fleet_question.h. The store is asked first, by the
 * rights of the request; rows are looked for only of the traces that it gave. So it does not matter
 * what else the database of rows has.
 */
#include "site/fleet/fleet_question.h"

#include <string.h>

#include "api/params.h"
#include "site/config/projects.h"
#include "site/document/readable.h"
#include "site/jobs/counted_traces.h"
#include "site/request/project_rights.h"

/* --- parameters --- */

static const char *const known[][12] = {
    [TV_FLEET_APPS] = {NULL},
    [TV_FLEET_DIGEST] = {"app", NULL},
    [TV_FLEET_BUILDS] = {"app", NULL},
    [TV_FLEET_CHANGE] = {"app", "old", "new", "device", "clock", "by", "n", NULL},
    [TV_FLEET_METHOD] = {"app", "class", "name", "signature", NULL},
};

static enum tv_code read_parameters(struct tv_request_context *context, enum tv_fleet_asked asked,
                                    struct tv_fleet_question *question, struct tv_error *err)
{
    static const char *const kinds[] = {"inclusive", "exclusive"};
    struct tv_params params;
    unsigned clock = TV_CLOCK_COUNT;
    unsigned kind = TV_TIME_EXCLUSIVE;
    TV_TRY(tv_params_parse(&params, &context->arena, context->query, known[asked], err));
    (void)tv_params_find(&params, "app", &question->app);
    (void)tv_params_find(&params, "device", &question->device);
    (void)tv_params_find(&params, "old", &question->build_names[TV_SIDE_OLD]);
    (void)tv_params_find(&params, "new", &question->build_names[TV_SIDE_NEW]);
    (void)tv_params_find(&params, "class", &question->method.class_name);
    (void)tv_params_find(&params, "name", &question->method.name);
    (void)tv_params_find(&params, "signature", &question->method.signature);
    TV_TRY(tv_params_choice(&params, "clock", tv_run_clock_words, TV_CLOCK_COUNT, &clock, err));
    TV_TRY(tv_params_choice(&params, "by", kinds, TV_COUNT_OF(kinds), &kind, err));
    TV_TRY(tv_params_u64(&params, "n", 1, 1000, &question->most, err));
    question->has_clock = clock < TV_CLOCK_COUNT;
    question->clock = question->has_clock ? (enum tv_clock)clock : TV_CLOCK_WALL;
    question->kind = (enum tv_time_kind)kind;
    if (asked > TV_FLEET_DIGEST && !question->app.len)
        return tv_params_missing("app", err);
    if (asked == TV_FLEET_METHOD && !question->method.class_name.len && !question->method.name.len)
        return tv_params_missing("name", err);
    return TV_OK;
}

/* --- traces that count --- */

static enum tv_code find_traces(struct tv_request_context *context,
                                struct tv_fleet_question *question, bool has_runs,
                                struct tv_str until_day, struct tv_error *err)
{
    const enum tv_count_rule rule = tv_site_config_rule(context->site->config);
    const struct tv_label app = {TV_STR("app"), question->app};
    struct tv_trace_query query = {.counted = &rule,
                                   .is_of_all = true,
                                   .labels = &app,
                                   .label_count = question->app.len > 0,
                                   .until_day = until_day,
                                   .now = context->now};
    struct tv_str projects[TV_PROJECTS_MOST];
    struct tv_counted_traces found;
    tv_project_narrow(context, projects, &query);
    TV_TRY(tv_counted_traces_find(&found, context->site->store, &query,
                                  context->request->is_unwanted, question->bound, &context->arena,
                                  err));
    if (has_runs)
        TV_TRY(tv_counted_traces_find_runs(&found, &question->reader, &context->arena, err));
    question->traces = found.traces;
    question->count = found.count;
    question->without_rows = found.without_rows;
    question->is_cut = found.is_cut;
    return TV_OK;
}

static enum tv_code begin(struct tv_request_context *context, enum tv_fleet_asked asked,
                          struct tv_fleet_question *question, struct tv_error *err)
{
    TV_TRY(read_parameters(context, asked, question, err));
    if (asked == TV_FLEET_DIGEST)
        return TV_OK;
    TV_TRY(tv_fleet_reader_open(&question->reader, context->site->rows, err));
    question->reader.is_unwanted = context->request->is_unwanted;
    /* Of two builds rows are looked for when it is known which two: most traces are of others. */
    TV_TRY(find_traces(context, question, asked != TV_FLEET_CHANGE, TV_STR(""), err));
    if (asked < TV_FLEET_DIGEST)
        return TV_OK;
    if (!question->count)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                       "no trace that counts for you has the label app:%.*s",
                       tv_str_shown_len(question->app), question->app.at);
    return tv_fleet_builds_find(&question->builds, question->traces, question->count, question->app,
                                &context->arena, err);
}

bool tv_fleet_question_begin(struct tv_request_context *context, enum tv_fleet_asked asked,
                             struct tv_fleet_question *question, struct tv_http_response *response)
{
    struct tv_error err = {.code = TV_OK};
    *question = (struct tv_fleet_question){
        .most = TV_FLEET_METHODS_TOLD, .bound = TV_FLEET_TRACES_MOST, .reader = {.alloc = NULL}};
    if (context->site->config->rows == TV_ROWS_NO) {
        tv_request_context_refuse(
            context, 404, "this site answers no questions over all traces (rows = no)", response);
        return false;
    }
    if (begin(context, asked, question, &err) == TV_OK)
        return true;
    tv_request_context_fail(context, &err, response);
    return false;
}

void tv_fleet_question_end(struct tv_fleet_question *question)
{
    tv_fleet_reader_close(&question->reader);
}

/* The store is asked again for each moment: bytes that came again later count as the trace that was
 * there then. */
enum tv_code tv_fleet_question_as_of(struct tv_request_context *context,
                                     const struct tv_fleet_question *question, int64_t midnight,
                                     struct tv_fleet_question *past, struct tv_error *err)
{
    char room[TV_READABLE_MOST];
    *past = *question;
    past->bound = TV_FLEET_DIGEST_MOST;
    return find_traces(context, past, false, tv_readable_day(room, midnight), err);
}

void tv_fleet_question_tell_bound(const struct tv_fleet_question *question, struct tv_out *out)
{
    if (question->is_cut)
        tv_out_add(out, " Of more than %zu traces only the newest are counted.", question->bound);
}

/* --- two builds --- */

static enum tv_code find_build(const struct tv_fleet_question *question, struct tv_str name,
                               const struct tv_fleet_build **build, struct tv_error *err)
{
    for (size_t i = 0; i < question->builds.count; i++) {
        *build = &question->builds.of[i];
        if (tv_str_equal((*build)->name, name))
            return TV_OK;
    }
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                   "no trace that counts for you is of the build %.*s", tv_str_shown_len(name),
                   name.at);
}

/* The build before the new one, where the old one was not named. */
static enum tv_code find_builds(const struct tv_fleet_question *question,
                                struct tv_fleet_sides *sides, struct tv_error *err)
{
    const struct tv_fleet_builds *builds = &question->builds;
    const struct tv_str *names = question->build_names;
    if (builds->count < 2)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                       "the app %.*s has %s: there is nothing to compare",
                       tv_str_shown_len(question->app), question->app.at,
                       builds->count ? "one build" : "no trace with the label build");
    sides->builds[TV_SIDE_NEW] = &builds->of[builds->count - 1];
    if (names[TV_SIDE_NEW].len)
        TV_TRY(find_build(question, names[TV_SIDE_NEW], &sides->builds[TV_SIDE_NEW], err));
    if (names[TV_SIDE_OLD].len)
        return find_build(question, names[TV_SIDE_OLD], &sides->builds[TV_SIDE_OLD], err);
    const struct tv_fleet_build *new_build = sides->builds[TV_SIDE_NEW];
    if (new_build == builds->of)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                       "no build is before %.*s: name the old one",
                       tv_str_shown_len(new_build->name), new_build->name.at);
    sides->builds[TV_SIDE_OLD] = new_build - 1;
    return TV_OK;
}

static bool is_asked(const struct tv_fleet_question *question, const struct tv_fleet_trace *trace)
{
    return !question->device.len || tv_str_equal(trace->device, question->device);
}

/* Looks for the rows of a build's traces, the newest first, until enough of them have some. */
static enum tv_code find_runs(struct tv_fleet_question *question,
                              const struct tv_fleet_build *build, struct tv_arena *arena,
                              struct tv_error *err)
{
    struct tv_fleet_run_key keys[TV_FLEET_COMPARED_MOST];
    struct tv_fleet_run *runs[TV_FLEET_COMPARED_MOST];
    struct tv_fleet_trace *traces[TV_FLEET_COMPARED_MOST];
    size_t having = 0;
    for (size_t i = 0; i < build->count && having < TV_FLEET_COMPARED_MOST;) {
        size_t count = 0;
        for (; i < build->count && count < TV_FLEET_COMPARED_MOST; i++) {
            if (!is_asked(question, build->traces[i]))
                continue;
            traces[count] = &question->traces[build->traces[i] - question->traces];
            keys[count] = traces[count]->key;
            count++;
        }
        TV_TRY(tv_fleet_find_runs(&question->reader, keys, count, arena, runs, err));
        for (size_t j = 0; j < count; j++) {
            traces[j]->run = runs[j];
            having += runs[j] != NULL;
            question->without_rows += !runs[j];
        }
    }
    return TV_OK;
}

/* Adds the traces of a side, the newest of those that have rows. */
static void add_side(const struct tv_fleet_question *question, struct tv_fleet_sides *sides,
                     enum tv_side side, size_t most, size_t *count)
{
    const struct tv_fleet_build *build = sides->builds[side];
    sides->traces[side] = sides->runs[side] = 0;
    for (size_t i = 0; i < build->count; i++) {
        const struct tv_fleet_trace *trace = build->traces[i];
        if (!is_asked(question, trace))
            continue;
        sides->traces[side]++;
        if (!trace->run || sides->runs[side] == most)
            continue;
        sides->counted[*count] = (struct tv_fleet_counted){trace->run, trace->id};
        sides->traces_of[(*count)++] = trace;
        sides->runs[side]++;
    }
}

static void add_sides(const struct tv_fleet_question *question, struct tv_fleet_sides *sides,
                      size_t most)
{
    size_t count = 0;
    add_side(question, sides, TV_SIDE_OLD, most, &count);
    add_side(question, sides, TV_SIDE_NEW, most, &count);
    sides->other_devices = false;
    for (size_t i = 1; i < count; i++)
        sides->other_devices = sides->other_devices || !tv_str_equal(sides->traces_of[i]->device,
                                                                     sides->traces_of[0]->device);
}

enum tv_code tv_fleet_sides_find(struct tv_request_context *context,
                                 struct tv_fleet_question *question, struct tv_fleet_sides *sides,
                                 struct tv_error *err)
{
    const size_t room = 2 * TV_FLEET_COMPARED_MOST;
    *sides = (struct tv_fleet_sides){.other_devices = false};
    TV_TRY(find_builds(question, sides, err));
    TV_TRY(find_runs(question, sides->builds[TV_SIDE_OLD], &context->arena, err));
    if (sides->builds[TV_SIDE_NEW] != sides->builds[TV_SIDE_OLD])
        TV_TRY(find_runs(question, sides->builds[TV_SIDE_NEW], &context->arena, err));
    TV_TRY(tv_arena_take(&context->arena, room * sizeof(*sides->counted), &sides->counted, err));
    TV_TRY(
        tv_arena_take(&context->arena, room * sizeof(*sides->traces_of), &sides->traces_of, err));
    add_sides(question, sides, TV_FLEET_COMPARED_MOST);
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
        if (!sides->runs[side])
            return tv_fail(
                err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no trace of the build %.*s has rows%s",
                tv_str_shown_len(sides->builds[side]->name), sides->builds[side]->name.at,
                sides->traces[side] ? context->site->config->archive ? ", and an archive makes none"
                                                                     : " yet: ask again soon"
                : question->device.len ? " of this device"
                                       : "");
    }
    return TV_OK;
}

static enum tv_code compare(struct tv_fleet_question *question, const struct tv_fleet_sides *sides,
                            struct tv_build_change *change, struct tv_error *err)
{
    const struct tv_build_change_opts opts = {
        .runs = sides->counted,
        .run_counts = {sides->runs[TV_SIDE_OLD], sides->runs[TV_SIDE_NEW]},
        .has_clock = question->has_clock,
        .clock = question->clock,
        .kind = question->kind,
        .least = TV_COMPARED_LEAST,
        .other_devices = sides->other_devices,
        .most_rows = question->most};
    return tv_build_change_make(change, &question->reader, &opts, err);
}

enum tv_code tv_fleet_compare(struct tv_fleet_question *question, struct tv_fleet_sides *sides,
                              struct tv_build_change *change, struct tv_error *err)
{
    size_t most = TV_FLEET_COMPARED_MOST;
    enum tv_code code = compare(question, sides, change, err);
    while (code == TV_ERR_LIMIT && most > 1) {
        most /= 2;
        add_sides(question, sides, most);
        tv_build_change_release(change);
        code = compare(question, sides, change, err);
    }
    return code;
}

/* --- examples --- */

struct tv_fleet_example tv_fleet_example_find(const struct tv_fleet_sides *sides,
                                              const struct tv_build_change *change, uint32_t place,
                                              enum tv_side side)
{
    const size_t run = tv_build_change_example(change, place, side);
    if (run == SIZE_MAX)
        return (struct tv_fleet_example){.trace = NULL};
    const struct tv_fleet_slowest slowest = tv_build_change_slowest(change, place, run);
    return (struct tv_fleet_example){sides->traces_of[run], slowest.ns, slowest.at_ns};
}
