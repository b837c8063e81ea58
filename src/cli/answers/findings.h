/* The findings of a trace as text: what `info` and `check` print of them. */
#ifndef TV_CLI_ANSWERS_FINDINGS_H
#define TV_CLI_ANSWERS_FINDINGS_H

#include "cli/wording.h"
#include "index/index.h"

/*
 * Adds the heading, if there is any finding, and two lines for each kind of finding: severity,
 * name, count and place, then the sentence that explains it. Returns how many kinds there were.
 */
unsigned tv_findings_print(struct tv_text *out, const struct tv_index *index, const char *heading);

#endif
