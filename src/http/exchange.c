/*
 * Requests as they come, and their end; see http/exchange.h.
 *
 * An exchange is one request and its answer. The library calls with its headers (the service
 * decides whether to take the body), with each piece of the body, and when the body is whole;
 * `stage` says which call this is. A quick answer is made on the library's thread. A slow one is
 * made by a worker (request_workers.c): the connection is suspended and the exchange is the
 * worker's until the connection is resumed. The library calls tv_exchange_end once for each
 * request, whatever happened, and that frees all of it, or whoever still writes its body does.
 *
 * The path of a request is taken from the library's log callback, which alone has it undecoded: a
 * decoded path could hide a slash.
 */
#include "http/exchange.h"

#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "http/body_sender.h"
#include "http/connection.h"
#include "http/reply.h"
#include "http/request_workers.h"
#include "os/clock.h"
#include "os/random_sleep.h"
#include "os/waits.h"

void tv_exchange_enter(const struct tv_exchange *exchange, enum tv_connection_entry_state state)
{
    if (exchange->entry)
        tv_connection_table_enter(&exchange->httpd->connections, exchange->entry, state,
                                  tv_now_ns());
}

/* The first call for a request: its path is here, its headers are not. NULL (no memory) makes
 * tv_exchange_handle close the connection. */
void *tv_exchange_begin(void *cls, const char *uri, struct MHD_Connection *connection)
{
    struct tv_httpd *httpd = cls;
    const struct tv_http_service *service = httpd->service;
    struct tv_exchange *exchange = NULL;
    if (tv_alloc_new(httpd->alloc, &exchange, 1, sizeof(*exchange), NULL) != TV_OK)
        return NULL;
    exchange->httpd = httpd;
    exchange->connection = connection;
    exchange->entry = tv_connection_entry_of(connection);
    exchange->begun_ns = tv_now_ns();
    tv_buffer_init(&exchange->target, httpd->alloc);
    tv_buffer_init(&exchange->body, httpd->alloc);
    tv_buffer_init(&exchange->texts, httpd->alloc);
    tv_buffer_init(&exchange->write.coming, httpd->alloc);
    tv_buffer_init(&exchange->write.writing, httpd->alloc);
    tv_buffer_init(&exchange->begun_fields, httpd->alloc);
    tv_http_response_init(&exchange->response, httpd->alloc);
    if (tv_buffer_append(&exchange->target, uri, strlen(uri), NULL) != TV_OK) {
        tv_alloc_release(httpd->alloc, &exchange, 1, sizeof(*exchange));
        return NULL;
    }
    if (exchange->entry && service->knows &&
        service->knows(service->ctx, tv_buffer_view(&exchange->target)))
        tv_connection_table_know(&httpd->connections, exchange->entry);
    return exchange;
}

/* Whether a value goes on behind the NUL where the library takes it to end. Versions 0.x take a
 * line as a text of C; of one that ended with CR LF, both are NUL by now. So a line that ends with
 * LF alone counts as such, too. What a value has behind it in later versions is not known, and they
 * refuse a NUL themselves. */
static bool goes_on(const char *value, size_t value_len)
{
    return value && !strncmp(MHD_get_version(), "0.", 2) && value[value_len + 1] != '\0';
}

/* Called for each header; MHD_NO ends the walk. */
static enum MHD_Result take_field(void *cls, enum MHD_ValueKind kind, const char *name,
                                  size_t name_len, const char *value, size_t value_len)
{
    struct tv_exchange *exchange = cls;
    struct tv_http_request *request = &exchange->request;
    (void)kind;
    if (tv_alloc_grow(exchange->httpd->alloc, &exchange->fields, &exchange->field_cap,
                      request->field_count + 1, sizeof(*exchange->fields), NULL) != TV_OK)
        return MHD_NO;
    exchange->fields[request->field_count++] =
        (struct tv_http_field){{name, name_len}, {value, value_len}};
    request->fields = exchange->fields;
    exchange->has_nul |= goes_on(value, value_len);
    return MHD_YES;
}

static bool has_body(const struct tv_http_request *request)
{
    return request->body_len || tv_http_header(request, MHD_HTTP_HEADER_TRANSFER_ENCODING).at;
}

/* Copies the texts of the headers. The buffer has room for all of them before the first is copied,
 * so that none moves. */
