/* A list of streams. Each remembers what it has sent (events.h), so one that slept misses nothing.
 */
#include "server/audience.h"

#include <string.h>

#include "os/clock.h"
#include "os/random_sleep.h"
#include "server/events.h"
#include "server/traces.h"

struct tv_stream {
    struct tv_audience *audience;
    struct tv_state
        *state; /* a stream is a user of it, so an open page's address is not forgotten */
    struct tv_events events;
    struct tv_http_reader reader;
    bool is_asleep;
    struct tv_stream *next;
    struct tv_stream *previous;
};

void tv_audience_init(struct tv_audience *audience, const struct tv_alloc *alloc)
{
    *audience = (struct tv_audience){.alloc = alloc};
    (void)pthread_mutex_init(&audience->lock, NULL);
}

void tv_audience_release(struct tv_audience *audience)
{
    (void)pthread_mutex_destroy(&audience->lock);
}

static void count_one(struct tv_audience *audience)
{
    audience->now.count++;
    audience->now.has_been_there = true;
}

static void count_one_less(struct tv_audience *audience)
{
    audience->now.count--;
    audience->now.left_ns = tv_now_ns();
}

void tv_audience_come(struct tv_audience *audience)
{
    pthread_mutex_lock(&audience->lock);
    count_one(audience);
    pthread_mutex_unlock(&audience->lock);
}

void tv_audience_leave(struct tv_audience *audience)
{
    pthread_mutex_lock(&audience->lock);
    count_one_less(audience);
    pthread_mutex_unlock(&audience->lock);
}

/* --- a stream as the source of an answer --- */

static bool begin(void *ctx, const struct tv_http_reader *reader)
{
    struct tv_stream *stream = ctx;
    struct tv_audience *audience = stream->audience;
    pthread_mutex_lock(&audience->lock);
    stream->reader = *reader;
    stream->next = audience->streams;
    if (stream->next)
        stream->next->previous = stream;
    audience->streams = stream;
    count_one(audience);
    pthread_mutex_unlock(&audience->lock);
    return true;
}

static ssize_t read_on(void *ctx, void *out, size_t cap)
{
    struct tv_stream *stream = ctx;
    struct tv_audience *audience = stream->audience;
    char event[TV_EVENTS_ROOM];
    struct tv_state_view view = tv_state_look(stream->state);
    pthread_mutex_lock(&audience->lock);
    size_t len = tv_events_next(&stream->events, &view, tv_now_ns(), event);
    stream->is_asleep = !len;
    pthread_mutex_unlock(&audience->lock);
    if (len > cap)
        return TV_HTTP_SOURCE_BROKEN;
    memcpy(out, event, len);
    return (ssize_t)len;
}

/* The page has closed the stream, or the server ends. */
static void leave(void *ctx)
{
    struct tv_stream *stream = ctx;
    struct tv_audience *audience = stream->audience;
    tv_random_sleep();
    pthread_mutex_lock(&audience->lock);
    if (stream->reader.wake) {
        if (stream->next)
            stream->next->previous = stream->previous;
        *(stream->previous ? &stream->previous->next : &audience->streams) = stream->next;
        count_one_less(audience);
    }
    pthread_mutex_unlock(&audience->lock);
    tv_http_reader_release(&stream->reader);
    tv_traces_leave(stream->state);
    tv_alloc_release(audience->alloc, &stream, 1, sizeof(*stream));
}

static const struct tv_http_source_calls calls = {
    .is_endless = true, .begin = begin, .read = read_on, .leave = leave};

enum tv_code tv_audience_open(struct tv_audience *audience, struct tv_state *state,
                              struct tv_http_source *source, struct tv_error *err)
{
    struct tv_stream *stream = NULL;
    TV_TRY(tv_alloc_new(audience->alloc, &stream, 1, sizeof(*stream), err));
    stream->audience = audience;
    stream->state = state;
    tv_traces_join(state);
    *source = (struct tv_http_source){&calls, stream};
    return TV_OK;
}

void tv_audience_tick(struct tv_audience *audience)
{
    uint64_t now_ns = tv_now_ns();
    pthread_mutex_lock(&audience->lock);
    for (struct tv_stream *stream = audience->streams; stream; stream = stream->next) {
        struct tv_state_view view = tv_state_look(stream->state);
        if (!stream->is_asleep || !tv_events_is_due(&stream->events, &view, now_ns))
            continue;
        stream->is_asleep = false;
        stream->reader.wake(stream->reader.ctx);
    }
    pthread_mutex_unlock(&audience->lock);
}

struct tv_audience_view tv_audience_look(struct tv_audience *audience)
{
    pthread_mutex_lock(&audience->lock);
    struct tv_audience_view view = audience->now;
    pthread_mutex_unlock(&audience->lock);
    return view;
}
