/*
 * Pages about all traces; see site/fleet/fleet_documents.h. They ask what the routes of the API
 * ask, and their sentences are made of the numbers beside them.
 */
#include "site/fleet/fleet_documents.h"

#include "base/text/out.h"
#include "site/fleet/fleet_question.h"
#include "site/request/document_site.h"

/* The newest this many builds have a place among those that can be chosen. */
#define CHOICES_MOST 200u

/* Ends a text that lies in the arena of the request. */
static enum tv_code keep_text(struct tv_request_context *context, struct tv_buffer *buffer,
                              struct tv_out *out, struct tv_str *text, struct tv_error *err)
{
    TV_TRY(tv_out_finish(out, err));
    return tv_arena_keep(&context->arena, tv_buffer_view(buffer), text, err);
}

/* The whole name of a method, as tv_method_text writes those of a trace. */
static enum tv_code name_method(struct tv_request_context *context,
                                const struct tv_fleet_method *names,
                                struct tv_document_method *method, struct tv_error *err)
{
    const struct tv_joined_method joined = {.class_name = {.stem = names->class_name},
                                            .name = {.stem = names->name},
                                            .signature = names->signature};
    struct tv_buffer text;
    tv_buffer_init(&text, context->site->alloc);
    method->names = *names;
    enum tv_code code = tv_joined_text(&joined, &text, err);
    if (code == TV_OK)
        code = tv_arena_keep(&context->arena, tv_buffer_view(&text), &method->text, err);
    tv_buffer_release(&text);
    return code;
}

/* A name that ends with a star is that of several methods, which no viewer can select. */
static bool is_whole(const struct tv_fleet_method *names)
{
    return !tv_str_ends_with(names->class_name, TV_STR("*")) &&
           !tv_str_ends_with(names->name, TV_STR("*"));
}

static struct tv_document_example example_of(const struct tv_fleet_trace *trace,
                                             const struct tv_document_method *method,
                                             uint64_t at_ns, uint64_t len_ns)
{
    struct tv_document_example example = {.at_ns = at_ns, .len_ns = len_ns};
    if (trace)
        example.trace = trace->id;
    if (is_whole(&method->names))
        example.what = method->text;
    return example;
}

/* --- apps, and builds of one --- */

static enum tv_code tell_bound(struct tv_request_context *context,
                               const struct tv_fleet_question *question, size_t odd_wall,
                               struct tv_str *bound, struct tv_error *err)
{
    struct tv_buffer text;
    struct tv_out out;
    tv_buffer_init(&text, context->site->alloc);
    tv_out_init(&out, tv_buffer_sink(&text));
    tv_fleet_question_tell_bound(question, &out);
    if (odd_wall)
        tv_out_add(
            &out,
            " Wall times of %zu %s are less than they were, and are in no median of lengths, "
            "start-ups and frames.",
            odd_wall, odd_wall == 1 ? "trace" : "traces");
    const enum tv_code code = keep_text(context, &text, &out, bound, err);
    tv_buffer_release(&text);
    return code;
}

static enum tv_code tell_apps(struct tv_request_context *context,
                              struct tv_fleet_question *question, struct tv_http_response *response,
                              struct tv_error *err)
{
    const struct tv_document_site page = tv_document_site_of(context);
    struct tv_fleet_app *apps;
    size_t count;
    TV_TRY(
        tv_fleet_apps_find(question->traces, question->count, &context->arena, &apps, &count, err));
    struct tv_document_apps document = {.apps = apps, .count = count};
    TV_TRY(tell_bound(context, question, 0, &document.bound, err));
    tv_document_apps(&page, &document, response);
    return TV_OK;
}

static enum tv_code tell_build(struct tv_request_context *context,
                               struct tv_fleet_question *question,
                               const struct tv_fleet_build *build, struct tv_document_build *told,
                               struct tv_error *err)
{
    struct tv_fleet_build_figures *figures;
    TV_TRY(tv_arena_take(&context->arena, sizeof(*figures), &figures, err));
    TV_TRY(tv_fleet_build_look(figures, build, &question->reader, &context->arena, err));
    *told = (struct tv_document_build){.figures = figures};
    for (size_t i = 0; i < figures->worst_count; i++) {
        const struct tv_fleet_worst *worst = &figures->worst[i];
        TV_TRY(name_method(context, &worst->names, &told->worst[i].method, err));
        told->worst[i].exclusive_ns = worst->exclusive_ns;
        told->worst[i].has_example = worst->example != NULL;
        told->worst[i].example = example_of(worst->example, &told->worst[i].method,
                                            worst->slowest_at_ns, worst->slowest_ns);
    }
    return TV_OK;
}

