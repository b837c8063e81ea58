/* Findings for people in a hurry; notes are for `info`. */
#include "cli/health.h"

void tv_health_tell(const struct tv_cli *cli, const char *name, const struct tv_index *index)
{
    for (unsigned i = 0; i < TV_FINDING_KIND_COUNT; i++) {
        enum tv_finding_kind kind = (enum tv_finding_kind)i;
        const struct tv_finding *finding = &index->info->findings.of[i];
        if (finding->count && tv_finding_severity(kind) != TV_SEVERITY_NOTE)
            tv_cli_note(cli, name, "%s (%s, %llu): %s", tv_severity_name(tv_finding_severity(kind)),
                        tv_finding_name(kind), (unsigned long long)finding->count,
                        tv_finding_text(kind));
    }
    if (index->info->is_sampled)
        tv_cli_note(cli, name, "looks sampled: call counts are runs of samples, not calls");
}

void tv_health_tell_cut(const struct tv_cli *cli, const char *name)
{
    tv_cli_note(cli, name, "the packed data ends early; only what came before can be read");
}
