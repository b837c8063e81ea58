/*
 * Making a comparison of recordings; see cli/compare/diff.h. Recordings are loaded one after the
 * other, and what each gives is kept alone (cli/compare/run_set.h).
 */
#include "cli/compare/diff.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/routes/comparison_json.h"
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
    tv_hand_matches_init(&diff->matches, cli->alloc);
    tv_rule_file_init(&diff->rules, cli);
    for (size_t i = 0; i < TV_COUNT_OF(diff->part_methods); i++)
        tv_run_method_init(&diff->part_methods[i], cli->alloc);
}

void tv_diff_release(struct tv_diff *diff)
{
    for (size_t i = 0; i < TV_COUNT_OF(diff->part_methods); i++)
        tv_run_method_release(&diff->part_methods[i]);
    tv_rule_file_release(&diff->rules);
    tv_hand_matches_release(&diff->matches);
    tv_comparison_release(&diff->of);
}

/* The part of a recording that is compared. Methods are looked up in each recording anew, since
 * their places differ. */
static enum tv_code take_part(struct tv_diff *diff, struct tv_asking *asking,
                              const struct tv_diff_part *options, struct tv_run_part *part,
                              struct tv_error *err)
{
    struct tv_run_method *methods = diff->part_methods;
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
        TV_TRY(tv_run_method_find(&methods[0], asking, options->root, &part->root, err));
    if (!options->between.count)
        return TV_OK;
    TV_TRY(tv_run_method_find(&methods[1], asking, options->between.of[0], &part->first, err));
    return tv_run_method_find(&methods[2], asking, options->between.of[1], &part->until, err);
}

/* What each recording is added to, and the part of it that is compared. */
struct run_context {
    struct tv_diff *diff;
    const struct tv_diff_part *part;
};

