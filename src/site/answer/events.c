/*
 * Event streams; see site/answer/events.h.
 *
 * A page that waits for an index has a stream. One thread asks the store for the job of a stream
 * when the store tells that its state has changed, or a worker of this process has ended it, and
 * for all of them now and then; it writes the next event into the stream's own room. There is no
 * queue: the event tells the state, and a state is told once. Streams are found by number, since
 * the lock is open while the store is asked, and a stream may leave meanwhile. Lock order: this
 * lock, then that of the connection that is woken.
 */
#include "site/answer/events.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/units.h"
#include "os/clock.h"
#include "os/random_sleep.h"
#include "os/waits.h"
#include "site/request/requested_trace.h"

/* How often the store is asked for all streams: where it cannot tell of changes, and where it can,
 * for what it does not tell, as that a trace is deleted. */
#define ROUND_S 1u
#define ROUND_TOLD_S 5u
/* After this long without an event, a stream sends a sign of life; else a proxy would end it. */
#define SILENT_NS (15 * TV_NS_PER_S)
/* Room for an event with the longest reason, should every byte of the reason be escaped. */
#define TEXT_CAP (6 * TV_STORE_REASON_MOST + 64u)

struct stream {
    struct stream *next, *before;
    struct tv_site_events *events;
    struct tv_hash raw;
    struct tv_mapping_list mappings; /* that were tried when the stream began */
    uint64_t no; /* its number among all streams ever, by which it is found again */
    struct tv_http_reader reader;
    bool has_reader;
    bool has_state; /* a state was told */
    enum tv_job_state state;
    bool is_due;         /* its job is to be asked for */
    uint64_t told_ns;    /* when something was said last */
    char text[TEXT_CAP]; /* what is to be sent */
    size_t len, sent;
};

struct tv_site_events {
    struct tv_site *site;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    struct stream *streams;
    uint64_t last_no;
    uint64_t round_ns; /* when all streams were made due */
    bool is_ended;
};

/* --- what is sent --- */

static bool is_over(const struct stream *stream)
{
    return stream->has_state && (stream->state == TV_JOB_DONE || stream->state == TV_JOB_BAD);
}

/* {"error": reason} in one line. */
static size_t write_reason(const struct tv_alloc *alloc, const char *reason, char *text, size_t cap)
{
    struct tv_buffer buffer;
    struct tv_json json;
    size_t len = 0;
    tv_buffer_init(&buffer, alloc);
    tv_json_init(&json, tv_buffer_sink(&buffer));
    tv_json_open_object(&json);
    tv_json_key_text(&json, "error", reason);
    tv_json_close_object(&json);
    if (tv_json_finish(&json, NULL) == TV_OK && buffer.len < cap) {
        len = buffer.len - 1; /* without the line's end */
        memcpy(text, buffer.bytes, len);
    }
    tv_buffer_release(&buffer);
    text[len] = '\0';
    return len;
}

static void say(struct stream *stream, const char *event, const char *data)
{
    int len = snprintf(stream->text, sizeof(stream->text), "event: %s\ndata: %s\n\n", event, data);
    stream->len = len > 0 && (size_t)len < sizeof(stream->text) ? (size_t)len : 0;
    stream->sent = 0;
    stream->told_ns = tv_now_ns();
    if (stream->has_reader)
        stream->reader.wake(stream->reader.ctx);
}

/* A comment of the format of event streams, which pages ignore. */
static void say_alive(struct stream *stream)
{
    memcpy(stream->text, ":\n\n", 3);
    stream->len = 3;
    stream->sent = 0;
    stream->told_ns = tv_now_ns();
    if (stream->has_reader)
        stream->reader.wake(stream->reader.ctx);
}

/* Puts the event of a new state into the stream. Called with the lock held. */
static void tell(struct stream *stream, const struct tv_job *job)
{
    char data[TEXT_CAP - 32];
    bool is_same = stream->has_state && stream->state == job->state;
    if (is_same || is_over(stream)) {
        if (tv_passed_ns(stream->told_ns, tv_now_ns()) >= SILENT_NS && stream->sent == stream->len)
            say_alive(stream);
        return;
    }
    stream->has_state = true;
    stream->state = job->state;
    switch (job->state) {
    case TV_JOB_QUEUED:
        say(stream, "queued", "{}");
        break;
    case TV_JOB_TAKEN:
        say(stream, "progress", "{}");
        break;
    case TV_JOB_DONE:
        say(stream, "ready", "{\"trace\":1}");
        break;
    case TV_JOB_BAD:
        (void)write_reason(stream->events->site->alloc, job->reason, data, sizeof(data));
        say(stream, "failed", data);
        break;
    }
}

/* --- the thread that asks --- */

