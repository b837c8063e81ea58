/*
 * Judging a benchmark: see cli/ci/ci_judge.h.
 *
 * Its recordings are compared as `diff` compares. Old ones that cannot be read, or lack what rules
 * of growth need, are left out one by one; where too few are left the benchmark is judged as a new
 * one, since a last run that is odd must not stand in the way of the next. A mapping that is of
 * another build than some recording fails the benchmark instead. A rule about a method
 * that the benchmark has not is about another one, and is left out here.
 */
#include "cli/ci/ci_judge.h"

#include <string.h>

#include "cli/compare/diff.h"
#include "cli/compare/rule_check.h"
#include "cli/compare/run_set.h"
#include "cli/file/load.h"

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
static void leave_out_absent(struct tv_ci_run *run, struct tv_rule_file *rules)
{
    for (size_t i = 0; i < rules->of.rules.count; i++) {
        struct tv_rule_verdict *verdict = &rules->of.verdicts[i];
        run->is_error[i] |= verdict->is_error;
        run->is_of_others[i] |= verdict->is_of_others;
        if (!is_of_another(rules, i)) {
            run->is_met[i] = true;
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

static int tell(struct tv_ci_run *run, const struct tv_ci_result *told, struct tv_rule_file *rules)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_ci_result result = *told;
    if (rules && rules->file) {
        leave_out_absent(run, rules);
        tell_uncompared(told, rules);
        result.rules = rules;
    }
    if (tv_ci_report_add(&run->report, &result, &err) == TV_OK)
        return TV_STATUS_FINE;
    run->is_ended = true;
    return tv_cli_fail(run->cli, NULL, &err);
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

static int tell_compared(struct tv_ci_run *run, const struct tv_ci_benchmark *benchmark,
                         struct tv_diff *diff)
{
    struct tv_ci_result result = {.benchmark = benchmark, .diff = diff};
    struct tv_error err = {.code = TV_OK};
    /* Who asks for a clock has that one alone. */
    if (run->judging.clock || tv_comparison_wall(&diff->of, &result.wall, &err) == TV_OK)
        return tell(run, &result, &diff->rules);
    run->is_ended = true;
    return tv_cli_fail(run->cli, NULL, &err);
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
static int compare(struct tv_ci_run *run, const struct tv_ci_benchmark *benchmark, bool *is_lacking)
{
    const struct tv_ci_judging *judging = &run->judging;
    const size_t *counts = benchmark->counts;
    const char *files[2 * TV_CI_RUNS_MOST];
    (void)list_files(benchmark, files);
    const struct tv_diff_plan plan = {
        .opts = {.run_counts = {counts[TV_SIDE_OLD], counts[TV_SIDE_NEW]},
                 .has_clock = run->judging.clock != NULL,
                 .clock = run->judging.clock ? *run->judging.clock : TV_CLOCK_CPU,
                 .across_machines = judging->across_machines,
                 .least = judging->least,
                 .most_rows = judging->most_rows},
        .rules = judging->rules,
        .files = files,
        .old_side = "the last run"};
    struct tv_diff diff;
    tv_diff_init(&diff, run->cli);
    diff.has_told_mapping = run->has_told_mapping;
    int status = tv_diff_make(&diff, &plan);
    run->has_told_mapping = diff.has_told_mapping;
    *is_lacking = status == TV_STATUS_FINE && judging->rules && is_last_lacking(&diff);
    if (*is_lacking)
        status = TV_STATUS_FAILED;
    if (status == TV_STATUS_FINE)
        status = tell_compared(run, benchmark, &diff);
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
static bool leave_out_old(struct tv_ci_run *run, struct tv_ci_benchmark *benchmark, bool is_lacking)
{
    size_t kept = 0;
    const size_t before = benchmark->left_out_count;
    const size_t count = benchmark->counts[TV_SIDE_OLD];
    const size_t least = run->judging.rules ? TV_TESTED_FROM : 1;
    for (size_t i = 0; i < count; i++) {
        const char *file = benchmark->files[TV_SIDE_OLD][i];
        struct old_run old = {.no_counts = {.code = TV_OK}};
        const struct tv_run_taker taker = {.take = take_old, .ctx = &old, .is_quiet = true};
        const int status = tv_run_set_load(run->cli, &file, 1, &taker);
        const char *why = status != TV_STATUS_FINE ? "it cannot be read"
                          : is_lacking             ? why_not(&old)
                                                   : NULL;
        if (run->is_ended || run->is_other_build)
            return false;
        if (why) {
            tv_cli_note(run->cli, file, "is left out of the last run: %s", why);
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
static int compare_kept(struct tv_ci_run *run, const struct tv_ci_benchmark *benchmark)
{
    const char *kept[TV_CI_RUNS_MOST];
    const char *left_out[TV_CI_RUNS_MOST];
    struct tv_ci_benchmark of_kept = *benchmark;
    bool is_lacking;
    for (size_t i = 0; i < benchmark->counts[TV_SIDE_OLD]; i++)
        kept[i] = benchmark->files[TV_SIDE_OLD][i];
    of_kept.files[TV_SIDE_OLD] = kept;
    of_kept.left_out = left_out;
    int status = compare(run, benchmark, &is_lacking);
    for (unsigned turn = 0;
         turn < 2 && status != TV_STATUS_FINE && !run->is_ended && !run->is_other_build; turn++) {
        if (!leave_out_old(run, &of_kept, is_lacking))
            break;
        status = compare(run, &of_kept, &is_lacking);
    }
    return status;
}

/* Why a benchmark is judged by its new recordings alone. A clock that the new recordings lack is
 * reported as such, and not blamed on the last run. */
static enum tv_ci_trouble trouble_of(const struct tv_ci_run *run,
                                     const struct tv_run_clocks *clocks, enum tv_ci_trouble trouble)
{
    return run->judging.clock && clocks->lacks[*run->judging.clock] ? TV_CI_NO_CLOCK : trouble;
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
static int read_new(struct tv_ci_run *run, const struct tv_ci_benchmark *benchmark,
                    enum tv_ci_trouble trouble)
{
    struct tv_run_clocks clocks = {.has_idle_cpu = false};
    int status =
        tv_run_set_load(run->cli, benchmark->files[TV_SIDE_NEW], benchmark->counts[TV_SIDE_NEW],
                        &(struct tv_run_taker){.take = take_clocks, .ctx = &clocks});
    if (status != TV_STATUS_FINE)
        return status;
    return tell(run,
                &(struct tv_ci_result){.benchmark = benchmark,
                                       .trouble = trouble_of(run, &clocks, trouble)},
                NULL);
}

/* A benchmark without a last run to compare with is judged by what needs no old side. */
static int check(struct tv_ci_run *run, const struct tv_ci_benchmark *benchmark,
                 enum tv_ci_trouble trouble)
{
    const struct tv_rule_check wanted = {.rules = run->judging.rules,
                                         .files = benchmark->files[TV_SIDE_NEW],
                                         .count = benchmark->counts[TV_SIDE_NEW],
                                         .clock = run->judging.clock};
    struct tv_rule_checking checking;
    tv_rule_checking_init(&checking, run->cli);
    int status = tv_rule_checking_make(&checking, &wanted);
    if (status == TV_STATUS_FINE) {
        const struct tv_ci_result result = {
            .benchmark = benchmark, .trouble = trouble_of(run, &checking.runs.clocks, trouble)};
        status = tell(run, &result, &checking.rules);
    }
    tv_rule_checking_release(&checking);
    return status;
}

static int judge_new(struct tv_ci_run *run, const struct tv_ci_benchmark *benchmark,
                     enum tv_ci_trouble trouble)
{
    return run->judging.rules ? check(run, benchmark, trouble) : read_new(run, benchmark, trouble);
}

/* Links to one file are a benchmark that did not run, and would be taken for one that is the same,
 * or for runs that agree. Recordings of the last run are left out instead: it cannot be mended. */
static bool has_one_file(const struct tv_ci_run *run, struct tv_ci_benchmark *benchmark)
{
    const char *files[2 * TV_CI_RUNS_MOST];
    size_t *counts = benchmark->counts;
    size_t file, other;
    while (
        tv_run_set_find_same(benchmark->files[TV_SIDE_OLD], counts[TV_SIDE_OLD], &file, &other)) {
        tv_cli_note(run->cli, benchmark->files[TV_SIDE_OLD][file],
                    "is left out of the last run: it is the same file as %s",
                    benchmark->files[TV_SIDE_OLD][other]);
        memmove(&benchmark->files[TV_SIDE_OLD][file], &benchmark->files[TV_SIDE_OLD][file + 1],
                (--counts[TV_SIDE_OLD] - file) * sizeof(const char *));
    }
    const size_t count = list_files(benchmark, files);
    if (!tv_run_set_find_same(files, count, &file, &other))
        return false;
    tv_cli_note(run->cli, files[file], "is the same file as %s, and so the same recording",
                files[other]);
    return true;
}

/* A last run that cannot be read, or compared with, must not stand in the way of the next one: its
 * benchmark is judged as a new one. A mapping of another build is the command line's fault, and
 * would be so for each run to come. */
static int judge_read(struct tv_ci_run *run, const struct tv_ci_benchmark *benchmark)
{
    if (!benchmark->counts[TV_SIDE_NEW])
        return tell(run, &(struct tv_ci_result){.benchmark = benchmark}, NULL);
    if (!benchmark->counts[TV_SIDE_OLD])
        return judge_new(run, benchmark, TV_CI_FINE);
    const int status = compare_kept(run, benchmark);
    return status == TV_STATUS_FINE || run->is_ended || run->is_other_build
               ? status
               : judge_new(run, benchmark, TV_CI_NOT_COMPARED);
}

/* What was copied in other ways is told, and counts. */
static int judge(struct tv_ci_run *run, struct tv_ci_benchmark *benchmark)
{
    if (has_one_file(run, benchmark))
        return tell(run, &(struct tv_ci_result){.benchmark = benchmark, .trouble = TV_CI_ONE_FILE},
                    NULL);
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        tv_run_set_tell_copies(run->cli, benchmark->files[side], benchmark->counts[side]);
    return judge_read(run, benchmark);
}

int tv_ci_judge(struct tv_ci_run *run, struct tv_ci_benchmark *benchmark)
{
    run->is_other_build = false;
    const int status = judge(run, benchmark);
    if (status == TV_STATUS_FINE || run->is_ended)
        return status;
    return tell(
        run,
        &(struct tv_ci_result){.benchmark = benchmark,
                               .trouble = run->is_other_build ? TV_CI_OTHER_BUILD : TV_CI_NOT_READ},
        NULL);
}
