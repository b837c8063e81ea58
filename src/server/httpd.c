/*
 * The callbacks of libmicrohttpd, in the order in which a request meets them: begin_exchange,
 * handle (once for the headers, once for each piece of the body, once for the end), end_exchange.
 *
 * The library calls all of them on its one thread. A callback that blocks stalls every connection,
 * so a slow request goes through stage WAITING: its connection is suspended, a worker makes the
 * answer and resumes the connection, and the library calls handle again to send it. Between suspend
 * and resume the exchange belongs to the worker alone, so its fields need no lock. An export
 * (download.h) is begun by a worker, and its connection stays suspended while there is nothing to
 * send; whoever makes the export resumes it.
 *
 * The path of a request is taken from the library's log callback, which alone has it undecoded: a
 * decoded path could hide a slash.
 */
#include "server/httpd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>

#include <microhttpd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "os/clock.h"
#include "os/fault.h"
#include "os/pool.h"
#include "server/download.h"
#include "server/events.h"
#include "server/exports.h"
#include "server/guard.h"
#include "server/strangers.h"

#define WORKER_LIMIT 8u
#define STREAM_BLOCK TV_EVENTS_ROOM
#define DOWNLOAD_BLOCK 65536u
#define METHOD_IS(method, name) (strcmp((method), (name)) == 0)

enum stage {
    STAGE_NEW,      /* the first line has come */
    STAGE_READING,  /* the headers have come, and the body comes */
    STAGE_WAITING,  /* a worker makes the answer */
    STAGE_ANSWERED, /* the answer is to be sent */
};

/* One request and its answer. */
struct exchange {
    struct tv_httpd *httpd;
    struct MHD_Connection *connection;
    enum stage stage;
    bool is_head; /* the answer is for its headers alone */
    struct tv_http_request request;
    struct tv_http_response response;
    struct tv_buffer target; /* the bytes that request.target views */
    struct tv_buffer body;   /* those of request.body */
    struct tv_http_upload upload;
    struct exchange *next; /* in the queue of the workers */
};

/* One open event stream, in the list of all. */
struct stream {
    struct tv_httpd *httpd;
    struct MHD_Connection *connection;
    struct tv_events events;
    bool is_suspended;
    struct stream *next;
    struct stream *previous;
};

/* A download that is being sent. */
struct sending {
    struct tv_httpd *httpd;
    struct tv_download *download;
};

/* The bytes of an answer, which live until the library has sent them. */
struct kept_body {
    struct tv_buffer buffer;
};

struct tv_httpd {
    const struct tv_alloc *alloc;
    struct tv_viewer *viewer;
    struct MHD_Daemon *daemon;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t job_came;
    struct exchange *first_job; /* the queue of the workers */
    struct exchange *last_job;
    struct stream *streams; /* the last that opened first */
    struct tv_strangers strangers;
    struct tv_httpd_audience audience;
    bool is_ending;
    pthread_t workers[WORKER_LIMIT];
    unsigned worker_count;
};

/* --- connections --- */

static int socket_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

static struct tv_stranger *stranger_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* Called when a connection begins, and when it is about to be closed. In between, *context is what
 * stands for it. One that cannot be listed for want of memory is not let in. */
static void meet_connection(void *cls, struct MHD_Connection *connection, void **context,
                            enum MHD_ConnectionNotificationCode what)
{
    struct tv_httpd *httpd = cls;
    struct tv_stranger *stranger = *context;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        int fd = socket_of(connection);
        if (tv_alloc_new(httpd->alloc, &stranger, 1, sizeof(*stranger), NULL) != TV_OK) {
            (void)shutdown(fd, SHUT_RDWR);
            return;
        }
        pthread_mutex_lock(&httpd->lock);
        tv_strangers_add(&httpd->strangers, stranger, fd, tv_now_ns());
        pthread_mutex_unlock(&httpd->lock);
        *context = stranger;
    } else if (stranger) {
        pthread_mutex_lock(&httpd->lock);
        tv_strangers_remove(&httpd->strangers, stranger);
        pthread_mutex_unlock(&httpd->lock);
        tv_alloc_release(httpd->alloc, &stranger, 1, sizeof(*stranger));
        *context = NULL;
    }
}

