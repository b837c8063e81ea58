/*
 * rules: whether traces keep a text of rules; see api/comparisons/rules.h. The text is the
 * question's, and hostile: besides what bounds every text of rules (compare/rule/rule.h), each kind
 * of numbers that it asks for is a look at every trace, so their product has a limit.
 */
#include "api/comparisons/rules.h"

#include "api/diff_query.h"
#include "api/route.h"
#include "base/text/json.h"

/* Kinds of numbers times traces: a rule without a thread and a percentile is of the first kind. */
#define LOOKS_MOST 64u
/* The status of a verb that does not keep its rules. */
#define STATUS_BROKEN 3u

void tv_rule_runs_init(struct tv_rule_runs *runs, struct tv_ruling *ruling,
                       const size_t counts[TV_SIDE_COUNT])
{
    *runs = (struct tv_rule_runs){.ruling = ruling,
                                  .counts = {counts[TV_SIDE_OLD], counts[TV_SIDE_NEW]},
                                  .no_counts = {.code = TV_OK},
                                  .lost = {.why = {.code = TV_OK}}};
    tv_join_init(&runs->join, ruling->alloc);
    tv_join_begin(&runs->join, counts[TV_SIDE_OLD] + counts[TV_SIDE_NEW]);
}

void tv_rule_runs_release(struct tv_rule_runs *runs)
{
    tv_join_release(&runs->join);
}

enum tv_code tv_rule_runs_add(struct tv_rule_runs *runs, size_t run, const struct tv_index *index,
                              const struct tv_pool *pool, struct tv_str file, struct tv_error *err)
{
    const struct tv_run_part all = tv_run_part_all();
    struct tv_run_numbers numbers;
    tv_run_counts_note(index, file, &runs->no_counts, &runs->no_counts_of);
    tv_lost_runs_note(&runs->lost, index,
                      run < runs->counts[TV_SIDE_OLD] ? TV_SIDE_OLD : TV_SIDE_NEW, file);
    tv_run_clocks_take(&runs->clocks, index, file);
    if (run >= runs->counts[TV_SIDE_OLD])
        tv_run_clocks_take(&runs->new_clocks, index, file);
    tv_run_numbers_init(&numbers, runs->ruling->alloc);
    enum tv_code code = tv_run_part_take(&all, index, pool, &numbers, err);
    if (code == TV_OK)
        code = tv_join_add_run(&runs->join, run, &numbers, NULL, err);
    if (code == TV_OK)
        code = tv_rule_numbers_add(&runs->ruling->numbers, run, index, pool, err);
    tv_run_numbers_release(&numbers);
    return code;
}

enum tv_code tv_rule_runs_judge(struct tv_rule_runs *runs, const struct tv_rule_runs_opts *opts,
                                struct tv_error *err)
{
    const struct tv_rule_clocks clocks = {&runs->clocks, &runs->new_clocks, opts->clock};
    struct tv_changes_opts by = {
        .run_counts = {runs->counts[TV_SIDE_OLD], runs->counts[TV_SIDE_NEW]},
        .clock = opts->clock ? *opts->clock : tv_run_clocks_default(&runs->clocks),
        .kind = opts->kind,
        .other_processors = runs->clocks.has_other_processor,
        .mixed_kinds = tv_run_clocks_are_mixed(&runs->clocks),
        .least_ns = TV_TESTED_LEAST_NS,
        .test = {.least_ratio = 1 + TV_COMPARED_LEAST, .level = TV_TESTED_LEVEL}};
    tv_lost_runs_put(&runs->lost, &by);
    TV_TRY(tv_join_finish(&runs->join, err));
    TV_TRY(tv_rule_numbers_finish(&runs->ruling->numbers, err));
    return tv_ruling_judge(runs->ruling, &runs->join, &by, &clocks, opts->today, err);
}

static void put_files(struct tv_json *json, const char *key, const struct tv_str *files,
                      size_t count)
{
    tv_json_key(json, key);
    tv_json_open_array(json);
    for (size_t i = 0; i < count; i++)
        tv_json_str(json, files[i]);
    tv_json_close_array(json);
}

enum tv_code tv_answer_rules(const struct tv_rule_runs *runs, const struct tv_str *files,
                             struct tv_buffer *body, struct tv_error *err)
{
    const size_t old_count = runs->counts[TV_SIDE_OLD];
    struct tv_json json;
    tv_json_init(&json, tv_buffer_sink(body));
    tv_json_open_object(&json);
    put_files(&json, "files", files + old_count, runs->counts[TV_SIDE_NEW]);
    if (old_count)
        put_files(&json, "old_files", files, old_count);
    if (runs->no_counts.code != TV_OK)
        tv_json_key_text(&json, "no_counts", runs->no_counts.text);
    if (runs->lost.why.code != TV_OK)
        tv_json_key_text(&json, "no_times", runs->lost.why.text);
    if (old_count && runs->clocks.has_other_processor)
        tv_json_key_truth(&json, "other_processors", true);
    if (old_count && tv_run_clocks_are_mixed(&runs->clocks))
        tv_json_key_truth(&json, "mixed_kinds", true);
    tv_json_key_u64(&json, "status", tv_ruling_fails(runs->ruling) ? STATUS_BROKEN : 0);
    TV_TRY(tv_ruling_json(runs->ruling, &json, err));
    tv_json_close_object(&json);
    return tv_json_finish(&json, err);
}

