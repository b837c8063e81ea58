/*
 * The pages that have an event stream open; see server/event_clients.h.
 *
 * A list of streams. Each stream remembers what it has sent (events.h) and is woken at a tick if
 * something is due, so one that slept misses nothing: it sends how things are now. The list has its
 * own lock. Lock order: this lock, then the states' (tv_state_look within a tick); never the other
 * way.
 */
#include "server/event_clients.h"

#include <string.h>

#include "os/clock.h"
#include "os/random_sleep.h"
#include "server/events.h"
#include "server/traces.h"

struct tv_stream {
    struct tv_event_clients *event_clients;
    struct tv_state
        *state; /* a stream holds it, so that the address of an open page is not forgotten */
    struct tv_events events;
    struct tv_http_reader reader;
    bool is_asleep;
    struct tv_stream *next;
    struct tv_stream *previous;
};

void tv_event_clients_init(struct tv_event_clients *event_clients, const struct tv_alloc *alloc)
{
    *event_clients = (struct tv_event_clients){.alloc = alloc};
    (void)pthread_mutex_init(&event_clients->lock, NULL);
}

void tv_event_clients_release(struct tv_event_clients *event_clients)
{
    (void)pthread_mutex_destroy(&event_clients->lock);
}

static void count_one(struct tv_event_clients *event_clients)
{
    event_clients->now.count++;
    event_clients->now.has_been_there = true;
}

static void count_one_less(struct tv_event_clients *event_clients)
{
    event_clients->now.count--;
    event_clients->now.left_ns = tv_now_ns();
}

void tv_event_clients_come(struct tv_event_clients *event_clients)
{
    pthread_mutex_lock(&event_clients->lock);
    count_one(event_clients);
    pthread_mutex_unlock(&event_clients->lock);
}

void tv_event_clients_leave(struct tv_event_clients *event_clients)
{
    pthread_mutex_lock(&event_clients->lock);
    count_one_less(event_clients);
    pthread_mutex_unlock(&event_clients->lock);
}

/* --- a stream as the source of an answer --- */

static bool begin(void *ctx, const struct tv_http_reader *reader)
{
    struct tv_stream *stream = ctx;
    struct tv_event_clients *event_clients = stream->event_clients;
    pthread_mutex_lock(&event_clients->lock);
    stream->reader = *reader;
    stream->next = event_clients->streams;
    if (stream->next)
        stream->next->previous = stream;
    event_clients->streams = stream;
    count_one(event_clients);
    pthread_mutex_unlock(&event_clients->lock);
    return true;
}

/* Looks at the state before taking the lock, then writes the next event; 0 bytes means that the
 * stream sleeps until a tick wakes it. */
static ssize_t read_on(void *ctx, void *out, size_t cap)
{
    struct tv_stream *stream = ctx;
    struct tv_event_clients *event_clients = stream->event_clients;
    char event[TV_EVENTS_ROOM];
    struct tv_state_view view = tv_state_look(stream->state);
    pthread_mutex_lock(&event_clients->lock);
    size_t len = tv_events_next(&stream->events, &view, tv_now_ns(), event);
    stream->is_asleep = !len;
    pthread_mutex_unlock(&event_clients->lock);
    if (len > cap)
        return TV_HTTP_SOURCE_BROKEN;
    memcpy(out, event, len);
    return (ssize_t)len;
}

/* The page has closed the stream, or the server ends. A stream that never began is not in the list.
 */
static void leave(void *ctx)
{
    struct tv_stream *stream = ctx;
    struct tv_event_clients *event_clients = stream->event_clients;
    tv_random_sleep();
    pthread_mutex_lock(&event_clients->lock);
    if (stream->reader.wake) {
        if (stream->next)
            stream->next->previous = stream->previous;
        *(stream->previous ? &stream->previous->next : &event_clients->streams) = stream->next;
        count_one_less(event_clients);
    }
    pthread_mutex_unlock(&event_clients->lock);
    tv_http_reader_release(&stream->reader);
    tv_traces_leave(stream->state);
    tv_alloc_release(event_clients->alloc, &stream, 1, sizeof(*stream));
}

static const struct tv_http_source_calls calls = {
    .is_endless = true, .begin = begin, .read = read_on, .leave = leave};

enum tv_code tv_event_clients_open(struct tv_event_clients *event_clients, struct tv_state *state,
                                   struct tv_http_source *source, struct tv_error *err)
{
    struct tv_stream *stream = NULL;
    TV_TRY(tv_alloc_new(event_clients->alloc, &stream, 1, sizeof(*stream), err));
    stream->event_clients = event_clients;
    stream->state = state;
    tv_traces_join(state);
    *source = (struct tv_http_source){.calls = &calls, .ctx = stream};
    return TV_OK;
}

/* All that sleep are looked at in each tick, since time alone can be a reason to wake, as for a
 * ping. */
void tv_event_clients_tick(struct tv_event_clients *event_clients)
{
    uint64_t now_ns = tv_now_ns();
    pthread_mutex_lock(&event_clients->lock);
    for (struct tv_stream *stream = event_clients->streams; stream; stream = stream->next) {
        struct tv_state_view view = tv_state_look(stream->state);
        if (!stream->is_asleep || !tv_events_is_due(&stream->events, &view, now_ns))
            continue;
        stream->is_asleep = false;
        stream->reader.wake(stream->reader.ctx);
    }
    pthread_mutex_unlock(&event_clients->lock);
}

struct tv_event_clients_view tv_event_clients_look(struct tv_event_clients *event_clients)
{
    pthread_mutex_lock(&event_clients->lock);
    struct tv_event_clients_view view = event_clients->now;
    pthread_mutex_unlock(&event_clients->lock);
    return view;
}