static bool has_token(const struct tv_httpd *httpd, struct tv_str target)
{
    return tv_guard_has_token(target, tv_str_from(httpd->viewer->token));
}

/* Tells a connection of the page from all others by the first line of a request. Once it has shown
 * the token, it stays known. */
static void look_for_token(struct tv_httpd *httpd, struct MHD_Connection *connection,
                           struct tv_str target)
{
    struct tv_stranger *stranger = stranger_of(connection);
    if (!stranger || !has_token(httpd, target))
        return;
    pthread_mutex_lock(&httpd->lock);
    tv_strangers_remove(&httpd->strangers, stranger);
    pthread_mutex_unlock(&httpd->lock);
}

/* --- requests --- */

static struct tv_str header_of(struct MHD_Connection *connection, const char *name)
{
    const char *value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
    return value ? tv_str_from(value) : (struct tv_str){NULL, 0};
}

static enum tv_http_method method_of(const char *method)
{
    if (METHOD_IS(method, MHD_HTTP_METHOD_GET) || METHOD_IS(method, MHD_HTTP_METHOD_HEAD))
        return TV_HTTP_GET;
    return METHOD_IS(method, MHD_HTTP_METHOD_PUT) ? TV_HTTP_PUT : TV_HTTP_OTHER;
}

/* Returns the exchange, which the library passes to the other callbacks as *con_cls. NULL, when
 * memory runs out, makes handle close the connection. */
static void *begin_exchange(void *cls, const char *uri, struct MHD_Connection *connection)
{
    struct tv_httpd *httpd = cls;
    struct exchange *exchange = NULL;
    if (tv_alloc_new(httpd->alloc, &exchange, 1, sizeof(*exchange), NULL) != TV_OK)
        return NULL;
    exchange->httpd = httpd;
    exchange->connection = connection;
    tv_buffer_init(&exchange->target, httpd->alloc);
    tv_buffer_init(&exchange->body, httpd->alloc);
    tv_http_response_init(&exchange->response, httpd->alloc);
    tv_spool_init(&exchange->upload.spool);
    if (tv_buffer_append(&exchange->target, uri, strlen(uri), NULL) != TV_OK) {
        tv_alloc_release(httpd->alloc, &exchange, 1, sizeof(*exchange));
        return NULL;
    }
    look_for_token(httpd, connection, tv_buffer_view(&exchange->target));
    return exchange;
}

/* Called once for each request, however it ended. */
static void end_exchange(void *cls, struct MHD_Connection *connection, void **con_cls,
                         enum MHD_RequestTerminationCode why)
{
    struct exchange *exchange = *con_cls;
    (void)cls;
    (void)connection;
    (void)why;
    *con_cls = NULL;
    if (!exchange)
        return;
    tv_http_response_release(&exchange->response);
    tv_spool_release(&exchange->upload.spool);
    tv_buffer_release(&exchange->target);
    tv_buffer_release(&exchange->body);
    tv_alloc_release(exchange->httpd->alloc, &exchange, 1, sizeof(*exchange));
}

