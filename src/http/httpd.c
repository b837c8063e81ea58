/*
 * The callbacks of libmicrohttpd, in the order in which a request meets them: begin_exchange,
 * handle (once for the headers, once for each piece of the body, once for the end), end_exchange.
 *
 * The library calls those of one connection on one thread. A callback that blocks stalls every
 * connection of that thread, so a slow request goes through stage WAITING: its connection is
 * suspended, a worker makes the answer and resumes the connection, and the library calls handle
 * again to send it. Between suspend and resume the exchange belongs to the worker alone, so its
 * fields need no lock. The connection of a source is suspended while the source has nothing to give
 * (struct sending).
 *
 * The path of a request is taken from the library's log callback, which alone has it undecoded: a
 * decoded path could hide a slash.
 */
#include "http/httpd.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <microhttpd.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "http/farewell.h"
#include "http/guests.h"
#include "http/listen.h"
#include "os/clock.h"
#include "os/fault.h"
#include "os/pool.h"

#define WORKER_LIMIT 8u
#define SOURCE_BLOCK 65536u
#define NS_PER_S UINT64_C(1000000000)
/* How often a server that stops looks whether the last requests have come to their end. */
#define STOP_LOOK_NS 5000000u

enum stage {
    STAGE_NEW,      /* the first line has come */
    STAGE_READING,  /* the headers have come, and the body comes */
    STAGE_WAITING,  /* a worker makes the answer */
    STAGE_ANSWERED, /* the answer is to be sent */
};

/* A source whose bytes are an answer, or will be; in the list of all. */
struct sending {
    struct tv_httpd *httpd;
    struct exchange *exchange; /* there while the library asks for bytes */
    struct MHD_Connection *connection;
    struct tv_http_source source;
    struct sending *next;
    struct sending *previous;
    pthread_mutex_t lock; /* guards all below; taken with the source's lock held */
    bool is_asleep;       /* its connection is suspended, until it is woken */
    bool was_woken;       /* since the source was last asked for bytes */
    bool is_cut;          /* the server ends: there are no more bytes */
};

/* One request and its answer. */
struct exchange {
    struct tv_httpd *httpd;
    struct MHD_Connection *connection;
    struct tv_guest *guest; /* NULL: its connection is closed already */
    enum stage stage;
    enum tv_http_take take;
    bool was_begun; /* the service knows of it */
    struct tv_http_taking taking;
    struct tv_http_request request;
    struct tv_http_response response;
    struct tv_buffer target; /* the bytes that request.target views */
    struct tv_buffer body;   /* those of request.body */
    struct tv_http_field *fields;
    size_t field_cap;
    struct sending *sending; /* of a source, until the library has it */
    struct exchange *next;   /* in the queue of the workers */
    int status;              /* of the answer that the library has; 0: it has none */
    uint64_t sent;
    uint64_t begun_ns;
};

/* The bytes of an answer, which live until the library has sent them. */
struct kept_body {
    struct tv_buffer buffer;
};

struct tv_httpd {
    const struct tv_alloc *alloc;
    const struct tv_http_service *service;
    struct tv_httpd_settings settings;
    struct MHD_Daemon *daemon;
    struct tv_guests guests;
    struct tv_farewell farewell;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t job_came;
    struct exchange *first_job; /* the queue of the workers */
    struct exchange *last_job;
    struct sending *sendings; /* the last that was begun first */
    unsigned under_way;       /* requests that the service knows of and that are not over */
    bool is_stopping;         /* no more requests are begun */
    bool is_ending;           /* no more requests are answered */
    pthread_t workers[WORKER_LIMIT];
    unsigned worker_count;
};

/* --- connections --- */

static const union MHD_ConnectionInfo *info_of(struct MHD_Connection *connection,
                                               enum MHD_ConnectionInfoType type)
{
    return MHD_get_connection_info(connection, type);
}

