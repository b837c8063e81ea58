/* Findings as text, for info and check. */
#ifndef TV_CLI_FINDINGS_H
#define TV_CLI_FINDINGS_H

#include "cli/text.h"
#include "index/index.h"

/*
 * The heading, if there is any finding, and two lines a finding: severity, kind, count and place,
 * then the sentence. Returns how many there were.
 */
unsigned tv_findings_print(struct tv_text *out, const struct tv_index *index, const char *heading);

#endif
