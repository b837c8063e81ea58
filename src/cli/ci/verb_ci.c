/*
 * ci: the traces that a run of continuous integration has left, beside those of the last run, by
 * benchmark. Each benchmark is compared as `diff` compares, and judged by the same rules
 * (ci_judge.c); what it comes to is told in text and where the machine wants it: Markdown that is
 * added to a file (GitHub's GITHUB_STEP_SUMMARY), and JUnit XML (GitLab).
 *
 * One file of rules serves all benchmarks: a rule about a method that a benchmark has not is left
 * out there, and is not kept if no benchmark has it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/compiler.h"
#include "cli/ci/ci_judge.h"
#include "cli/compare/diff.h"
#include "cli/file/output.h"
#include "cli/verb.h"
#include "os/file/file.h"

#define SUMMARY_VARIABLE "GITHUB_STEP_SUMMARY"

struct ci_options {
    const char *against;
    const char *rules;
    const char *summary;
    const char *junit;
    const char *clock;
    uint64_t count;
    double least;
    bool across_machines;
    bool all_new;
    bool json;
};

/* Rules are read once beforehand: a file that is wrong is told once. */
static int load_rules(struct tv_ci_run *run)
{
    const char *path = run->judging.rules;
    struct tv_error err = {.code = TV_OK};
    if (!path)
        return TV_STATUS_FINE;
    enum tv_code code = tv_rule_file_load(&run->rules, path, 1, &err);
    if (code == TV_OK)
        code = tv_alloc_new(run->cli->alloc, &run->is_met, run->rules.of.rules.count,
                            sizeof(*run->is_met), &err);
    if (code == TV_OK)
        code = tv_alloc_new(run->cli->alloc, &run->is_of_others, run->rules.of.rules.count,
                            sizeof(*run->is_of_others), &err);
    if (code == TV_OK)
        code = tv_alloc_new(run->cli->alloc, &run->is_error, run->rules.of.rules.count,
                            sizeof(*run->is_error), &err);
    return code == TV_OK ? TV_STATUS_FINE
                         : tv_cli_fail(run->cli, code == TV_ERR_FORMAT ? path : NULL, &err);
}

/* What cannot be read, or is not judged, may have what no other benchmark has. */
static void tell_absent(struct tv_ci_run *run)
{
    if (run->judging.rules && !run->rules.of.rules.count)
        tv_ci_report_add_no_rule(&run->report, run->judging.rules);
    const bool has_others =
        run->report.not_read || run->report.with_one_file || run->report.of_other_build;
    for (size_t i = 0; !has_others && i < run->rules.of.rules.count; i++) {
        if (run->is_met[i] || run->rules.of.rules.of[i].level == TV_LEVEL_OFF)
            continue;
        run->absent_errors += run->is_error[i];
        tv_ci_report_add_absent(&run->report, &run->rules.of.rules.of[i], run->is_error[i],
                                run->is_of_others[i]);
    }
}

/* NULL: no summary is wanted. */
static const char *summary_path(const struct ci_options *options)
{
    const char *path = options->summary ? options->summary : getenv(SUMMARY_VARIABLE);
    return path && *path ? path : NULL;
}

/* Adds to the end of a file, which others may have written to before. */
static int append(const struct tv_cli *cli, const char *path, struct tv_str bytes)
{
    struct tv_error err;
    FILE *file = fopen(path, "ae");
    bool is_written = file && fwrite(bytes.at, 1, bytes.len, file) == bytes.len;
    is_written = file && fclose(file) == 0 && is_written;
    if (is_written)
        return TV_STATUS_FINE;
    (void)tv_fail(&err, TV_ERR_SYSTEM, TV_NO_OFFSET, "cannot be written: %s", strerror(errno));
    return tv_cli_fail(cli, path, &err);
}

/* What is said of the run, and what is written to files. All of it is made before any of it is
 * told, so that memory that runs out leaves no part of an answer. */
struct told {
    struct tv_text answer;
    struct tv_buffer summary, junit;
};

static int write_summary(const struct tv_ci_run *run, const struct ci_options *options,
                         const struct tv_buffer *body)
{
    const char *path = summary_path(options);
    return path ? append(run->cli, path, tv_buffer_view(body)) : TV_STATUS_FINE;
}

static int write_junit(const struct tv_ci_run *run, const struct ci_options *options,
                       const struct tv_buffer *body)
{
    const char *path = options->junit;
    struct tv_error err = {.code = TV_OK};
    struct tv_output_file output;
    if (!path)
        return TV_STATUS_FINE;
    enum tv_code code = tv_output_open(&output, run->cli, path, TV_OUTPUT_TEXT, &err);
    if (code == TV_OK) {
        const struct tv_sink sink = tv_output_sink(&output);
        code = sink.write(sink.ctx, body->bytes, body->len, &err);
        code = tv_output_close(&output, code, &err);
    }
    return code == TV_OK ? TV_STATUS_FINE : tv_cli_fail(run->cli, NULL, &err);
}

/* Whether growths are left out in each benchmark, though there is a last run: it has others, and so
 * all of them have another name now. Such a run would be kept, and its times with it. */
