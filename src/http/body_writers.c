/*
 * Bodies on their way to their sinks; see http/body_writers.h.
 *
 * A body has two buffers: the library's thread appends to one, a writer passes the other one on,
 * and the writer swaps them when it begins. So bytes are received while those before are written,
 * and the longer the sink takes, the larger are the pieces that it gets. A body goes to the end of
 * the queue after each piece.
 *
 * A connection is suspended without the lock, since the library has locks of its own; whether there
 * is still something to wait for is looked at afterwards. A suspended connection stays until it is
 * resumed, so the writer that resumes it needs no lock for that.
 */
#include "http/body_writers.h"

#include "http/exchange.h"
#include "os/process/threads.h"
#include "os/random_sleep.h"

/* Bytes that may have come while a writer has others of the same body. */
#define ROOM ((size_t)256 * 1024)

void tv_body_writers_init(struct tv_body_writers *writers)
{
    (void)pthread_mutex_init(&writers->lock, NULL);
    (void)pthread_cond_init(&writers->came, NULL);
    (void)pthread_cond_init(&writers->let_go, NULL);
}

void tv_body_writers_release(struct tv_body_writers *writers)
{
    (void)pthread_cond_destroy(&writers->let_go);
    (void)pthread_cond_destroy(&writers->came);
    (void)pthread_mutex_destroy(&writers->lock);
}

static void put_last(struct tv_body_writers *writers, struct tv_exchange *exchange)
{
    exchange->write.is_queued = true;
    exchange->write.next = NULL;
    *(writers->last ? &writers->last->write.next : &writers->first) = exchange;
    writers->last = exchange;
    (void)pthread_cond_signal(&writers->came);
}

/* Takes a body out of the queue. False: a writer has it already. */
static bool take_out(struct tv_body_writers *writers, struct tv_exchange *exchange)
{
    struct tv_exchange **link = &writers->first;
    struct tv_exchange *before = NULL;
    for (; *link && *link != exchange; link = &before->write.next)
        before = *link;
    if (!*link)
        return false;
    *link = exchange->write.next;
    if (writers->last == exchange)
        writers->last = before;
    return true;
}

static struct tv_exchange *take_first(struct tv_body_writers *writers)
{
    struct tv_exchange *exchange = writers->first;
    writers->first = exchange->write.next;
    if (!writers->first)
        writers->last = NULL;
    return exchange;
}

/* --- a writer --- */

static void swap_buffers(struct tv_body_write *write)
{
    struct tv_buffer came = write->coming;
    write->coming = write->writing;
    write->writing = came;
}

/* Whether the connection waits for that, and does not any more. */
static bool take_waiter(struct tv_body_write *write, enum tv_body_wait what)
{
    bool waits = write->waits == what;
    if (waits)
        write->waits = TV_BODY_WAITS_NOT;
    return waits;
}

/* Passes on what has come. Called with the lock, which is released meanwhile. */
static void write_piece(struct tv_body_writers *writers, struct tv_exchange *exchange)
{
    struct tv_body_write *write = &exchange->write;
    const struct tv_sink *sink = &exchange->body_sink.sink;
    struct tv_error err = {.code = TV_OK};
    swap_buffers(write);
    bool has_room = take_waiter(write, TV_BODY_WAITS_FOR_ROOM);
    (void)pthread_mutex_unlock(&writers->lock);
    tv_random_sleep();
    if (has_room)
        MHD_resume_connection(exchange->connection);
    enum tv_code code = sink->write(sink->ctx, write->writing.bytes, write->writing.len, &err);
    write->writing.len = 0;
    (void)pthread_mutex_lock(&writers->lock);
    if (code == TV_OK)
        return;
    write->error = err;
    write->error.code = code;
    write->coming.len = 0;
}

/* The body goes on, or its writer lets it go: to the library, where that waits for the end, or to
 * its own end. */
static void go_on(struct tv_body_writers *writers, struct tv_exchange *exchange)
{
    struct tv_body_write *write = &exchange->write;
    if (write->coming.len) {
        put_last(writers, exchange);
        return;
    }
    write->is_queued = false;
    (void)pthread_cond_broadcast(&writers->let_go);
    /* One that waits for room is never left behind: there is room now. */
    bool waits = write->waits != TV_BODY_WAITS_NOT;
    bool is_over = write->is_over;
    write->waits = TV_BODY_WAITS_NOT;
    struct MHD_Connection *connection = exchange->connection;
    (void)pthread_mutex_unlock(&writers->lock);
    tv_random_sleep();
    if (is_over)
        tv_exchange_finish(exchange);
    else if (waits)
        MHD_resume_connection(connection);
    (void)pthread_mutex_lock(&writers->lock);
}