static enum tv_code tell_builds(struct tv_request_context *context,
                                struct tv_fleet_question *question,
                                struct tv_http_response *response, struct tv_error *err)
{
    const struct tv_document_site page = tv_document_site_of(context);
    const struct tv_fleet_builds *builds = &question->builds;
    const size_t count =
        builds->count < TV_FLEET_BUILDS_TOLD ? builds->count : TV_FLEET_BUILDS_TOLD;
    struct tv_document_build *told = NULL;
    size_t odd_wall = 0;
    if (count)
        TV_TRY(tv_arena_take(&context->arena, count * sizeof(*told), &told, err));
    for (size_t i = 0; i < count; i++) {
        const size_t place = builds->count - 1 - i;
        TV_TRY(tell_build(context, question, &builds->of[place], &told[i], err));
        told[i].has_before = place > 0;
        odd_wall += told[i].figures->odd_wall;
    }
    struct tv_document_builds document = {.app = question->app,
                                          .builds = told,
                                          .count = count,
                                          .of = builds->count,
                                          .is_by_number = builds->is_by_number,
                                          .without_rows = question->without_rows,
                                          .is_archive = context->site->config->archive};
    TV_TRY(tell_bound(context, question, odd_wall, &document.bound, err));
    tv_document_builds(&page, &document, response);
    return TV_OK;
}

void tv_fleet_apps_page(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_error err = {.code = TV_OK};
    struct tv_fleet_question question;
    const enum tv_fleet_asked asked = context->query.len ? TV_FLEET_BUILDS : TV_FLEET_APPS;
    if (tv_fleet_question_begin(context, asked, &question, response)) {
        const enum tv_code code = asked == TV_FLEET_APPS
                                      ? tell_apps(context, &question, response, &err)
                                      : tell_builds(context, &question, response, &err);
        if (code != TV_OK)
            tv_request_context_fail(context, &err, response);
    }
    tv_fleet_question_end(&question);
}

/* --- two builds --- */

/* The document about two builds while it is filled in. */
struct diff_filler {
    struct tv_request_context *context;
    struct tv_fleet_question *question;
    const struct tv_fleet_sides *sides;
    const struct tv_build_change *change;
    struct tv_document_build_diff *document;
};

/* The builds that can be chosen, the newest first; the two that are shown are among them. */
static enum tv_code fill_choices(struct diff_filler *filler, struct tv_error *err)
{
    const struct tv_fleet_builds *builds = &filler->question->builds;
    struct tv_document_choice *choices;
    size_t count = 0;
    TV_TRY(tv_arena_take(&filler->context->arena, builds->count * sizeof(*choices), &choices, err));
    for (size_t i = builds->count; i-- > 0;) {
        const struct tv_document_choice choice = {
            .value = builds->of[i].name,
            .is_old = &builds->of[i] == filler->sides->builds[TV_SIDE_OLD],
            .is_new = &builds->of[i] == filler->sides->builds[TV_SIDE_NEW]};
        if (count < CHOICES_MOST || choice.is_old || choice.is_new)
            choices[count++] = choice;
    }
    filler->document->choices = choices;
    filler->document->choice_count = count;
    return TV_OK;
}

/* The devices of both builds, the first CHOICES_MOST: there are few devices, and a page has room
 * for that many. */
static enum tv_code fill_devices(struct diff_filler *filler, struct tv_error *err)
{
    struct tv_document_choice *choices;
    size_t count = 0;
    TV_TRY(tv_arena_take(&filler->context->arena, CHOICES_MOST * sizeof(*choices), &choices, err));
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
        const struct tv_fleet_build *build = filler->sides->builds[side];
        for (size_t i = 0; i < build->count && count < CHOICES_MOST; i++) {
            const struct tv_str device = build->traces[i]->device;
            size_t known = 0;
            while (known < count && !tv_str_equal(choices[known].value, device))
                known++;
            if (device.len && known == count)
                choices[count++] = (struct tv_document_choice){
                    .value = device, .is_old = tv_str_equal(device, filler->question->device)};
        }
    }
    filler->document->devices = choices;
    filler->document->device_count = count;
    return TV_OK;
}

