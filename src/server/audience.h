/*
 * The open event streams, each of one trace, and the downloads, by which the viewer knows whether
 * it is still of use. Any number of threads.
 */
#ifndef TV_SERVER_AUDIENCE_H
#define TV_SERVER_AUDIENCE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "http/http.h"
#include "server/state.h"

struct tv_stream;

struct tv_audience_view {
    unsigned count;      /* streams and downloads that are open */
    bool has_been_there; /* one was open once */
    uint64_t left_ns;    /* when the last one closed */
};

struct tv_audience {
    const struct tv_alloc *alloc;
    pthread_mutex_t lock;      /* guards all below */
    struct tv_stream *streams; /* the last that opened first */
    struct tv_audience_view now;
};

void tv_audience_init(struct tv_audience *audience, const struct tv_alloc *alloc);
/* All streams must have closed. */
void tv_audience_release(struct tv_audience *audience);
/* Opens an event stream of one trace; whoever reads the source closes it. */
enum tv_code tv_audience_open(struct tv_audience *audience, struct tv_state *state,
                              struct tv_http_source *source, struct tv_error *err) TV_MUST_CHECK;
/* A download has begun, or is over. */
void tv_audience_come(struct tv_audience *audience);
void tv_audience_leave(struct tv_audience *audience);
/* Wakes the streams that have something to say. The main thread calls this now and then. */
void tv_audience_tick(struct tv_audience *audience);
struct tv_audience_view tv_audience_look(struct tv_audience *audience);

#endif
