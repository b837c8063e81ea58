/*
 * Warnings of a trace; see cli/warnings.h. How bad a finding is comes from its kind
 * (base/finding.h), what an overflow lost from analysis/health.h.
 *
 * A warning is one line on standard error for each kind of finding, however often it was met;
 * `traceview check` has all of it. Notes are not told here, since they change no number.
 */
#include "cli/warnings.h"

#include <inttypes.h>
#include <stdio.h>

#include "analysis/calls/stayed.h"
#include "analysis/health.h"
#include "base/numbers/shown_number.h"

/* Warns that the buffer was too small for the run, and says which size would have done. */
static void warn_of_overflow(const struct tv_cli *cli, const char *name,
                             const struct tv_index *index)
{
    struct tv_overflow overflow;
    char room[TV_SHOWN_MOST];
    if (!tv_health_overflow(index, &overflow))
        return;
    struct tv_str share = tv_shown_percent(room, (int64_t)overflow.missing_ns, overflow.run_ns);
    tv_cli_note(cli, name,
                "%.*s %% of the run is missing; at its average rate until then, a buffer of %llu "
                "MiB would have held it",
                (int)share.len, share.at, (unsigned long long)(overflow.buffer_len >> 20));
}

/* In the order of the kinds, so that two runs say the same. */
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
        tv_cli_note(cli, name, "looks sampled: call counts are runs of samples, not calls%s",
                    tv_sampled_cpu_is_of_before(index) ? TV_CPU_IS_OF_BEFORE : "");
}

/* Returns the status that the change asks for: what only reads differently is fine, a number that
 * is another one is not. */
static int warn_of(const struct tv_cli *cli, const char *name, const char *as,
                   enum tv_severity severity, struct tv_str number, const char *text)
{
    tv_cli_note(cli, name, "%s%s%s: %.*s %s", tv_severity_name(severity), as ? ", as " : "",
                as ? as : "", (int)number.len, number.at, text);
    return severity >= TV_SEVERITY_NUMBERS_AFFECTED ? TV_STATUS_BELOW : TV_STATUS_FINE;
}

int tv_warn_of_change(const struct tv_cli *cli, const char *name, const char *as,
                      enum tv_severity severity, uint64_t count, const char *text)
{
    char room[24];
    const int len = snprintf(room, sizeof(room), "%" PRIu64, count);
    return count ? warn_of(cli, name, as, severity, (struct tv_str){room, (size_t)len}, text)
                 : TV_STATUS_FINE;
}

/* What is counted in nanoseconds is read in milliseconds. */
static int warn_of_time(const struct tv_cli *cli, const char *name, const char *as,
                        enum tv_severity severity, uint64_t time_ns, const char *text)
{
    char room[TV_SHOWN_MOST];
    char unit[TV_SHOWN_MOST + sizeof(" ms")];
    const struct tv_str ms = tv_shown_ms(room, time_ns < INT64_MAX ? (int64_t)time_ns : INT64_MAX);
    const int len = snprintf(unit, sizeof(unit), "%.*s ms", (int)ms.len, ms.at);
    return time_ns ? warn_of(cli, name, as, severity, (struct tv_str){unit, (size_t)len}, text)
                   : TV_STATUS_FINE;
}

/* What an export had to change is told one by one; the worst of it decides the status. */
int tv_warn_of_export(const struct tv_cli *cli, const char *name, const char *as,
                      const struct tv_export_result *result)
{
    int worst = TV_STATUS_FINE;
    for (unsigned i = 0; i < TV_EXPORT_CHANGE_COUNT; i++) {
        enum tv_export_change change = (enum tv_export_change)i;
        const enum tv_severity severity = tv_export_change_severity(change);
        const char *text = tv_export_change_text(change);
        const bool is_time = tv_export_change_unit(change) == TV_EXPORT_UNIT_NS;
        int status = is_time ? warn_of_time(cli, name, as, severity, result->changes[i], text)
                             : tv_warn_of_change(cli, name, as, severity, result->changes[i], text);
        worst = status > worst ? status : worst;
    }
    return worst;
}
