/*
 * Starting and stopping a server; see http/httpd.h. What happens to a request is told in
 * http/exchange.h.
 *
 * The library polls the sockets on its own threads; request workers make slow answers. Stopping has
 * an order: no new connections, then a wait for the requests under way up to the caller's patience,
 * then workers and sources are ended (answers that are still made are cut), and only then the
 * library is stopped, because it must not stop while a connection is suspended. What belongs to all
 * requests is under httpd->lock; connections have a lock of their own.
 */
#include "http/httpd.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/units.h"
#include "http/answer_watch.h"
#include "http/body_sender.h"
#include "http/connection.h"
#include "http/exchange.h"
#include "http/listen.h"
#include "http/request_workers.h"
#include "http/web_sockets.h"
#include "os/clock.h"
#include "os/process/pool.h"

/* How often a server that stops looks whether the last requests have come to their end. */
#define STOP_LOOK_NS 5000000u
/* The most workers where the settings do not say how many. */
#define WORKERS_BY_DEFAULT 8u

/* The library logs every connection that a client closes early, which is no news for the user. */
static void ignore_log(void *cls, const char *format, va_list args)
{
    (void)cls;
    (void)format;
    (void)args;
}

static enum tv_code start_daemon(struct tv_httpd *httpd, struct tv_error *err)
{
    const struct tv_httpd_settings *settings = &httpd->settings;
    struct tv_listen listen;
    TV_TRY(tv_listen_parse(settings->listen, &listen, err));
    /* Poll and not epoll: with epoll the library notices a client that left in the middle of its
     * body only when the client has been idle for too long. */
    unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL | MHD_ALLOW_SUSPEND_RESUME |
                     MHD_USE_ITC | MHD_USE_ERROR_LOG;
    if (settings->has_web_sockets && MHD_is_feature_supported(MHD_FEATURE_UPGRADE) == MHD_YES)
        flags |= MHD_ALLOW_UPGRADE;
    if (listen.is_ipv6)
        flags |= listen.is_any ? MHD_USE_DUAL_STACK : MHD_USE_IPv6;
    /* Not MHD_OPTION_STRICT_FOR_CLIENT: what the library refuses by it has its headers twice, so
     * exchange.c looks at the same. A Content-Length that is no number, or too large a one, the
     * library refuses like that before any callback sees the headers, and no option changes it. */
    /* The library takes a pool of one thread for a mistake. */
    const struct MHD_OptionItem pool[] = {
        {settings->threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END,
         (intptr_t)settings->threads, NULL},
        {MHD_OPTION_END, 0, NULL}};
    errno = 0;
    httpd->daemon = MHD_start_daemon(
        flags, listen.port, NULL, NULL, tv_exchange_handle, httpd, MHD_OPTION_EXTERNAL_LOGGER,
        ignore_log, NULL, MHD_OPTION_SOCK_ADDR, &listen.address, MHD_OPTION_URI_LOG_CALLBACK,
        tv_exchange_begin, httpd, MHD_OPTION_NOTIFY_COMPLETED, tv_exchange_end, NULL,
        MHD_OPTION_CONNECTION_LIMIT, settings->connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        settings->header_bytes, MHD_OPTION_CONNECTION_TIMEOUT, settings->idle_s,
        MHD_OPTION_NOTIFY_CONNECTION, tv_connection_meet, httpd, MHD_OPTION_ARRAY, pool,
        MHD_OPTION_END);
    if (httpd->daemon)
        return TV_OK;
    if (errno == EADDRINUSE)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s is taken: choose another port",
                       settings->listen);
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "cannot listen on %s: %s", settings->listen,
                   errno ? strerror(errno) : "the server library refused");
}

static void set_default(unsigned *value, unsigned fallback)
{
    if (!*value)
        *value = fallback;
}

static void fill_in(struct tv_httpd_settings *settings)
{
    unsigned processors = tv_processor_count();
    set_default(&settings->threads, 1);
    processors = processors < WORKERS_BY_DEFAULT ? processors : WORKERS_BY_DEFAULT;
    set_default(&settings->workers, processors < 2 ? 2 : processors);
    set_default(&settings->connections, 512);
    set_default(&settings->header_s, 3);
    set_default(&settings->idle_s, 60);
    set_default(&settings->rate_s, 10);
    if (settings->workers > TV_HTTPD_WORKERS_MOST)
        settings->workers = TV_HTTPD_WORKERS_MOST;
    if (!settings->header_bytes)
        settings->header_bytes = (size_t)80 * 1024;
}

static struct tv_connection_entry_limits limits_of(const struct tv_httpd_settings *settings)
{
    return (struct tv_connection_entry_limits){
        .crowd = settings->connections - settings->connections / 8,
        .per_address = settings->per_address,
        .header_ns = settings->header_s * TV_NS_PER_S,
        .idle_ns = settings->idle_s * TV_NS_PER_S,
        .request_ns = settings->request_s * TV_NS_PER_S,
        .least_rate = settings->least_rate,
        .rate_ns = settings->rate_s * TV_NS_PER_S,
    };
}

static void release(struct tv_httpd *httpd)
{
    tv_web_sockets_release(&httpd->web_sockets);
    tv_lingering_close_release(&httpd->lingering);
    tv_connection_table_release(&httpd->connections);
    tv_body_writers_release(&httpd->writers);
    tv_file_readers_release(&httpd->readers);
    (void)pthread_cond_destroy(&httpd->watched);
    (void)pthread_cond_destroy(&httpd->job_came);
    (void)pthread_mutex_destroy(&httpd->lock);
    tv_alloc_release(httpd->alloc, &httpd, 1, sizeof(*httpd));
}

