/* Sources and the connections that wait for them; see http/sending.h. */
#include "http/sending.h"

#include <sys/types.h>

#include "os/random_sleep.h"

#define SOURCE_BLOCK 65536u

/* --- references --- */

static void hold(struct tv_sending *sending)
{
    (void)atomic_fetch_add_explicit(&sending->holders, 1, memory_order_relaxed);
}

/* What each holder did with the sending happens before the last one frees it. */
static void release(void *ctx)
{
    struct tv_sending *sending = ctx;
    tv_random_sleep();
    if (atomic_fetch_sub_explicit(&sending->holders, 1, memory_order_acq_rel) > 1)
        return;
    (void)pthread_mutex_destroy(&sending->lock);
    tv_alloc_release(sending->alloc, &sending, 1, sizeof(*sending));
}

/* --- sleep --- */

/* Called with the lock held. */
static void resume(struct tv_sending *sending)
{
    sending->was_woken = true;
    if (!sending->is_asleep)
        return;
    sending->is_asleep = false;
    MHD_resume_connection(sending->connection);
}

static void wake(void *ctx)
{
    struct tv_sending *sending = ctx;
    tv_random_sleep();
    pthread_mutex_lock(&sending->lock);
    resume(sending);
    pthread_mutex_unlock(&sending->lock);
}

void tv_sending_cut(struct tv_sending *sending)
{
    pthread_mutex_lock(&sending->lock);
    sending->is_cut = true;
    resume(sending);
    pthread_mutex_unlock(&sending->lock);
}

bool tv_sending_sleep(struct tv_sending *sending, enum tv_sending_from from)
{
    hold(sending); /* who wakes the connection may end the sending before the lock is unlocked */
    tv_random_sleep();
    pthread_mutex_lock(&sending->lock);
    bool is_asleep = !sending->was_woken && !sending->is_cut;
    sending->is_asleep = is_asleep;
    if (is_asleep && from == TV_SENDING_FROM_AWAKE)
        MHD_suspend_connection(sending->connection);
    pthread_mutex_unlock(&sending->lock);
    release(sending);
    return is_asleep;
}

/* --- bytes --- */

static ssize_t ask_source(struct tv_sending *sending, char *out, size_t cap)
{
    const struct tv_http_source *source = &sending->source;
    pthread_mutex_lock(&sending->lock);
    sending->was_woken = false;
    bool is_cut = sending->is_cut;
    pthread_mutex_unlock(&sending->lock);
    if (is_cut)
        return source->calls->is_endless ? TV_HTTP_SOURCE_END : TV_HTTP_SOURCE_BROKEN;
    return source->calls->read(source->ctx, out, cap);
}

/* The library asks for the next bytes. */
static ssize_t read_source(void *cls, uint64_t pos, char *out, size_t cap)
{
    struct tv_sending *sending = cls;
    ssize_t len;
    (void)pos;
    tv_exchange_enter(sending->exchange, TV_GUEST_GOING);
    do {
        len = ask_source(sending, out, cap);
        if (!len)
            tv_exchange_enter(sending->exchange, TV_GUEST_WORKING);
    } while (!len && !tv_sending_sleep(sending, TV_SENDING_FROM_AWAKE));
    if (len == TV_HTTP_SOURCE_END)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (len == TV_HTTP_SOURCE_BROKEN)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    sending->exchange->sent += (uint64_t)len;
    return len;
}

/* --- from the beginning to the end --- */

bool tv_sending_make(struct tv_exchange *exchange)
{
    struct tv_httpd *httpd = exchange->httpd;
    struct tv_sending *sending = NULL;
    if (tv_alloc_new(httpd->alloc, &sending, 1, sizeof(*sending), NULL) != TV_OK)
        return false;
    sending->alloc = httpd->alloc;
    sending->httpd = httpd;
    sending->exchange = exchange;
    sending->connection = exchange->connection;
    sending->source = exchange->response.source;
    exchange->response.source = (struct tv_http_source){NULL, NULL};
    atomic_init(&sending->holders, 1);
    (void)pthread_mutex_init(&sending->lock, NULL);
    exchange->sending = sending;
    pthread_mutex_lock(&httpd->lock);
    sending->is_cut = httpd->is_ending;
    sending->next = httpd->sendings;
    if (sending->next)
        sending->next->previous = sending;
    httpd->sendings = sending;
    pthread_mutex_unlock(&httpd->lock);
    return true;
}

struct tv_http_reader tv_sending_reader(struct tv_sending *sending)
{
    hold(sending);
    return (struct tv_http_reader){.wake = wake, .release = release, .ctx = sending};
}

static void take_out(struct tv_sending *sending)
{
    struct tv_httpd *httpd = sending->httpd;
    pthread_mutex_lock(&httpd->lock);
    if (sending->next)
        sending->next->previous = sending->previous;
    *(sending->previous ? &sending->previous->next : &httpd->sendings) = sending->next;
    pthread_mutex_unlock(&httpd->lock);
}

/* A source that keeps its reader beyond its own end wakes nobody: the connection is not asleep. */
void tv_sending_end(struct tv_sending *sending)
{
    const struct tv_http_source *source = &sending->source;
    tv_random_sleep();
    source->calls->leave(source->ctx);
    take_out(sending);
    pthread_mutex_lock(&sending->lock);
    sending->is_asleep = false;
    pthread_mutex_unlock(&sending->lock);
    release(sending);
}

static void end(void *cls)
{
    tv_sending_end(cls);
}

struct MHD_Response *tv_sending_response(struct tv_exchange *exchange)
{
    struct tv_sending *sending = exchange->sending;
    struct MHD_Response *response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, SOURCE_BLOCK, read_source, sending, end);
    if (!response)
        return NULL;
    exchange->sending = NULL;
    return response;
}