static int socket_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = info_of(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

static struct tv_guest *guest_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = info_of(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static bool begin_guest(struct tv_httpd *httpd, struct MHD_Connection *connection,
                        struct tv_guest **guest)
{
    const struct tv_httpd_settings *settings = &httpd->settings;
    const union MHD_ConnectionInfo *info = info_of(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    if (tv_alloc_new(httpd->alloc, guest, 1, sizeof(**guest), NULL) != TV_OK)
        return false;
    tv_guest_init(*guest, socket_of(connection), info ? info->client_addr : NULL);
    (*guest)->is_exempt = settings->is_exempt &&
                          settings->is_exempt(httpd->service->ctx, tv_str_from((*guest)->address));
    tv_guests_add(&httpd->guests, *guest, tv_now_ns());
    return true;
}

/* Called when a connection begins, and when it is about to be closed. In between, *context is what
 * stands for it. One that cannot be listed for want of memory is not let in. */
static void meet_connection(void *cls, struct MHD_Connection *connection, void **context,
                            enum MHD_ConnectionNotificationCode what)
{
    struct tv_httpd *httpd = cls;
    struct tv_guest *guest = *context;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        if (begin_guest(httpd, connection, &guest))
            *context = guest;
        else
            (void)shutdown(socket_of(connection), SHUT_RDWR);
    } else if (guest) {
        if (guest->sends_on && !guest->was_sent_away)
            tv_farewell_begin(&httpd->farewell, guest->connection, tv_now_ns());
        tv_guests_remove(&httpd->guests, guest);
        tv_alloc_release(httpd->alloc, &guest, 1, sizeof(*guest));
        *context = NULL;
    }
}

static void enter(const struct exchange *exchange, enum tv_guest_state state)
{
    if (exchange->guest)
        tv_guests_enter(&exchange->httpd->guests, exchange->guest, state, tv_now_ns());
}

/* --- requests --- */

/* Returns the exchange, which the library passes to the other callbacks as *con_cls. NULL, when
 * memory runs out, makes handle close the connection. */
static void *begin_exchange(void *cls, const char *uri, struct MHD_Connection *connection)
{
    struct tv_httpd *httpd = cls;
    const struct tv_http_service *service = httpd->service;
    struct exchange *exchange = NULL;
    if (tv_alloc_new(httpd->alloc, &exchange, 1, sizeof(*exchange), NULL) != TV_OK)
        return NULL;
    exchange->httpd = httpd;
    exchange->connection = connection;
    exchange->guest = guest_of(connection);
    exchange->begun_ns = tv_now_ns();
    tv_buffer_init(&exchange->target, httpd->alloc);
    tv_buffer_init(&exchange->body, httpd->alloc);
    tv_http_response_init(&exchange->response, httpd->alloc);
    if (tv_buffer_append(&exchange->target, uri, strlen(uri), NULL) != TV_OK) {
        tv_alloc_release(httpd->alloc, &exchange, 1, sizeof(*exchange));
        return NULL;
    }
    if (exchange->guest && service->knows &&
        service->knows(service->ctx, tv_buffer_view(&exchange->target)))
        tv_guests_know(&httpd->guests, exchange->guest);
    return exchange;
}

/* Called for each header; MHD_NO ends the walk. */
static enum MHD_Result take_field(void *cls, enum MHD_ValueKind kind, const char *name,
                                  size_t name_len, const char *value, size_t value_len)
{
    struct exchange *exchange = cls;
    struct tv_http_request *request = &exchange->request;
    (void)kind;
    if (tv_alloc_grow(exchange->httpd->alloc, &exchange->fields, &exchange->field_cap,
                      request->field_count + 1, sizeof(*exchange->fields), NULL) != TV_OK)
        return MHD_NO;
    exchange->fields[request->field_count++] =
        (struct tv_http_field){{name, name_len}, {value, value_len}};
    request->fields = exchange->fields;
    return MHD_YES;
}

/* False: memory ran out. */
static bool take_headers(struct exchange *exchange, const char *method, const char *version)
{
    struct tv_http_request *request = &exchange->request;
    struct tv_error no_error = {.code = TV_OK};
    int count =
        MHD_get_connection_values_n(exchange->connection, MHD_HEADER_KIND, take_field, exchange);
    request->method = tv_http_method_of(method);
    request->takes_chunks = strcmp(version, MHD_HTTP_VERSION_1_1) == 0;
    request->target = tv_buffer_view(&exchange->target);
    request->peer = tv_str_from(exchange->guest ? exchange->guest->address : "");
    request->connection = socket_of(exchange->connection);
    request->library = exchange->connection;
    request->body_error = no_error;
    struct tv_str len = tv_http_header(request, MHD_HTTP_HEADER_CONTENT_LENGTH);
    request->has_body_len = tv_str_to_u64(len, 10, &request->body_len);
    return count >= 0 && (size_t)count == request->field_count;
}

/* Headers that a proxy and this server could understand each in another way. Returns what is wrong
 * with them, or NULL. */
static const char *find_ambiguity(const struct tv_http_request *request)
{
    static const char *const once[] = {MHD_HTTP_HEADER_HOST, MHD_HTTP_HEADER_CONTENT_LENGTH,
                                       MHD_HTTP_HEADER_TRANSFER_ENCODING,
                                       MHD_HTTP_HEADER_AUTHORIZATION, MHD_HTTP_HEADER_ORIGIN};
    struct tv_str len = tv_http_header(request, MHD_HTTP_HEADER_CONTENT_LENGTH);
    struct tv_str coding = tv_http_header(request, MHD_HTTP_HEADER_TRANSFER_ENCODING);
    static const struct tv_str chunked = {"chunked", 7};
    for (size_t i = 0; i < TV_COUNT_OF(once); i++) {
        if (tv_http_count_headers(request, once[i]) > 1)
            return "a header that may be there once is there again";
    }
    if ((len.at && coding.at) || (len.at && !request->has_body_len))
        return "how long the body is cannot be told from the headers";
    /* The library takes a body in any other coding for one that ends with the connection. */
    if (coding.at && !tv_str_equal_folded(coding, chunked))
        return "Transfer-Encoding is another one than chunked";
    return NULL;
}

static bool has_body(const struct tv_http_request *request)
{
    return request->body_len || tv_http_header(request, MHD_HTTP_HEADER_TRANSFER_ENCODING).at;
}

static void refuse_body(struct exchange *exchange)
{
    (void)tv_fail(&exchange->request.body_error, TV_ERR_LIMIT, TV_NO_OFFSET, "more than %llu bytes",
                  (unsigned long long)exchange->taking.most);
}

static enum tv_code keep_piece(struct exchange *exchange, const char *bytes, size_t len)
{
    struct tv_http_request *request = &exchange->request;
    const struct tv_sink *sink = &exchange->taking.sink;
    if (exchange->take == TV_HTTP_TAKE_MEMORY)
        return tv_buffer_append(&exchange->body, bytes, len, &request->body_error);
    return sink->write(sink->ctx, bytes, len, &request->body_error);
}

/* When a piece cannot be kept, the rest of the body is read all the same, and dropped: a client
 * that is cut off shows no reason. */
static void take_piece(struct exchange *exchange, const char *bytes, size_t len)
{
    struct tv_http_request *request = &exchange->request;
    request->taken += len;
    if (exchange->take == TV_HTTP_TAKE_NONE || request->body_error.code != TV_OK)
        return;
    if (request->taken > exchange->taking.most) {
        refuse_body(exchange);
        return;
    }
    enum tv_code code = keep_piece(exchange, bytes, len);
    if (code != TV_OK && request->body_error.code == TV_OK)
        request->body_error.code = code;
}

/* --- sources --- */

/* Called with the lock held. */
static void resume(struct sending *sending)
{
    sending->was_woken = true;
    if (!sending->is_asleep)
        return;
    sending->is_asleep = false;
    MHD_resume_connection(sending->connection);
}

/* The source has bytes, or has come to its end. */
static void wake(void *ctx)
{
    struct sending *sending = ctx;
    pthread_mutex_lock(&sending->lock);
    resume(sending);
    pthread_mutex_unlock(&sending->lock);
}

static void cut(struct sending *sending)
{
    pthread_mutex_lock(&sending->lock);
    sending->is_cut = true;
    resume(sending);
    pthread_mutex_unlock(&sending->lock);
}

/* Returns whether the connection sleeps from now on: the source may have woken it just before.
 * Where it does, it may be awake, and the sending gone, as soon as this has returned. */
static bool fall_asleep(struct sending *sending, bool is_suspended)
{
    pthread_mutex_lock(&sending->lock);
    bool is_asleep = !sending->was_woken && !sending->is_cut;
    sending->is_asleep = is_asleep;
    if (is_asleep && !is_suspended)
        MHD_suspend_connection(sending->connection);
    pthread_mutex_unlock(&sending->lock);
    return is_asleep;
}

static ssize_t ask_source(struct sending *sending, char *out, size_t cap)
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
    struct sending *sending = cls;
    ssize_t len;
    (void)pos;
    enter(sending->exchange, TV_GUEST_GOING);
    do {
        len = ask_source(sending, out, cap);
        if (!len)
            enter(sending->exchange, TV_GUEST_WORKING);
    } while (!len && !fall_asleep(sending, false));
    if (len == TV_HTTP_SOURCE_END)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (len == TV_HTTP_SOURCE_BROKEN)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    sending->exchange->sent += (uint64_t)len;
    return len;
}

static void release_sending(struct sending *sending)
{
    struct tv_httpd *httpd = sending->httpd;
    pthread_mutex_lock(&httpd->lock);
    if (sending->next)
        sending->next->previous = sending->previous;
    *(sending->previous ? &sending->previous->next : &httpd->sendings) = sending->next;
    pthread_mutex_unlock(&httpd->lock);
    (void)pthread_mutex_destroy(&sending->lock);
    tv_alloc_release(httpd->alloc, &sending, 1, sizeof(*sending));
}

static void leave_source(void *cls)
{
    struct sending *sending = cls;
    sending->source.calls->leave(sending->source.ctx);
    release_sending(sending);
}

static bool make_sending(struct exchange *exchange)
{
    struct tv_httpd *httpd = exchange->httpd;
    struct sending *sending = NULL;
    if (tv_alloc_new(httpd->alloc, &sending, 1, sizeof(*sending), NULL) != TV_OK)
        return false;
    sending->httpd = httpd;
    sending->exchange = exchange;
    sending->connection = exchange->connection;
    sending->source = exchange->response.source;
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

/* --- the end of a request --- */

static void tell_ended(struct exchange *exchange, bool is_whole)
{
    struct tv_httpd *httpd = exchange->httpd;
    const struct tv_http_service *service = httpd->service;
    const struct tv_http_ending ending = {
        .status = exchange->status,
        .is_whole = is_whole && exchange->status,
        .sent = exchange->sent,
        .ns = tv_now_ns() - exchange->begun_ns,
    };
    if (!exchange->was_begun)
        return;
    if (service->ended)
        service->ended(service->ctx, &exchange->request, &ending);
    pthread_mutex_lock(&httpd->lock);
    httpd->under_way--;
    pthread_mutex_unlock(&httpd->lock);
}

/* Called once for each request, however it ended. The connection may go on with another one. */
static void end_exchange(void *cls, struct MHD_Connection *connection, void **con_cls,
                         enum MHD_RequestTerminationCode why)
{
    struct exchange *exchange = *con_cls;
    (void)cls;
    (void)connection;
    *con_cls = NULL;
    if (!exchange)
        return;
    tell_ended(exchange, why == MHD_REQUEST_TERMINATED_COMPLETED_OK);
    enter(exchange, TV_GUEST_WAITING);
    if (exchange->sending)
        release_sending(exchange->sending);
    tv_http_response_release(&exchange->response);
    tv_buffer_release(&exchange->target);
    tv_buffer_release(&exchange->body);
    tv_alloc_release(exchange->httpd->alloc, &exchange->fields, exchange->field_cap,
                     sizeof(*exchange->fields));
    tv_alloc_release(exchange->httpd->alloc, &exchange, 1, sizeof(*exchange));
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
    exchange->sent = kept->buffer.len;
    struct MHD_Response *response = MHD_create_response_from_buffer_with_free_callback_cls(
        kept->buffer.len, kept->buffer.bytes, free_kept_body, kept);
    if (!response)
        free_kept_body(kept);
    return response;
}

static struct MHD_Response *make_fixed(struct exchange *exchange)
{
    void *bytes; /* the library only reads them, whatever its parameter says */
    memcpy(&bytes, &exchange->response.fixed.at, sizeof(bytes));
    exchange->sent = exchange->response.fixed.len;
    return MHD_create_response_from_buffer(exchange->response.fixed.len, bytes,
                                           MHD_RESPMEM_PERSISTENT);
}

/* The library closes the file from here on. */
static struct MHD_Response *make_part(struct exchange *exchange)
{
    struct tv_http_part *part = &exchange->response.file;
    exchange->sent = part->len;
    struct MHD_Response *response =
        MHD_create_response_from_fd_at_offset64(part->len, part->fd, part->off);
    if (response)
        part->fd = -1;
    return response;
}

/* The response is the reader of the source from here on. */
static struct MHD_Response *make_stream(struct exchange *exchange)
{
    struct sending *sending = exchange->sending;
    struct MHD_Response *response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, SOURCE_BLOCK, read_source, sending, leave_source);
    if (!response)
        return NULL;
    exchange->sending = NULL;
    exchange->response.source = (struct tv_http_source){NULL, NULL};
    return response;
}

static struct MHD_Response *make_response(struct exchange *exchange)
{
    switch (exchange->response.kind) {
    case TV_HTTP_BODY_OWNED:
        return make_owned(exchange);
    case TV_HTTP_BODY_STATIC:
        return make_fixed(exchange);
    case TV_HTTP_BODY_FILE:
        return make_part(exchange);
    case TV_HTTP_BODY_SOURCE:
        /* A HEAD request does not listen, and the library would send the end of a stream. */
        return exchange->sending ? make_stream(exchange) : make_fixed(exchange);
    }
    return NULL;
}

static bool add_headers(const struct tv_http_response *from, struct MHD_Response *to)
{
    const char *name;
    const char *value;
    size_t at = 0;
    /* The library refuses a header without a value, which says nothing in any case. */
    while (tv_http_next_added(from, &at, &name, &value)) {
        if (value[0] && MHD_add_response_header(to, name, value) != MHD_YES)
            return false;
    }
    return true;
}

/* A source that fails before its first byte is sent gets an answer that says why. */
static void look_at_source(struct exchange *exchange)
{
    struct tv_http_response *response = &exchange->response;
    const struct tv_http_source source = response->source;
    if (response->kind != TV_HTTP_BODY_SOURCE || !exchange->sending || !source.calls->refuse ||
        !source.calls->refuse(source.ctx, response))
        return;
    release_sending(exchange->sending);
    exchange->sending = NULL;
    source.calls->leave(source.ctx);
    response->source = (struct tv_http_source){NULL, NULL};
}

/* MHD_NO makes the library close the connection. */
static enum MHD_Result send_answer(struct exchange *exchange)
{
    struct tv_http_response *answer = &exchange->response;
    look_at_source(exchange);
    if (answer->is_broken)
        return MHD_NO;
    struct MHD_Response *response = make_response(exchange);
    if (!response)
        return MHD_NO;
    enum MHD_Result result = MHD_NO;
    enter(exchange, TV_GUEST_GOING);
    if (add_headers(answer, response))
        result = MHD_queue_response(exchange->connection, (unsigned)answer->status, response);
    if (result == MHD_YES)
        exchange->status = answer->status;
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

/* Fills the response. Returns whether it has a source that is to be awaited. */
static bool answer(struct exchange *exchange)
{
    const struct tv_http_service *service = exchange->httpd->service;
    struct tv_http_response *response = &exchange->response;
    service->answer(service->ctx, &exchange->request, response);
    exchange->stage = STAGE_ANSWERED;
    if (response->kind != TV_HTTP_BODY_SOURCE || exchange->request.method == TV_HTTP_HEAD)
        return false;
    if (!make_sending(exchange)) {
        response->is_broken = true;
        return false;
    }
    const struct tv_http_reader reader = {wake, exchange->sending};
    const struct tv_http_source source = response->source;
    return source.calls->begin && !source.calls->begin(source.ctx, &reader);
}

/* All lead to send_answer on the library's thread, to which the exchange belongs then. */
static void *work(void *arg)
{
    struct tv_httpd *httpd = arg;
    struct exchange *exchange;
    while ((exchange = take_job(httpd)) != NULL) {
        if (!answer(exchange) || !fall_asleep(exchange->sending, true))
            MHD_resume_connection(exchange->connection);
    }
    return NULL;
}

/* --- the daemon --- */

/* The response is there before the body was read. The connection is closed after a refusal, so that
 * nobody can hold it, and a body is not read. */
static enum MHD_Result answer_early(struct exchange *exchange)
{
    exchange->stage = STAGE_ANSWERED;
    bool sends_on = has_body(&exchange->request);
    if (exchange->guest)
        exchange->guest->sends_on = sends_on;
    if (exchange->response.status >= 400 || sends_on)
        tv_http_set(&exchange->response, MHD_HTTP_HEADER_CONNECTION, "close");
    return send_answer(exchange);
}

static enum MHD_Result refuse_early(struct exchange *exchange, int status, const char *why)
{
    tv_http_refuse(&exchange->response, status, why);
    return answer_early(exchange);
}

/* Whether the service may be told of one more request. */
static bool count_request(struct tv_httpd *httpd)
{
    pthread_mutex_lock(&httpd->lock);
    bool is_begun = !httpd->is_stopping;
    httpd->under_way += is_begun;
    pthread_mutex_unlock(&httpd->lock);
    return is_begun;
}

/* The headers are there. */
static enum MHD_Result meet_request(struct exchange *exchange, const char *method,
                                    const char *version)
{
    const struct tv_http_service *service = exchange->httpd->service;
    struct tv_http_request *request = &exchange->request;
    if (!take_headers(exchange, method, version))
        return MHD_NO;
    const char *ambiguity = find_ambiguity(request);
    if (ambiguity)
        return refuse_early(exchange, 400, ambiguity);
    if (!count_request(exchange->httpd))
        return refuse_early(exchange, 503, "the server ends");
    exchange->was_begun = true;
    exchange->take = service->begin(service->ctx, request, &exchange->taking, &exchange->response);
    if (exchange->take == TV_HTTP_TAKE_REFUSED)
        return answer_early(exchange);
    if (exchange->take != TV_HTTP_TAKE_NONE && request->body_len > exchange->taking.most) {
        refuse_body(exchange);
        service->answer(service->ctx, request, &exchange->response);
        return answer_early(exchange);
    }
    enter(exchange, TV_GUEST_COMING);
    exchange->stage = STAGE_READING;
    return MHD_YES;
}

/* The whole request is there. */
static enum MHD_Result answer_request(struct exchange *exchange)
{
    const struct tv_http_service *service = exchange->httpd->service;
    exchange->request.body = tv_buffer_view(&exchange->body);
    enter(exchange, TV_GUEST_WORKING);
    if (!service->is_slow(service->ctx, &exchange->request)) {
        if (answer(exchange) && fall_asleep(exchange->sending, false))
            return MHD_YES;
        return send_answer(exchange);
    }
    exchange->stage = STAGE_WAITING;
    MHD_suspend_connection(exchange->connection);
    if (!queue_job(exchange)) {
        tv_http_refuse(&exchange->response, 503, "the server ends");
        exchange->stage = STAGE_ANSWERED;
        MHD_resume_connection(exchange->connection);
    }
    return MHD_YES;
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
        return meet_request(exchange, method, version);
    case STAGE_READING:
        if (!*upload_len)
            return answer_request(exchange);
        take_piece(exchange, upload, *upload_len);
        *upload_len = 0;
        return MHD_YES;
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

/* Two workers at least: one may wait, as for the first trace, while a client asks another question.
 * Signals are the main thread's. */
static void start_workers(struct tv_httpd *httpd)
{
    sigset_t old;
    tv_fault_hold_signals(&old);
    while (httpd->worker_count < httpd->settings.workers &&
           pthread_create(&httpd->workers[httpd->worker_count], NULL, work, httpd) == 0)
        httpd->worker_count++;
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
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
    if (listen.is_ipv6)
        flags |= listen.is_any ? MHD_USE_DUAL_STACK : MHD_USE_IPv6;
    /* The library takes a pool of one thread for a mistake. */
    const struct MHD_OptionItem pool[] = {
        {settings->threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END,
         (intptr_t)settings->threads, NULL},
        {MHD_OPTION_END, 0, NULL}};
    errno = 0;
    httpd->daemon = MHD_start_daemon(
        flags, listen.port, NULL, NULL, handle, httpd, MHD_OPTION_EXTERNAL_LOGGER, ignore_log, NULL,
        MHD_OPTION_SOCK_ADDR, &listen.address, MHD_OPTION_URI_LOG_CALLBACK, begin_exchange, httpd,
        MHD_OPTION_NOTIFY_COMPLETED, end_exchange, NULL, MHD_OPTION_CONNECTION_LIMIT,
        settings->connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->header_bytes,
        MHD_OPTION_CONNECTION_TIMEOUT, settings->idle_s, MHD_OPTION_NOTIFY_CONNECTION,
        meet_connection, httpd, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_ARRAY, pool,
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
    set_default(&settings->workers, processors < 2 ? 2 : processors);
    set_default(&settings->connections, 512);
    set_default(&settings->header_s, 3);
    set_default(&settings->idle_s, 60);
    set_default(&settings->rate_s, 10);
    if (settings->workers > WORKER_LIMIT)
        settings->workers = WORKER_LIMIT;
    if (!settings->header_bytes)
        settings->header_bytes = (size_t)64 * 1024;
}

static struct tv_guest_limits limits_of(const struct tv_httpd_settings *settings)
{
    return (struct tv_guest_limits){
        .crowd = settings->connections - settings->connections / 8,
        .per_address = settings->per_address,
        .header_ns = settings->header_s * NS_PER_S,
        .idle_ns = settings->idle_s * NS_PER_S,
        .request_ns = settings->request_s * NS_PER_S,
        .least_rate = settings->least_rate,
        .rate_ns = settings->rate_s * NS_PER_S,
    };
}

static void release(struct tv_httpd *httpd)
{
    tv_farewell_release(&httpd->farewell);
    tv_guests_release(&httpd->guests);
    (void)pthread_cond_destroy(&httpd->job_came);
    (void)pthread_mutex_destroy(&httpd->lock);
    tv_alloc_release(httpd->alloc, &httpd, 1, sizeof(*httpd));
}

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
    const struct tv_guest_limits limits = limits_of(&made->settings);
    tv_guests_init(&made->guests, &limits);
    tv_farewell_init(&made->farewell);
    (void)pthread_mutex_init(&made->lock, NULL);
    (void)pthread_cond_init(&made->job_came, NULL);
    enum tv_code code = start_daemon(made, err);
    if (code != TV_OK) {
        release(made);
        return code;
    }
    start_workers(made);
    if (made->worker_count) {
        *httpd = made;
        return TV_OK;
    }
    tv_httpd_stop(made, 0);
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "no thread can be started");
}

void tv_httpd_tick(struct tv_httpd *httpd)
{
    tv_guests_end_late(&httpd->guests, tv_now_ns());
    tv_farewell_tick(&httpd->farewell, tv_now_ns());
}

/* Returns how many requests are under way. No more are begun. Event streams, which have no end, end
 * here. */
static unsigned begin_stop(struct tv_httpd *httpd)
{
    pthread_mutex_lock(&httpd->lock);
    httpd->is_stopping = true;
    for (struct sending *sending = httpd->sendings; sending; sending = sending->next) {
        if (sending->source.calls->is_endless)
            cut(sending);
    }
    unsigned under_way = httpd->under_way;
    pthread_mutex_unlock(&httpd->lock);
    return under_way;
}

/* Ends the workers and all sources: the library must not stop while a connection is suspended. */
static void end_answers(struct tv_httpd *httpd)
{
    pthread_mutex_lock(&httpd->lock);
    httpd->is_ending = true;
    pthread_cond_broadcast(&httpd->job_came);
    for (struct sending *sending = httpd->sendings; sending; sending = sending->next)
        cut(sending);
    pthread_mutex_unlock(&httpd->lock);
    for (unsigned i = 0; i < httpd->worker_count; i++)
        (void)pthread_join(httpd->workers[i], NULL);
}

void tv_httpd_stop(struct tv_httpd *httpd, uint64_t patience_ns)
{
    if (!httpd)
        return;
    uint64_t end_ns = tv_now_ns() + patience_ns;
    MHD_socket listener = MHD_quiesce_daemon(httpd->daemon);
    /* Otherwise who connects meanwhile waits for an answer that does not come. The socket is closed
     * later: threads of the library may still look at it. */
    if (listener != MHD_INVALID_SOCKET)
        (void)shutdown(listener, SHUT_RDWR);
    const struct timespec pause = {.tv_nsec = STOP_LOOK_NS};
    while (begin_stop(httpd) && tv_now_ns() < end_ns) {
        tv_httpd_tick(httpd);
        (void)nanosleep(&pause, NULL);
    }
    end_answers(httpd);
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
    struct tv_guests *guests = &httpd->guests;
    pthread_mutex_lock(&guests->lock);
    const struct tv_httpd_counts counts = {
        .open = guests->count, .accepted = guests->accepted, .sent_away = guests->sent_away};
    pthread_mutex_unlock(&guests->lock);
    return counts;
}
