/*
 * diff: what changed from old recordings to new ones. Counts decide from one run a side; time is
 * tested where there are several, and says what it cannot know (compare/change.h).
 */
#include <string.h>

#include "analysis/profile/profile.h"
#include "api/routes/comparison_json.h"
#include "cli/compare/diff.h"
#include "cli/compare/report_format.h"
#include "cli/compare/run_set.h"
#include "cli/file/load.h"
#include "cli/verb.h"
#include "compare/run_part.h"

struct diff_options {
    struct tv_word_list sides[TV_SIDE_COUNT];
    const char *clock;
    const char *kind;
    double least;
    uint64_t count;
    struct tv_time_value from;
    struct tv_time_value to;
    struct tv_texts threads;
    const char *root;
    struct tv_word_list between;
    const char *rules;
    struct tv_report_options report;
};

/* The part of a recording that is compared. Methods are named for each recording anew, since their
 * places differ. */
static enum tv_code take_part(struct tv_asking *asking, const struct diff_options *options,
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
    const struct diff_options *options;
};

static enum tv_code take_run(void *ctx, struct tv_asking *asking, size_t run, struct tv_error *err)
{
    const struct diff_run *taking = ctx;
    struct tv_diff *diff = taking->diff;
    const struct tv_pool *pool = asking->cli->pool;
    struct tv_run_part part;
    struct tv_profile profile;
    tv_profile_init(&profile, asking->cli->alloc);
    enum tv_code code = take_part(asking, taking->options, &part, err);
    if (code == TV_OK)
        code = tv_run_part_profile(&part, asking->index, pool, &profile, err);
    if (code == TV_OK)
        code = tv_comparison_add(&diff->of, run, asking->index, &profile,
                                 tv_file_label(asking->file), err);
    if (code == TV_OK && diff->rules.file)
        code = tv_rule_numbers_add(&diff->rules.numbers, run, asking->index, pool, err);
    tv_profile_release(&profile);
    return code;
}

static enum tv_code judge_rules(struct tv_diff *diff, struct tv_error *err)
{
    bool has_clock[TV_CLOCK_COUNT];
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        has_clock[clock] = tv_comparison_has_clock(&diff->of, (enum tv_clock)clock);
    TV_TRY(tv_rule_numbers_finish(&diff->rules.numbers, err));
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
    TV_TRY(tv_rule_file_json(&diff->rules, &json, err));
    TV_TRY(tv_comparison_write_lists(&diff->of, &json, body, SIZE_MAX, err));
    tv_json_close_object(&json);
    return tv_json_finish(&json, err);
}

static enum tv_code write_answer(const struct tv_diff *diff, enum tv_report_format format,
                                 struct tv_text *out, struct tv_error *err)
{
    switch (format) {
    case TV_REPORT_JSON:
        return tv_diff_json(diff, &out->buffer, err);
    case TV_REPORT_MARKDOWN:
        return tv_diff_markdown(diff, &out->buffer, err);
    case TV_REPORT_JUNIT:
        return tv_diff_junit(diff, &out->buffer, err);
    case TV_REPORT_SARIF:
        return tv_diff_sarif(diff, &out->buffer, err);
    case TV_REPORT_TEXT:
        break;
    }
    return tv_diff_text(diff, out, err);
}

static int answer(const struct tv_diff *diff, enum tv_report_format format)
{
    const struct tv_cli *cli = diff->cli;
    struct tv_error err = {.code = TV_OK};
    struct tv_text out;
    tv_text_init(&out, cli->alloc);
    enum tv_code code = write_answer(diff, format, &out, &err);
    if (code == TV_OK && out.code != TV_OK)
        code = tv_fail_memory(&err, out.buffer.len);
    if (code == TV_OK && format != TV_REPORT_TEXT)
        tv_cli_answer(cli, tv_text_view(&out));
    else if (code == TV_OK)
        tv_cli_answer_text(cli, tv_text_view(&out));
    tv_text_release(&out);
    if (code != TV_OK)
        return tv_cli_fail(cli, NULL, &err);
    return tv_rule_file_fails(&diff->rules) ? TV_STATUS_BELOW : TV_STATUS_FINE;
}

