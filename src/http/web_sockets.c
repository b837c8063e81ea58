/*
 * WebSockets; see http/web_sockets.h.
 *
 * The library hands the socket over once the headers are sent, on its own thread. After
 * the first messages the thread that ticks reads the source and writes to the socket, without
 * waiting; a message that does not fit waits here, and the source is not asked for another one
 * before it is out. The lock guards those that were handed over and not yet met by a tick; all
 * others are the ticking thread's alone.
 */
#include "http/web_sockets.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <nettle/base64.h>
#include <nettle/sha1.h>

#include "http/body_sender.h"

#define KEY_LEN 24u /* of 16 random bytes in base64 */
#define FINAL_TEXT 0x81u

struct tv_web_socket {
    struct tv_web_socket *next;
    struct tv_body_sender *sender;
    struct MHD_UpgradeResponseHandle *handle;
    int connection;
    /* The message that is being sent. */
    uint8_t message[TV_WEB_SOCKET_HEADER_MOST + TV_WEB_SOCKET_MESSAGE_MOST];
    size_t len;
    size_t sent;
};

/* --- what the protocol asks for --- */

void tv_web_socket_accept(struct tv_str key, char accept[TV_WEB_SOCKET_ACCEPT_CAP])
{
    static const struct tv_str name = {"258EAFA5-E914-47DA-95CA-C5AB0DC85B11", 36};
    struct sha1_ctx sum;
    uint8_t bytes[SHA1_DIGEST_SIZE];
    sha1_init(&sum);
    sha1_update(&sum, key.len, (const uint8_t *)(const void *)key.at);
    sha1_update(&sum, name.len, (const uint8_t *)(const void *)name.at);
    sha1_digest(&sum, sizeof(bytes), bytes);
    base64_encode_raw(accept, sizeof(bytes), bytes);
    accept[TV_WEB_SOCKET_ACCEPT_CAP - 1] = '\0';
}

size_t tv_web_socket_header(size_t len, uint8_t header[TV_WEB_SOCKET_HEADER_MOST])
{
    header[0] = FINAL_TEXT;
    if (len < 126) {
        header[1] = (uint8_t)len;
        return 2;
    }
    header[1] = 126; /* the length follows in two bytes */
    header[2] = (uint8_t)(len >> 8);
    header[3] = (uint8_t)len;
    return 4;
}

bool tv_web_sockets_is_asked(const struct tv_exchange *exchange)
{
    const struct tv_http_request *request = &exchange->request;
    return exchange->httpd->settings.has_web_sockets && request->takes_chunks &&
           exchange->sender->source.calls->is_endless &&
           tv_str_equal_folded(tv_http_header(request, "Upgrade"), TV_STR("websocket")) &&
           tv_str_equal(tv_http_header(request, "Sec-WebSocket-Version"), TV_STR("13")) &&
           tv_http_header(request, "Sec-WebSocket-Key").len == KEY_LEN &&
           MHD_is_feature_supported(MHD_FEATURE_UPGRADE) == MHD_YES;
}

/* --- messages --- */

/* Whether the page is still there: nothing has come, and nothing has ended. What has come is read,
 * since a socket that is closed before that tells the page of an error. */
static bool is_there(const struct tv_web_socket *web_socket)
{
    char closing[131]; /* the longest message that can say it, RFC 6455, 5.5 */
    return recv(web_socket->connection, closing, sizeof(closing), MSG_DONTWAIT) < 0 &&
           (errno == EAGAIN || errno == EINTR);
}