static void take_headers(struct exchange *exchange, const char *method, const char *version)
{
    struct tv_http_request *request = &exchange->request;
    request->method = method_of(method);
    exchange->is_head = METHOD_IS(method, MHD_HTTP_METHOD_HEAD);
    request->takes_chunks = strcmp(version, MHD_HTTP_VERSION_1_1) == 0;
    request->target = tv_buffer_view(&exchange->target);
    request->host = header_of(exchange->connection, MHD_HTTP_HEADER_HOST);
    request->origin = header_of(exchange->connection, MHD_HTTP_HEADER_ORIGIN);
    request->fetch_site = header_of(exchange->connection, "Sec-Fetch-Site");
    request->if_none_match = header_of(exchange->connection, MHD_HTTP_HEADER_IF_NONE_MATCH);
    request->connection = socket_of(exchange->connection);
    struct tv_str body_len = header_of(exchange->connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
    if (!tv_str_to_u64(body_len, 10, &request->body_len))
        request->body_len = 0;
    struct tv_str accepted = header_of(exchange->connection, MHD_HTTP_HEADER_ACCEPT_ENCODING);
    request->takes_gzip = tv_str_find(accepted, TV_STR("gzip"), TV_CASE_FOLD) != SIZE_MAX;
}

/* Sends the body of a dropped trace to a file. Called when the headers are there, so that no byte
 * of the trace comes into memory. */
static void begin_upload(struct exchange *exchange)
{
    struct tv_http_request *request = &exchange->request;
    struct tv_http_upload *upload = &exchange->upload;
    if (!tv_viewer_takes_upload(exchange->httpd->viewer, request))
        return;
    request->upload = upload;
    upload->error.code = tv_spool_open(&upload->spool, request->body_len, &upload->error);
}

/* When the disk is full, the rest of the body is read all the same, and dropped: a browser that is
 * cut off shows no reason. */
static void take_upload(struct tv_http_upload *upload, const char *bytes, size_t len)
{
    if (upload->error.code != TV_OK)
        return;
    upload->error.code = tv_spool_append(&upload->spool, bytes, len, &upload->error);
    if (upload->error.code != TV_OK)
        tv_spool_release(&upload->spool);
}

/* Keeps one byte more than TV_LIMIT_BODY at most: the guard sees by it that the body is too long.
 */
static void take_body(struct exchange *exchange, const char *bytes, size_t len)
{
    if (exchange->request.upload) {
        take_upload(exchange->request.upload, bytes, len);
        return;
    }
    size_t room = TV_LIMIT_BODY + 1 - exchange->body.len;
    if (tv_buffer_append(&exchange->body, bytes, len < room ? len : room, NULL) != TV_OK)
        exchange->body.len = 0; /* a route that wants a body refuses an empty one */
}

/* --- answers --- */

static void free_kept_body(void *cls)
{
    struct kept_body *kept = cls;
    const struct tv_alloc *alloc = kept->buffer.alloc;
    tv_buffer_release(&kept->buffer);
    tv_alloc_release(alloc, &kept, 1, sizeof(*kept));
}

/* A response of bytes that the exchange owns; the response owns them afterwards. */
static struct MHD_Response *make_owned(struct exchange *exchange)
{
    struct kept_body *kept = NULL;
    if (tv_alloc_new(exchange->httpd->alloc, &kept, 1, sizeof(*kept), NULL) != TV_OK)
        return NULL;
    kept->buffer = exchange->response.owned;
    tv_buffer_init(&exchange->response.owned, exchange->httpd->alloc);
    struct MHD_Response *response = MHD_create_response_from_buffer_with_free_callback_cls(
        kept->buffer.len, kept->buffer.bytes, free_kept_body, kept);
    if (!response)
        free_kept_body(kept);
    return response;
}

static struct MHD_Response *make_fixed(const struct exchange *exchange)
{
    void *bytes; /* the library only reads them, whatever its parameter says */
    memcpy(&bytes, &exchange->response.fixed.at, sizeof(bytes));
    return MHD_create_response_from_buffer(exchange->response.fixed.len, bytes,
                                           MHD_RESPMEM_PERSISTENT);
}

/* The library asks for the next bytes of a stream. Without an event the stream is suspended, until
 * resume_streams wakes it. */
static ssize_t read_events(void *cls, uint64_t pos, char *out, size_t cap)
{
    struct stream *stream = cls;
    struct tv_httpd *httpd = stream->httpd;
    char event[TV_EVENTS_ROOM];
    (void)pos;
    struct tv_state_view view = tv_state_look(&httpd->viewer->state);
    pthread_mutex_lock(&httpd->lock);
    ssize_t len = MHD_CONTENT_READER_END_OF_STREAM;
    if (!httpd->is_ending) {
        len = (ssize_t)tv_events_next(&stream->events, &view, tv_now_ns(), event);
        if (!len) {
            stream->is_suspended = true;
            MHD_suspend_connection(stream->connection);
        }
    }
    pthread_mutex_unlock(&httpd->lock);
    if (len > 0 && (size_t)len <= cap)
        memcpy(out, event, (size_t)len);
    else if (len > 0)
        len = MHD_CONTENT_READER_END_WITH_ERROR;
    return len;
}

/* The page has closed the stream, or the server ends. */
static void end_stream(void *cls)
{
    struct stream *stream = cls;
    struct tv_httpd *httpd = stream->httpd;
    pthread_mutex_lock(&httpd->lock);
    if (stream->next)
        stream->next->previous = stream->previous;
    if (stream->previous)
        stream->previous->next = stream->next;
    else
        httpd->streams = stream->next;
    httpd->audience.stream_count--;
    httpd->audience.left_ns = tv_now_ns();
    pthread_mutex_unlock(&httpd->lock);
    tv_alloc_release(httpd->alloc, &stream, 1, sizeof(*stream));
}

static struct MHD_Response *make_stream(struct exchange *exchange)
{
    struct tv_httpd *httpd = exchange->httpd;
    struct stream *stream = NULL;
    if (tv_alloc_new(httpd->alloc, &stream, 1, sizeof(*stream), NULL) != TV_OK)
        return NULL;
    stream->httpd = httpd;
    stream->connection = exchange->connection;
    struct MHD_Response *response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, STREAM_BLOCK, read_events, stream, end_stream);
    if (!response) {
        tv_alloc_release(httpd->alloc, &stream, 1, sizeof(*stream));
        return NULL;
    }
    pthread_mutex_lock(&httpd->lock);
    stream->next = httpd->streams;
    if (stream->next)
        stream->next->previous = stream;
    httpd->streams = stream;
    httpd->audience.stream_count++;
    httpd->audience.has_been_there = true;
    pthread_mutex_unlock(&httpd->lock);
    return response;
}

