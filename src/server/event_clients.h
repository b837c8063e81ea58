/*
 * The open event streams, each of one trace, and the downloads, by which the viewer knows whether
 * it is still of use. Any number of threads.
 */
#ifndef TV_SERVER_EVENT_CLIENTS_H
#define TV_SERVER_EVENT_CLIENTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "http/http.h"
#include "server/state.h"

struct tv_stream;

struct tv_event_clients_view {
    unsigned count;      /* streams and downloads that are open */
    bool has_been_there; /* one was open once */
    uint64_t left_ns;    /* when the last one closed */
};

struct tv_event_clients {
    const struct tv_alloc *alloc;
    pthread_mutex_t lock;      /* guards all below */
    struct tv_stream *streams; /* the last that opened first */
    struct tv_event_clients_view now;
};

void tv_event_clients_init(struct tv_event_clients *event_clients, const struct tv_alloc *alloc);
/* All streams must have closed. */
void tv_event_clients_release(struct tv_event_clients *event_clients);
/* Opens an event stream of one trace; whoever reads the source closes it. */
enum tv_code tv_event_clients_open(struct tv_event_clients *event_clients, struct tv_state *state,
                                   struct tv_http_source *source,
                                   struct tv_error *err) TV_MUST_CHECK;
/* A download has begun, or is over. */
void tv_event_clients_come(struct tv_event_clients *event_clients);
void tv_event_clients_leave(struct tv_event_clients *event_clients);
/* Wakes the streams that have something to say. The main thread calls this now and then. */
void tv_event_clients_tick(struct tv_event_clients *event_clients);
struct tv_event_clients_view tv_event_clients_look(struct tv_event_clients *event_clients);

#endif
