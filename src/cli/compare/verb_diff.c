/*
 * diff: what changed from old recordings to new ones. Counts decide from one run a side; time is
 * tested where there are several, and says what it cannot know (compare/change.h).
 */
#include <string.h>

#include "analysis/profile/profile.h"
#include "base/memory/sort.h"
#include "base/units.h"
#include "cli/compare/diff.h"
#include "cli/compare/report_format.h"
#include "cli/compare/run_set.h"
#include "cli/verb.h"
#include "compare/median.h"

#define LEVEL 0.05
/* What is shorter has less than a thousand ticks of most clocks. */
#define LEAST_TESTED_NS TV_NS_PER_MS

static const char *const clock_words[] = {"wall", "cpu", NULL};

struct diff_options {
    struct tv_word_list sides[TV_SIDE_COUNT];
    const char *clock;
    const char *kind;
    double least;
    uint64_t count;
    const char *rules;
    struct tv_report_options report;
};

size_t tv_diff_shown(const struct tv_diff *diff, const struct tv_diff_list *list)
{
    return diff->most_rows && list->count > diff->most_rows ? (size_t)diff->most_rows : list->count;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* The lower median of a number of each run, by counting how many are below: runs are few. */
static uint64_t median_of_runs(const struct tv_diff *diff, enum tv_side side,
                               uint64_t (*number)(const struct tv_diff *, size_t run))
{
    size_t first = side == TV_SIDE_NEW ? diff->run_counts[TV_SIDE_OLD] : 0;
    size_t count = diff->run_counts[side];
    for (size_t i = first; i < first + count; i++) {
        size_t before = 0;
        for (size_t k = first; k < first + count; k++) {
            int order = compare_numbers(number(diff, k), number(diff, i));
            before += order < 0 || (order == 0 && k < i);
        }
        if (before == (count - 1) / 2)
            return number(diff, i);
    }
    return 0;
}

static uint64_t calls_of_run(const struct tv_diff *diff, size_t run)
{
    return diff->runs[run].calls;
}

static uint64_t total_of_run(const struct tv_diff *diff, size_t run)
{
    return diff->runs[run].total_ns[diff->clock];
}

uint64_t tv_diff_calls(const struct tv_diff *diff, enum tv_side side)
{
    return median_of_runs(diff, side, calls_of_run);
}

uint64_t tv_diff_total(const struct tv_diff *diff, enum tv_side side)
{
    return median_of_runs(diff, side, total_of_run);
}

static enum tv_code take_run(void *ctx, struct tv_asking *asking, size_t run, struct tv_error *err)
{
    struct tv_diff *diff = ctx;
    const struct tv_index *index = asking->index;
    struct tv_diff_run *to = &diff->runs[run];
    struct tv_profile profile;
    tv_run_counts_note(asking, &diff->no_counts, &diff->no_counts_of);
    tv_profile_init(&profile, asking->cli->alloc);
    enum tv_code code = tv_run_profile(asking, &profile, err);
    if (code == TV_OK)
        code = tv_join_add(&diff->join, run, index, profile.rows, err);
    if (code == TV_OK && diff->rules.file)
        code = tv_rule_numbers_add(&diff->rules.numbers, run, index, asking->cli->pool, err);
    to->file = asking->file;
    to->calls = index->call_count;
    to->has_idle_cpu = tv_index_has_idle_cpu(index);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        to->has_clock[clock] = index->info->has_clock[clock];
        to->total_ns[clock] = profile.total_ns[clock];
    }
    tv_profile_release(&profile);
    return code;
}

static size_t run_count(const struct tv_diff *diff)
{
    return diff->run_counts[TV_SIDE_OLD] + diff->run_counts[TV_SIDE_NEW];
}

/* The run that lacks a clock, or, where nobody asked for CPU time, whose CPU clock never moves;
 * NULL: none does. */
static const struct tv_diff_run *lacking(const struct tv_diff *diff, enum tv_clock clock,
                                         bool is_asked)
{
    for (size_t i = 0; i < run_count(diff); i++) {
        const struct tv_diff_run *run = &diff->runs[i];
        if (!run->has_clock[clock] || (clock == TV_CLOCK_CPU && run->has_idle_cpu && !is_asked))
            return run;
    }
    return NULL;
}