/* The library asks for the next bytes of a download. */
static ssize_t read_download(void *cls, uint64_t pos, char *out, size_t cap)
{
    const struct sending *sending = cls;
    (void)pos;
    ssize_t len = tv_download_read(sending->download, out, cap);
    if (len == TV_DOWNLOAD_END)
        return MHD_CONTENT_READER_END_OF_STREAM;
    /* The connection is closed without the last chunk, so that the file does not look whole. */
    return len == TV_DOWNLOAD_BROKEN ? MHD_CONTENT_READER_END_WITH_ERROR : len;
}

/* Whoever takes a file from the viewer is there, as one who looks at the page is. */
static void count_download(struct tv_httpd *httpd, bool has_begun)
{
    pthread_mutex_lock(&httpd->lock);
    if (has_begun)
        httpd->audience.stream_count++;
    else
        httpd->audience.stream_count--;
    httpd->audience.left_ns = tv_now_ns();
    pthread_mutex_unlock(&httpd->lock);
}

static void end_download(void *cls)
{
    struct sending *sending = cls;
    tv_download_leave(sending->download);
    count_download(sending->httpd, false);
    tv_alloc_release(sending->httpd->alloc, &sending, 1, sizeof(*sending));
}

/* The response is the reader of the download from here on. */
static struct MHD_Response *make_download(struct exchange *exchange)
{
    struct tv_httpd *httpd = exchange->httpd;
    struct sending *sending = NULL;
    if (tv_alloc_new(httpd->alloc, &sending, 1, sizeof(*sending), NULL) != TV_OK)
        return NULL;
    *sending = (struct sending){.httpd = httpd, .download = exchange->response.download};
    struct MHD_Response *response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, DOWNLOAD_BLOCK, read_download, sending, end_download);
    if (!response) {
        tv_alloc_release(httpd->alloc, &sending, 1, sizeof(*sending));
        return NULL;
    }
    exchange->response.download = NULL;
    count_download(httpd, true);
    return response;
}

