/*
 * Questions over all traces as JSON; see site/fleet/fleet_answers.h. Two builds side by side are
 * written as a comparison of traces is (api/routes/comparison_json.h), with more in each row.
 */
#include "site/fleet/fleet_answers.h"

#include <stdio.h>

#include "api/routes/comparison_json.h"
#include "base/units.h"
#include "site/fleet/fleet_question.h"

/* Bytes of an answer about two builds. */
#define CHANGE_MOST ((size_t)4 << 20)

static const char *clock_word(enum tv_clock clock)
{
    return tv_run_clock_words[clock];
}

/* The address that opens a trace where a call is, on its whole width. */
static void write_url(const struct tv_request_context *context, struct tv_json *json,
                      const struct tv_fleet_trace *trace, uint64_t at_ns, uint64_t len_ns)
{
    char url[TV_REQUEST_CONTEXT_PATH_CAP];
    const uint64_t end_ns = at_ns + (len_ns ? len_ns : 1);
    (void)snprintf(
        url, sizeof(url), "%s/trace/%.*s/#view=%llu.%06llu-%llu.%06llums",
        context->site->config->base_path, (int)trace->id.len, trace->id.at,
        (unsigned long long)(at_ns / TV_NS_PER_MS), (unsigned long long)(at_ns % TV_NS_PER_MS),
        (unsigned long long)(end_ns / TV_NS_PER_MS), (unsigned long long)(end_ns % TV_NS_PER_MS));
    tv_json_key_text(json, "url", url);
}

static void write_example(const struct tv_request_context *context, struct tv_json *json,
                          const char *key, const struct tv_fleet_trace *trace, uint64_t slowest_ns,
                          uint64_t at_ns)
{
    tv_json_key(json, key);
    if (!trace) {
        tv_json_null(json);
        return;
    }
    tv_json_open_object(json);
    tv_json_key_str(json, "trace", trace->id);
    write_url(context, json, trace, at_ns, slowest_ns);
    tv_json_key_u64(json, "slowest_ns", slowest_ns);
    tv_json_key_u64(json, "at_ns", at_ns);
    tv_json_close_object(json);
}

static void write_names(struct tv_json *json, const struct tv_fleet_method *names)
{
    tv_json_key_str(json, "class", names->class_name);
    tv_json_key_str(json, "name", names->name);
    tv_json_key_str(json, "signature", names->signature);
}

/* What every answer says of the traces that it is of. */
static void write_head(struct tv_json *json, const struct tv_fleet_question *question)
{
    if (question->app.len)
        tv_json_key_str(json, "app", question->app);
    tv_json_key_u64(json, "traces", question->count);
    tv_json_key_u64(json, "without_rows", question->without_rows);
    tv_json_key_truth(json, "is_cut", question->is_cut);
}

/* A figure that no trace has is null. */
static void write_figure(struct tv_json *json, const char *key, uint64_t time_ns, size_t traces)
{
    tv_json_key(json, key);
    if (traces)
        tv_json_u64(json, time_ns);
    else
        tv_json_null(json);
}

/* --- apps --- */