static int load_and_answer(struct tv_diff *diff, const struct diff_options *options,
                           const char *const *files)
{
    struct tv_error err = {.code = TV_OK};
    const size_t count = tv_comparison_run_count(&diff->of);
    struct diff_run taking = {diff, options};
    if (options->rules && tv_rule_file_load(&diff->rules, options->rules, count, &err) != TV_OK)
        return tv_cli_fail(diff->cli, err.code == TV_ERR_FORMAT ? options->rules : NULL, &err);
    int status =
        tv_run_set_load(diff->cli, files, count, &(struct tv_run_taker){take_run, &taking});
    if (status != TV_STATUS_FINE)
        return status;
    enum tv_code code = compare(diff, &err);
    if (code == TV_OK)
        code = tv_rule_file_find_calls(&diff->rules, files, &err);
    if (code == TV_OK)
        return answer(diff, tv_report_format_of(&options->report));
    (void)tv_cli_fail(diff->cli, NULL, &err);
    return tv_cli_status(code);
}

static bool is_part(const struct diff_options *options)
{
    return options->from.is_given || options->to.is_given || options->threads.count ||
           options->root || options->between.count;
}

/* Compares the files, of which `old_count` are the old ones. */
static int run_files(const struct tv_cli *cli, const struct diff_options *options,
                     const char *const *files, size_t old_count, size_t count)
{
    const struct tv_comparison_opts opts = {
        .run_counts = {old_count, count - old_count},
        .has_clock = options->clock != NULL,
        .clock = options->clock
                     ? (enum tv_clock)tv_choice_position(tv_run_clock_words, options->clock)
                     : TV_CLOCK_CPU,
        .kind = tv_run_kind(options->kind),
        .least = options->least,
        .most_rows = options->count};
    struct tv_diff diff = {.cli = cli, .is_part = is_part(options)};
    struct tv_error err = {.code = TV_OK};
    tv_comparison_init(&diff.of, cli->alloc);
    tv_rule_file_init(&diff.rules, cli);
    int status = tv_comparison_begin(&diff.of, &opts, &err) == TV_OK
                     ? load_and_answer(&diff, options, files)
                     : tv_cli_fail(cli, NULL, &err);
    tv_rule_file_release(&diff.rules);
    tv_comparison_release(&diff.of);
    return status;
}

/* Options that exclude each other. Rules are about whole recordings, so a part of one would be
 * judged by the limits of all of it. NULL: there are none. */
static const char *misuse_of(const struct diff_options *options)
{
    if (tv_report_options_disagree(&options->report))
        return "diff: --json and --as are two formats";
    if (options->least <= 0)
        return "diff: --least needs more than 0 percent";
    if (options->between.count &&
        (options->from.is_given || options->to.is_given || options->threads.count || options->root))
        return "diff: --between says which part, so no other option does";
    if (options->rules && is_part(options))
        return "diff: --rules are about whole recordings, and not about a part";
    return NULL;
}

static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct diff_options *options = values;
    const struct tv_word_list *sides = options->sides;
    bool has_sides = sides[TV_SIDE_OLD].count && sides[TV_SIDE_NEW].count;
    const size_t old_count = has_sides ? sides[TV_SIDE_OLD].count : 1;
    const size_t count = old_count + (has_sides ? sides[TV_SIDE_NEW].count : 1);
    struct tv_error err = {.code = TV_OK};
    const char **files;
    if (arguments->count ? arguments->count != 2 || sides[0].count || sides[1].count : !has_sides)
        return tv_cli_misuse(cli, "diff needs OLD and NEW, or files behind --old and --new");
    if (misuse_of(options))
        return tv_cli_misuse(cli, "%s", misuse_of(options));
    if (tv_alloc_new(cli->alloc, &files, count, sizeof(*files), &err) != TV_OK)
        return tv_cli_fail(cli, NULL, &err);
    for (size_t i = 0; i < count; i++) {
        const struct tv_word_list *side = &sides[i < old_count ? TV_SIDE_OLD : TV_SIDE_NEW];
        files[i] = has_sides ? side->of[i < old_count ? i : i - old_count] : arguments->of[i];
    }
    int status = run_files(cli, options, files, old_count, count);
    tv_alloc_release(cli->alloc, &files, count, sizeof(*files));
    return status;
}

