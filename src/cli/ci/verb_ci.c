/*
 * ci: the traces that a run of continuous integration has left, beside those of the last run, by
 * benchmark. Each benchmark is compared as `diff` compares, and judged by the same rules; what it
 * comes to is told in text and where the machine wants it: Markdown that is added to a file
 * (GitHub's GITHUB_STEP_SUMMARY), and JUnit XML (GitLab).
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
#include "cli/ci/ci_files.h"
#include "cli/ci/ci_report.h"
#include "cli/compare/diff.h"
#include "cli/compare/rule_check.h"
#include "cli/compare/run_set.h"
#include "cli/file/load.h"
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

/* All benchmarks while they are judged one by one. */
struct running {
    const struct tv_cli *cli;
    const struct ci_options *options;
    struct tv_ci_files files;
    struct tv_ci_report report;
    struct tv_rule_file rules;  /* as the file has them: not judged */
    uint8_t *is_met;            /* by rule: some benchmark has its names */
    bool *is_of_others;         /* by rule: some benchmark has its names, on other threads */
    bool *is_error;             /* by rule: some benchmark says so */
    size_t absent_errors;       /* rules that no benchmark has met, and that are errors */
    const enum tv_clock *clock; /* that is asked for; NULL: none */
    bool has_told_mapping;      /* that one mapping names both sides */
    bool is_ended;              /* what failed is not the recordings of a benchmark, but memory */
};

/* Whether a rule is about names that this benchmark has not, and so about another one. That a
 * method is never called asks each benchmark: one whose calls are not known does not answer it by
 * having no such method. */
static bool is_of_another(const struct tv_rule_file *rules, size_t place)
{
    const struct tv_rule *rule = &rules->of.rules.of[place];
    const bool has_thread = !rules->of.rules.about[rule->about].thread.len ||
                            rules->of.numbers.last_with[rule->about] > rules->of.first_new;
    return rules->of.verdicts[place].is_absent && !(rule->kind == TV_RULE_NO_CALLS && has_thread);
}

/* Says of growths that are left out for want of an old side that they are, so that no format tells
 * a benchmark as one that keeps them. */
static void tell_uncompared(const struct tv_ci_result *result, struct tv_rule_file *rules)
{
    for (size_t i = 0; i < rules->of.rules.count; i++) {
        struct tv_rule_verdict *verdict = &rules->of.verdicts[i];
        if (verdict->state != TV_RULE_LEFT_OUT || verdict->is_absent ||
            rules->of.rules.of[i].level == TV_LEVEL_OFF)
            continue;
        verdict->reason = result->trouble == TV_CI_NOT_COMPARED
                              ? "not judged: its last run cannot be compared with"
                              : "not judged: there is no last run of it to compare with";
        rules->of.uncompared++;
    }
}

/* Takes out of the verdicts what is about names that this benchmark has not. */
static void leave_out_absent(struct running *running, struct tv_rule_file *rules)
{
    for (size_t i = 0; i < rules->of.rules.count; i++) {
        struct tv_rule_verdict *verdict = &rules->of.verdicts[i];
        running->is_error[i] |= verdict->is_error;
        running->is_of_others[i] |= verdict->is_of_others;
        if (!is_of_another(rules, i)) {
            running->is_met[i] = 1;
            continue;
        }
        if (verdict->state == TV_RULE_LEFT_OUT && rules->of.rules.of[i].level != TV_LEVEL_OFF)
            rules->of.absent++; /* a growth that has no old side here */
        if (verdict->state != TV_RULE_NO_DATA)
            continue;
        rules->of.failed -= verdict->is_error;
        rules->of.counts[TV_RULE_NO_DATA]--;
        rules->of.counts[TV_RULE_LEFT_OUT]++;
        rules->of.judged--;
        rules->of.absent++;
        verdict->state = TV_RULE_LEFT_OUT;
    }
}

static int tell(struct running *running, const struct tv_ci_result *told,
                struct tv_rule_file *rules)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_ci_result result = *told;
    if (rules && rules->file) {
        leave_out_absent(running, rules);
        tell_uncompared(told, rules);
        result.rules = rules;
    }
    if (tv_ci_report_add(&running->report, &result, &err) == TV_OK)
        return TV_STATUS_FINE;
    running->is_ended = true;
    return tv_cli_fail(running->cli, NULL, &err);
}

