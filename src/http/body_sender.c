/*
 * Sources and the connections that wait for them; see http/body_sender.h.
 *
 * When a source has no bytes yet, its connection is suspended, and the source's thread wakes it
 * later. That thread may be about to wake the connection while the connection ends. So both have a
 * counted reference: a body_sender is freed by whoever leaves last, and never with its lock held. A
 * wake that comes between asking the source and falling asleep is not lost: was_woken is cleared
 * before the source is asked, and looked at under the lock before sleeping. Lock order: the
 * server's lock, then a sender's.
 */
#include "http/body_sender.h"

#include <sys/socket.h>
#include <sys/types.h>

#include "http/connection.h"
#include "os/random_sleep.h"
#include "os/waits.h"

#define SOURCE_BLOCK 65536u

/* --- references --- */

static void hold(struct tv_body_sender *sender)
{
    (void)atomic_fetch_add_explicit(&sender->holders, 1, memory_order_relaxed);
}

/* Everything that any holder did to the sender happens before the last one frees it (acq_rel). */
static void release(void *ctx)
{
    struct tv_body_sender *sender = ctx;
    tv_random_sleep();
    if (atomic_fetch_sub_explicit(&sender->holders, 1, memory_order_acq_rel) > 1)
        return;
    (void)pthread_mutex_destroy(&sender->lock);
    tv_alloc_release(sender->alloc, &sender, 1, sizeof(*sender));
}

/* --- sleep --- */

/* Wakes the connection if it sleeps. Called with the sender's lock held. */
static void resume(struct tv_body_sender *sender)
{
    sender->was_woken = true;
    if (!sender->is_asleep)
        return;
    sender->is_asleep = false;
    MHD_resume_connection(sender->connection);
}

static void wake(void *ctx)
{
    struct tv_body_sender *sender = ctx;
    tv_random_sleep();
    pthread_mutex_lock(&sender->lock);
    resume(sender);
    pthread_mutex_unlock(&sender->lock);
}

/* The connection's socket is open as long as the sending is not ended. The library notices as if
 * the client had hung up. */
static void close_connection(void *ctx)
{
    struct tv_body_sender *sender = ctx;
    tv_random_sleep();
    pthread_mutex_lock(&sender->lock);
    if (!sender->is_ended) {
        (void)shutdown(tv_connection_socket(sender->connection), SHUT_RDWR);
        resume(sender);
    }
    pthread_mutex_unlock(&sender->lock);
}

void tv_body_sender_cut(struct tv_body_sender *sender)
{
    pthread_mutex_lock(&sender->lock);
    sender->is_cut = true;
    resume(sender);
    pthread_mutex_unlock(&sender->lock);
}

/* The sender is held meanwhile: whoever wakes the connection may end the sending before this has
 * unlocked. A connection that a worker answers is suspended already
 * (TV_BODY_SENDER_FROM_SUSPENDED). */
bool tv_body_sender_sleep(struct tv_body_sender *sender, enum tv_body_sender_from from)
{
    hold(sender); /* who wakes the connection may end the sending before the lock is unlocked */
    tv_random_sleep();
    pthread_mutex_lock(&sender->lock);
    bool is_asleep = !sender->was_woken && !sender->is_cut;
    sender->is_asleep = is_asleep;
    if (is_asleep && from == TV_BODY_SENDER_FROM_AWAKE)
        MHD_suspend_connection(sender->connection);
    pthread_mutex_unlock(&sender->lock);
    release(sender);
    return is_asleep;
}

/* --- bytes --- */

/* The source is asked without the lock, since it may take its time, and may wake this sender
 * itself. */
ssize_t tv_body_sender_read(struct tv_body_sender *sender, char *out, size_t cap)
{
    const struct tv_http_source *source = &sender->source;
    pthread_mutex_lock(&sender->lock);
    sender->was_woken = false;
    bool is_cut = sender->is_cut;
    pthread_mutex_unlock(&sender->lock);
    if (is_cut)
        return source->calls->is_endless ? TV_HTTP_SOURCE_END : TV_HTTP_SOURCE_BROKEN;
    tv_wait_forbid(true);
    const ssize_t len = source->calls->read(source->ctx, out, cap);
    tv_wait_forbid(false);
    return len;
}