/* Everything that a request may touch is there before the daemon accepts connections. A daemon that
 * runs without any of its threads would leave requests without an answer, so then it is stopped
 * again. */
enum tv_code tv_httpd_start(struct tv_httpd **httpd, const struct tv_alloc *alloc,
                            const struct tv_http_service *service,
                            const struct tv_httpd_settings *settings, struct tv_error *err)
{
    struct tv_httpd *made = NULL;
    *httpd = NULL;
    TV_TRY(tv_alloc_new(alloc, &made, 1, sizeof(*made), err));
    made->alloc = alloc;
    made->service = service;
    made->settings = *settings;
    fill_in(&made->settings);
    const struct tv_connection_entry_limits limits = limits_of(&made->settings);
    tv_connection_table_init(&made->connections, &limits);
    tv_lingering_close_init(&made->lingering);
    tv_web_sockets_init(&made->web_sockets);
    (void)pthread_mutex_init(&made->lock, NULL);
    (void)pthread_cond_init(&made->job_came, NULL);
    (void)pthread_cond_init(&made->watched, NULL);
    tv_body_writers_init(&made->writers);
    tv_file_readers_init(&made->readers, alloc);
    tv_answer_queue_init(&made->answers, made->settings.workers);
    enum tv_code code = start_daemon(made, err);
    if (code != TV_OK) {
        release(made);
        return code;
    }
    tv_request_workers_start(made);
    if (made->worker_count && tv_answer_watch_start(made) && tv_body_writers_start(made) &&
        tv_file_readers_start(&made->readers)) {
        *httpd = made;
        return TV_OK;
    }
    tv_httpd_stop(made, 0);
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "no thread can be started");
}

void tv_httpd_tick(struct tv_httpd *httpd)
{
    tv_connection_table_end_late(&httpd->connections, tv_now_ns());
    tv_lingering_close_tick(&httpd->lingering, tv_now_ns());
    tv_web_sockets_tick(httpd);
}

/* Lets no more requests begin, and ends event streams, which would never end by themselves. Returns
 * how many requests are under way. */
static unsigned begin_stop(struct tv_httpd *httpd)
{
    pthread_mutex_lock(&httpd->lock);
    httpd->is_stopping = true;
    for (struct tv_body_sender *sender = httpd->senders; sender; sender = sender->next) {
        if (sender->source.calls->is_endless)
            tv_body_sender_cut(sender);
    }
    unsigned under_way = httpd->under_way;
    pthread_mutex_unlock(&httpd->lock);
    return under_way;
}

/* Ends the workers and cuts all sources, so that no connection stays suspended. */
static void end_answers(struct tv_httpd *httpd)
{
    pthread_mutex_lock(&httpd->lock);
    httpd->is_ending = true;
    for (struct tv_answer *answer = httpd->answers.running.first; answer; answer = answer->next)
        tv_answer_cut(answer, TV_ANSWER_STOPPED);
    pthread_cond_broadcast(&httpd->job_came);
    pthread_cond_broadcast(&httpd->watched);
    for (struct tv_body_sender *sender = httpd->senders; sender; sender = sender->next)
        tv_body_sender_cut(sender);
    pthread_mutex_unlock(&httpd->lock);
    tv_answer_watch_join(httpd);
    tv_request_workers_join(httpd);
    tv_body_writers_join(httpd);
    tv_file_readers_join(&httpd->readers);
}

void tv_httpd_stop(struct tv_httpd *httpd, uint64_t patience_ns)
{
    if (!httpd)
        return;
    uint64_t end_ns = tv_now_ns() + patience_ns;
    MHD_socket listener = MHD_quiesce_daemon(httpd->daemon);
    /* Without the shutdown, a client that connects meanwhile would wait for an answer that never
     * comes. The socket is closed at the end: threads of the library may still look at it. */
    if (listener != MHD_INVALID_SOCKET)
        (void)shutdown(listener, SHUT_RDWR);
    const struct timespec pause = {.tv_nsec = STOP_LOOK_NS};
    while (begin_stop(httpd) && tv_now_ns() < end_ns) {
        tv_httpd_tick(httpd);
        (void)nanosleep(&pause, NULL);
    }
    end_answers(httpd);
    tv_web_sockets_end(httpd);
    MHD_stop_daemon(httpd->daemon);
    if (listener != MHD_INVALID_SOCKET)
        (void)close(listener);
    release(httpd);
}

uint16_t tv_httpd_port(const struct tv_httpd *httpd)
{
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(httpd->daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

struct tv_httpd_counts tv_httpd_counts(struct tv_httpd *httpd)
{
    struct tv_connection_table *connections = &httpd->connections;
    pthread_mutex_lock(&connections->lock);
    struct tv_httpd_counts counts = {.open = connections->count,
                                     .accepted = connections->accepted,
                                     .sent_away = connections->sent_away};
    pthread_mutex_unlock(&connections->lock);
    pthread_mutex_lock(&httpd->lock);
    const uint64_t oldest_ns = tv_answer_queue_oldest_ns(&httpd->answers);
    counts.waiting = httpd->answers.waiting.count;
    counts.waited_ns = oldest_ns ? tv_passed_ns(oldest_ns, tv_now_ns()) : 0;
    counts.late = httpd->late;
    pthread_mutex_unlock(&httpd->lock);
    return counts;
}