static struct MHD_Response *make_response(struct exchange *exchange)
{
    switch (exchange->response.kind) {
    case TV_HTTP_BODY_OWNED:
        return make_owned(exchange);
    case TV_HTTP_BODY_STATIC:
        return make_fixed(exchange);
    case TV_HTTP_BODY_EVENTS:
        /* A HEAD request does not listen, and the library would send the end of a stream. */
        return exchange->is_head ? make_fixed(exchange) : make_stream(exchange);
    case TV_HTTP_BODY_DOWNLOAD:
        return exchange->is_head ? make_fixed(exchange) : make_download(exchange);
    }
    return NULL;
}

/* An export that fails before its first byte is sent gets an answer that says why. */
static void look_at_download(struct exchange *exchange)
{
    struct tv_http_response *response = &exchange->response;
    struct tv_error err;
    if (response->kind != TV_HTTP_BODY_DOWNLOAD || exchange->is_head ||
        !tv_download_has_failed(response->download, &err))
        return;
    tv_http_response_release(response);
    tv_http_response_init(response, exchange->httpd->alloc);
    tv_guard_add_headers(&exchange->request, response);
    tv_exports_refuse(response, &err);
}

/* MHD_NO makes the library close the connection. */
static enum MHD_Result send_answer(struct exchange *exchange)
{
    const struct tv_http_response *answer = &exchange->response;
    look_at_download(exchange);
    struct MHD_Response *response = make_response(exchange);
    if (!response)
        return MHD_NO;
    enum MHD_Result result = MHD_YES;
    for (size_t i = 0; i < answer->header_count; i++) {
        if (MHD_add_response_header(response, answer->headers[i].name, answer->headers[i].value) !=
            MHD_YES)
            result = MHD_NO;
    }
    if (result == MHD_YES)
        result = MHD_queue_response(exchange->connection, (unsigned)answer->status, response);
    MHD_destroy_response(response);
    return result;
}

/* --- workers --- */

/* Gives a request to the workers. False: the server ends, and they may have gone. */
static bool queue_job(struct exchange *exchange)
{
    struct tv_httpd *httpd = exchange->httpd;
    pthread_mutex_lock(&httpd->lock);
    if (httpd->is_ending) {
        pthread_mutex_unlock(&httpd->lock);
        return false;
    }
    exchange->next = NULL;
    if (httpd->last_job)
        httpd->last_job->next = exchange;
    else
        httpd->first_job = exchange;
    httpd->last_job = exchange;
    pthread_cond_signal(&httpd->job_came);
    pthread_mutex_unlock(&httpd->lock);
    return true;
}

/* The next request for a worker, or NULL when the server ends and no request is left. */
static struct exchange *take_job(struct tv_httpd *httpd)
{
    pthread_mutex_lock(&httpd->lock);
    while (!httpd->first_job && !httpd->is_ending)
        pthread_cond_wait(&httpd->job_came, &httpd->lock);
    struct exchange *exchange = httpd->first_job;
    if (exchange) {
        httpd->first_job = exchange->next;
        if (!httpd->first_job)
            httpd->last_job = NULL;
    }
    pthread_mutex_unlock(&httpd->lock);
    return exchange;
}

static void put_to_sleep(void *ctx)
{
    MHD_suspend_connection(ctx);
}

static void wake_up(void *ctx)
{
    MHD_resume_connection(ctx);
}

static void *work(void *arg)
{
    struct tv_httpd *httpd = arg;
    struct exchange *exchange;
    while ((exchange = take_job(httpd)) != NULL) {
        struct tv_download_reader reader = {put_to_sleep, wake_up, exchange->connection};
        tv_viewer_answer(httpd->viewer, &exchange->request, &exchange->response);
        exchange->stage = STAGE_ANSWERED;
        /* Both lead to send_answer on the library's thread, to which the exchange belongs then. */
        if (exchange->response.kind == TV_HTTP_BODY_DOWNLOAD && !exchange->is_head)
            tv_download_begin(exchange->response.download, &reader);
        else
            MHD_resume_connection(exchange->connection);
    }
    return NULL;
}