static struct stream *find(const struct tv_site_events *events, uint64_t no)
{
    struct stream *stream = events->streams;
    while (stream && stream->no != no)
        stream = stream->next;
    return stream;
}

/* The stream of the lowest number that is due. */
static struct stream *find_due(const struct tv_site_events *events)
{
    struct stream *found = NULL;
    for (struct stream *stream = events->streams; stream; stream = stream->next) {
        if (stream->is_due && (!found || stream->no < found->no))
            found = stream;
    }
    return found;
}

/* Those that wait for a raw file; NULL: all. */
static void make_due(struct tv_site_events *events, const struct tv_hash *raw)
{
    for (struct stream *stream = events->streams; stream; stream = stream->next)
        stream->is_due = stream->is_due || !raw || strcmp(stream->raw.hex, raw->hex) == 0;
}

/* Asks the store for the job of a trace. A trace that is gone has failed, for those who wait for
 * it. */
static bool look(const struct tv_site *site, const struct tv_hash *raw,
                 const struct tv_mapping_list *mappings, struct tv_job *job)
{
    const struct tv_store_db *db = &site->store->db;
    enum tv_code code =
        db->want_job(db->ctx, raw, site->build, mappings->files, true, site->now(), job, NULL);
    /* A mapping of the list was deleted: who waits asks anew, and gets another list. */
    if (code == TV_ERR_CONFLICT)
        *job = (struct tv_job){.state = TV_JOB_DONE};
    if (code != TV_ERR_NOT_FOUND)
        return code == TV_OK || code == TV_ERR_CONFLICT;
    *job = (struct tv_job){.state = TV_JOB_BAD, .reason = "the trace was deleted"};
    return true;
}

/* Asks for each stream that is due. The lock is open while the store is asked, which may have to
 * wait. */
static void ask_for_due(struct tv_site_events *events)
{
    struct stream *stream = find_due(events);
    while (stream && !events->is_ended) {
        struct tv_hash raw = stream->raw;
        struct tv_mapping_list mappings = stream->mappings;
        uint64_t no = stream->no;
        struct tv_job job;
        stream->is_due = false;
        (void)pthread_mutex_unlock(&events->lock);
        tv_random_sleep();
        bool is_known = look(events->site, &raw, &mappings, &job);
        (void)pthread_mutex_lock(&events->lock);
        stream = find(events, no);
        if (stream && is_known)
            tell(stream, &job);
        stream = find_due(events);
    }
}

/* Without a client nothing has to be looked at, and the thread sleeps until one comes; else it
 * wakes when one is due, or all are, since some changes are not told. */
static void wait(struct tv_site_events *events)
{
    const bool is_told = events->site->store->db.watch_states != NULL;
    const uint64_t round_ns = (is_told ? ROUND_TOLD_S : ROUND_S) * TV_NS_PER_S;
    if (!events->streams) {
        (void)pthread_cond_wait(&events->changed, &events->lock);
        events->round_ns = tv_now_ns();
        return;
    }
    const uint64_t passed_ns = tv_passed_ns(events->round_ns, tv_now_ns());
    if (passed_ns < round_ns) {
        const struct timespec until = tv_wait_until(round_ns - passed_ns);
        (void)pthread_cond_timedwait(&events->changed, &events->lock, &until);
        return;
    }
    events->round_ns = tv_now_ns();
    make_due(events, NULL);
}

/* One thread asks the database for all streams in turns, so a hundred open pages cost one question
 * each round and not a hundred connections. */
static void *ask(void *ctx)
{
    struct tv_site_events *events = ctx;
    (void)pthread_mutex_lock(&events->lock);
    while (!events->is_ended) {
        ask_for_due(events);
        if (!events->is_ended)
            wait(events);
    }
    (void)pthread_mutex_unlock(&events->lock);
    return NULL;
}

/* --- one stream, as httpd.c asks it --- */

/* The stream may be woken only after this point. */
static bool begin_stream(void *ctx, const struct tv_http_reader *reader)
{
    struct stream *stream = ctx;
    (void)pthread_mutex_lock(&stream->events->lock);
    stream->reader = *reader;
    stream->has_reader = true;
    (void)pthread_mutex_unlock(&stream->events->lock);
    return true;
}

/* Called on a thread that serves connections, so it only copies what the asking thread has written.
 */
static ssize_t read_stream(void *ctx, void *out, size_t cap)
{
    struct stream *stream = ctx;
    (void)pthread_mutex_lock(&stream->events->lock);
    size_t left = stream->len - stream->sent;
    size_t len = left < cap ? left : cap;
    memcpy(out, stream->text + stream->sent, len);
    stream->sent += len;
    bool is_at_end = !len && is_over(stream);
    (void)pthread_mutex_unlock(&stream->events->lock);
    return is_at_end ? TV_HTTP_SOURCE_END : (ssize_t)len;
}

