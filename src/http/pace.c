/* Two marks that follow the time; see http/pace.h. A new mark is set TV_PACE_NS after the last one,
 * so that the older one is between one and two of these old where calls are frequent. */
#include "http/pace.h"

#include "base/units.h"
#include "os/clock.h"

void tv_pace_begin(struct tv_pace *pace, uint64_t bytes, uint64_t now_ns)
{
    pace->older = pace->newer = (struct tv_pace_mark){now_ns, bytes};
}

void tv_pace_note(struct tv_pace *pace, uint64_t bytes, uint64_t now_ns)
{
    if (tv_passed_ns(pace->newer.ns, now_ns) < TV_PACE_NS)
        return;
    pace->older = pace->newer;
    pace->newer = (struct tv_pace_mark){now_ns, bytes};
}

/* Whole seconds are counted, in favour of what moves. */
bool tv_pace_is_below(const struct tv_pace *pace, uint64_t bytes, uint64_t now_ns, uint64_t least)
{
    uint64_t passed_ns = tv_passed_ns(pace->older.ns, now_ns);
    return passed_ns >= TV_PACE_NS && bytes - pace->older.bytes < least * (passed_ns / TV_NS_PER_S);
}