/* Whether the last run lacks what rules of growth need, and the new recordings have it: these would
 * have no data in this run and, since a run that fails is not kept, in all that follow. */
static bool is_last_lacking(const struct tv_diff *diff)
{
    const struct tv_lost_runs *lost = &diff->of.lost;
    const struct tv_run_clocks *all = &diff->of.clocks;
    const struct tv_run_clocks *of_new = &diff->of.new_clocks;
    bool is_whole[TV_SIDE_COUNT];
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        is_whole[side] = !lost->is_on[side] && !lost->no_counts[side] && !lost->fell_back[side] &&
                         !lost->odd_wall[side];
    return (!is_whole[TV_SIDE_OLD] && is_whole[TV_SIDE_NEW]) ||
           (all->lacks[TV_CLOCK_CPU] && !of_new->lacks[TV_CLOCK_CPU]) ||
           (all->has_idle_cpu && !of_new->has_idle_cpu);
}

/* Tests wall times, where CPU times are compared and all recordings have both. */
static enum tv_code look_at_wall(const struct tv_diff *diff, struct tv_changes *changes,
                                 struct tv_ci_wall *wall, struct tv_error *err)
{
    const struct tv_comparison *of = &diff->of;
    struct tv_changes_opts opts = of->tested_by;
    uint64_t most_ns = 0;
    opts.clock = TV_CLOCK_WALL;
    if (of->clock == TV_CLOCK_WALL || of->clocks.lacks[TV_CLOCK_WALL] ||
        !tv_changes_are_tested(&opts))
        return TV_OK;
    TV_TRY(tv_changes_make(changes, &of->join, &opts, err));
    for (size_t i = 0; i < changes->count; i++) {
        const struct tv_change *change = &changes->of[i];
        const int64_t more_ns = tv_change_ns(change);
        const uint64_t by_ns = (uint64_t)(more_ns < 0 ? -more_ns : more_ns);
        if (tv_change_time(changes, change) != TV_VERDICT_CHANGED)
            continue;
        wall->changed++;
        if (wall->method && by_ns <= most_ns)
            continue;
        most_ns = by_ns;
        wall->method = &of->join.methods[i];
        for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
            wall->ns[side] = change->sides[side].median.time_ns;
    }
    return TV_OK;
}

static int tell_compared(struct running *running, const struct tv_ci_benchmark *benchmark,
                         struct tv_diff *diff)
{
    struct tv_ci_result result = {.benchmark = benchmark, .diff = diff};
    struct tv_changes changes;
    struct tv_error err = {.code = TV_OK};
    tv_changes_init(&changes, running->cli->alloc);
    const enum tv_code code =
        running->clock ? TV_OK : look_at_wall(diff, &changes, &result.wall, &err);
    running->is_ended = running->is_ended || code != TV_OK;
    const int status = code == TV_OK ? tell(running, &result, &diff->rules)
                                     : tv_cli_fail(running->cli, NULL, &err);
    tv_changes_release(&changes);
    return status;
}

/* One mapping knows all names of an old build, too, where both builds use the same short ones, and
 * gives them to other methods. Traces that have an id of their mapping are named by no other. */
static void warn_of_mapping(struct running *running, const struct tv_diff *diff)
{
    const struct tv_cli_mapping *mapping = &running->cli->mapping;
    if (mapping->count != 1 || !diff->is_named_without_id[TV_SIDE_OLD] ||
        !diff->is_named_without_id[TV_SIDE_NEW] || running->has_told_mapping)
        return;
    running->has_told_mapping = true;
    if (!mapping->is_folder)
        tv_cli_note(running->cli, mapping->name,
                    "names the methods of the last run, too: where that is another build, "
                    "--mappings FOLDER takes for each trace the mapping that fits");
    else
        tv_cli_note(running->cli, mapping->name,
                    "its only mapping, %s, names the methods of the last run, too, which say no "
                    "id of theirs: where that is another build, methods are taken for others, "
                    "unless its traces are kept with their names, by 'export --to trace --mapping'",
                    mapping->names[0]);
}

