/*
 * Judging the benchmarks of `traceview ci`, one by one: compared with the recordings of the last
 * run, or by their own alone, by the rules of one file.
 */
#ifndef TV_CLI_CI_CI_JUDGE_H
#define TV_CLI_CI_CI_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/trace_clock.h"
#include "cli/ci/ci_files.h"
#include "cli/ci/ci_report.h"
#include "cli/cli.h"
#include "cli/compare/rule_file.h"

/* By what benchmarks are judged. */
struct tv_ci_judging {
    const char *rules;          /* their file; NULL: none */
    const enum tv_clock *clock; /* that is asked for; NULL: none */
    uint64_t most_rows;         /* of methods that changed, for each benchmark */
    double least;               /* as in struct tv_comparison_opts */
    bool across_machines;       /* times of other processors are compared, too */
};

/* All benchmarks while they are judged one by one. */
struct tv_ci_run {
    const struct tv_cli *cli;
    struct tv_ci_judging judging;
    struct tv_ci_files files;
    struct tv_ci_report report;
    struct tv_rule_file rules; /* as the file has them: not judged */
    bool *is_met;              /* by rule: some benchmark has its names */
    bool *is_of_others;        /* by rule: some benchmark has its names, on other threads */
    bool *is_error;            /* by rule: some benchmark says so */
    size_t absent_errors;      /* rules that no benchmark has met, and that are errors */
    bool has_told_mapping;     /* that one mapping names both sides */
    bool is_other_build; /* the mapping is of another build than a recording of the benchmark */
    bool is_ended;       /* what failed is not the recordings of a benchmark, but memory */
};

/* Judges a benchmark and adds it to the report. Returns an exit status. Unreadable recordings are
 * reported and return TV_STATUS_FINE; the run fails after all benchmarks are judged. */
int tv_ci_judge(struct tv_ci_run *run, struct tv_ci_benchmark *benchmark);

#endif
