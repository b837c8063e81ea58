/* Collecting findings; the kinds are in traceview/finding.h. One thread at a time. */
#ifndef TV_BASE_FINDING_H
#define TV_BASE_FINDING_H

#include <traceview/finding.h>

void tv_findings_init(struct tv_findings *findings);
/* Adds `count` (0 adds nothing) and keeps the smallest offset. */
void tv_findings_add(struct tv_findings *findings, enum tv_finding_kind kind, uint64_t count,
                     uint64_t offset);
/* Adds all of `from`. */
void tv_findings_join(struct tv_findings *findings, const struct tv_findings *from);

#endif