static void write_apps(struct tv_json *json, const struct tv_fleet_app *apps, size_t count)
{
    tv_json_key(json, "apps");
    tv_json_open_array(json);
    for (size_t i = 0; i < count; i++) {
        tv_json_open_object(json);
        tv_json_key_str(json, "app", apps[i].name);
        tv_json_key_u64(json, "traces", apps[i].traces);
        tv_json_key_u64(json, "builds", apps[i].builds);
        tv_json_key_str(json, "last_build", apps[i].last_build);
        tv_json_key_i64(json, "last_s", apps[i].last);
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
}

void tv_fleet_apps(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_error err = {.code = TV_OK};
    struct tv_fleet_question question;
    struct tv_fleet_app *apps;
    struct tv_json json;
    size_t count;
    if (tv_fleet_question_begin(context, TV_FLEET_APPS, &question, response)) {
        if (tv_fleet_apps_find(question.traces, question.count, &context->arena, &apps, &count,
                               &err) == TV_OK) {
            tv_json_init(&json, tv_buffer_sink(&response->owned));
            tv_json_open_object(&json);
            write_head(&json, &question);
            write_apps(&json, apps, count);
            tv_json_close_object(&json);
            tv_request_context_send_json(context, &json, 200, response);
        } else {
            tv_request_context_fail(context, &err, response);
        }
    }
    tv_fleet_question_end(&question);
}

/* --- builds --- */

static void write_worst(const struct tv_request_context *context, struct tv_json *json,
                        const struct tv_fleet_build_figures *figures)
{
    tv_json_key(json, "worst");
    tv_json_open_array(json);
    for (size_t i = 0; i < figures->worst_count; i++) {
        const struct tv_fleet_worst *worst = &figures->worst[i];
        tv_json_open_object(json);
        write_names(json, &worst->names);
        tv_json_key_u64(json, "exclusive_ns", worst->exclusive_ns);
        write_example(context, json, "example", worst->example, worst->slowest_ns,
                      worst->slowest_at_ns);
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
}

static void write_build(const struct tv_request_context *context, struct tv_json *json,
                        const struct tv_fleet_build_figures *figures)
{
    const struct tv_fleet_build *build = figures->build;
    tv_json_open_object(json);
    tv_json_key_str(json, "build", build->name);
    tv_json_key_u64(json, "traces", build->count);
    tv_json_key_u64(json, "devices", figures->devices);
    tv_json_key_i64(json, "first_s", build->first);
    tv_json_key_i64(json, "last_s", build->last);
    write_figure(json, "duration_ns", figures->duration_ns, figures->duration_ns > 0);
    write_figure(json, "worst_frame_ns", figures->worst_frame_ns, figures->frames);
    write_figure(json, "startup_ns", figures->startup_ns, figures->startups);
    tv_json_key_u64(json, "startups", figures->startups);
    tv_json_key_u64(json, "odd_wall", figures->odd_wall);
    tv_json_key_text(json, "clock", clock_word(figures->clock));
    tv_json_key_u64(json, "worst_of", figures->runs);
    write_worst(context, json, figures);
    tv_json_close_object(json);
}

/* The newest builds, the oldest of them first. */
static enum tv_code write_builds(struct tv_request_context *context, struct tv_json *json,
                                 struct tv_fleet_question *question, struct tv_error *err)
{
    const struct tv_fleet_builds *builds = &question->builds;
    const size_t told = builds->count < TV_FLEET_BUILDS_TOLD ? builds->count : TV_FLEET_BUILDS_TOLD;
    tv_json_key_text(json, "order", builds->is_by_number ? "number" : "first_upload");
    tv_json_key_u64(json, "build_count", builds->count);
    tv_json_key(json, "builds");
    tv_json_open_array(json);
    for (size_t i = builds->count - told; i < builds->count; i++) {
        struct tv_fleet_build_figures figures;
        TV_TRY(
            tv_fleet_build_look(&figures, &builds->of[i], &question->reader, &context->arena, err));
        write_build(context, json, &figures);
    }
    tv_json_close_array(json);
    return TV_OK;
}

/* Sends what was written, or why nothing was. */
static void send(struct tv_request_context *context, struct tv_json *json, enum tv_code code,
                 const struct tv_error *err, struct tv_http_response *response)
{
    if (code == TV_OK)
        tv_request_context_send_json(context, json, 200, response);
    else
        tv_request_context_fail(context, err, response);
}

void tv_fleet_builds(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_error err = {.code = TV_OK};
    struct tv_fleet_question question;
    struct tv_json json;
    if (tv_fleet_question_begin(context, TV_FLEET_BUILDS, &question, response)) {
        tv_json_init(&json, tv_buffer_sink(&response->owned));
        tv_json_open_object(&json);
        write_head(&json, &question);
        const enum tv_code code = write_builds(context, &json, &question, &err);
        tv_json_close_object(&json);
        send(context, &json, code, &err, response);
    }
    tv_fleet_question_end(&question);
}

/* --- two builds --- */

/* The rows of two builds, as they are written. */
struct writing {
    struct tv_request_context *context;
    const struct tv_fleet_sides *sides;
    const struct tv_build_change *change;
};

static enum tv_code write_more(void *ctx, uint32_t place, struct tv_json *json,
                               struct tv_error *err)
{
    const struct writing *writing = ctx;
    (void)err;
    const struct tv_joined_method *joined = &writing->change->comparison.join.methods[place];
    const struct tv_fleet_method names = {joined->class_name.stem, joined->name.stem,
                                          joined->signature};
    struct tv_fleet_example examples[TV_SIDE_COUNT];
    write_names(json, &names);
    tv_json_key(json, "traces");
    tv_json_open_object(json);
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
        tv_json_key_u64(json, tv_side_words[side],
                        tv_build_change_runs(writing->change, place, (enum tv_side)side));
        examples[side] =
            tv_fleet_example_find(writing->sides, writing->change, place, (enum tv_side)side);
    }
    tv_json_close_object(json);
    tv_json_key(json, "examples");
    tv_json_open_object(json);
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        write_example(writing->context, json, tv_side_words[side], examples[side].trace,
                      examples[side].slowest_ns, examples[side].slowest_at_ns);
    tv_json_close_object(json);
    return TV_OK;
}

static void write_sides(struct tv_json *json, const struct tv_fleet_question *question,
                        const struct tv_fleet_sides *sides, const struct tv_build_change *change)
{
    tv_json_key(json, "builds");
    tv_json_open_object(json);
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
        tv_json_key(json, tv_side_words[side]);
        tv_json_open_object(json);
        tv_json_key_str(json, "build", sides->builds[side]->name);
        tv_json_key_u64(json, "traces", sides->traces[side]);
        tv_json_key_u64(json, "compared", sides->runs[side]);
        tv_json_key_u64(json, "cut", change->cut[side]);
        tv_json_close_object(json);
    }
    tv_json_close_object(json);
    if (question->device.len)
        tv_json_key_str(json, "device", question->device);
    tv_json_key_truth(json, "other_devices", sides->other_devices);
}