static enum tv_code add_run(const struct run_context *context, struct tv_asking *asking, size_t run,
                            struct tv_error *err)
{
    struct tv_diff *diff = context->diff;
    const struct tv_pool *pool = asking->cli->pool;
    struct tv_run_part part;
    struct tv_run_numbers numbers;
    tv_side_mappings_take(&diff->mappings, asking,
                          run >= diff->of.opts.run_counts[TV_SIDE_OLD] ? TV_SIDE_NEW : TV_SIDE_OLD);
    tv_run_numbers_init(&numbers, asking->cli->alloc);
    enum tv_code code = take_part(diff, asking, context->part, &part, err);
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

/* An old recording has the names that its methods are matched by. */
static enum tv_code take_run(void *ctx, struct tv_asking *asking, size_t run, struct tv_error *err)
{
    const struct run_context *context = ctx;
    struct tv_diff *diff = context->diff;
    const struct tv_index *index = asking->index;
    struct tv_matched_index matched;
    if (!diff->matches.count || run >= diff->of.opts.run_counts[TV_SIDE_OLD])
        return add_run(context, asking, run, err);
    tv_matched_index_init(&matched, asking->cli->alloc);
    enum tv_code code = tv_matched_index_make(&matched, &diff->matches, index, err);
    asking->index = &matched.index;
    if (code == TV_OK)
        code = add_run(context, asking, run, err);
    asking->index = index;
    tv_matched_index_release(&matched);
    return code;
}

static enum tv_code look_at_run(void *ctx, struct tv_asking *asking, size_t run,
                                struct tv_error *err)
{
    struct tv_hand_matches *matches = ctx;
    (void)run;
    return tv_hand_matches_look(matches, asking->index, err);
}

/* Splits "OLD=NEW". A name may have the sign itself, as operator== has: then " = " stands between.
 */
static bool split_match(struct tv_str text, struct tv_str names[TV_SIDE_COUNT])
{
    size_t len = 1;
    size_t at = tv_str_find(text, TV_STR(" = "), TV_CASE_EXACT);
    if (at != SIZE_MAX) {
        len = 3;
    } else {
        at = tv_str_find(text, TV_STR("="), TV_CASE_EXACT);
        if (at == SIZE_MAX)
            return false;
    }
    names[TV_SIDE_OLD] = (struct tv_str){text.at, at};
    names[TV_SIDE_NEW] = (struct tv_str){text.at + at + len, text.len - at - len};
    const struct tv_str rest = names[TV_SIDE_NEW];
    return at && rest.len &&
           tv_str_find(rest, tv_str_from(len == 1 ? "=" : " = "), TV_CASE_EXACT) == SIZE_MAX;
}

/* Names are looked up before the trace is read for its numbers, and a pipe gives its bytes once. */
static bool is_pipe(const char *file)
{
    struct stat status;
    const int found = strcmp(file, "-") == 0 ? fstat(STDIN_FILENO, &status) : stat(file, &status);
    return found == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

int tv_diff_read_matches(const struct tv_cli *cli, const char *option, const struct tv_texts *texts,
                         struct tv_hand_matches *matches)
{
    struct tv_error err = {.code = TV_OK};
    for (size_t i = 0; i < texts->count; i++) {
        struct tv_str names[TV_SIDE_COUNT];
        if (!split_match(tv_str_from(texts->of[i]), names))
            return tv_cli_misuse(cli,
                                 "%s needs OLD=NEW, with ' = ' between names that have the sign "
                                 "themselves",
                                 option);
        if (tv_hand_matches_add(matches, names[TV_SIDE_OLD], names[TV_SIDE_NEW], &err) != TV_OK)
            return tv_cli_misuse(cli, "%s: %s", option, err.text);
    }
    return TV_STATUS_FINE;
}

int tv_diff_take_matches(const struct tv_cli *cli, const char *option, const struct tv_texts *texts,
                         const char *const *new_files, size_t new_count,
                         struct tv_hand_matches *matches)
{
    const struct tv_run_taker taker = {.take = look_at_run, .ctx = matches, .is_quiet = true};
    struct tv_error err = {.code = TV_OK};
    int status = tv_diff_read_matches(cli, option, texts, matches);
    if (status != TV_STATUS_FINE)
        return status;
    for (size_t i = 0; i < new_count; i++) {
        if (is_pipe(new_files[i]))
            return tv_cli_misuse(cli, "%s looks into %s twice, and it is a pipe: name a file",
                                 option, new_files[i]);
    }
    status = tv_run_set_load(cli, new_files, new_count, &taker);
    if (status == TV_STATUS_FINE && tv_hand_matches_check(matches, TV_SIDE_NEW, &err) != TV_OK)
        return tv_cli_fail(cli, NULL, &err);
    return status;
}

static enum tv_code judge_rules(struct tv_diff *diff, struct tv_error *err)
{
    const struct tv_comparison *of = &diff->of;
    const struct tv_rule_clocks clocks = {&of->clocks, &of->new_clocks,
                                          of->opts.has_clock ? &of->opts.clock : NULL};
    TV_TRY(tv_rule_numbers_finish(&diff->rules.of.numbers, err));
    TV_TRY(tv_rule_file_judge(&diff->rules, &of->join, &of->tested_by, &clocks, err));
    if (!of->opts.has_clock)
        tv_rule_file_tell_clocks(&diff->rules, &of->clocks);
    return TV_OK;
}

static enum tv_code compare(struct tv_diff *diff, struct tv_error *err)
{
    TV_TRY(tv_hand_matches_check(&diff->matches, TV_SIDE_OLD, err));
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
    struct run_context context = {diff, &plan->part};
    if (plan->rules && tv_rule_file_load(&diff->rules, plan->rules, count, &err) != TV_OK)
        return tv_cli_fail(diff->cli, err.code == TV_ERR_FORMAT ? plan->rules : NULL, &err);
    const struct tv_run_taker taker = {.take = take_run,
                                       .ctx = &context,
                                       .old_cli = plan->old_cli,
                                       .old_count = plan->opts.run_counts[TV_SIDE_OLD]};
    int status = plan->matches && plan->matches->count
                     ? tv_diff_take_matches(diff->cli, "diff: --match", plan->matches,
                                            plan->files + plan->opts.run_counts[TV_SIDE_OLD],
                                            plan->opts.run_counts[TV_SIDE_NEW], &diff->matches)
                     : TV_STATUS_FINE;
    if (status == TV_STATUS_FINE)
        status = tv_run_set_load(diff->cli, plan->files, count, &taker);
    if (status != TV_STATUS_FINE)
        return status;
    if (!diff->has_told_mapping)
        diff->has_told_mapping = tv_side_mappings_tell(
            &diff->mappings, diff->cli, plan->old_side ? plan->old_side : "the old side");
    enum tv_code code = compare(diff, &err);
    if (code == TV_OK)
        code = tv_rule_file_find_calls(&diff->rules, plan->files, count, &err);
    if (code == TV_OK)
        return TV_STATUS_FINE;
    (void)tv_cli_fail(diff->cli, NULL, &err);
    return tv_cli_status(code);
}

int tv_diff_make_of(struct tv_diff *diff, const struct tv_diff_plan *plan,
                    struct tv_asking *const *runs)
{
    struct tv_error err = {.code = TV_OK};
    struct run_context context = {diff, &plan->part};
    diff->is_part = tv_diff_has_part(&plan->part);
    enum tv_code code = tv_comparison_begin(&diff->of, &plan->opts, &err);
    for (size_t i = 0; code == TV_OK && i < tv_comparison_run_count(&diff->of); i++) {
        code = take_run(&context, runs[i], i, &err);
        if (code != TV_OK)
            return tv_asking_fail(runs[i], &err);
    }
    if (code == TV_OK)
        code = tv_comparison_finish(&diff->of, &err);
    if (code == TV_OK)
        return TV_STATUS_FINE;
    (void)tv_cli_fail(diff->cli, NULL, &err);
    return tv_cli_status(code);
}

enum tv_code tv_diff_make_calls(struct tv_diff *diff, const struct tv_diff_plan *plan,
                                struct tv_asking *asking, struct tv_error *err)
{
    struct tv_scope scope;
    tv_scope_init(&scope, asking->index);
    if (plan->opts.has_clock)
        scope.measure = plan->opts.clock == TV_CLOCK_CPU ? TV_MEASURE_CPU : TV_MEASURE_WALL;
    TV_TRY(tv_measure_check(asking->index, scope.measure, err));
    TV_TRY(tv_call_pair_take(asking, &plan->calls, scope.measure, &diff->pair, err));
    diff->is_part = true;
    diff->is_of_calls = true;
    TV_TRY(tv_comparison_begin(&diff->of, &plan->opts, err));
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        TV_TRY(tv_comparison_add_call(&diff->of, side, asking->index, diff->pair.of[side],
                                      asking->cli->pool, tv_file_label(asking->file), err));
    return tv_comparison_finish(&diff->of, err);
}

int tv_diff_make(struct tv_diff *diff, const struct tv_diff_plan *plan)
{
    struct tv_error err = {.code = TV_OK};
    diff->is_part = tv_diff_has_part(&plan->part);
    return tv_comparison_begin(&diff->of, &plan->opts, &err) == TV_OK
               ? load(diff, plan)
               : tv_cli_fail(diff->cli, NULL, &err);
}