static void add_side(struct tv_out *out, const struct diff_filler *filler, enum tv_side side)
{
    const struct tv_fleet_sides *sides = filler->sides;
    const size_t runs = sides->runs[side];
    tv_out_add(out, "%zu %s", runs, runs == 1 ? "trace" : "traces");
    if (runs < sides->traces[side])
        tv_out_add(out, " of %zu", sides->traces[side]);
    tv_out_text(out, TV_STR(" of build "));
    tv_out_text(out, sides->builds[side]->name);
}

/* A blank and a sentence on traces whose rows are not of all of their methods. */
static void tell_cut(struct tv_out *out, size_t count, const char *what)
{
    if (count)
        tv_out_add(out, " %zu %s more methods than rows are kept of: %s.", count,
                   count == 1 ? "trace has" : "traces have", what);
}

static enum tv_code fill_sides(struct diff_filler *filler, struct tv_error *err)
{
    const struct tv_comparison *comparison = &filler->change->comparison;
    struct tv_buffer text;
    struct tv_out out;
    tv_buffer_init(&text, filler->context->site->alloc);
    tv_out_init(&out, tv_buffer_sink(&text));
    add_side(&out, filler, TV_SIDE_OLD);
    tv_out_text(&out, TV_STR(" beside "));
    add_side(&out, filler, TV_SIDE_NEW);
    if (filler->question->device.len) {
        tv_out_text(&out, TV_STR(", on "));
        tv_out_text(&out, filler->question->device);
    }
    tv_out_add(&out, ". Times are medians of %s time on the %s clock.",
               comparison->opts.kind == TV_TIME_INCLUSIVE ? "inclusive" : "exclusive",
               comparison->clock == TV_CLOCK_CPU ? "CPU" : "wall");
    tell_cut(&out, filler->change->cut[TV_SIDE_OLD] + filler->change->cut[TV_SIDE_NEW],
             "a method without a row in one of them is undecided");
    tv_fleet_question_tell_bound(filler->question, &out);
    const enum tv_code code =
        keep_text(filler->context, &text, &out, &filler->document->sides, err);
    tv_buffer_release(&text);
    return code;
}

static enum tv_code fill_about_calls(struct diff_filler *filler, struct tv_error *err)
{
    const struct tv_comparison *comparison = &filler->change->comparison;
    const size_t *counts = comparison->changes.calls_count;
    struct tv_buffer text;
    struct tv_out out;
    tv_buffer_init(&text, filler->context->site->alloc);
    tv_out_init(&out, tv_buffer_sink(&text));
    if (comparison->no_counts.code != TV_OK)
        tv_out_add(&out, "Calls are not compared: a trace %s.", comparison->no_counts.text);
    else
        tv_out_add(&out, "Methods by their calls: %zu changed, %zu the same, %zu undecided.",
                   counts[TV_VERDICT_CHANGED], counts[TV_VERDICT_SAME],
                   counts[TV_VERDICT_UNDECIDED]);
    const enum tv_code code =
        keep_text(filler->context, &text, &out, &filler->document->about_calls, err);
    tv_buffer_release(&text);
    return code;
}

/* One sentence about the times as a whole. Only the first reason that forbids a test is told: with
 * any of them, no verdict about a time stands on the document. */
