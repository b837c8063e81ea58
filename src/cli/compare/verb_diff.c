/*
 * diff: what changed from old recordings to new ones. Counts decide from one run a side; time is
 * tested where there are several, and says what it cannot know (compare/change.h).
 */
#include "api/answers.h"
#include "cli/compare/diff.h"
#include "cli/compare/report_format.h"
#include "cli/compare/run_files.h"
#include "cli/compare/run_set.h"
#include "cli/file/mapping_files.h"
#include "cli/verb.h"

struct diff_options {
    struct tv_word_list sides[TV_SIDE_COUNT];
    const char *clock;
    const char *kind;
    bool across_machines;
    double least;
    uint64_t count;
    struct tv_diff_part part;
    struct tv_texts matches;
    const char *rules;
    const char *old_mapping;
    struct tv_call_pair_options calls;
    struct tv_report_options report;
};

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

static struct tv_diff_plan plan_of(const struct diff_options *options, const char *const *files,
                                   size_t old_count, size_t count)
{
    return (struct tv_diff_plan){
        .opts = {.run_counts = {old_count, count - old_count},
                 .has_clock = options->clock != NULL,
                 .clock = options->clock ? (enum tv_clock)tv_choice_position(tv_run_clock_words,
                                                                             options->clock)
                                         : TV_CLOCK_CPU,
                 .kind = tv_run_kind(options->kind),
                 .across_machines = options->across_machines,
                 .least = options->least,
                 .most_rows = options->count},
        .part = options->part,
        .matches = &options->matches,
        .rules = options->rules,
        .calls = options->calls,
        .files = files};
}

/* Compares the files, of which `old_count` are the old ones, read by `old_cli`. */
static int compare_files(const struct tv_cli *cli, const struct tv_cli *old_cli,
                         const struct diff_options *options, const char *const *files,
                         size_t old_count, size_t count)
{
    struct tv_diff_plan plan = plan_of(options, files, old_count, count);
    struct tv_diff diff;
    plan.old_cli = old_cli;
    tv_diff_init(&diff, cli);
    int status = tv_diff_make(&diff, &plan);
    if (status == TV_STATUS_FINE) {
        /* Of each side: a copy of a recording of the other one is compared with it, as is asked. */
        tv_run_set_tell_copies(cli, files, old_count);
        tv_run_set_tell_copies(cli, files + old_count, count - old_count);
    }
    if (status == TV_STATUS_FINE)
        status = answer(&diff, tv_report_format_of(&options->report));
    tv_diff_release(&diff);
    return status;
}

/* Has the mapping of the old side open, where it has one of its own. */
static int run_files(const struct tv_cli *cli, const struct diff_options *options,
                     const char *const *files, size_t old_count, size_t count)
{
    struct tv_mapping_files mappings;
    struct tv_cli old_cli;
    tv_mapping_files_init(&mappings, cli->alloc);
    int status = tv_mapping_files_open_side(&mappings, cli, options->old_mapping, &old_cli);
    if (status == TV_STATUS_FINE)
        status = compare_files(cli, &old_cli, options, files, old_count, count);
    status = tv_mapping_files_check(&mappings, &old_cli, status);
    tv_mapping_files_release(&mappings);
    return status;
}

/* Two calls while they are compared. */
struct calls_command {
    struct tv_diff diff;
    struct tv_diff_plan plan;
    const struct tv_asking *asking;
};

static enum tv_code fill_calls(struct tv_asking *asking, void *values, struct tv_error *err)
{
    struct calls_command *command = values;
    command->asking = asking;
    return tv_diff_make_calls(&command->diff, &command->plan, asking, err);
}

/* What the route calldiff answers, and which calls they are. */
static enum tv_code write_calls_json(const struct tv_api *api, const void *values,
                                     struct tv_buffer *body, struct tv_error *err)
{
    const struct calls_command *command = values;
    const struct tv_diff *diff = &command->diff;
    struct tv_detail details[TV_SIDE_COUNT];
    struct tv_compared_call calls[TV_SIDE_COUNT];
    TV_TRY(tv_call_pair_compared(&diff->pair, command->asking, details, calls, err));
    return tv_answer_call_diff(api, &diff->of, calls, body, err);
}

static enum tv_code write_calls_text(const struct tv_asking *asking, const void *values,
                                     struct tv_text *out, struct tv_error *err)
{
    return tv_diff_calls_text(&((const struct calls_command *)values)->diff, asking, out, err);
}

static int run_calls(const struct tv_cli *cli, const struct diff_options *options,
                     const char *const *file)
{
    static const struct tv_question_plan question = {fill_calls, write_calls_json,
                                                     write_calls_text};
    const struct tv_question_files files = {.of = file, .count = 1};
    struct calls_command command = {.plan = plan_of(options, file, 1, 2)};
    tv_diff_init(&command.diff, cli);
    int status = tv_question_run(cli, &files, &question, &command,
                                 tv_report_format_of(&options->report) == TV_REPORT_JSON);
    tv_diff_release(&command.diff);
    return status;
}