/* The reader is released when the stream is out of the list, so that nobody wakes it any more. */
static void leave_stream(void *ctx)
{
    struct stream *stream = ctx;
    struct tv_site_events *events = stream->events;
    tv_random_sleep();
    (void)pthread_mutex_lock(&events->lock);
    if (stream->before)
        stream->before->next = stream->next;
    else
        events->streams = stream->next;
    if (stream->next)
        stream->next->before = stream->before;
    (void)pthread_mutex_unlock(&events->lock);
    tv_http_reader_release(&stream->reader);
    tv_alloc_release(events->site->alloc, &stream, 1, sizeof(*stream));
}

static const struct tv_http_source_calls stream_calls = {
    .begin = begin_stream, .read = read_stream, .leave = leave_stream, .is_endless = true};

/* The asking thread is woken, so that a new page hears the state at once. */
static void enter(struct tv_site_events *events, struct stream *stream)
{
    (void)pthread_mutex_lock(&events->lock);
    stream->no = ++events->last_no;
    stream->next = events->streams;
    if (events->streams)
        events->streams->before = stream;
    events->streams = stream;
    (void)pthread_cond_signal(&events->changed);
    (void)pthread_mutex_unlock(&events->lock);
}

/* The stream ends by itself when the trace is ready or cannot be read. */
void tv_trace_events(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_site_events *events = context->site->events;
    struct stream *stream;
    struct tv_requested_trace requested;
    if (!tv_requested_trace_find(context, &requested, response))
        return;
    if (tv_alloc_new(context->site->alloc, &stream, 1, sizeof(*stream), NULL) != TV_OK) {
        tv_request_context_refuse(context, 503, "out of memory", response);
        return;
    }
    *stream = (struct stream){
        .events = events, .raw = requested.row.raw, .is_due = true, .told_ns = tv_now_ns()};
    memcpy(stream->mappings.files, requested.job.mappings, sizeof(stream->mappings.files));
    enter(events, stream);
    tv_http_stream(response, "text/event-stream",
                   (struct tv_http_source){.calls = &stream_calls, .ctx = stream});
}

/* --- the whole --- */

static void state_changed(void *arg, const struct tv_hash *raw)
{
    struct tv_site_events *events = arg;
    (void)pthread_mutex_lock(&events->lock);
    make_due(events, raw);
    (void)pthread_cond_signal(&events->changed);
    (void)pthread_mutex_unlock(&events->lock);
}

void tv_site_job_changed(struct tv_site *site, const struct tv_hash *raw)
{
    state_changed(site->events, raw);
}

/* The store says nothing more before the streams' lock is gone. */
static void watch(struct tv_site_events *events,
                  void (*changed)(void *arg, const struct tv_hash *raw))
{
    const struct tv_store_db *db = &events->site->store->db;
    if (db->watch_states)
        db->watch_states(db->ctx, changed, events);
}

/* The condition waits by the clock that only goes forward (os/waits.h). */
enum tv_code tv_events_start(struct tv_site *site, struct tv_error *err)
{
    struct tv_site_events *events;
    TV_TRY(tv_alloc_new(site->alloc, &events, 1, sizeof(*events), err));
    *events = (struct tv_site_events){.site = site};
    bool has_lock = pthread_mutex_init(&events->lock, NULL) == 0;
    bool has_condition = has_lock && tv_wait_init(&events->changed);
    if (has_condition && pthread_create(&events->thread, NULL, ask, events) == 0) {
        site->events = events;
        watch(events, state_changed);
        return TV_OK;
    }
    if (has_condition)
        (void)pthread_cond_destroy(&events->changed);
    if (has_lock)
        (void)pthread_mutex_destroy(&events->lock);
    tv_alloc_release(site->alloc, &events, 1, sizeof(*events));
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "cannot start a thread");
}

/* Streams have all left by then, because the server has closed its connections. */
void tv_events_stop(struct tv_site *site)
{
    struct tv_site_events *events = site->events;
    if (!events)
        return;
    watch(events, NULL);
    (void)pthread_mutex_lock(&events->lock);
    events->is_ended = true;
    (void)pthread_cond_signal(&events->changed);
    (void)pthread_mutex_unlock(&events->lock);
    (void)pthread_join(events->thread, NULL);
    tv_assert(!events->streams);
    (void)pthread_cond_destroy(&events->changed);
    (void)pthread_mutex_destroy(&events->lock);
    tv_alloc_release(site->alloc, &events, 1, sizeof(*events));
    site->events = NULL;
}
