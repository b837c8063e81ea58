/* What makes a trace's numbers other than they look, a line each on stderr. */
#ifndef TV_CLI_HEALTH_H
#define TV_CLI_HEALTH_H

#include "cli/cli.h"
#include "index/index.h"

/* Findings that are more than notes, and whether the trace was sampled. */
void tv_health_tell(const struct tv_cli *cli, const char *name, const struct tv_index *index);
/* Findings alone, which a trace has before there is an index. */
void tv_health_tell_findings(const struct tv_cli *cli, const char *name,
                             const struct tv_findings *findings);
/* The packed file ends early. */
void tv_health_tell_cut(const struct tv_cli *cli, const char *name);

#endif
