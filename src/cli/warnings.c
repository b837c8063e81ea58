/*
 * Warnings of a trace; see cli/warnings.h. How bad a finding is comes from its kind
 * (base/finding.h), what an overflow lost from analysis/health.h.
 */
#include "cli/warnings.h"

#include "analysis/health.h"

/* Warns that the buffer was too small for the run, and says which size would have done. */
static void warn_of_overflow(const struct tv_cli *cli, const char *name,
                             const struct tv_index *index)
{
    struct tv_overflow overflow;
    if (tv_health_overflow(index, &overflow))
        tv_cli_note(cli, name,
                    "%.0f %% of the run is missing; a buffer of %llu MiB would have held it",
                    100.0 * (double)overflow.missing_ns / (double)overflow.run_ns,
                    (unsigned long long)(overflow.buffer_len >> 20));
}

void tv_warn_of_findings(const struct tv_cli *cli, const char *name,
                         const struct tv_findings *findings)
{
    for (unsigned i = 0; i < TV_FINDING_KIND_COUNT; i++) {
        enum tv_finding_kind kind = (enum tv_finding_kind)i;
        const struct tv_finding *finding = &findings->of[i];
        if (finding->count && tv_finding_severity(kind) != TV_SEVERITY_NOTE)
            tv_cli_note(cli, name, "%s (%s, %llu): %s", tv_severity_name(tv_finding_severity(kind)),
                        tv_finding_name(kind), (unsigned long long)finding->count,
                        tv_finding_text(kind));
    }
}

void tv_warn_of_trace(const struct tv_cli *cli, const char *name, const struct tv_index *index)
{
    tv_warn_of_findings(cli, name, &index->info->findings);
    warn_of_overflow(cli, name, index);
    if (index->info->is_sampled)
        tv_cli_note(cli, name, "looks sampled: call counts are runs of samples, not calls");
}