static const struct tv_option options[] = {
    {.name = "old",
     .kind = TV_OPTION_WORDS,
     .field = offsetof(struct diff_options, sides[TV_SIDE_OLD]),
     .argument = "FILE...",
     .help = "recordings of the old side, up to the next option"},
    {.name = "new",
     .kind = TV_OPTION_WORDS,
     .field = offsetof(struct diff_options, sides[TV_SIDE_NEW]),
     .argument = "FILE...",
     .help = "recordings of the new side"},
    {.letter = 'n',
     .kind = TV_OPTION_COUNT,
     .field = offsetof(struct diff_options, count),
     .argument = "COUNT",
     .help = "how many rows of each list; 0 is all (10)",
     .most = UINT32_MAX},
    {.name = "clock",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct diff_options, clock),
     .argument = "CLOCK",
     .help = "wall or cpu (cpu where all recordings have it)",
     .choices = tv_run_clock_words},
    {.name = "by",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct diff_options, kind),
     .argument = "TIME",
     .help = "which time: inclusive (the default) or exclusive",
     .choices = tv_run_kind_words},
    {.name = "least",
     .kind = TV_OPTION_SHARE,
     .field = offsetof(struct diff_options, least),
     .argument = "PERCENT",
     .help = "a change of time counts from here on (5)"},
    {.name = "thread",
     .kind = TV_OPTION_TEXTS,
     .field = offsetof(struct diff_options, threads),
     .argument = "THREAD",
     .help = "only threads of this name ('Async*', main), or id; may be repeated",
     .group = TV_GROUP_PART},
    {.name = "from",
     .kind = TV_OPTION_TIME,
     .field = offsetof(struct diff_options, from),
     .argument = "TIME",
     .help = "only from here on, since the start of each recording",
     .group = TV_GROUP_PART},
    {.name = "to",
     .kind = TV_OPTION_TIME,
     .field = offsetof(struct diff_options, to),
     .argument = "TIME",
     .help = "only up to here",
     .group = TV_GROUP_PART},
    {.name = "root",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct diff_options, root),
     .argument = "METHOD",
     .help = "only calls of this method, and what they call",
     .group = TV_GROUP_PART},
    {.name = "between",
     .kind = TV_OPTION_WORDS,
     .field = offsetof(struct diff_options, between),
     .argument = "FROM UNTIL",
     .help = "only from the first call of FROM until a call of UNTIL, on that thread",
     .most = 2,
     .group = TV_GROUP_PART},
    {.name = "rules",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct diff_options, rules),
     .argument = "RULES",
     .help = "rules that must hold; status 3 where one does not"},
    {.name = "as",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct diff_options, report.as),
     .argument = "FORMAT",
     .help = "text (the default), json, markdown, junit or sarif",
     .choices = tv_report_format_words,
     .group = TV_GROUP_OUTPUT},
    {.name = "json",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct diff_options, report.json),
     .help = "the same as --as json",
     .group = TV_GROUP_OUTPUT},
};

static const struct diff_options defaults = {.least = TV_COMPARED_LEAST, .count = 10};

const struct tv_verb tv_verb_diff = {
    .name = "diff",
    .summary = "what changed from old recordings to new ones, and why",
    .arguments = "[OLD NEW]",
    .argument_count = 2,
    .may_lack = 2,
    .uses_index = true,
    .prints_tables = true,
    .options = TV_OPTIONS(options),
    .defaults = &defaults,
    .values_len = sizeof(struct diff_options),
    .notes = "Counts decide from one recording a side on. Time is tested from two a side on;\n"
             "before, it is one sample and decides nothing.",
    .examples = {{"traceview diff old.trace new.trace", "which methods are called more or less"},
                 {"traceview diff --as markdown old.trace new.trace",
                  "a comment for a pull request"}},
    .run = run,
};