/* The traces of both sides, the old ones first. Returns how many they are. */
static size_t list_files(const struct tv_ci_benchmark *benchmark,
                         const char *files[2 * TV_CI_RUNS_MOST])
{
    size_t count = 0;
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
        for (size_t i = 0; i < benchmark->counts[side]; i++)
            files[count++] = benchmark->files[side][i];
    }
    return count;
}

/* Compares the traces of both sides. *is_lacking: they can be compared, but rules of
 * growth would have no data by the old ones. */
static int compare(struct running *running, const struct tv_ci_benchmark *benchmark,
                   bool *is_lacking)
{
    const struct ci_options *options = running->options;
    const size_t *counts = benchmark->counts;
    const char *files[2 * TV_CI_RUNS_MOST];
    (void)list_files(benchmark, files);
    const struct tv_diff_plan plan = {
        .opts = {.run_counts = {counts[TV_SIDE_OLD], counts[TV_SIDE_NEW]},
                 .has_clock = running->clock != NULL,
                 .clock = running->clock ? *running->clock : TV_CLOCK_CPU,
                 .across_machines = options->across_machines,
                 .least = options->least,
                 .most_rows = options->count},
        .rules = options->rules,
        .files = files};
    struct tv_diff diff;
    tv_diff_init(&diff, running->cli);
    int status = tv_diff_make(&diff, &plan);
    if (status == TV_STATUS_FINE)
        warn_of_mapping(running, &diff);
    *is_lacking = status == TV_STATUS_FINE && options->rules && is_last_lacking(&diff);
    if (*is_lacking)
        status = TV_STATUS_FAILED;
    if (status == TV_STATUS_FINE)
        status = tell_compared(running, benchmark, &diff);
    tv_diff_release(&diff);
    return status;
}

/* What an old recording has, of what a comparison needs. */
struct old_run {
    struct tv_lost_runs lost;
    struct tv_run_clocks clocks;
    struct tv_error no_counts; /* TV_OK: its counts are those of the program */
};

static enum tv_code take_old(void *ctx, struct tv_asking *asking, size_t run, struct tv_error *err)
{
    struct old_run *old = ctx;
    const struct tv_str label = tv_file_label(asking->file);
    (void)run;
    (void)err;
    tv_lost_runs_note(&old->lost, asking->index, TV_SIDE_OLD, label);
    tv_run_clocks_take(&old->clocks, asking->index, label);
    return tv_run_counts_check(asking->index, &old->no_counts) == TV_ERR_MEMORY ? TV_ERR_MEMORY
                                                                                : TV_OK;
}

/* Why an old recording is not to be compared with; NULL: it is. */
static const char *why_not(const struct old_run *old)
{
    if (old->no_counts.code != TV_OK)
        return old->no_counts.text;
    if (old->lost.is_on[TV_SIDE_OLD])
        return old->lost.why.text;
    if (old->lost.odd_wall[TV_SIDE_OLD])
        return old->lost.why_wall.text;
    if (old->lost.fell_back[TV_SIDE_OLD])
        return "its CPU clock went backwards, or too far";
    if (old->clocks.lacks[TV_CLOCK_CPU])
        return "it has no CPU clock, which the new ones have";
    return old->clocks.has_idle_cpu ? "its CPU clock never moves" : NULL;
}

/* Leaves old recordings out that cannot be read, or, where the others are to be whole, that are
 * not: one of five is no reason to compare with none of them. Returns whether some are left out,
 * and enough are left. */
