/* `check --rules`: whether recordings keep the limits of a file of rules, without older ones. */
#ifndef TV_CLI_COMPARE_RULE_CHECK_H
#define TV_CLI_COMPARE_RULE_CHECK_H

#include <stddef.h>

#include "api/comparisons/rules.h"
#include "base/trace_clock.h"
#include "cli/cli.h"
#include "cli/compare/report_format.h"
#include "cli/compare/rule_file.h"

struct tv_rule_check {
    const char *rules; /* the file */
    const char *const *files;
    size_t count;
    enum tv_report_format format;
    /* Of rules that say none; NULL: CPU time where all recordings have it, else wall time. */
    const enum tv_clock *clock;
};

/* The recordings while they are checked, and their verdicts. */
struct tv_rule_checking {
    const struct tv_cli *cli;
    const struct tv_rule_check *check;
    struct tv_rule_file rules;
    struct tv_rule_runs runs;
};

void tv_rule_checking_init(struct tv_rule_checking *checking, const struct tv_cli *cli);
void tv_rule_checking_release(struct tv_rule_checking *checking);
/* Loads and judges. Returns a status, and tells what is wrong; a rule that is not kept is no
 * failure of this. The check must outlive the verdicts. */
int tv_rule_checking_make(struct tv_rule_checking *checking, const struct tv_rule_check *check);
/* Loads, judges and answers. Returns a status: 3 where a rule is not kept. */
int tv_rule_check_run(const struct tv_cli *cli, const struct tv_rule_check *check);

#endif