static bool has_growths_of_others(const struct tv_ci_run *run)
{
    return tv_ci_report_is_all_new(&run->report) && run->report.uncompared &&
           run->report.is_all_new_wrong;
}

/* What fails: a rule that a benchmark does not keep, one that is about nothing, a growth that would
 * have been judged under another name, and a file without any rule. */
static bool fails(const struct tv_ci_run *run)
{
    return run->judging.rules && (has_growths_of_others(run) || run->report.failed ||
                                  run->absent_errors || !run->rules.of.rules.count);
}

static int final_status(const struct tv_ci_run *run)
{
    const struct tv_ci_report *report = &run->report;
    if (report->not_read || report->with_one_file || report->of_other_build ||
        report->without_clock)
        return TV_STATUS_FAILED;
    return fails(run) ? TV_STATUS_BELOW : TV_STATUS_FINE;
}

static enum tv_code make_told(struct tv_ci_run *run, const struct ci_options *options,
                              struct told *told, struct tv_error *err)
{
    struct tv_ci_report *report = &run->report;
    TV_TRY(options->json ? tv_ci_report_json(report, final_status(run), &told->answer.buffer, err)
                         : tv_ci_report_text(report, options->against, &told->answer, err));
    if (summary_path(options))
        TV_TRY(tv_ci_report_markdown(report, options->against, &told->summary, err));
    return options->junit ? tv_ci_report_junit(report, options->against, &told->junit, err) : TV_OK;
}

static int tell_all(const struct tv_ci_run *run, const struct ci_options *options,
                    const struct told *told)
{
    if (options->json)
        tv_cli_answer(run->cli, tv_text_view(&told->answer));
    else
        tv_cli_answer_text(run->cli, tv_text_view(&told->answer));
    /* What cannot be written to one file is written to the other all the same. */
    const int of_summary = write_summary(run, options, &told->summary);
    const int of_junit = write_junit(run, options, &told->junit);
    const int status = of_summary == TV_STATUS_FINE ? of_junit : of_summary;
    return status == TV_STATUS_FINE ? final_status(run) : status;
}

static int answer(struct tv_ci_run *run, const struct ci_options *options)
{
    const struct tv_alloc *alloc = run->cli->alloc;
    struct tv_error err = {.code = TV_OK};
    struct told told;
    tv_text_init(&told.answer, alloc);
    tv_buffer_init(&told.summary, alloc);
    tv_buffer_init(&told.junit, alloc);
    int status = make_told(run, options, &told, &err) == TV_OK ? tell_all(run, options, &told)
                                                               : tv_cli_fail(run->cli, NULL, &err);
    tv_text_release(&told.answer);
    tv_buffer_release(&told.summary);
    tv_buffer_release(&told.junit);
    return status;
}

static bool is_one_folder(const char *against, const char *folder)
{
    struct stat of_last;
    struct stat of_new;
    return against && stat(against, &of_last) == 0 && stat(folder, &of_new) == 0 &&
           tv_file_is_same(&of_last, &of_new);
}

static int find(struct tv_ci_run *run, const char *against, const char *folder)
{
    struct tv_error err = {.code = TV_OK};
    enum tv_code code = tv_ci_files_find(&run->files, against, folder, &err);
    if (code != TV_OK) {
        (void)tv_cli_fail(run->cli, run->files.folder, &err);
        return tv_cli_status(code);
    }
    if (is_one_folder(against, folder))
        return tv_cli_misuse(run->cli,
                             "ci: %s is this run and, by --against, the last one: keep the traces "
                             "of the last run in a folder of their own",
                             folder);
    if (run->files.count > TV_CI_BENCHMARKS_MOST)
        return tv_cli_misuse(run->cli, "ci: %s has more than %u benchmarks", folder,
                             TV_CI_BENCHMARKS_MOST);
    for (size_t i = 0; i < run->files.count; i++) {
        if (run->files.of[i].counts[TV_SIDE_NEW])
            return TV_STATUS_FINE;
    }
    /* Nothing to judge is no success: a benchmark that left no trace would pass for ever. */
    (void)tv_fail(&err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "has no trace in it");
    return tv_cli_fail(run->cli, folder, &err);
}

/* Whether what is written to `path` would go into a file that is read; NULL: nothing is written. */
static bool replaces(const struct tv_ci_run *run, const char *path)
{
    if (!path)
        return false;
    if (run->judging.rules && tv_output_replaces(path, run->judging.rules))
        return true;
    for (size_t i = 0; i < run->files.count; i++) {
        const struct tv_ci_benchmark *benchmark = &run->files.of[i];
        for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
            for (size_t k = 0; k < benchmark->counts[side]; k++) {
                if (tv_output_replaces(path, benchmark->files[side][k]))
                    return true;
            }
        }
    }
    return false;
}

static int check_paths(const struct tv_ci_run *run, const struct ci_options *options)
{
    const char *const paths[] = {options->junit, summary_path(options)};
    for (size_t i = 0; i < TV_COUNT_OF(paths); i++) {
        if (replaces(run, paths[i]))
            return tv_cli_misuse(
                run->cli, "ci: %s is one of the files that are read: name another one", paths[i]);
    }
    return TV_STATUS_FINE;
}

