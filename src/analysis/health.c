/*
 * Findings and overflows; see analysis/health.h.
 *
 * What an overflow lost is estimated: the header says how long the run was, the records how much of
 * it is covered, and the file's length how much room that part took. The buffer that would have
 * held all is the length in that ratio, in whole MiB.
 */
#include "analysis/health.h"

#define MEBIBYTE ((uint64_t)1 << 20)

bool tv_health_worst(const struct tv_index *index, enum tv_severity *worst)
{
    bool has_any = false;
    for (unsigned i = 0; i < TV_FINDING_KIND_COUNT; i++) {
        enum tv_severity severity = tv_finding_severity((enum tv_finding_kind)i);
        if (!index->info->findings.of[i].count)
            continue;
        if (!has_any || severity > *worst)
            *worst = severity;
        has_any = true;
    }
    return has_any;
}

bool tv_health_disqualifies(const struct tv_index *index, enum tv_finding_kind *kind)
{
    enum tv_severity worst = TV_SEVERITY_NOTE;
    if (!tv_health_worst(index, &worst) || worst < TV_SEVERITY_NUMBERS_AFFECTED)
        return false;
    for (unsigned i = TV_FINDING_KIND_COUNT; i-- > 0;) {
        if (index->info->findings.of[i].count &&
            tv_finding_severity((enum tv_finding_kind)i) == worst)
            *kind = (enum tv_finding_kind)i;
    }
    return true;
}

bool tv_health_doubts(const struct tv_index *index, enum tv_clock clock, enum tv_finding_kind *kind)
{
    static const struct {
        enum tv_finding_kind kind;
        bool is_of[TV_CLOCK_COUNT];
    } doubts[] = {
        {TV_FINDING_UNIT_SUSPECT, {[TV_CLOCK_WALL] = true}},
        {TV_FINDING_CLOCK_BACKWARDS, {[TV_CLOCK_WALL] = true}},
        {TV_FINDING_CPU_CLOCK_BACKWARDS, {[TV_CLOCK_CPU] = true}},
        {TV_FINDING_CLOCK_TOO_FAR, {[TV_CLOCK_WALL] = true, [TV_CLOCK_CPU] = true}},
    };
    for (size_t i = 0; index->info->has_clock[clock] && i < TV_COUNT_OF(doubts); i++) {
        if (!doubts[i].is_of[clock] || !index->info->findings.of[doubts[i].kind].count)
            continue;
        *kind = doubts[i].kind;
        return true;
    }
    return false;
}

/* The run is longer than the axis only if it went on after the last record: then the rest
 * is missing. */
bool tv_health_overflow(const struct tv_index *index, struct tv_overflow *overflow)
{
    const struct tv_index_info *info = index->info;
    uint64_t covered_ns = info->axis_len * info->unit_ns;
    if (!info->findings.of[TV_FINDING_OVERFLOW].count || !info->has_elapsed ||
        !info->has_clock[TV_CLOCK_WALL] || !info->has_common_axis || !covered_ns ||
        covered_ns >= info->elapsed_ns)
        return false;
    /* A double holds every file length and time that matters here to far below a MiB. */
    double needed = (double)info->file_len * ((double)info->elapsed_ns / (double)covered_ns);
    /* No buffer is that long: the file is damaged, or lies. */
    if (needed > 1e18)
        return false;
    *overflow = (struct tv_overflow){
        .run_ns = info->elapsed_ns,
        .missing_ns = info->elapsed_ns - covered_ns,
        .buffer_len = ((uint64_t)needed / MEBIBYTE + 1) * MEBIBYTE,
    };
    return true;
}
