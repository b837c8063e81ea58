/*
 * The event stream of a page (docs/api.md, "events"): which event is to be sent now.
 *
 * An event only says that something changed; the page then asks. `ready` says that a trace is
 * shown, or that loading is over, however it ended. A ping goes out when nothing else was sent for
 * a second, so that the server notices a closed page. What a stream has sent is compared with a
 * look at the state, so a stream that was asleep misses nothing that still matters. There are no
 * sockets and no clock in this file: src/http has both.
 */
#ifndef TV_SERVER_EVENTS_H
#define TV_SERVER_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/units.h"
#include "server/state.h"

#define TV_EVENTS_PING_NS TV_NS_PER_S
/* No event is longer: a label and a reason, of which JSON may write each byte as six. */
#define TV_EVENTS_ROOM 4096u

/* What one stream has sent already: the numbers of the state's view at that time. All zero at the
 * start of a stream. */
struct tv_events {
    uint64_t said_ns; /* when the last event was sent */
    uint64_t done;
    const char *step; /* NULL: the next progress is news in any case */
    uint64_t shown_no;
    uint64_t end_no;
    uint64_t failure_no;
    uint64_t anew_no;
    bool has_begun; /* an event was sent */
};

/* Whether tv_events_next has an event to send. */
bool tv_events_is_due(const struct tv_events *events, const struct tv_state_view *view,
                      uint64_t now_ns);
/* Writes the next event and counts it as sent; returns its length, 0 when no event is due. */
size_t tv_events_next(struct tv_events *events, const struct tv_state_view *view, uint64_t now_ns,
                      char out[TV_EVENTS_ROOM]);

#endif
