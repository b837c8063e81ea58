/* Findings as text; see cli/answers/findings.h. The sentences come with the kinds, from
 * base/finding.h.
 *
 * `info` prints findings below a heading, `check` without one; kinds that were not met are not
 * named.
 */
#include "cli/answers/findings.h"

#include "base/finding.h"

/* The heading is written before the first finding only, so that a trace without any has no empty
 * heading. Returns how many kinds there were. */
unsigned tv_findings_print(struct tv_text *out, const struct tv_index *index, const char *heading)
{
    unsigned count = 0;
    for (unsigned i = 0; i < TV_FINDING_KIND_COUNT; i++) {
        enum tv_finding_kind kind = (enum tv_finding_kind)i;
        const struct tv_finding *finding = &index->info->findings.of[i];
        if (!finding->count)
            continue;
        tv_text_add(out, "%s%s: %s, ", count ? "" : heading,
                    tv_severity_name(tv_finding_severity(kind)), tv_finding_name(kind));
        tv_text_add_count(out, finding->count);
        if (finding->offset != TV_NO_OFFSET)
            tv_text_add(out, ", first at offset %llu", (unsigned long long)finding->offset);
        tv_text_add(out, "\n    %s\n", tv_finding_text(kind));
        count++;
    }
    return count;
}
