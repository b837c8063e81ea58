/* insights --against: the insights of two traces beside each other (compare/insight_change.h). */
#ifndef TV_CLI_COMPARE_DIFF_INSIGHTS_H
#define TV_CLI_COMPARE_DIFF_INSIGHTS_H

#include "cli/cli.h"

/* Answers for both files, and returns a status. */
int tv_insights_against(const struct tv_cli *cli, const char *old_file, const char *new_file,
                        bool is_json);

#endif
