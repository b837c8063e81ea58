/* `check --rules`: whether recordings keep the limits of a file of rules, without older ones. */
#ifndef TV_CLI_COMPARE_RULE_CHECK_H
#define TV_CLI_COMPARE_RULE_CHECK_H

#include <stddef.h>

#include "cli/cli.h"
#include "cli/compare/report_format.h"

struct tv_rule_check {
    const char *rules; /* the file */
    const char *const *files;
    size_t count;
    enum tv_report_format format;
};

/* Loads, judges and answers. Returns a status: 3 where a rule is not kept. */
int tv_rule_check_run(const struct tv_cli *cli, const struct tv_rule_check *check);

#endif