static bool leave_out_old(struct running *running, struct tv_ci_benchmark *benchmark,
                          bool is_lacking)
{
    size_t kept = 0;
    const size_t before = benchmark->left_out_count;
    const size_t count = benchmark->counts[TV_SIDE_OLD];
    const size_t least = running->options->rules ? TV_TESTED_FROM : 1;
    for (size_t i = 0; i < count; i++) {
        const char *file = benchmark->files[TV_SIDE_OLD][i];
        struct old_run old = {.no_counts = {.code = TV_OK}};
        const struct tv_run_taker taker = {.take = take_old, .ctx = &old, .is_quiet = true};
        const int status = tv_run_set_load(running->cli, &file, 1, &taker);
        const char *why = status != TV_STATUS_FINE ? "it cannot be read"
                          : is_lacking             ? why_not(&old)
                                                   : NULL;
        if (running->is_ended)
            return false;
        if (why) {
            tv_cli_note(running->cli, file, "is left out of the last run: %s", why);
            benchmark->left_out[benchmark->left_out_count++] = file;
        } else {
            benchmark->files[TV_SIDE_OLD][kept++] = file;
        }
    }
    benchmark->counts[TV_SIDE_OLD] = kept;
    return benchmark->left_out_count > before && kept >= least;
}

/* Compares with the old recordings that can be compared with: those that cannot be read are left
 * out at first, then those that lack what rules of growth need. */
static int compare_kept(struct running *running, const struct tv_ci_benchmark *benchmark)
{
    const char *kept[TV_CI_RUNS_MOST];
    const char *left_out[TV_CI_RUNS_MOST];
    struct tv_ci_benchmark of_kept = *benchmark;
    bool is_lacking;
    for (size_t i = 0; i < benchmark->counts[TV_SIDE_OLD]; i++)
        kept[i] = benchmark->files[TV_SIDE_OLD][i];
    of_kept.files[TV_SIDE_OLD] = kept;
    of_kept.left_out = left_out;
    int status = compare(running, benchmark, &is_lacking);
    for (unsigned turn = 0; turn < 2 && status != TV_STATUS_FINE && !running->is_ended; turn++) {
        if (!leave_out_old(running, &of_kept, is_lacking))
            break;
        status = compare(running, &of_kept, &is_lacking);
    }
    return status;
}

/* What stands in the way of a benchmark that is judged by its new recordings alone: that they have
 * not the clock that is asked for is theirs, and no fault of the last run. */
static enum tv_ci_trouble trouble_of(const struct running *running,
                                     const struct tv_run_clocks *clocks, enum tv_ci_trouble trouble)
{
    return running->clock && clocks->lacks[*running->clock] ? TV_CI_NO_CLOCK : trouble;
}

static enum tv_code take_clocks(void *ctx, struct tv_asking *asking, size_t run,
                                struct tv_error *err)
{
    (void)run;
    (void)err;
    tv_run_clocks_take(ctx, asking->index, tv_file_label(asking->file));
    return TV_OK;
}

/* Opens the new recordings, and tells what is wrong with them. */
static int read_new(struct running *running, const struct tv_ci_benchmark *benchmark,
                    enum tv_ci_trouble trouble)
{
    struct tv_run_clocks clocks = {.has_idle_cpu = false};
    int status =
        tv_run_set_load(running->cli, benchmark->files[TV_SIDE_NEW], benchmark->counts[TV_SIDE_NEW],
                        &(struct tv_run_taker){.take = take_clocks, .ctx = &clocks});
    if (status != TV_STATUS_FINE)
        return status;
    return tell(running,
                &(struct tv_ci_result){.benchmark = benchmark,
                                       .trouble = trouble_of(running, &clocks, trouble)},
                NULL);
}

/* A benchmark without a last run to compare with is judged by what needs no old side. */
static int check(struct running *running, const struct tv_ci_benchmark *benchmark,
                 enum tv_ci_trouble trouble)
{
    const struct tv_rule_check wanted = {.rules = running->options->rules,
                                         .files = benchmark->files[TV_SIDE_NEW],
                                         .count = benchmark->counts[TV_SIDE_NEW],
                                         .clock = running->clock};
    struct tv_rule_checking checking;
    tv_rule_checking_init(&checking, running->cli);
    int status = tv_rule_checking_make(&checking, &wanted);
    if (status == TV_STATUS_FINE) {
        const struct tv_ci_result result = {
            .benchmark = benchmark, .trouble = trouble_of(running, &checking.runs.clocks, trouble)};
        status = tell(running, &result, &checking.rules);
    }
    tv_rule_checking_release(&checking);
    return status;
}