/* The library asks for the next bytes. A source that has none is asked again after each wake that
 * came before the connection slept. */
static ssize_t read_source(void *cls, uint64_t pos, char *out, size_t cap)
{
    struct tv_body_sender *sender = cls;
    ssize_t len;
    (void)pos;
    tv_exchange_enter(sender->exchange, TV_CONNECTION_GOING);
    do {
        len = tv_body_sender_read(sender, out, cap);
        if (!len)
            tv_exchange_enter(sender->exchange, TV_CONNECTION_WORKING);
    } while (!len && !tv_body_sender_sleep(sender, TV_BODY_SENDER_FROM_AWAKE));
    if (len == TV_HTTP_SOURCE_END)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (len == TV_HTTP_SOURCE_BROKEN)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    sender->exchange->sent += (uint64_t)len;
    return len;
}

/* --- from the beginning to the end --- */

/* In the list from here on, so that the end of the server cuts it off; where that has begun, it is
 * cut at once. The source is the sender's now, which leaves it when the last holder goes. */
bool tv_body_sender_make(struct tv_exchange *exchange)
{
    struct tv_httpd *httpd = exchange->httpd;
    struct tv_body_sender *sender = NULL;
    if (tv_alloc_new(httpd->alloc, &sender, 1, sizeof(*sender), NULL) != TV_OK)
        return false;
    sender->alloc = httpd->alloc;
    sender->httpd = httpd;
    sender->exchange = exchange;
    sender->connection = exchange->connection;
    sender->source = exchange->response.source;
    exchange->response.source = (struct tv_http_source){.calls = NULL};
    atomic_init(&sender->holders, 1);
    (void)pthread_mutex_init(&sender->lock, NULL);
    exchange->sender = sender;
    pthread_mutex_lock(&httpd->lock);
    sender->is_cut = httpd->is_ending;
    sender->next = httpd->senders;
    if (sender->next)
        sender->next->previous = sender;
    httpd->senders = sender;
    pthread_mutex_unlock(&httpd->lock);
    return true;
}

struct tv_http_reader tv_body_sender_reader(struct tv_body_sender *sender)
{
    hold(sender);
    return (struct tv_http_reader){
        .wake = wake, .release = release, .cut = close_connection, .ctx = sender};
}

static void take_out(struct tv_body_sender *sender)
{
    struct tv_httpd *httpd = sender->httpd;
    pthread_mutex_lock(&httpd->lock);
    if (sender->next)
        sender->next->previous = sender->previous;
    *(sender->previous ? &sender->previous->next : &httpd->senders) = sender->next;
    pthread_mutex_unlock(&httpd->lock);
}

/* A source may keep its reader beyond its own end; is_asleep is cleared so that its wake does
 * nothing. */
void tv_body_sender_end(struct tv_body_sender *sender)
{
    const struct tv_http_source *source = &sender->source;
    tv_random_sleep();
    source->calls->leave(source->ctx);
    take_out(sender);
    pthread_mutex_lock(&sender->lock);
    sender->is_asleep = false;
    sender->is_ended = true;
    pthread_mutex_unlock(&sender->lock);
    release(sender);
}

static void end(void *cls)
{
    tv_body_sender_end(cls);
}

struct MHD_Response *tv_body_sender_response(struct tv_exchange *exchange)
{
    struct tv_body_sender *sender = exchange->sender;
    const struct tv_http_source *source = &sender->source;
    struct MHD_Response *response = MHD_create_response_from_callback(
        source->has_len ? source->len : MHD_SIZE_UNKNOWN, SOURCE_BLOCK, read_source, sender, end);
    if (!response)
        return NULL;
    exchange->sender = NULL;
    return response;
}