static void *run(void *arg)
{
    struct tv_body_writers *writers = arg;
    (void)pthread_mutex_lock(&writers->lock);
    for (;;) {
        while (!writers->first && !writers->is_ending)
            (void)pthread_cond_wait(&writers->came, &writers->lock);
        if (!writers->first)
            break;
        struct tv_exchange *exchange = take_first(writers);
        write_piece(writers, exchange);
        go_on(writers, exchange);
    }
    (void)pthread_mutex_unlock(&writers->lock);
    return NULL;
}

bool tv_body_writers_start(struct tv_httpd *httpd)
{
    struct tv_body_writers *writers = &httpd->writers;
    writers->count = tv_threads_start(writers->threads, TV_BODY_WRITERS, run, writers);
    return writers->count > 0;
}

void tv_body_writers_join(struct tv_httpd *httpd)
{
    struct tv_body_writers *writers = &httpd->writers;
    (void)pthread_mutex_lock(&writers->lock);
    writers->is_ending = true;
    (void)pthread_cond_broadcast(&writers->came);
    (void)pthread_mutex_unlock(&writers->lock);
    tv_threads_join(writers->threads, writers->count);
    writers->count = 0;
}

/* --- the library's threads --- */

static bool is_needed(const struct tv_body_write *write, enum tv_body_wait what)
{
    return write->is_queued && (what == TV_BODY_WAITS_FOR_END || write->coming.len >= ROOM);
}

/* Suspends the connection until the writer is that far. It may be by then, which is seen to after
 * the connection was suspended. */
static void wait_for(struct tv_exchange *exchange, enum tv_body_wait what)
{
    struct tv_body_writers *writers = &exchange->httpd->writers;
    struct tv_body_write *write = &exchange->write;
    /* A client is not slow while the server does not read. */
    tv_exchange_enter(exchange, TV_CONNECTION_WORKING);
    MHD_suspend_connection(exchange->connection);
    tv_random_sleep();
    (void)pthread_mutex_lock(&writers->lock);
    bool waits = is_needed(write, what);
    if (waits)
        write->waits = what;
    (void)pthread_mutex_unlock(&writers->lock);
    if (!waits)
        MHD_resume_connection(exchange->connection);
}

void tv_body_writers_take(struct tv_exchange *exchange, const char *bytes, size_t len)
{
    struct tv_body_writers *writers = &exchange->httpd->writers;
    struct tv_body_write *write = &exchange->write;
    bool is_full = false;
    tv_exchange_enter(exchange, TV_CONNECTION_COMING);
    (void)pthread_mutex_lock(&writers->lock);
    if (writers->is_ending && write->error.code == TV_OK)
        write->error.code =
            tv_fail(&write->error, TV_ERR_CANCELLED, TV_NO_OFFSET, "the server ends");
    if (write->error.code == TV_OK)
        write->error.code = tv_buffer_append(&write->coming, bytes, len, &write->error);
    if (write->error.code == TV_OK) {
        if (!write->is_queued)
            put_last(writers, exchange);
        is_full = write->coming.len >= ROOM;
    }
    (void)pthread_mutex_unlock(&writers->lock);
    if (is_full)
        wait_for(exchange, TV_BODY_WAITS_FOR_ROOM);
}

bool tv_body_writers_is_done(struct tv_exchange *exchange)
{
    struct tv_body_writers *writers = &exchange->httpd->writers;
    struct tv_body_write *write = &exchange->write;
    (void)pthread_mutex_lock(&writers->lock);
    bool is_done = !write->is_queued;
    if (is_done && exchange->request.body_error.code == TV_OK)
        exchange->request.body_error = write->error;
    (void)pthread_mutex_unlock(&writers->lock);
    if (!is_done)
        wait_for(exchange, TV_BODY_WAITS_FOR_END);
    return is_done;
}

/* The rest of a body whose client is gone is of no use. Called with the lock. */
static void let_go(struct tv_body_writers *writers, struct tv_exchange *exchange)
{
    struct tv_body_write *write = &exchange->write;
    write->coming.len = 0;
    if (write->is_queued && take_out(writers, exchange))
        write->is_queued = false;
    while (write->is_queued)
        (void)pthread_cond_wait(&writers->let_go, &writers->lock);
}

bool tv_body_writers_keep(struct tv_exchange *exchange)
{
    struct tv_body_writers *writers = &exchange->httpd->writers;
    struct tv_body_write *write = &exchange->write;
    (void)pthread_mutex_lock(&writers->lock);
    if (exchange->body_sink.needs_connection)
        let_go(writers, exchange);
    bool is_kept = write->is_queued;
    write->is_over = is_kept;
    (void)pthread_mutex_unlock(&writers->lock);
    return is_kept;
}
