/* check --against: the findings of two traces beside each other. */
#ifndef TV_CLI_COMPARE_DIFF_CHECK_H
#define TV_CLI_COMPARE_DIFF_CHECK_H

#include <stdbool.h>

#include "cli/cli.h"

struct tv_check_against {
    const char *old_file;
    const char *new_file;
    bool is_strict; /* a note that is new is a failure, too */
    bool is_json;
};

/* Answers, and returns a status: 3 where a kind of finding is new that affects numbers, or the new
 * trace has no records. */
int tv_check_against_run(const struct tv_cli *cli, const struct tv_check_against *check);

#endif