/* Sends as much of the message as the socket takes; false: the connection is broken. */
static bool send_on(struct tv_web_socket *web_socket)
{
    while (web_socket->sent < web_socket->len) {
        ssize_t got = send(web_socket->connection, web_socket->message + web_socket->sent,
                           web_socket->len - web_socket->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (got < 0)
            return errno == EAGAIN || errno == EINTR;
        web_socket->sent += (size_t)got;
    }
    return true;
}

/* Asks the source for the next message. False: there will be none any more. */
static bool read_next(struct tv_web_socket *web_socket)
{
    uint8_t header[TV_WEB_SOCKET_HEADER_MOST];
    uint8_t *text = web_socket->message + TV_WEB_SOCKET_HEADER_MOST;
    ssize_t len = tv_body_sender_read(web_socket->sender, (char *)text, TV_WEB_SOCKET_MESSAGE_MOST);
    web_socket->sent = web_socket->len = 0;
    if (len <= 0)
        return !len;
    size_t header_len = tv_web_socket_header((size_t)len, header);
    web_socket->sent = TV_WEB_SOCKET_HEADER_MOST - header_len;
    web_socket->len = TV_WEB_SOCKET_HEADER_MOST + (size_t)len;
    memcpy(web_socket->message + web_socket->sent, header, header_len);
    return true;
}

/* Says all that there is to say. False: this one is to be ended. */
static bool tend(struct tv_web_socket *web_socket)
{
    if (!is_there(web_socket))
        return false;
    do {
        if (!send_on(web_socket))
            return false;
        if (web_socket->sent < web_socket->len)
            return true;
        if (!read_next(web_socket))
            return false;
    } while (web_socket->len);
    return true;
}

/* --- from the beginning to the end --- */

static void end(struct tv_web_socket *web_socket)
{
    const struct tv_alloc *alloc = web_socket->sender->alloc;
    tv_body_sender_end(web_socket->sender);
    (void)MHD_upgrade_action(web_socket->handle, MHD_UPGRADE_ACTION_CLOSE);
    tv_alloc_release(alloc, &web_socket, 1, sizeof(*web_socket));
}

/* The library has sent the headers: the socket is this file's until it is given back. The sender
 * stays the exchange's, which ends it, where memory or the time for it is over. */
static void take_over(void *cls, struct MHD_Connection *connection, void *con_cls, const char *more,
                      size_t more_len, MHD_socket socket, struct MHD_UpgradeResponseHandle *handle)
{
    struct tv_exchange *exchange = con_cls;
    struct tv_httpd *httpd = exchange->httpd;
    struct tv_web_sockets *web_sockets = &httpd->web_sockets;
    struct tv_web_socket *web_socket = NULL;
    (void)cls;
    (void)connection;
    (void)more;
    if (more_len ||
        tv_alloc_new(httpd->alloc, &web_socket, 1, sizeof(*web_socket), NULL) != TV_OK) {
        (void)MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
        return;
    }
    web_socket->sender = exchange->sender;
    web_socket->handle = handle;
    web_socket->connection = socket;
    exchange->sender = NULL;
    bool is_open = tend(web_socket); /* a page that opens waits for how things are */
    pthread_mutex_lock(&web_sockets->lock);
    is_open = is_open && !web_sockets->is_ended;
    if (is_open) {
        web_socket->next = web_sockets->coming;
        web_sockets->coming = web_socket;
    }
    pthread_mutex_unlock(&web_sockets->lock);
    if (!is_open)
        end(web_socket);
}

struct MHD_Response *tv_web_sockets_response(struct tv_exchange *exchange)
{
    struct tv_http_response *answer = &exchange->response;
    char accept[TV_WEB_SOCKET_ACCEPT_CAP];
    struct MHD_Response *response = MHD_create_response_for_upgrade(take_over, NULL);
    if (!response)
        return NULL;
    tv_web_socket_accept(tv_http_header(&exchange->request, "Sec-WebSocket-Key"), accept);
    answer->status = MHD_HTTP_SWITCHING_PROTOCOLS;
    tv_http_take_out(answer, "Content-Type");
    tv_http_add(answer, "Upgrade", "websocket");
    tv_http_add(answer, "Sec-WebSocket-Accept", accept);
    return response;
}

void tv_web_sockets_init(struct tv_web_sockets *web_sockets)
{
    (void)pthread_mutex_init(&web_sockets->lock, NULL);
}

void tv_web_sockets_release(struct tv_web_sockets *web_sockets)
{
    (void)pthread_mutex_destroy(&web_sockets->lock);
}

/* Those that have come since the last tick join the others. */
static void meet(struct tv_web_sockets *web_sockets, bool is_end)
{
    pthread_mutex_lock(&web_sockets->lock);
    struct tv_web_socket *coming = web_sockets->coming;
    web_sockets->coming = NULL;
    web_sockets->is_ended |= is_end;
    pthread_mutex_unlock(&web_sockets->lock);
    while (coming) {
        struct tv_web_socket *next = coming->next;
        coming->next = web_sockets->open;
        web_sockets->open = coming;
        coming = next;
    }
}

void tv_web_sockets_tick(struct tv_httpd *httpd)
{
    struct tv_web_socket **at = &httpd->web_sockets.open;
    meet(&httpd->web_sockets, false);
    while (*at) {
        struct tv_web_socket *web_socket = *at;
        if (tend(web_socket)) {
            at = &web_socket->next;
        } else {
            *at = web_socket->next;
            end(web_socket);
        }
    }
}

void tv_web_sockets_end(struct tv_httpd *httpd)
{
    struct tv_web_sockets *web_sockets = &httpd->web_sockets;
    meet(web_sockets, true);
    while (web_sockets->open) {
        struct tv_web_socket *web_socket = web_sockets->open;
        web_sockets->open = web_socket->next;
        end(web_socket);
    }
}
