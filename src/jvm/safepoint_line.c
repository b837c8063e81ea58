/*
 * Lines of HotSpot's log; see jvm/safepoint_line.h. Versions of Java have different parts between
 * the reason and the total, so the parts that count are looked for by their names.
 */
#include "jvm/safepoint_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A number of nanoseconds with its unit. */
static bool read_ns(const char *at, const char *unit, uint64_t *ns)
{
    char *end;
    if (*at < '0' || *at > '9')
        return false;
    errno = 0;
    *ns = strtoull(at, &end, 10);
    return !errno && strncmp(end, unit, strlen(unit)) == 0;
}

static bool read_part(const char *line, const char *name, uint64_t *ns)
{
    const char *at = strstr(line, name);
    return at && read_ns(at + strlen(name), " ns", ns);
}

bool tv_safepoint_read(const char *line, struct tv_safepoint *safepoint)
{
    static const char begin[] = "] Safepoint \"";
    const char *at = strstr(line, begin);
    uint64_t reaching_ns, total_ns;
    if (line[0] != '[' || !at || !read_ns(line + 1, "ns]", &safepoint->end_ns))
        return false;
    at += sizeof(begin) - 1;
    const size_t len = strcspn(at, "\"\n");
    if (!len || at[len] != '"' || !read_part(at + len, "Reaching safepoint: ", &reaching_ns) ||
        !read_part(at + len, "Total: ", &total_ns) || reaching_ns > total_ns ||
        total_ns > safepoint->end_ns)
        return false;
    const size_t kept = len < TV_SAFEPOINT_REASON_CAP ? len : TV_SAFEPOINT_REASON_CAP - 1;
    memcpy(safepoint->reason, at, kept);
    safepoint->reason[kept] = '\0';
    safepoint->begin_ns = safepoint->end_ns - total_ns;
    safepoint->reached_ns = safepoint->begin_ns + reaching_ns;
    return true;
}