static int judge_new(struct running *running, const struct tv_ci_benchmark *benchmark,
                     enum tv_ci_trouble trouble)
{
    return running->options->rules ? check(running, benchmark, trouble)
                                   : read_new(running, benchmark, trouble);
}

/* Links to one file are a benchmark that did not run, and would be taken for one that is the same,
 * or for runs that agree. Recordings of the last run are left out instead: it cannot be mended. */
static bool has_one_file(const struct running *running, struct tv_ci_benchmark *benchmark)
{
    const char *files[2 * TV_CI_RUNS_MOST];
    size_t *counts = benchmark->counts;
    size_t file, other;
    while (
        tv_run_set_find_same(benchmark->files[TV_SIDE_OLD], counts[TV_SIDE_OLD], &file, &other)) {
        tv_cli_note(running->cli, benchmark->files[TV_SIDE_OLD][file],
                    "is left out of the last run: it is the same file as %s",
                    benchmark->files[TV_SIDE_OLD][other]);
        memmove(&benchmark->files[TV_SIDE_OLD][file], &benchmark->files[TV_SIDE_OLD][file + 1],
                (--counts[TV_SIDE_OLD] - file) * sizeof(const char *));
    }
    const size_t count = list_files(benchmark, files);
    if (!tv_run_set_find_same(files, count, &file, &other))
        return false;
    tv_cli_note(running->cli, files[file], "is the same file as %s, and so the same recording",
                files[other]);
    return true;
}

/* A last run that cannot be read, or compared with, must not stand in the way of the next one: its
 * benchmark is judged as a new one. */
static int judge_read(struct running *running, const struct tv_ci_benchmark *benchmark)
{
    if (!benchmark->counts[TV_SIDE_NEW])
        return tell(running, &(struct tv_ci_result){.benchmark = benchmark}, NULL);
    if (!benchmark->counts[TV_SIDE_OLD])
        return judge_new(running, benchmark, TV_CI_FINE);
    const int status = compare_kept(running, benchmark);
    return status == TV_STATUS_FINE || running->is_ended
               ? status
               : judge_new(running, benchmark, TV_CI_NOT_COMPARED);
}

/* What was copied in other ways is told, and counts. */
static int judge(struct running *running, struct tv_ci_benchmark *benchmark)
{
    if (has_one_file(running, benchmark))
        return tell(running,
                    &(struct tv_ci_result){.benchmark = benchmark, .trouble = TV_CI_ONE_FILE},
                    NULL);
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        tv_run_set_tell_copies(running->cli, benchmark->files[side], benchmark->counts[side]);
    return judge_read(running, benchmark);
}

/* Recordings that cannot be read are told, and fail the run when the other benchmarks are judged.
 */
static int run_benchmark(struct running *running, struct tv_ci_benchmark *benchmark)
{
    const int status = judge(running, benchmark);
    if (status == TV_STATUS_FINE || running->is_ended)
        return status;
    return tell(running, &(struct tv_ci_result){.benchmark = benchmark, .trouble = TV_CI_NOT_READ},
                NULL);
}

/* Rules are read once beforehand: a file that is wrong is told once. */
static int load_rules(struct running *running)
{
    const char *path = running->options->rules;
    struct tv_error err = {.code = TV_OK};
    if (!path)
        return TV_STATUS_FINE;
    enum tv_code code = tv_rule_file_load(&running->rules, path, 1, &err);
    if (code == TV_OK)
        code = tv_alloc_new(running->cli->alloc, &running->is_met, running->rules.of.rules.count,
                            sizeof(*running->is_met), &err);
    if (code == TV_OK)
        code = tv_alloc_new(running->cli->alloc, &running->is_of_others,
                            running->rules.of.rules.count, sizeof(*running->is_of_others), &err);
    if (code == TV_OK)
        code = tv_alloc_new(running->cli->alloc, &running->is_error, running->rules.of.rules.count,
                            sizeof(*running->is_error), &err);
    return code == TV_OK ? TV_STATUS_FINE
                         : tv_cli_fail(running->cli, code == TV_ERR_FORMAT ? path : NULL, &err);
}

