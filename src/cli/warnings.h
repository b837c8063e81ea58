/*
 * What makes the numbers of a trace other than they look: warnings on stderr, one line each, while
 * the answer goes to stdout. Notes, which change no number, are left to `info` and `check`.
 */
#ifndef TV_CLI_WARNINGS_H
#define TV_CLI_WARNINGS_H

#include "cli/cli.h"
#include "index/index.h"

/* Warns of the findings of a trace, of an overflow, and of a trace that was sampled. */
void tv_warn_of_trace(const struct tv_cli *cli, const char *name, const struct tv_index *index);
/* Warns of findings alone: a trace has findings before there is an index of it. */
void tv_warn_of_findings(const struct tv_cli *cli, const char *name,
                         const struct tv_findings *findings);

#endif