/* CPU time, where all runs have it, else wall time. */
static enum tv_code choose_clock(struct tv_diff *diff, const struct diff_options *options,
                                 struct tv_error *err)
{
    diff->clock = TV_CLOCK_CPU;
    if (options->clock)
        diff->clock =
            tv_choice_position(clock_words, options->clock) ? TV_CLOCK_CPU : TV_CLOCK_WALL;
    else if (lacking(diff, TV_CLOCK_CPU, false))
        diff->clock = TV_CLOCK_WALL;
    const struct tv_diff_run *without = lacking(diff, diff->clock, true);
    if (without && options->clock)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%s has no %s clock", without->file,
                       options->clock);
    if (without)
        return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                       "the recordings have no clock in common: %s has no wall clock",
                       without->file);
    return TV_OK;
}

/* An order of changes: larger numbers first. */
static uint64_t size_of(int64_t number)
{
    return number < 0 ? -(uint64_t)number : (uint64_t)number;
}

static uint64_t change_size(const struct tv_change *change)
{
    return size_of(tv_change_ns(change));
}

/* By the time that the calls brought, then by how many there are. */
static int compare_calls(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_change *of = ctx;
    int order = compare_numbers(size_of(of[b].cause.by_calls_ns), size_of(of[a].cause.by_calls_ns));
    if (order)
        return order;
    return compare_numbers(
        size_of((int64_t)(of[b].sides[1].most_calls - of[b].sides[0].most_calls)),
        size_of((int64_t)(of[a].sides[1].most_calls - of[a].sides[0].most_calls)));
}

static int compare_times(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_change *of = ctx;
    return compare_numbers(change_size(&of[b]), change_size(&of[a]));
}

static enum tv_code make_lists(struct tv_diff *diff, struct tv_error *err)
{
    const struct tv_changes *changes = &diff->changes;
    struct tv_diff_list *lists[] = {&diff->calls, &diff->times, &diff->open};
    for (size_t i = 0; i < TV_COUNT_OF(lists); i++)
        TV_TRY(
            tv_alloc_new(diff->cli->alloc, &lists[i]->of, changes->count, sizeof(uint32_t), err));
    for (uint32_t i = 0; i < changes->count; i++) {
        const struct tv_change *change = &changes->of[i];
        bool is_tested = change->tested != SIZE_MAX;
        enum tv_verdict time = tv_change_time(changes, change);
        if (change->calls == TV_VERDICT_CHANGED)
            diff->calls.of[diff->calls.count++] = i;
        if (is_tested ? time == TV_VERDICT_CHANGED
                      : !tv_diff_is_tested(diff) && tv_change_ns(change))
            diff->times.of[diff->times.count++] = i;
        if (is_tested && time == TV_VERDICT_UNDECIDED)
            diff->open.of[diff->open.count++] = i;
    }
    for (size_t i = 0; i < TV_COUNT_OF(lists); i++)
        TV_TRY(tv_sort(diff->cli->alloc, lists[i]->of, lists[i]->count,
                       i ? compare_times : compare_calls, changes->of, err));
    return TV_OK;
}

static enum tv_code judge_rules(struct tv_diff *diff, const struct tv_changes_opts *opts,
                                struct tv_error *err)
{
    bool has_clock[TV_CLOCK_COUNT];
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        has_clock[clock] = !lacking(diff, (enum tv_clock)clock, true);
    TV_TRY(tv_rule_numbers_finish(&diff->rules.numbers, err));
    return tv_rule_file_judge(&diff->rules, &diff->join, opts, has_clock, err);
}