/* A question: traces, and how times are taken. */
struct question {
    struct tv_diff_sides sides;
    struct tv_str files[TV_DIFF_TRACES_MOST + 1];
    size_t count;
    struct tv_str text;
    struct tv_comparison_opts asked;
    uint32_t today;
};

static enum tv_code take_question(const struct tv_request *request, struct question *question,
                                  struct tv_error *err)
{
    const struct tv_params *params = &request->params;
    const struct tv_diff_sides *sides = &question->sides;
    struct tv_str day;
    TV_TRY(tv_diff_sides_take(request->api, params, &question->sides, err));
    TV_TRY(tv_diff_opts_take(params, &question->asked, err));
    question->count = sides->counts[TV_SIDE_OLD] + sides->counts[TV_SIDE_NEW];
    for (size_t i = 0; i < question->count; i++)
        question->files[i] = sides->of[i]->file;
    if (!tv_params_find(params, "text", &question->text))
        return tv_params_missing("text", err);
    question->today = UINT32_MAX;
    if (tv_params_find(params, "day", &day) && !tv_rule_read_day(day, &question->today))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "day is a year, a month and a day of it: 2026-12-31");
    return TV_OK;
}

/* Rules that cannot be read are a question that makes no sense, and tell their line. */
static enum tv_code read_rules(const struct question *question, struct tv_ruling *ruling,
                               struct tv_error *err)
{
    struct tv_error why = {.code = TV_OK};
    enum tv_code code = tv_ruling_read(ruling, question->text, question->count, &why);
    if (code != TV_OK)
        return tv_fail(err, code == TV_ERR_FORMAT ? TV_ERR_ARGUMENT : code, TV_NO_OFFSET, "%s",
                       why.text);
    if (ruling->rules.about_count * question->count > LOOKS_MOST)
        return tv_fail(
            err, TV_ERR_LIMIT, TV_NO_OFFSET,
            "%zu threads and percentiles of %zu traces are too many: at most %u together",
            ruling->rules.about_count, question->count, LOOKS_MOST);
    return TV_OK;
}

static enum tv_code judge(const struct tv_request *request, const struct question *question,
                          struct tv_rule_runs *runs, struct tv_error *err)
{
    const struct tv_pool *pool = request->api->pool;
    const struct tv_rule_runs_opts opts = {
        .clock = question->asked.has_clock ? &question->asked.clock : NULL,
        .kind = question->asked.kind,
        .today = question->today};
    size_t left = TV_RULES_WITH_CALLS;
    for (size_t i = 0; i < question->count; i++) {
        TV_TRY(tv_check_wanted(request->api->is_unwanted, err));
        TV_TRY(
            tv_rule_runs_add(runs, i, question->sides.of[i]->index, pool, question->files[i], err));
    }
    TV_TRY(tv_rule_runs_judge(runs, &opts, err));
    for (size_t i = 0; i < question->count; i++) {
        TV_TRY(tv_check_wanted(request->api->is_unwanted, err));
        if (tv_ruling_looks_at(runs->ruling, i))
            TV_TRY(tv_ruling_look(runs->ruling, question->sides.of[i]->index, i, NULL, &left, err));
    }
    return tv_answer_rules(runs, question->files, &request->response->body, err);
}

static enum tv_code answer(const struct tv_request *request, const struct question *question,
                           struct tv_ruling *ruling, struct tv_error *err)
{
    struct tv_rule_runs runs;
    TV_TRY(read_rules(question, ruling, err));
    tv_rule_runs_init(&runs, ruling, question->sides.counts);
    enum tv_code code = judge(request, question, &runs, err);
    tv_rule_runs_release(&runs);
    return code;
}

static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    struct question *question;
    struct tv_ruling *ruling;
    TV_TRY(tv_arena_take(request->arena, sizeof(*question), &question, err));
    TV_TRY(tv_arena_take(request->arena, sizeof(*ruling), &ruling, err));
    TV_TRY(take_question(request, question, err));
    tv_ruling_init(ruling, request->alloc);
    ruling->is_unwanted = request->api->is_unwanted;
    enum tv_code code = answer(request, question, ruling, err);
    tv_ruling_release(ruling);
    return code;
}

static const char *const params[] = {"text", "old", "new", "clock", "by", "day", NULL};

const struct tv_route tv_route_rules = {"rules", TV_TYPE_JSON, params, run};
