/*
 * Whether a file was recorded anew; see server/watch.h.
 *
 * A file that is being written changes its stamp again and again. So a changed stamp begins the
 * waiting of TV_WATCH_SETTLED_NS anew, and only a stamp that has stayed that long is told, once,
 * and becomes the known one.
 */
#include "server/watch.h"

void tv_watch_init(struct tv_watch *watch, const struct tv_stamp *when_read)
{
    *watch = (struct tv_watch){.known = *when_read, .seen = *when_read};
}

bool tv_watch_look(struct tv_watch *watch, const struct tv_stamp *now, uint64_t now_ns)
{
    if (!tv_stamp_equal(&watch->seen, now)) {
        watch->seen = *now;
        watch->seen_ns = now_ns;
        return false;
    }
    if (!tv_stamp_is_there(now) || tv_stamp_equal(&watch->known, now) ||
        now_ns - watch->seen_ns < TV_WATCH_SETTLED_NS)
        return false;
    watch->known = *now;
    return true;
}
