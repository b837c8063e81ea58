/*
 * What was found in the recording that a file was made from, as the property source-findings tells
 * it: "packed_cut:1;clock_backwards:3". An exported part and a trace in another version have
 * repaired records, which do not show what was missing (docs/numbers.md, "Findings").
 */
#ifndef TV_FORMAT_SOURCE_FINDINGS_H
#define TV_FORMAT_SOURCE_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/finding.h"
#include "base/str.h"
#include "base/text/out.h"

#define TV_SOURCE_FINDINGS_KEY "source-findings"

/* Takes the next kind from the value of the property. False: the value is at its end, or goes on
 * with something else, such as an unknown kind. */
bool tv_source_findings_next(struct tv_str *value, enum tv_finding_kind *kind, uint64_t *count);
/* Raises the counts of `findings` to those of the property. Kinds of lost data, which speak of the
 * bytes of a file, are counted as TV_FINDING_SOURCE_LOST. */
void tv_source_findings_take(struct tv_str value, struct tv_findings *findings);
/* Writes the property as a line, if there is something to tell: the findings of severity "numbers
 * affected" and worse, and those in `before`, the value that the source's property had. An overflow
 * has a property of its own. */
void tv_source_findings_put(struct tv_out *out, struct tv_str before,
                            const struct tv_findings *findings);

#endif
