/*
 * Findings of the recording that a file was made from; see format/source_findings.h. Kinds go by
 * the names that answers have for them, and reading ends at an unknown one, which a later version
 * may have written.
 */
#include "format/source_findings.h"

static bool kind_of(struct tv_str name, enum tv_finding_kind *kind)
{
    for (unsigned i = 0; i < TV_FINDING_KIND_COUNT; i++) {
        *kind = (enum tv_finding_kind)i;
        if (tv_str_equal(name, tv_str_from(tv_finding_name(*kind))))
            return true;
    }
    return false;
}

bool tv_source_findings_next(struct tv_str *value, enum tv_finding_kind *kind, uint64_t *count)
{
    struct tv_str part, name;
    return tv_str_split(value, ';', &part) && tv_str_split(&part, ':', &name) &&
           kind_of(name, kind) && tv_str_to_u64(part, 10, count);
}

static void raise(struct tv_findings *findings, enum tv_finding_kind kind, uint64_t count)
{
    if (findings->of[kind].count < count)
        findings->of[kind].count = count;
}

void tv_source_findings_take(struct tv_str value, struct tv_findings *findings)
{
    enum tv_finding_kind kind;
    uint64_t count, lost = 0;
    while (tv_source_findings_next(&value, &kind, &count)) {
        if (tv_finding_severity(kind) == TV_SEVERITY_DATA_LOST)
            lost++;
        else
            raise(findings, kind, count);
    }
    raise(findings, TV_FINDING_SOURCE_LOST, lost);
}

/* Not what other properties tell, which are in the output. */
static bool is_passed_on(enum tv_finding_kind kind)
{
    return tv_finding_severity(kind) != TV_SEVERITY_NOTE && kind != TV_FINDING_OVERFLOW &&
           kind != TV_FINDING_SIZE_LIMIT && kind != TV_FINDING_RECORDING_CUT &&
           kind != TV_FINDING_RECORDS_LOST && kind != TV_FINDING_SOURCE_LOST;
}

void tv_source_findings_put(struct tv_out *out, struct tv_str before,
                            const struct tv_findings *findings)
{
    struct tv_findings all = *findings;
    struct tv_str separator = TV_STR(TV_SOURCE_FINDINGS_KEY "=");
    enum tv_finding_kind kind;
    uint64_t count;
    while (tv_source_findings_next(&before, &kind, &count))
        raise(&all, kind, count);
    for (unsigned i = 0; i < TV_FINDING_KIND_COUNT; i++) {
        kind = (enum tv_finding_kind)i;
        if (!all.of[i].count || !is_passed_on(kind))
            continue;
        tv_out_text(out, separator);
        tv_out_text(out, tv_str_from(tv_finding_name(kind)));
        tv_out_text(out, TV_STR(":"));
        tv_out_decimal(out, all.of[i].count);
        separator = TV_STR(";");
    }
    if (tv_str_equal(separator, TV_STR(";")))
        tv_out_text(out, TV_STR("\n"));
}
