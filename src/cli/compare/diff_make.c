/*
 * Making a comparison of recordings; see cli/compare/diff.h. Recordings are loaded one after the
 * other, and what each gives is kept alone (cli/compare/run_set.h).
 */
#include "api/routes/comparison_json.h"
#include "cli/compare/diff.h"
#include "cli/compare/run_set.h"
#include "cli/file/load.h"
#include "compare/run_part.h"

bool tv_diff_has_part(const struct tv_diff_part *part)
{
    return part->from.is_given || part->to.is_given || part->threads.count || part->root ||
           part->between.count;
}

void tv_diff_init(struct tv_diff *diff, const struct tv_cli *cli)
{
    *diff = (struct tv_diff){.cli = cli};
    tv_comparison_init(&diff->of, cli->alloc);
    tv_rule_file_init(&diff->rules, cli);
}

void tv_diff_release(struct tv_diff *diff)
{
    tv_rule_file_release(&diff->rules);
    tv_comparison_release(&diff->of);
}

/* The part of a recording that is compared. Methods are named for each recording anew, since their
 * places differ. */
static enum tv_code take_part(struct tv_asking *asking, const struct tv_diff_part *options,
                              struct tv_run_part *part, struct tv_error *err)
{
    struct tv_str *threads;
    *part = tv_run_part_all();
    part->from_ns = options->from.is_given ? options->from.time_ns : 0;
    part->to_ns = options->to.is_given ? options->to.time_ns : UINT64_MAX;
    TV_TRY(tv_arena_take(&asking->arena, (options->threads.count + 1) * sizeof(*threads), &threads,
                         err));
    for (size_t i = 0; i < options->threads.count; i++)
        threads[i] = tv_str_from(options->threads.of[i]);
    part->threads = threads;
    part->thread_count = options->threads.count;
    if (options->root)
        TV_TRY(tv_question_method(asking, options->root, &part->root, err));
    if (!options->between.count)
        return TV_OK;
    TV_TRY(tv_question_method(asking, options->between.of[0], &part->first, err));
    return tv_question_method(asking, options->between.of[1], &part->until, err);
}

/* A recording while both sides are loaded, and what was asked for. */
struct diff_run {
    struct tv_diff *diff;
    const struct tv_diff_part *part;
};

static enum tv_code take_run(void *ctx, struct tv_asking *asking, size_t run, struct tv_error *err)
{
    const struct diff_run *taking = ctx;
    struct tv_diff *diff = taking->diff;
    const struct tv_pool *pool = asking->cli->pool;
    struct tv_run_part part;
    struct tv_run_numbers numbers;
    tv_run_numbers_init(&numbers, asking->cli->alloc);
    enum tv_code code = take_part(asking, taking->part, &part, err);
    if (code == TV_OK)
        code = tv_run_part_take(&part, asking->index, pool, &numbers, err);
    if (code == TV_OK)
        code = tv_comparison_add(&diff->of, run, asking->index, &numbers,
                                 tv_file_label(asking->file), err);
    if (code == TV_OK && diff->rules.file)
        code = tv_rule_numbers_add(&diff->rules.of.numbers, run, asking->index, pool, err);
    tv_run_numbers_release(&numbers);
    return code;
}

static enum tv_code judge_rules(struct tv_diff *diff, struct tv_error *err)
{
    bool has_clock[TV_CLOCK_COUNT];
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        has_clock[clock] = !diff->of.clocks.lacks[clock];
    TV_TRY(tv_rule_numbers_finish(&diff->rules.of.numbers, err));
    return tv_rule_file_judge(&diff->rules, &diff->of.join, &diff->of.tested_by, has_clock, err);
}

static enum tv_code compare(struct tv_diff *diff, struct tv_error *err)
{
    TV_TRY(tv_comparison_finish(&diff->of, err));
    return diff->rules.file ? judge_rules(diff, err) : TV_OK;
}

enum tv_code tv_diff_json(const struct tv_diff *diff, struct tv_buffer *body, struct tv_error *err)
{
    struct tv_json json;
    tv_json_init(&json, tv_buffer_sink(body));
    tv_json_open_object(&json);
    tv_comparison_write_head(&diff->of, &json);
    if (diff->rules.file)
        TV_TRY(tv_ruling_json(&diff->rules.of, &json, err));
    TV_TRY(tv_comparison_write_lists(&diff->of, &json, body, SIZE_MAX, err));
    tv_json_close_object(&json);
    return tv_json_finish(&json, err);
}

static int load(struct tv_diff *diff, const struct tv_diff_plan *plan)
{
    struct tv_error err = {.code = TV_OK};
    const size_t count = tv_comparison_run_count(&diff->of);
    struct diff_run taking = {diff, &plan->part};
    if (plan->rules && tv_rule_file_load(&diff->rules, plan->rules, count, &err) != TV_OK)
        return tv_cli_fail(diff->cli, err.code == TV_ERR_FORMAT ? plan->rules : NULL, &err);
    int status =
        tv_run_set_load(diff->cli, plan->files, count, &(struct tv_run_taker){take_run, &taking});
    if (status != TV_STATUS_FINE)
        return status;
    enum tv_code code = compare(diff, &err);
    if (code == TV_OK)
        code = tv_rule_file_find_calls(&diff->rules, plan->files, count, &err);
    if (code == TV_OK)
        return TV_STATUS_FINE;
    (void)tv_cli_fail(diff->cli, NULL, &err);
    return tv_cli_status(code);
}

int tv_diff_make(struct tv_diff *diff, const struct tv_diff_plan *plan)
{
    struct tv_error err = {.code = TV_OK};
    diff->is_part = tv_diff_has_part(&plan->part);
    return tv_comparison_begin(&diff->of, &plan->opts, &err) == TV_OK
               ? load(diff, plan)
               : tv_cli_fail(diff->cli, NULL, &err);
}