static enum tv_code fill_about_times(struct diff_filler *filler, struct tv_error *err)
{
    const struct tv_comparison *comparison = &filler->change->comparison;
    const size_t *counts = comparison->changes.time_count;
    struct tv_buffer text;
    struct tv_out out;
    filler->document->is_tested = tv_comparison_is_tested(comparison);
    tv_buffer_init(&text, filler->context->site->alloc);
    tv_out_init(&out, tv_buffer_sink(&text));
    if (!tv_comparison_has_runs(comparison))
        tv_out_add(&out,
                   "Time is one sample a side, and decides nothing: from %u traces a side on it is "
                   "tested.",
                   TV_TESTED_FROM);
    else if (comparison->lost.why.code != TV_OK)
        tv_out_add(&out, "Times are not compared: a trace %s.", comparison->lost.why.text);
    else if (filler->sides->other_devices)
        tv_out_text(&out, TV_STR("The traces are of different devices: times are shown, and not "
                                 "tested."));
    else if (comparison->tested_by.mixed_kinds)
        tv_out_text(&out, TV_STR("Some traces are of samples, some of each call: times are shown, "
                                 "and not tested."));
    else if (comparison->tested_by.other_processors)
        tv_out_text(&out, TV_STR("The traces are of different processors: times are shown, and "
                                 "not tested."));
    else
        tv_out_add(&out,
                   "Methods by their time, tested against a change of %.0f %%: %zu changed, %zu "
                   "the same, %zu undecided.",
                   comparison->opts.least * 100, counts[TV_VERDICT_CHANGED],
                   counts[TV_VERDICT_SAME], counts[TV_VERDICT_UNDECIDED]);
    const enum tv_code code =
        keep_text(filler->context, &text, &out, &filler->document->about_times, err);
    tv_buffer_release(&text);
    return code;
}

static enum tv_code fill_change(struct diff_filler *filler, uint32_t place,
                                struct tv_document_change *told, struct tv_error *err)
{
    const struct tv_comparison *comparison = &filler->change->comparison;
    const struct tv_joined_method *joined = &comparison->join.methods[place];
    const struct tv_fleet_method names = {joined->class_name.stem, joined->name.stem,
                                          joined->signature};
    told->change = &comparison->changes.of[place];
    if (told->change->tested != SIZE_MAX)
        told->test = &comparison->changes.significance.rows[told->change->tested];
    TV_TRY(name_method(filler->context, &names, &told->method, err));
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
        const struct tv_fleet_example example =
            tv_fleet_example_find(filler->sides, filler->change, place, (enum tv_side)side);
        told->traces[side] = tv_build_change_runs(filler->change, place, (enum tv_side)side);
        told->has_example[side] = example.trace != NULL;
        told->examples[side] =
            example_of(example.trace, &told->method, example.slowest_at_ns, example.slowest_ns);
    }
    return TV_OK;
}

static enum tv_code fill_list(struct diff_filler *filler, const struct tv_compared_list *list,
                              const struct tv_document_change **rows, size_t *count,
                              struct tv_error *err)
{
    const size_t shown = tv_comparison_shown(&filler->change->comparison, list);
    struct tv_document_change *told = NULL;
    if (shown)
        TV_TRY(tv_arena_take(&filler->context->arena, shown * sizeof(*told), &told, err));
    for (size_t i = 0; i < shown; i++)
        TV_TRY(fill_change(filler, list->of[i], &told[i], err));
    *rows = told;
    *count = shown;
    return TV_OK;
}

static enum tv_code fill_diff(struct diff_filler *filler, struct tv_http_response *response,
                              struct tv_error *err)
{
    const struct tv_document_site page = tv_document_site_of(filler->context);
    const struct tv_comparison *comparison = &filler->change->comparison;
    struct tv_document_build_diff *document = filler->document;
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        document->builds[side] = filler->sides->builds[side]->name;
    document->app = filler->question->app;
    document->device = filler->question->device;
    TV_TRY(fill_choices(filler, err));
    TV_TRY(fill_devices(filler, err));
    TV_TRY(fill_sides(filler, err));
    TV_TRY(fill_about_calls(filler, err));
    TV_TRY(fill_about_times(filler, err));
    TV_TRY(fill_list(filler, &comparison->calls, &document->calls, &document->call_count, err));
    TV_TRY(fill_list(filler, &comparison->times, &document->times, &document->time_count, err));
    tv_document_build_diff(&page, document, response);
    return TV_OK;
}

void tv_fleet_diff_page(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_error err = {.code = TV_OK};
    struct tv_fleet_question question;
    struct tv_fleet_sides sides;
    struct tv_build_change change;
    struct tv_document_build_diff document = {.call_count = 0};
    struct diff_filler filler = {context, &question, &sides, &change, &document};
    tv_build_change_init(&change, context->site->alloc);
    if (tv_fleet_question_begin(context, TV_FLEET_CHANGE, &question, response)) {
        enum tv_code code = tv_fleet_sides_find(context, &question, &sides, &err);
        if (code == TV_OK)
            code = tv_fleet_compare(&question, &sides, &change, &err);
        if (code == TV_OK)
            code = fill_diff(&filler, response, &err);
        if (code != TV_OK)
            tv_request_context_fail(context, &err, response);
    }
    tv_fleet_question_end(&question);
    tv_build_change_release(&change);
}