/* --- the daemon --- */

/* The connection is closed after a refusal, so that nobody can hold it, and a body is not read. */
static enum MHD_Result answer_stranger(struct exchange *exchange)
{
    tv_viewer_answer(exchange->httpd->viewer, &exchange->request, &exchange->response);
    if (exchange->response.status >= 400)
        tv_http_add(&exchange->response, MHD_HTTP_HEADER_CONNECTION, "close");
    exchange->stage = STAGE_ANSWERED;
    return send_answer(exchange);
}

/* Called again and again for one request; `stage` says what has happened. The parameters are those
 * of the library. NOLINTNEXTLINE(readability-function-size) */
static enum MHD_Result handle(void *cls, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_len, void **con_cls)
{
    struct exchange *exchange = *con_cls;
    (void)cls;
    (void)connection;
    (void)url;
    if (!exchange)
        return MHD_NO;
    switch (exchange->stage) {
    case STAGE_NEW:
        take_headers(exchange, method, version);
        if (!has_token(exchange->httpd, exchange->request.target))
            return answer_stranger(exchange);
        begin_upload(exchange);
        exchange->stage = STAGE_READING;
        return MHD_YES;
    case STAGE_READING:
        if (*upload_len) {
            take_body(exchange, upload, *upload_len);
            *upload_len = 0;
            return MHD_YES;
        }
        exchange->request.body = tv_buffer_view(&exchange->body);
        if (tv_viewer_is_slow(&exchange->request)) {
            exchange->stage = STAGE_WAITING;
            MHD_suspend_connection(connection);
            if (!queue_job(exchange)) {
                tv_http_refuse(&exchange->response, 503, "the viewer ends");
                exchange->stage = STAGE_ANSWERED;
                MHD_resume_connection(connection);
            }
            return MHD_YES;
        }
        tv_viewer_answer(exchange->httpd->viewer, &exchange->request, &exchange->response);
        exchange->stage = STAGE_ANSWERED;
        return send_answer(exchange);
    case STAGE_ANSWERED:
        return send_answer(exchange);
    case STAGE_WAITING:
        break;
    }
    return MHD_YES;
}

/* The library logs every connection that is closed early, which is no news for the user. */
static void ignore_log(void *cls, const char *format, va_list args)
{
    (void)cls;
    (void)format;
    (void)args;
}

/* As many workers as processors, and two at least: one may wait for the first trace, while the page
 * asks another question. Signals are the main thread's. */
static void start_workers(struct tv_httpd *httpd)
{
    sigset_t old;
    unsigned wanted = tv_processor_count() < 2 ? 2 : tv_processor_count();
    tv_fault_hold_signals(&old);
    while (httpd->worker_count < wanted && httpd->worker_count < WORKER_LIMIT &&
           pthread_create(&httpd->workers[httpd->worker_count], NULL, work, httpd) == 0)
        httpd->worker_count++;
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static enum tv_code start_daemon(struct tv_httpd *httpd, uint16_t port, struct tv_error *err)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    errno = 0;
    /* Poll and not epoll: with epoll the library notices a client that left in the middle of its
     * body only when the client has been idle for too long. */
    httpd->daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC |
            MHD_USE_ERROR_LOG,
        port, NULL, NULL, handle, httpd, MHD_OPTION_EXTERNAL_LOGGER, ignore_log, NULL,
        MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_URI_LOG_CALLBACK, begin_exchange, httpd,
        MHD_OPTION_NOTIFY_COMPLETED, end_exchange, NULL, MHD_OPTION_CONNECTION_LIMIT,
        TV_LIMIT_CONNECTIONS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, TV_LIMIT_CONNECTION_MEMORY,
        MHD_OPTION_CONNECTION_TIMEOUT, TV_LIMIT_IDLE_S, MHD_OPTION_NOTIFY_CONNECTION,
        meet_connection, httpd, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
    if (httpd->daemon)
        return TV_OK;
    if (errno == EADDRINUSE)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "port %u is taken: choose another --port",
                       port);
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "cannot listen on 127.0.0.1, port %u: %s",
                   port, errno ? strerror(errno) : "the server library refused");
}

