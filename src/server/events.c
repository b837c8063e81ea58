/*
 * "ready" is also said where loading failed: the page then asks, and gets told why. Progress is
 * said when it changed, a ping when nothing else was for a second, so that a closed page is
 * noticed.
 */
#include "server/events.h"

#include <stdio.h>

static bool is_ping_due(const struct tv_events *events, uint64_t now_ns)
{
    return now_ns - events->said_ns >= TV_EVENTS_PING_NS;
}

bool tv_events_is_due(const struct tv_events *events, const struct tv_state_view *view,
                      uint64_t now_ns)
{
    if (!events->has_begun || is_ping_due(events, now_ns))
        return true;
    if (view->phase == TV_PHASE_LOADING)
        return view->done != events->said_done;
    return !events->has_said_end_of_loading;
}

size_t tv_events_next(struct tv_events *events, const struct tv_state_view *view, uint64_t now_ns,
                      char out[TV_EVENTS_ROOM])
{
    int len;
    if (!tv_events_is_due(events, view, now_ns))
        return 0;
    if (view->phase == TV_PHASE_LOADING &&
        (!events->has_begun || view->done != events->said_done)) {
        len =
            snprintf(out, TV_EVENTS_ROOM,
                     "event: progress\ndata: {\"done\": %llu, \"of\": %llu, \"step\": \"%s\"}\n\n",
                     (unsigned long long)view->done, (unsigned long long)view->of, view->step);
        events->said_done = view->done;
    } else if (view->phase != TV_PHASE_LOADING && !events->has_said_end_of_loading) {
        len = snprintf(out, TV_EVENTS_ROOM, "event: ready\ndata: {}\n\n");
        events->has_said_end_of_loading = true;
    } else {
        len = snprintf(out, TV_EVENTS_ROOM, "event: ping\ndata: {}\n\n");
    }
    events->said_ns = now_ns;
    events->has_begun = true;
    return (size_t)len;
}