static bool copy_fields(struct tv_exchange *exchange)
{
    struct tv_buffer *texts = &exchange->texts;
    uint8_t *at;
    size_t len = 0;
    for (size_t i = 0; i < exchange->request.field_count; i++)
        len += exchange->fields[i].name.len + exchange->fields[i].value.len;
    if (tv_buffer_extend(texts, len, &at, NULL) != TV_OK)
        return false;
    for (size_t i = 0; i < exchange->request.field_count; i++) {
        struct tv_str *const of[] = {&exchange->fields[i].name, &exchange->fields[i].value};
        for (size_t n = 0; n < TV_COUNT_OF(of); n++) {
            if (of[n]->len)
                memcpy(at, of[n]->at, of[n]->len);
            of[n]->at = (const char *)at;
            at += of[n]->len;
        }
    }
    return true;
}

/* Fills the request from its headers, whose texts stay the library's where no body follows. False:
 * memory ran out. */
static bool take_headers(struct tv_exchange *exchange, const char *method, const char *version)
{
    struct tv_http_request *request = &exchange->request;
    struct tv_error no_error = {.code = TV_OK};
    int count =
        MHD_get_connection_values_n(exchange->connection, MHD_HEADER_KIND, take_field, exchange);
    request->method = tv_http_method_of(method);
    request->takes_chunks = strcmp(version, MHD_HTTP_VERSION_1_1) == 0;
    request->target = tv_buffer_view(&exchange->target);
    if (exchange->entry)
        memcpy(exchange->peer, exchange->entry->address, sizeof(exchange->peer));
    request->peer = tv_str_from(exchange->peer);
    request->connection = tv_connection_socket(exchange->connection);
    request->library = exchange->connection;
    request->body_error = no_error;
    request->is_unwanted = &exchange->answer.is_unwanted;
    struct tv_str len = tv_http_header(request, MHD_HTTP_HEADER_CONTENT_LENGTH);
    request->has_body_len = tv_str_to_u64(len, 10, &request->body_len);
    return count >= 0 && (size_t)count == request->field_count &&
           (!has_body(request) || copy_fields(exchange));
}

/* Whether a text has a byte that ends words; a proxy in front may drop or keep what follows it. */
static bool has_blank(struct tv_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.at[i] <= ' ' || text.at[i] == 0x7f)
            return true;
    }
    return false;
}

/* What the library would refuse itself, but with its headers twice, and what it takes. */
static const char *find_malformed(const struct tv_exchange *exchange)
{
    const struct tv_http_request *request = &exchange->request;
    if (exchange->has_nul)
        return "a header has a NUL, or its line does not end with CR LF";
    if (has_blank(request->target))
        return "the address has a blank";
    for (size_t i = 0; i < request->field_count; i++) {
        if (has_blank(request->fields[i].name))
            return "the name of a header has a blank";
    }
    if (request->takes_chunks && !tv_http_header(request, MHD_HTTP_HEADER_HOST).at)
        return "the header Host is missing";
    return NULL;
}

/* Looks for headers that a proxy in front and this server could understand each in another way, by
 * which one request could be smuggled in another. Returns what is wrong with them, or NULL. */
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

static void refuse_body(struct tv_exchange *exchange)
{
    (void)tv_fail(&exchange->request.body_error, TV_ERR_LIMIT, TV_NO_OFFSET, "more than %llu bytes",
                  (unsigned long long)exchange->body_sink.most);
}

static void keep_piece(struct tv_exchange *exchange, const char *bytes, size_t len)
{
    struct tv_http_request *request = &exchange->request;
    if (exchange->take == TV_HTTP_TAKE_PIECES)
        tv_body_writers_take(exchange, bytes, len);
    else if (tv_buffer_append(&exchange->body, bytes, len, &request->body_error) != TV_OK &&
             request->body_error.code == TV_OK)
        request->body_error.code = TV_ERR_MEMORY;
}

/* When a piece cannot be kept, the rest of the body is read all the same and dropped: a client
 * whose connection is cut would never see the reason. */
static void take_piece(struct tv_exchange *exchange, const char *bytes, size_t len)
{
    struct tv_http_request *request = &exchange->request;
    request->taken += len;
    if (exchange->take == TV_HTTP_TAKE_NONE || request->body_error.code != TV_OK)
        return;
    if (request->taken > exchange->body_sink.most) {
        refuse_body(exchange);
        return;
    }
    keep_piece(exchange, bytes, len);
}

void tv_exchange_refuse_long(struct tv_exchange *exchange)
{
    const struct tv_http_service *service = exchange->httpd->service;
    struct tv_http_request *request = &exchange->request;
    bool is_taken = exchange->take == TV_HTTP_TAKE_MEMORY || exchange->take == TV_HTTP_TAKE_PIECES;
    if (!is_taken || request->body_len <= exchange->body_sink.most)
        return;
    refuse_body(exchange);
    service->answer(service->ctx, request, &exchange->response);
    exchange->take = TV_HTTP_TAKE_REFUSED;
}

/* Answers before the body was read. The connection is closed after a refusal, so that nobody can
 * hold it, and where a body would follow, since that body is never read; sends_on has the socket
 * linger. */