/* Options that say nothing of two calls of one trace. NULL: there are none. */
static const char *misuse_of_calls(const struct diff_options *options, size_t files)
{
    const enum tv_report_format format = tv_report_format_of(&options->report);
    if (files != 1 || options->sides[TV_SIDE_OLD].count || options->sides[TV_SIDE_NEW].count)
        return "diff: --call compares two calls of one trace: name one file";
    if (!options->calls.call)
        return "diff: --with names what --call is compared with, so --call is there, too";
    if (tv_diff_has_part(&options->part))
        return "diff: --call says which part, so no other option does";
    if (options->rules || options->matches.count || options->across_machines ||
        options->old_mapping)
        return "diff: --call is about one recording: leave --rules, --match, --old-mapping and "
               "--across-machines out";
    if (format != TV_REPORT_TEXT && format != TV_REPORT_JSON)
        return "diff: two calls are told as text or as JSON";
    return NULL;
}

/* Options that exclude each other. Rules are about whole recordings, so a part of one would be
 * judged by the limits of all of it. NULL: there are none. */
static const char *misuse_of(const struct diff_options *options)
{
    const struct tv_diff_part *part = &options->part;
    if (tv_report_options_disagree(&options->report))
        return "diff: --json and --as are two formats";
    if (options->least <= 0)
        return "diff: --least needs more than 0 percent";
    if (part->between.count &&
        (part->from.is_given || part->to.is_given || part->threads.count || part->root))
        return "diff: --between says which part, so no other option does";
    if (options->rules && tv_diff_has_part(part))
        return "diff: --rules are about whole recordings, and not about a part";
    return NULL;
}

static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct diff_options *options = values;
    const struct tv_word_list *sides = options->sides;
    const bool has_sides = sides[TV_SIDE_OLD].count && sides[TV_SIDE_NEW].count;
    const bool has_side = sides[TV_SIDE_OLD].count || sides[TV_SIDE_NEW].count;
    struct tv_error err = {.code = TV_OK};
    struct tv_run_files files;
    size_t old_count = 0;
    if (options->calls.call || options->calls.other) {
        const char *misuse = misuse_of(options);
        if (!misuse)
            misuse = misuse_of_calls(options, arguments->count);
        return misuse ? tv_cli_misuse(cli, "%s", misuse) : run_calls(cli, options, arguments->of);
    }
    if (arguments->count ? arguments->count != TV_SIDE_COUNT || has_side : !has_sides)
        return tv_cli_misuse(cli, "diff needs OLD and NEW, or files behind --old and --new");
    if (misuse_of(options))
        return tv_cli_misuse(cli, "%s", misuse_of(options));
    tv_run_files_init(&files, cli);
    enum tv_code code = tv_run_files_add_sides(&files, arguments->count ? arguments->of : NULL,
                                               sides, &old_count, &err);
    int status = code == TV_OK ? run_files(cli, options, files.of, old_count, files.count)
                               : tv_cli_fail(cli, NULL, &err);
    tv_run_files_release(&files);
    return status;
}

static const struct tv_option options[] = {
    TV_SIDE_OPTIONS(struct diff_options),
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
    {.name = "across-machines",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct diff_options, across_machines),
     .help = "test times although recordings are of different processors"},
    {.name = "thread",
     .kind = TV_OPTION_TEXTS,
     .field = offsetof(struct diff_options, part.threads),
     .argument = "THREAD",
     .help = "only threads of this name ('Async*', main), or id; may be repeated",
     .group = TV_GROUP_PART},
    {.name = "from",
     .kind = TV_OPTION_TIME,
     .field = offsetof(struct diff_options, part.from),
     .argument = "TIME",
     .help = "only from here on, since the start of each recording",
     .group = TV_GROUP_PART},
    {.name = "to",
     .kind = TV_OPTION_TIME,
     .field = offsetof(struct diff_options, part.to),
     .argument = "TIME",
     .help = "only up to here",
     .group = TV_GROUP_PART},
    {.name = "root",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct diff_options, part.root),
     .argument = "METHOD",
     .help = "only calls of this method, and what they call",
     .group = TV_GROUP_PART},
    {.name = "between",
     .kind = TV_OPTION_WORDS,
     .field = offsetof(struct diff_options, part.between),
     .argument = "FROM UNTIL",
     .help = "only from the first call of FROM until a call of UNTIL, on that thread",
     .most = 2,
     .group = TV_GROUP_PART},
    {.name = "call",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct diff_options, calls.call),
     .argument = "CALL",
     .help = "of one FILE, what this call did that another one did not: 'Main.run#3'",
     .group = TV_GROUP_PART},
    {.name = "with",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct diff_options, calls.other),
     .argument = "CALL",
     .help = "that other call (the median one of its method)",
     .group = TV_GROUP_PART},
    {.name = "match",
     .kind = TV_OPTION_TEXTS,
     .field = offsetof(struct diff_options, matches),
     .argument = "OLD=NEW",
     .help = "the old method OLD is the new method NEW; may be repeated"},
    {.name = "rules",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct diff_options, rules),
     .argument = "RULES",
     .help = "rules that must hold; status 3 where one does not"},
    {.name = "old-mapping",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct diff_options, old_mapping),
     .argument = "MAPPING",
     .help = "names of the old side, as --mapping gives those of the new one"},
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
    .values_len = TV_VALUES_LEN(struct diff_options),
    .notes = "Counts decide from one recording a side on. Time is tested from two a side on;\n"
             "before, it is one sample and decides nothing. --call compares two calls of one FILE.",
    .examples = {{"traceview diff old.trace new.trace", "which methods are called more or less"},
                 {"traceview diff --call 'Database.query#1' app.trace",
                  "what a slow call did that the median one did not"}},
    .run = run,
};