static enum tv_code write_change(struct tv_request_context *context,
                                 struct tv_fleet_question *question, struct tv_fleet_sides *sides,
                                 struct tv_json *json, const struct tv_buffer *body,
                                 struct tv_error *err)
{
    struct tv_build_change change;
    struct writing writing = {context, sides, &change};
    const struct tv_compared_more more = {write_more, &writing};
    tv_build_change_init(&change, context->site->alloc);
    enum tv_code code = tv_fleet_compare(question, sides, &change, err);
    if (code == TV_OK) {
        write_sides(json, question, sides, &change);
        tv_comparison_write_head(&change.comparison, json);
        code = tv_comparison_write_more(&change.comparison, json, body, CHANGE_MOST, &more, err);
    }
    tv_build_change_release(&change);
    return code;
}

void tv_fleet_diff(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_error err = {.code = TV_OK};
    struct tv_fleet_question question;
    struct tv_fleet_sides sides;
    struct tv_json json;
    if (tv_fleet_question_begin(context, TV_FLEET_CHANGE, &question, response)) {
        tv_json_init(&json, tv_buffer_sink(&response->owned));
        tv_json_open_object(&json);
        enum tv_code code = tv_fleet_sides_find(context, &question, &sides, &err);
        write_head(&json, &question);
        if (code == TV_OK)
            code = write_change(context, &question, &sides, &json, &response->owned, &err);
        tv_json_close_object(&json);
        send(context, &json, code, &err, response);
    }
    tv_fleet_question_end(&question);
}

/* --- one method --- */

/* `name` is the key of a group's name: "build" or "device". Groups of both kinds have the same
 * numbers. */
static void write_groups(const struct tv_request_context *context, struct tv_json *json,
                         const char *key, const char *name, const struct tv_method_group *groups,
                         size_t count)
{
    tv_json_key(json, key);
    tv_json_open_array(json);
    for (size_t i = 0; i < count; i++) {
        const struct tv_method_group *group = &groups[i];
        tv_json_open_object(json);
        tv_json_key_str(json, name, group->name);
        tv_json_key_u64(json, "traces", group->traces);
        tv_json_key_u64(json, "having", group->having);
        tv_json_key_u64(json, "unknown", group->unknown);
        tv_json_key_u64(json, "at_least", group->at_least);
        tv_json_key_u64(json, "no_counts", group->no_counts);
        tv_json_key(json, "calls");
        tv_json_open_array(json);
        tv_json_u64(json, group->least_calls);
        tv_json_u64(json, group->most_calls);
        tv_json_close_array(json);
        tv_json_key_u64(json, "median_calls", group->median_calls);
        tv_json_key_u64(json, "inclusive_ns", group->inclusive_ns);
        tv_json_key_u64(json, "exclusive_ns", group->exclusive_ns);
        tv_json_key_u64(json, "least_ns", group->least_ns);
        tv_json_key_u64(json, "most_ns", group->most_ns);
        write_example(context, json, "typical", group->typical, group->typical_ns,
                      group->typical_at_ns);
        write_example(context, json, "slowest", group->slowest, group->slowest_ns,
                      group->slowest_at_ns);
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
}

static void write_history(const struct tv_request_context *context, struct tv_json *json,
                          const struct tv_fleet_question *question,
                          const struct tv_method_history *history)
{
    write_names(json, &question->method);
    tv_json_key_text(json, "clock", clock_word(history->clock));
    tv_json_key_u64(json, "looked_at", history->traces);
    tv_json_key_u64(json, "unknown", history->unknown);
    tv_json_key_u64(json, "at_least", history->at_least);
    tv_json_key_u64(json, "no_counts", history->no_counts);
    if (history->other_builds)
        tv_json_key_u64(json, "other_builds", history->other_builds);
    tv_json_key_text(json, "order", question->builds.is_by_number ? "number" : "first_upload");
    write_groups(context, json, "builds", "build", history->builds, history->build_count);
    write_groups(context, json, "devices", "device", history->devices, history->device_count);
}

void tv_fleet_method(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_error err = {.code = TV_OK};
    struct tv_fleet_question question;
    struct tv_method_history history;
    struct tv_json json;
    if (tv_fleet_question_begin(context, TV_FLEET_METHOD, &question, response)) {
        const struct tv_method_history_opts opts = {.traces = question.traces,
                                                    .count = question.count,
                                                    .app = question.app,
                                                    .names = &question.method};
        const enum tv_code code =
            tv_method_history_make(&history, &opts, &question.reader, &context->arena, &err);
        tv_json_init(&json, tv_buffer_sink(&response->owned));
        tv_json_open_object(&json);
        write_head(&json, &question);
        if (code == TV_OK)
            write_history(context, &json, &question, &history);
        tv_json_close_object(&json);
        send(context, &json, code, &err, response);
    }
    tv_fleet_question_end(&question);
}
