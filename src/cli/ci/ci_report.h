/*
 * The report of `traceview ci` about each benchmark, in all formats at once: benchmarks are judged
 * one after the other, and none of them stays in memory.
 */
#ifndef TV_CLI_CI_CI_REPORT_H
#define TV_CLI_CI_CI_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/text/json.h"
#include "base/text/out.h"
#include "cli/ci/ci_files.h"
#include "cli/cli.h"
#include "cli/compare/diff.h"
#include "cli/compare/rule_file.h"
#include "cli/wording.h"
#include "compare/comparison.h"

/* The summary of a step has a mebibyte with GitHub; details end before that. */
#define TV_CI_SUMMARY_MOST ((size_t)900 << 10)

/* What stands in the way of comparing a benchmark. */
enum tv_ci_trouble {
    TV_CI_FINE,
    TV_CI_NOT_COMPARED, /* its last run cannot be read, or compared with: its own recordings can */
    TV_CI_NO_CLOCK,     /* its own recordings have not the clock that is asked for */
    TV_CI_NOT_READ,     /* its own recordings cannot be read */
    TV_CI_ONE_FILE,     /* one of its own recordings is another one, or one of the last run, too */
    TV_CI_OTHER_BUILD,  /* the one mapping is of another build than a recording of either side */
};

/* A benchmark that was judged. */
struct tv_ci_result {
    const struct tv_ci_benchmark *benchmark;
    enum tv_ci_trouble trouble;
    const struct tv_diff *diff;       /* NULL: it has one side alone, or there is trouble */
    const struct tv_rule_file *rules; /* of the new side; NULL: there is none */
    struct tv_wall_change wall;
};

struct tv_ci_report {
    const struct tv_cli *cli;
    struct tv_text text;
    struct tv_buffer rows;    /* of the table of benchmarks, as markup */
    struct tv_buffer details; /* of those that have something to tell, as markup */
    struct tv_buffer suites;  /* of JUnit */
    struct tv_buffer body;    /* the answer as JSON */
    struct tv_json json;
    struct tv_out rows_out, details_out, suites_out;
    size_t benchmarks; /* of the new run */
    size_t compared;
    size_t changed;
    size_t undecided;
    size_t not_compared;
    size_t without_clock;
    size_t not_read;
    size_t with_one_file;
    size_t of_other_build;
    size_t known;          /* that the last run had, too, whether or not it is compared with */
    size_t gone;           /* that the last run alone had */
    size_t failed;         /* that do not keep a rule */
    size_t uncompared;     /* that have rules of growth, and no last run to judge these by */
    size_t cut;            /* whose details had no room */
    bool has_last;         /* the last run had some benchmark */
    bool has_absent;       /* a rule is about a name that no benchmark has */
    bool no_rule;          /* there is a file of rules, and no rule in it */
    bool is_all_new_wrong; /* the user does not know that all names are others */
};

void tv_ci_report_init(struct tv_ci_report *report, const struct tv_cli *cli);
void tv_ci_report_release(struct tv_ci_report *report);
/* Adds a benchmark; the next one in the order of names. */
enum tv_code tv_ci_report_add(struct tv_ci_report *report, const struct tv_ci_result *result,
                              struct tv_error *err) TV_MUST_CHECK;
/* Adds a rule about a name that no benchmark has; or, `is_of_others`, about a thread and a method
 * that some have, where other threads call it. */
void tv_ci_report_add_absent(struct tv_ci_report *report, const struct tv_rule *rule, bool is_error,
                             bool is_of_others);

/* Adds that the file has no rule, which is a failure: nothing was judged. */
void tv_ci_report_add_no_rule(struct tv_ci_report *report, const char *file);

/* Whether the last run has benchmarks, and none of the new ones: their names are others now. */
bool tv_ci_report_is_all_new(const struct tv_ci_report *report);

/* The answers, when all is added. `last_run` is where it was to be; NULL: none was asked for. */
enum tv_code tv_ci_report_text(struct tv_ci_report *report, const char *last_run,
                               struct tv_text *out, struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_ci_report_markdown(struct tv_ci_report *report, const char *last_run,
                                   struct tv_buffer *body, struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_ci_report_junit(struct tv_ci_report *report, const char *last_run,
                                struct tv_buffer *body, struct tv_error *err) TV_MUST_CHECK;
/* `status` is the command's. */
enum tv_code tv_ci_report_json(struct tv_ci_report *report, int status, struct tv_buffer *body,
                               struct tv_error *err) TV_MUST_CHECK;

#endif