static enum MHD_Result answer_early(struct tv_exchange *exchange)
{
    exchange->stage = TV_EXCHANGE_ANSWERED;
    bool sends_on = has_body(&exchange->request);
    if (exchange->entry)
        exchange->entry->sends_on = sends_on;
    if (exchange->response.status >= 400 || sends_on)
        tv_http_set(&exchange->response, MHD_HTTP_HEADER_CONNECTION, "close");
    return tv_reply_send(exchange);
}

static enum MHD_Result refuse_malformed(struct tv_exchange *exchange, const char *why)
{
    tv_http_refuse(&exchange->response, 400, why);
    return answer_early(exchange);
}

/* It comes too late here, and may be in time at another server. */
static enum MHD_Result refuse_at_end(struct tv_exchange *exchange)
{
    tv_http_refuse_for_now(&exchange->response, "the server ends");
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

/* The service has said where the body goes. */
static enum MHD_Result begin_body(struct tv_exchange *exchange)
{
    if (exchange->take == TV_HTTP_TAKE_REFUSED)
        return answer_early(exchange);
    tv_exchange_enter(exchange, TV_CONNECTION_COMING);
    exchange->stage = TV_EXCHANGE_READING;
    return MHD_YES;
}

/* Has a worker ask the service. The library calls once more with nothing when the connection is
 * resumed, and only then asks the client for the body. */
static enum MHD_Result open_later(struct tv_exchange *exchange)
{
    tv_exchange_enter(exchange, TV_CONNECTION_WORKING);
    exchange->stage = TV_EXCHANGE_OPENING;
    MHD_suspend_connection(exchange->connection);
    if (!tv_request_workers_add(exchange)) {
        tv_http_refuse_for_now(&exchange->response, "the server ends");
        exchange->take = TV_HTTP_TAKE_REFUSED;
        exchange->stage = TV_EXCHANGE_OPENED;
        MHD_resume_connection(exchange->connection);
    }
    return MHD_YES;
}

/* The headers are there: the service sees the request first, and says where its body goes. A body
 * that is announced as too long is answered before it is read. */
static enum MHD_Result meet_request(struct tv_exchange *exchange, const char *method,
                                    const char *version)
{
    const struct tv_http_service *service = exchange->httpd->service;
    struct tv_http_request *request = &exchange->request;
    if (!take_headers(exchange, method, version))
        return MHD_NO;
    const char *fault = find_malformed(exchange);
    if (!fault)
        fault = find_ambiguity(request);
    if (fault)
        return refuse_malformed(exchange, fault);
    if (!count_request(exchange->httpd))
        return refuse_at_end(exchange);
    exchange->was_begun = true;
    exchange->take =
        service->begin(service->ctx, request, &exchange->body_sink, &exchange->response);
    if (exchange->take == TV_HTTP_TAKE_OPEN)
        return open_later(exchange);
    tv_exchange_refuse_long(exchange);
    return begin_body(exchange);
}

/* The whole request is there. Once a worker has the exchange it is the worker's: nothing of it may
 * be touched afterwards. */
static enum MHD_Result answer_request(struct tv_exchange *exchange)
{
    const struct tv_http_service *service = exchange->httpd->service;
    exchange->request.body = tv_buffer_view(&exchange->body);
    tv_exchange_enter(exchange, TV_CONNECTION_WORKING);
    if (!service->is_slow(service->ctx, &exchange->request)) {
        if (tv_request_workers_answer(exchange) &&
            tv_body_sender_sleep(exchange->sender, TV_BODY_SENDER_FROM_AWAKE))
            return MHD_YES;
        return tv_reply_send(exchange);
    }
    exchange->stage = TV_EXCHANGE_WAITING;
    MHD_suspend_connection(exchange->connection);
    if (!tv_request_workers_add(exchange)) {
        tv_http_refuse_for_now(&exchange->response, "the server ends");
        exchange->stage = TV_EXCHANGE_ANSWERED;
        MHD_resume_connection(exchange->connection);
    }
    return MHD_YES;
}

/* The answer waits for what has come to be written: it tells how that went. */
static enum MHD_Result end_body(struct tv_exchange *exchange)
{
    if (exchange->take == TV_HTTP_TAKE_PIECES && !tv_body_writers_is_done(exchange))
        return MHD_YES;
    return answer_request(exchange);
}

/* `stage` says what has happened. */
static enum MHD_Result handle_next(struct tv_exchange *exchange, const char *method,
                                   const char *version, const char *upload, size_t *upload_len)
{
    switch (exchange->stage) {
    case TV_EXCHANGE_NEW:
        return meet_request(exchange, method, version);
    case TV_EXCHANGE_OPENED:
        return begin_body(exchange);
    case TV_EXCHANGE_READING:
        if (!*upload_len)
            return end_body(exchange);
        /* Of a chunked body the library brings what it has left of its buffer, and brings it anew
         * once the connection is resumed. */
        if (tv_connection_is_suspended(exchange->connection))
            return MHD_YES;
        take_piece(exchange, upload, *upload_len);
        *upload_len = 0;
        return MHD_YES;
    case TV_EXCHANGE_ANSWERED:
        return tv_reply_send(exchange);
    case TV_EXCHANGE_OPENING:
    case TV_EXCHANGE_WAITING:
        break;
    }
    return MHD_YES;
}

/* Called again and again for one request. The parameters are those of the library.
 * NOLINTNEXTLINE(readability-function-size) */
enum MHD_Result tv_exchange_handle(void *cls, struct MHD_Connection *connection, const char *url,
                                   const char *method, const char *version, const char *upload,
                                   size_t *upload_len, void **con_cls)
{
    struct tv_exchange *exchange = *con_cls;
    (void)cls;
    (void)connection;
    (void)url;
    if (!exchange)
        return MHD_NO;
    tv_wait_forbid(true);
    enum MHD_Result result = handle_next(exchange, method, version, upload, upload_len);
    tv_wait_forbid(false);
    return result;
}

/* The request counts as under way until what it left is done: who stops the server waits for it. */
static void tell_ended(struct tv_exchange *exchange)
{
    struct tv_httpd *httpd = exchange->httpd;
    const struct tv_http_service *service = httpd->service;
    const struct tv_http_ending ending = {
        .status = exchange->status,
        .is_whole = exchange->was_whole && exchange->status,
        .sent = exchange->sent,
        .ns = tv_now_ns() - exchange->begun_ns,
        .waits = exchange->waits,
    };
    if (!exchange->was_begun)
        return;
    tv_wait_forbid(true);
    struct tv_http_rest *rest =
        service->ended ? service->ended(service->ctx, &exchange->request, &ending) : NULL;
    tv_wait_forbid(false);
    if (rest)
        tv_request_workers_leave(httpd, rest);
    else
        tv_request_workers_end_one(httpd);
}

/* An answer may have set a field anew that was there when it began, so the fields are not those of
 * then with others behind them. */
void tv_exchange_restore_fields(struct tv_exchange *exchange)
{
    struct tv_buffer *fields = &exchange->response.fields;
    const struct tv_buffer *begun = &exchange->begun_fields;
    fields->len = 0;
    if (tv_buffer_append(fields, begun->bytes, begun->len, NULL) != TV_OK)
        exchange->response.is_broken = true;
}

static void release(struct tv_exchange *exchange)
{
    tv_http_response_release(&exchange->response);
    tv_buffer_release(&exchange->target);
    tv_buffer_release(&exchange->body);
    tv_buffer_release(&exchange->texts);
    tv_buffer_release(&exchange->write.coming);
    tv_buffer_release(&exchange->write.writing);
    tv_buffer_release(&exchange->begun_fields);
    tv_alloc_release(exchange->httpd->alloc, &exchange->fields, exchange->field_cap,
                     sizeof(*exchange->fields));
    tv_alloc_release(exchange->httpd->alloc, &exchange, 1, sizeof(*exchange));
}

void tv_exchange_finish(struct tv_exchange *exchange)
{
    tell_ended(exchange);
    release(exchange);
}

/* Leaves the exchange to the writer that still has its body, if one has. What is the connection's
 * is forgotten before: it goes now. */
static bool leave_to_writer(struct tv_exchange *exchange)
{
    const struct tv_http_service *service = exchange->httpd->service;
    if (exchange->take != TV_HTTP_TAKE_PIECES)
        return false;
    if (exchange->was_begun && service->disconnected)
        service->disconnected(service->ctx, &exchange->request);
    exchange->entry = NULL;
    return tv_body_writers_keep(exchange);
}

/* Called once for each request, however it ended. The connection may go on with another one. */
void tv_exchange_end(void *cls, struct MHD_Connection *connection, void **con_cls,
                     enum MHD_RequestTerminationCode why)
{
    struct tv_exchange *exchange = *con_cls;
    (void)cls;
    (void)connection;
    *con_cls = NULL;
    if (!exchange)
        return;
    tv_random_sleep();
    exchange->was_whole = why == MHD_REQUEST_TERMINATED_COMPLETED_OK;
    tv_exchange_enter(exchange, TV_CONNECTION_WAITING);
    if (leave_to_writer(exchange))
        return;
    tell_ended(exchange);
    if (exchange->sender)
        tv_body_sender_end(exchange->sender);
    release(exchange);
}