/* What cannot be read, or is not judged, may have what no other benchmark has. */
static void tell_absent(struct running *running)
{
    if (running->options->rules && !running->rules.of.rules.count)
        tv_ci_report_add_no_rule(&running->report, running->options->rules);
    const bool has_others = running->report.not_read || running->report.with_one_file;
    for (size_t i = 0; !has_others && i < running->rules.of.rules.count; i++) {
        if (running->is_met[i] || running->rules.of.rules.of[i].level == TV_LEVEL_OFF)
            continue;
        running->absent_errors += running->is_error[i];
        tv_ci_report_add_absent(&running->report, &running->rules.of.rules.of[i],
                                running->is_error[i], running->is_of_others[i]);
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

static int write_summary(const struct running *running, const struct tv_buffer *body)
{
    const char *path = summary_path(running->options);
    return path ? append(running->cli, path, tv_buffer_view(body)) : TV_STATUS_FINE;
}

static int write_junit(const struct running *running, const struct tv_buffer *body)
{
    const char *path = running->options->junit;
    struct tv_error err = {.code = TV_OK};
    struct tv_output_file output;
    if (!path)
        return TV_STATUS_FINE;
    enum tv_code code = tv_output_open(&output, running->cli, path, TV_OUTPUT_TEXT, &err);
    if (code == TV_OK) {
        const struct tv_sink sink = tv_output_sink(&output);
        code = sink.write(sink.ctx, body->bytes, body->len, &err);
        code = tv_output_close(&output, code, &err);
    }
    return code == TV_OK ? TV_STATUS_FINE : tv_cli_fail(running->cli, NULL, &err);
}

/* Whether growths are left out in each benchmark, though there is a last run: it has others, and so
 * all of them have another name now. Such a run would be kept, and its times with it. */
static bool has_growths_of_others(const struct running *running)
{
    return tv_ci_report_is_all_new(&running->report) && running->report.uncompared &&
           running->report.is_all_new_wrong;
}

/* What fails: a rule that a benchmark does not keep, one that is about nothing, a growth that would
 * have been judged under another name, and a file without any rule. */
static bool fails(const struct running *running)
{
    return running->options->rules && (has_growths_of_others(running) || running->report.failed ||
                                       running->absent_errors || !running->rules.of.rules.count);
}

static int final_status(const struct running *running)
{
    const struct tv_ci_report *report = &running->report;
    if (report->not_read || report->with_one_file || report->without_clock)
        return TV_STATUS_FAILED;
    return fails(running) ? TV_STATUS_BELOW : TV_STATUS_FINE;
}

static enum tv_code make_told(struct running *running, struct told *told, struct tv_error *err)
{
    const struct ci_options *options = running->options;
    struct tv_ci_report *report = &running->report;
    TV_TRY(options->json
               ? tv_ci_report_json(report, final_status(running), &told->answer.buffer, err)
               : tv_ci_report_text(report, options->against, &told->answer, err));
    if (summary_path(options))
        TV_TRY(tv_ci_report_markdown(report, options->against, &told->summary, err));
    return options->junit ? tv_ci_report_junit(report, options->against, &told->junit, err) : TV_OK;
}

static int tell_all(const struct running *running, const struct told *told)
{
    if (running->options->json)
        tv_cli_answer(running->cli, tv_text_view(&told->answer));
    else
        tv_cli_answer_text(running->cli, tv_text_view(&told->answer));
    /* What cannot be written to one file is written to the other all the same. */
    const int of_summary = write_summary(running, &told->summary);
    const int of_junit = write_junit(running, &told->junit);
    const int status = of_summary == TV_STATUS_FINE ? of_junit : of_summary;
    return status == TV_STATUS_FINE ? final_status(running) : status;
}

static int answer(struct running *running)
{
    const struct tv_alloc *alloc = running->cli->alloc;
    struct tv_error err = {.code = TV_OK};
    struct told told;
    tv_text_init(&told.answer, alloc);
    tv_buffer_init(&told.summary, alloc);
    tv_buffer_init(&told.junit, alloc);
    int status = make_told(running, &told, &err) == TV_OK ? tell_all(running, &told)
                                                          : tv_cli_fail(running->cli, NULL, &err);
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

static int find(struct running *running, const char *folder)
{
    struct tv_error err = {.code = TV_OK};
    enum tv_code code = tv_ci_files_find(&running->files, running->options->against, folder, &err);
    if (code != TV_OK) {
        (void)tv_cli_fail(running->cli, running->files.folder, &err);
        return tv_cli_status(code);
    }
    if (is_one_folder(running->options->against, folder))
        return tv_cli_misuse(running->cli,
                             "ci: %s is this run and, by --against, the last one: keep the traces "
                             "of the last run in a folder of their own",
                             folder);
    if (running->files.count > TV_CI_BENCHMARKS_MOST)
        return tv_cli_misuse(running->cli, "ci: %s has more than %u benchmarks", folder,
                             TV_CI_BENCHMARKS_MOST);
    for (size_t i = 0; i < running->files.count; i++) {
        if (running->files.of[i].counts[TV_SIDE_NEW])
            return TV_STATUS_FINE;
    }
    /* Nothing to judge is no success: a benchmark that left no trace would pass for ever. */
    (void)tv_fail(&err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "has no trace in it");
    return tv_cli_fail(running->cli, folder, &err);
}

/* Whether what is written to `path` would go into a file that is read; NULL: nothing is written. */
static bool replaces(const struct running *running, const char *path)
{
    if (!path)
        return false;
    if (running->options->rules && tv_output_replaces(path, running->options->rules))
        return true;
    for (size_t i = 0; i < running->files.count; i++) {
        const struct tv_ci_benchmark *benchmark = &running->files.of[i];
        for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
            for (size_t k = 0; k < benchmark->counts[side]; k++) {
                if (tv_output_replaces(path, benchmark->files[side][k]))
                    return true;
            }
        }
    }
    return false;
}

static int check_paths(const struct running *running)
{
    const char *const paths[] = {running->options->junit, summary_path(running->options)};
    for (size_t i = 0; i < TV_COUNT_OF(paths); i++) {
        if (replaces(running, paths[i]))
            return tv_cli_misuse(running->cli,
                                 "ci: %s is one of the files that are read: name another one",
                                 paths[i]);
    }
    return TV_STATUS_FINE;
}

static int judge_all(struct running *running, const char *folder)
{
    int status = load_rules(running);
    if (status == TV_STATUS_FINE)
        status = find(running, folder);
    if (status == TV_STATUS_FINE)
        status = check_paths(running);
    for (size_t i = 0; status == TV_STATUS_FINE && i < running->files.count; i++)
        status = run_benchmark(running, &running->files.of[i]);
    if (status != TV_STATUS_FINE)
        return status;
    tell_absent(running);
    return answer(running);
}

static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    struct tv_cli watched = *cli;
    struct running running = {.cli = &watched, .options = values};
    watched.lacks_memory = &running.is_ended;
    enum tv_clock clock = TV_CLOCK_CPU;
    if (running.options->clock) {
        clock = (enum tv_clock)tv_choice_position(tv_run_clock_words, running.options->clock);
        running.clock = &clock;
    }
    if (running.options->least <= 0)
        return tv_cli_misuse(cli, "ci: --least needs more than 0 percent");
    tv_ci_files_init(&running.files, cli);
    tv_ci_report_init(&running.report, cli);
    tv_rule_file_init(&running.rules, cli);
    running.report.is_all_new_wrong = !running.options->all_new;
    int status = judge_all(&running, arguments->of[0]);
    const size_t count = running.rules.of.rules.count;
    tv_alloc_release(cli->alloc, &running.is_of_others, count, sizeof(*running.is_of_others));
    tv_alloc_release(cli->alloc, &running.is_error, count, sizeof(*running.is_error));
    tv_alloc_release(cli->alloc, &running.is_met, count, sizeof(*running.is_met));
    tv_rule_file_release(&running.rules);
    tv_ci_report_release(&running.report);
    tv_ci_files_release(&running.files);
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
