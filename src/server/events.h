/*
 * The page's event stream (docs/api.md): what is to be said on it now. No sockets and no clock in
 * here.
 */
#ifndef TV_SERVER_EVENTS_H
#define TV_SERVER_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/state.h"

#define TV_EVENTS_PING_NS 1000000000u
/* No event is longer: a label and a reason of which each byte takes six. */
#define TV_EVENTS_ROOM 4096u

/* What one stream has said already; zero at its start. */
struct tv_events {
    uint64_t said_ns;
    uint64_t done;
    const char *step;
    uint64_t shown_no;
    uint64_t end_no;
    uint64_t failure_no;
    uint64_t anew_no;
    bool has_begun;
};

/* Whether tv_events_next has something to say. */
bool tv_events_is_due(const struct tv_events *events, const struct tv_state_view *view,
                      uint64_t now_ns);
/* The next event; 0 when nothing is due. */
size_t tv_events_next(struct tv_events *events, const struct tv_state_view *view, uint64_t now_ns,
                      char out[TV_EVENTS_ROOM]);

#endif
