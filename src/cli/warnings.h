/*
 * What makes the numbers of a trace, or of what is written of it, other than they look: warnings on
 * stderr, one line each, while the answer goes to stdout. Findings that are notes, which change no
 * number, are left to `info` and `check`.
 */
#ifndef TV_CLI_WARNINGS_H
#define TV_CLI_WARNINGS_H

#include <stdint.h>

#include "base/finding.h"
#include "cli/cli.h"
#include "export/export.h"
#include "index/index.h"

/* Ends the note that a trace was sampled, where CPU time of its samples stands with the stack of
 * the look before (analysis/calls/stayed.h). */
#define TV_CPU_IS_OF_BEFORE "; CPU time is booked to what ran before, wall time is not"

/* Warns of the findings of a trace, of an overflow, and of a trace that was sampled. */
void tv_warn_of_trace(const struct tv_cli *cli, const char *name, const struct tv_index *index);
/* Warns of findings alone: a trace has findings before there is an index of it. */
void tv_warn_of_findings(const struct tv_cli *cli, const char *name,
                         const struct tv_findings *findings);
/* Warns that the output of a verb differs from the trace in `count` things; 0: no warning. `as` is
 * the format, NULL where there is only one. Returns a status: changed numbers are worse than a
 * script may overlook. */
int tv_warn_of_change(const struct tv_cli *cli, const char *name, const char *as,
                      enum tv_severity severity, uint64_t count, const char *text);
/* Warns of each change of an export, and returns the worst status. */
int tv_warn_of_export(const struct tv_cli *cli, const char *name, const char *as,
                      const struct tv_export_result *result);

#endif
