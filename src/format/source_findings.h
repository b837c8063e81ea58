/*
 * What was found in the recording that a file was made from, as the property source-findings tells
 * it: "packed_cut:1;clock_backwards:3". A part that is exported, and a trace in another version,
 * have repaired records and nothing in them that says what was missing (docs/numbers.md,
 * "Findings").
 */
#ifndef TV_FORMAT_SOURCE_FINDINGS_H
#define TV_FORMAT_SOURCE_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/finding.h"
#include "base/str.h"
#include "base/text/out.h"

#define TV_SOURCE_FINDINGS_KEY "source-findings"

/* Takes the next kind from the value of the property. False at the end, and where it is something
 * else, such as a kind that is not known. */
bool tv_source_findings_next(struct tv_str *value, enum tv_finding_kind *kind, uint64_t *count);
/* Raises the counts of `findings` to those of the property. Kinds of lost data, which speak of the
 * bytes of a file, are counted as TV_FINDING_SOURCE_LOST. */
void tv_source_findings_take(struct tv_str value, struct tv_findings *findings);
/* Writes the property as a line, where there is something to tell: `findings` from "numbers
 * affected" on, and what the property of the source had before. An overflow has a property of its
 * own. */
void tv_source_findings_put(struct tv_out *out, struct tv_str before,
                            const struct tv_findings *findings);

#endif