static int judge_all(struct tv_ci_run *run, const struct ci_options *options, const char *folder)
{
    int status = load_rules(run);
    if (status == TV_STATUS_FINE)
        status = find(run, options->against, folder);
    if (status == TV_STATUS_FINE)
        status = check_paths(run, options);
    for (size_t i = 0; status == TV_STATUS_FINE && i < run->files.count; i++)
        status = tv_ci_judge(run, &run->files.of[i]);
    if (status != TV_STATUS_FINE)
        return status;
    tell_absent(run);
    return answer(run, options);
}

/* The verb has a copy of the context of its own, in which it notes what one benchmark met (no
 * memory, another build): the verdict about all of them depends on it. */
static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    struct tv_cli watched = *cli;
    const struct ci_options *asked = values;
    struct tv_ci_run ci = {.cli = &watched,
                           .judging = {.rules = asked->rules,
                                       .most_rows = asked->count,
                                       .least = asked->least,
                                       .across_machines = asked->across_machines}};
    watched.lacks_memory = &ci.is_ended;
    watched.is_other_build = &ci.is_other_build;
    enum tv_clock clock = TV_CLOCK_CPU;
    if (asked->clock) {
        clock = (enum tv_clock)tv_choice_position(tv_run_clock_words, asked->clock);
        ci.judging.clock = &clock;
    }
    if (asked->least <= 0)
        return tv_cli_misuse(cli, "ci: --least needs more than 0 percent");
    tv_ci_files_init(&ci.files, cli);
    tv_ci_report_init(&ci.report, cli);
    tv_rule_file_init(&ci.rules, cli);
    ci.report.is_all_new_wrong = !asked->all_new;
    int status = judge_all(&ci, asked, arguments->of[0]);
    const size_t count = ci.rules.of.rules.count;
    tv_alloc_release(cli->alloc, &ci.is_of_others, count, sizeof(*ci.is_of_others));
    tv_alloc_release(cli->alloc, &ci.is_error, count, sizeof(*ci.is_error));
    tv_alloc_release(cli->alloc, &ci.is_met, count, sizeof(*ci.is_met));
    tv_rule_file_release(&ci.rules);
    tv_ci_report_release(&ci.report);
    tv_ci_files_release(&ci.files);
    return status;
}

static const struct tv_option options[] = {
    {.name = "against",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct ci_options, against),
     .argument = "LAST",
     .help = "the folder of the last run; nothing is compared where it is not there"},
    {.name = "rules",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct ci_options, rules),
     .argument = "RULES",
     .help = "rules that must hold; status 3 where one does not"},
    {.letter = 'n',
     .kind = TV_OPTION_COUNT,
     .field = offsetof(struct ci_options, count),
     .argument = "COUNT",
     .help = "how many rows of each list; 0 is all (10)",
     .most = UINT32_MAX},
    {.name = "clock",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct ci_options, clock),
     .argument = "CLOCK",
     .help = "wall or cpu (cpu where all recordings of a benchmark have it)",
     .choices = tv_run_clock_words},
    {.name = "least",
     .kind = TV_OPTION_SHARE,
     .field = offsetof(struct ci_options, least),
     .argument = "PERCENT",
     .help = "a change of time counts from here on (5)"},
    {.name = "across-machines",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct ci_options, across_machines),
     .help = "test times although recordings are of different processors"},
    {.name = "all-new",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct ci_options, all_new),
     .help = "no failure where all benchmarks are new and the last run has others"},
    {.name = "summary",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct ci_options, summary),
     .argument = "OUT",
     .help = "add Markdown to this file ($GITHUB_STEP_SUMMARY)",
     .group = TV_GROUP_OUTPUT},
    {.name = "junit",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct ci_options, junit),
     .argument = "OUT",
     .help = "write JUnit XML to this file, which GitLab and others show",
     .group = TV_GROUP_OUTPUT},
    {.name = "json",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct ci_options, json),
     .help = "print JSON",
     .group = TV_GROUP_OUTPUT},
};

static const struct ci_options defaults = {.least = TV_COMPARED_LEAST, .count = 10};

const struct tv_verb tv_verb_ci = {
    .name = "ci",
    .summary = "traces of a run of continuous integration beside those of the last run",
    .arguments = "FOLDER",
    .argument_count = 1,
    .uses_index = true,
    .prints_tables = true,
    .options = TV_OPTIONS(options),
    .defaults = &defaults,
    .values_len = TV_VALUES_LEN(struct ci_options),
    .notes = "Traces are known by the JSON that AndroidX Benchmark and Macrobenchmark write\n"
             "beside them, else by their names: start-1.trace and start-2.trace are runs of start.",
    .examples = {{"traceview ci --against last traces", "what changed since the last run"},
                 {"traceview ci --against last --junit report.xml traces", "the same for GitLab"}},
    .run = run,
};