static void release(struct tv_httpd *httpd)
{
    (void)pthread_cond_destroy(&httpd->job_came);
    (void)pthread_mutex_destroy(&httpd->lock);
    tv_alloc_release(httpd->alloc, &httpd, 1, sizeof(*httpd));
}

enum tv_code tv_httpd_start(struct tv_httpd **httpd, struct tv_viewer *viewer, uint16_t port,
                            struct tv_error *err)
{
    struct tv_httpd *made = NULL;
    *httpd = NULL;
    TV_TRY(tv_alloc_new(viewer->alloc, &made, 1, sizeof(*made), err));
    made->alloc = viewer->alloc;
    made->viewer = viewer;
    (void)pthread_mutex_init(&made->lock, NULL);
    (void)pthread_cond_init(&made->job_came, NULL);
    enum tv_code code = start_daemon(made, port, err);
    if (code != TV_OK) {
        release(made);
        return code;
    }
    start_workers(made);
    *httpd = made;
    if (made->worker_count)
        return TV_OK;
    tv_httpd_stop(made);
    *httpd = NULL;
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "no thread can be started");
}

/* Wakes the streams that have an event to send; all of them when the server ends. */
static void resume_streams(struct tv_httpd *httpd, const struct tv_state_view *view,
                           uint64_t now_ns)
{
    for (struct stream *stream = httpd->streams; stream; stream = stream->next) {
        if (!stream->is_suspended)
            continue;
        if (!httpd->is_ending && !tv_events_is_due(&stream->events, view, now_ns))
            continue;
        stream->is_suspended = false;
        MHD_resume_connection(stream->connection);
    }
}

void tv_httpd_tick(struct tv_httpd *httpd)
{
    struct tv_state_view view = tv_state_look(&httpd->viewer->state);
    pthread_mutex_lock(&httpd->lock);
    resume_streams(httpd, &view, tv_now_ns());
    tv_strangers_end_late(&httpd->strangers, tv_now_ns());
    pthread_mutex_unlock(&httpd->lock);
}

void tv_httpd_stop(struct tv_httpd *httpd)
{
    if (!httpd)
        return;
    struct tv_state_view view = tv_state_look(&httpd->viewer->state);
    /* No new connections; then workers, streams and downloads end, and the library after them,
     * since it must not stop while a connection is suspended. */
    MHD_socket listener = MHD_quiesce_daemon(httpd->daemon);
    pthread_mutex_lock(&httpd->lock);
    httpd->is_ending = true;
    pthread_cond_broadcast(&httpd->job_came);
    resume_streams(httpd, &view, tv_now_ns());
    pthread_mutex_unlock(&httpd->lock);
    for (unsigned i = 0; i < httpd->worker_count; i++)
        (void)pthread_join(httpd->workers[i], NULL);
    tv_downloads_end(&httpd->viewer->downloads);
    MHD_stop_daemon(httpd->daemon);
    if (listener != MHD_INVALID_SOCKET)
        (void)shutdown(listener, SHUT_RDWR);
    release(httpd);
}

uint16_t tv_httpd_port(const struct tv_httpd *httpd)
{
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(httpd->daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

struct tv_httpd_audience tv_httpd_audience(struct tv_httpd *httpd)
{
    pthread_mutex_lock(&httpd->lock);
    struct tv_httpd_audience audience = httpd->audience;
    pthread_mutex_unlock(&httpd->lock);
    return audience;
}
