/*
 * From a response of the service to one of the library; see http/reply.h.
 *
 * Each kind of body becomes a response of the library that owns it: bytes until they were sent, or
 * a body_sender. What could not be handed over stays the exchange's, which releases it at its end.
 */
#include "http/reply.h"

#include <string.h>

#include "http/body_sender.h"
#include "http/web_sockets.h"

/* The bytes of an answer; the library frees them when they are sent. */
struct owned_body {
    struct tv_buffer buffer;
};

static void free_owned_body(void *cls)
{
    struct owned_body *body = cls;
    const struct tv_alloc *alloc = body->buffer.alloc;
    tv_buffer_release(&body->buffer);
    tv_alloc_release(alloc, &body, 1, sizeof(*body));
}

/* A response of bytes that the exchange owns; the response owns them afterwards. */
static struct MHD_Response *make_owned(struct tv_exchange *exchange)
{
    struct owned_body *body = NULL;
    if (tv_alloc_new(exchange->httpd->alloc, &body, 1, sizeof(*body), NULL) != TV_OK)
        return NULL;
    body->buffer = exchange->response.owned;
    tv_buffer_init(&exchange->response.owned, exchange->httpd->alloc);
    exchange->sent = body->buffer.len;
    struct MHD_Response *response = MHD_create_response_from_buffer_with_free_callback_cls(
        body->buffer.len, body->buffer.bytes, free_owned_body, body);
    if (!response)
        free_owned_body(body);
    return response;
}

static struct MHD_Response *make_fixed(struct tv_exchange *exchange)
{
    void *bytes; /* the library only reads them, whatever its parameter says */
    memcpy(&bytes, &exchange->response.fixed.at, sizeof(bytes));
    exchange->sent = exchange->response.fixed.len;
    return MHD_create_response_from_buffer(exchange->response.fixed.len, bytes,
                                           MHD_RESPMEM_PERSISTENT);
}

/* Is never asked: nothing follows the headers. */
static ssize_t give_nothing(void *cls, uint64_t pos, char *out, size_t cap)
{
    (void)cls;
    (void)pos;
    (void)out;
    (void)cap;
    return MHD_CONTENT_READER_END_WITH_ERROR;
}

/* A HEAD request does not listen, and the library would send the end of a stream. */
static struct MHD_Response *make_head(struct tv_exchange *exchange)
{
    const struct tv_http_source *source = &exchange->response.source;
    return source->has_len
               ? MHD_create_response_from_callback(source->len, 1, give_nothing, NULL, NULL)
               : make_fixed(exchange);
}

static struct MHD_Response *make_response(struct tv_exchange *exchange)
{
    switch (exchange->response.kind) {
    case TV_HTTP_BODY_OWNED:
        return make_owned(exchange);
    case TV_HTTP_BODY_STATIC:
        return make_fixed(exchange);
    case TV_HTTP_BODY_FILE:
        break; /* it is a source by now */
    case TV_HTTP_BODY_SOURCE:
        if (exchange->sender && tv_web_sockets_is_asked(exchange))
            return tv_web_sockets_response(exchange);
        return exchange->sender ? tv_body_sender_response(exchange) : make_head(exchange);
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

/* A source that failed before its first byte was sent puts an answer in its place that says why. */
static void look_at_source(struct tv_exchange *exchange)
{
    struct tv_http_response *response = &exchange->response;
    struct tv_body_sender *sender = exchange->sender;
    if (!sender || !sender->source.calls->refuse ||
        !sender->source.calls->refuse(sender->source.ctx, response))
        return;
    exchange->sender = NULL;
    tv_body_sender_end(sender);
}

/* MHD_NO makes the library close the connection without an answer. */
enum MHD_Result tv_reply_send(struct tv_exchange *exchange)
{
    struct tv_http_response *answer = &exchange->response;
    look_at_source(exchange);
    if (answer->is_broken)
        return MHD_NO;
    struct MHD_Response *response = make_response(exchange);
    if (!response)
        return MHD_NO;
    enum MHD_Result result = MHD_NO;
    tv_exchange_enter(exchange, TV_CONNECTION_GOING);
    if (add_headers(answer, response))
        result = MHD_queue_response(exchange->connection, (unsigned)answer->status, response);
    if (result == MHD_YES)
        exchange->status = answer->status;
    MHD_destroy_response(response);
    return result;
}