/* --- one method --- */

static enum tv_code tell_groups(struct tv_request_context *context,
                                const struct tv_document_method *method,
                                const struct tv_method_group *groups, size_t count, bool is_turned,
                                const struct tv_document_group **rows, struct tv_error *err)
{
    struct tv_document_group *told = NULL;
    if (count)
        TV_TRY(tv_arena_take(&context->arena, count * sizeof(*told), &told, err));
    for (size_t i = 0; i < count; i++) {
        const struct tv_method_group *group = &groups[is_turned ? count - 1 - i : i];
        told[i] = (struct tv_document_group){
            group, example_of(group->typical, method, group->typical_at_ns, group->typical_ns),
            example_of(group->slowest, method, group->slowest_at_ns, group->slowest_ns)};
    }
    *rows = told;
    return TV_OK;
}

/* The numbers are medians, so what they leave out is said beside them: traces without a row of the
 * method, times that may be too small, calls that are not the program's, and other builds. */
static enum tv_code tell_history(struct tv_request_context *context,
                                 const struct tv_fleet_question *question,
                                 const struct tv_method_history *history,
                                 struct tv_http_response *response, struct tv_error *err)
{
    const struct tv_document_site page = tv_document_site_of(context);
    struct tv_document_history document = {.app = question->app,
                                           .build_count = history->build_count,
                                           .device_count = history->device_count};
    struct tv_buffer text;
    struct tv_out out;
    TV_TRY(name_method(context, &question->method, &document.method, err));
    TV_TRY(tell_groups(context, &document.method, history->builds, history->build_count, true,
                       &document.builds, err));
    TV_TRY(tell_groups(context, &document.method, history->devices, history->device_count, false,
                       &document.devices, err));
    tv_buffer_init(&text, context->site->alloc);
    tv_out_init(&out, tv_buffer_sink(&text));
    tv_out_text(&out, TV_STR("In "));
    tv_out_text(&out, question->app);
    tv_out_add(&out, ": %zu %s. Times are medians over the traces of a row, on the %s clock.",
               history->traces, history->traces == 1 ? "trace" : "traces",
               history->clock == TV_CLOCK_CPU ? "CPU" : "wall");
    tell_cut(&out, history->unknown, "they have no row of this one, and are not counted below");
    if (history->at_least)
        tv_out_add(
            &out,
            " In %zu %s it may have taken more: it was still open when the trace ended, a clock "
            "went backwards or counted otherwise, or the trace has not all of what ran.",
            history->at_least, history->at_least == 1 ? "trace" : "traces");
    if (history->no_counts)
        tv_out_add(&out, " In %zu %s calls are not those of the program.", history->no_counts,
                   history->no_counts == 1 ? "trace" : "traces");
    if (history->other_builds)
        tv_out_add(
            &out,
            " %zu other %s left out: in short names of R8 this one is another method in each "
            "build, and their mappings are not there.",
            history->other_builds, history->other_builds == 1 ? "trace is" : "traces are");
    tv_fleet_question_tell_bound(question, &out);
    const enum tv_code code = keep_text(context, &text, &out, &document.about, err);
    tv_buffer_release(&text);
    TV_TRY(code);
    tv_document_history(&page, &document, response);
    return TV_OK;
}

void tv_fleet_method_page(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_error err = {.code = TV_OK};
    struct tv_fleet_question question;
    struct tv_method_history history;
    if (tv_fleet_question_begin(context, TV_FLEET_METHOD, &question, response)) {
        const struct tv_method_history_opts opts = {.traces = question.traces,
                                                    .count = question.count,
                                                    .app = question.app,
                                                    .names = &question.method};
        enum tv_code code =
            tv_method_history_make(&history, &opts, &question.reader, &context->arena, &err);
        if (code == TV_OK)
            code = tell_history(context, &question, &history, response, &err);
        if (code != TV_OK)
            tv_request_context_fail(context, &err, response);
    }
    tv_fleet_question_end(&question);
}