static enum tv_code compare(struct tv_diff *diff, const struct diff_options *options,
                            struct tv_error *err)
{
    TV_TRY(tv_join_finish(&diff->join, err));
    TV_TRY(choose_clock(diff, options, err));
    const struct tv_changes_opts opts = {
        .run_counts = {diff->run_counts[TV_SIDE_OLD], diff->run_counts[TV_SIDE_NEW]},
        .clock = diff->clock,
        .kind = diff->kind,
        .has_counts = diff->no_counts.code == TV_OK,
        .least_ns = LEAST_TESTED_NS,
        .test = {.least_ratio = diff->least_ratio, .level = LEVEL}};
    TV_TRY(tv_changes_make(&diff->changes, &diff->join, &opts, err));
    if (diff->rules.file)
        TV_TRY(judge_rules(diff, &opts, err));
    return make_lists(diff, err);
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
    if (options->rules &&
        tv_rule_file_load(&diff->rules, options->rules, run_count(diff), &err) != TV_OK)
        return tv_cli_fail(diff->cli, err.code == TV_ERR_FORMAT ? options->rules : NULL, &err);
    tv_join_begin(&diff->join, run_count(diff));
    int status =
        tv_run_set_load(diff->cli, files, run_count(diff), &(struct tv_run_taker){take_run, diff});
    if (status != TV_STATUS_FINE)
        return status;
    enum tv_code code = compare(diff, options, &err);
    if (code == TV_OK)
        code = tv_rule_file_find_calls(&diff->rules, files, &err);
    if (code == TV_OK)
        return answer(diff, tv_report_format_of(&options->report));
    (void)tv_cli_fail(diff->cli, NULL, &err);
    return tv_cli_status(code);
}

static void release(struct tv_diff *diff)
{
    const struct tv_alloc *alloc = diff->cli->alloc;
    struct tv_diff_list *lists[] = {&diff->calls, &diff->times, &diff->open};
    for (size_t i = 0; i < TV_COUNT_OF(lists); i++)
        tv_alloc_release(alloc, &lists[i]->of, diff->changes.count, sizeof(uint32_t));
    tv_alloc_release(alloc, &diff->runs, run_count(diff), sizeof(*diff->runs));
    tv_rule_file_release(&diff->rules);
    tv_changes_release(&diff->changes);
    tv_join_release(&diff->join);
}

static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct diff_options *options = values;
    const struct tv_word_list *sides = options->sides;
    bool has_sides = sides[TV_SIDE_OLD].count && sides[TV_SIDE_NEW].count;
    struct tv_error err = {.code = TV_OK};
    const char **files = NULL;
    if (arguments->count ? arguments->count != 2 || sides[0].count || sides[1].count : !has_sides)
        return tv_cli_misuse(cli, "diff needs OLD and NEW, or files behind --old and --new");
    if (tv_report_options_disagree(&options->report))
        return tv_cli_misuse(cli, "diff: --json and --as are two formats");
    if (options->least <= 0)
        return tv_cli_misuse(cli, "diff: --least needs more than 0 percent");
    struct tv_diff diff = {.cli = cli,
                           .run_counts = {has_sides ? sides[TV_SIDE_OLD].count : 1,
                                          has_sides ? sides[TV_SIDE_NEW].count : 1},
                           .kind = tv_run_kind(options->kind),
                           .least_ratio = 1 + options->least,
                           .most_rows = options->count};
    tv_join_init(&diff.join, cli->alloc);
    tv_changes_init(&diff.changes, cli->alloc);
    tv_rule_file_init(&diff.rules, cli);
    size_t count = run_count(&diff);
    int status;
    enum tv_code code = tv_alloc_new(cli->alloc, &diff.runs, count, sizeof(*diff.runs), &err);
    if (code == TV_OK)
        code = tv_alloc_new(cli->alloc, &files, count, sizeof(*files), &err);
    if (code == TV_OK) {
        for (size_t i = 0; i < count; i++) {
            size_t k = i < diff.run_counts[TV_SIDE_OLD] ? i : i - diff.run_counts[TV_SIDE_OLD];
            files[i] =
                has_sides ? sides[i >= diff.run_counts[TV_SIDE_OLD]].of[k] : arguments->of[i];
        }
        status = load_and_answer(&diff, options, files);
    } else {
        status = tv_cli_fail(cli, NULL, &err);
    }
    tv_alloc_release(cli->alloc, &files, count, sizeof(*files));
    release(&diff);
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
     .choices = clock_words},
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

static const struct diff_options defaults = {.least = 0.05, .count = 10};

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
