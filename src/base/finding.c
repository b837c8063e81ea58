/*
 * Findings: static texts from the list in base/finding.h, and counting. Of each kind only the
 * number and the first offset are kept, so a file of nothing but damage takes no more memory than
 * one finding.
 */
#include "base/finding.h"

#include "base/compiler.h"

struct kind_text {
    const char *name;
    const char *text;
    enum tv_severity severity;
};

static const struct kind_text kind_texts[] = {
#define ENTRY(kind, name, severity, text) {name, text, TV_SEVERITY_##severity},
    TV_FINDINGS(ENTRY)
#undef ENTRY
};

const char *tv_finding_name(enum tv_finding_kind kind)
{
    return kind < TV_FINDING_KIND_COUNT ? kind_texts[kind].name : "?";
}

const char *tv_finding_text(enum tv_finding_kind kind)
{
    return kind < TV_FINDING_KIND_COUNT ? kind_texts[kind].text : "?";
}

enum tv_severity tv_finding_severity(enum tv_finding_kind kind)
{
    return kind < TV_FINDING_KIND_COUNT ? kind_texts[kind].severity : TV_SEVERITY_NOTE;
}

const char *tv_severity_name(enum tv_severity severity)
{
    switch (severity) {
    case TV_SEVERITY_NOTE:
        return "note";
    case TV_SEVERITY_NUMBERS_AFFECTED:
        return "numbers affected";
    case TV_SEVERITY_DATA_LOST:
        return "data lost";
    }
    return "?";
}

void tv_findings_init(struct tv_findings *findings)
{
    for (int i = 0; i < TV_FINDING_KIND_COUNT; i++)
        findings->of[i] = (struct tv_finding){.count = 0, .offset = TV_NO_OFFSET};
}

/* The offset that stays is the lowest: where to look first. */
void tv_findings_add(struct tv_findings *findings, enum tv_finding_kind kind, uint64_t count,
                     uint64_t offset)
{
    if (!count)
        return;
    struct tv_finding *finding = &findings->of[kind];
    finding->count += count;
    if (offset < finding->offset)
        finding->offset = offset;
}

void tv_findings_join(struct tv_findings *findings, const struct tv_findings *from)
{
    for (int i = 0; i < TV_FINDING_KIND_COUNT; i++)
        tv_findings_add(findings, (enum tv_finding_kind)i, from->of[i].count, from->of[i].offset);
}
