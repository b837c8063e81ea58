/* http/web_sockets: a source as a WebSocket on a real socket, and clients that leave or do not
 * read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "http/httpd.h"
#include "http/web_sockets.h"

/* A service of one source, which says short messages, a long one, or without end. */
struct world {
    struct tv_http_service service;
    struct tv_httpd *httpd;
    struct tv_http_reader reader;
    _Atomic unsigned wanted; /* messages that are to be said */
    unsigned said;
    _Atomic unsigned left; /* sources that were left */
    size_t message_len;
};

static bool begin_source(void *ctx, const struct tv_http_reader *reader)
{
    struct world *world = ctx;
    world->reader = *reader;
    return true;
}

static ssize_t read_source(void *ctx, void *out, size_t cap)
{
    struct world *world = ctx;
    if (world->said >= atomic_load(&world->wanted) || world->message_len > cap)
        return 0;
    world->said++;
    memset(out, 'm', world->message_len);
    return (ssize_t)world->message_len;
}

static void leave_source(void *ctx)
{
    struct world *world = ctx;
    tv_http_reader_release(&world->reader);
    atomic_fetch_add(&world->left, 1);
}

static const struct tv_http_source_calls calls = {
    .is_endless = true, .begin = begin_source, .read = read_source, .leave = leave_source};

static enum tv_http_take begin(void *ctx, struct tv_http_request *request,
                               struct tv_http_body_sink *body_sink,
                               struct tv_http_response *response)
{
    (void)ctx;
    (void)request;
    (void)body_sink;
    (void)response;
    return TV_HTTP_TAKE_NONE;
}

static bool is_slow(void *ctx, const struct tv_http_request *request)
{
    (void)ctx;
    (void)request;
    return false;
}

static void answer(void *ctx, struct tv_http_request *request, struct tv_http_response *response)
{
    (void)request;
    tv_http_stream(response, "text/event-stream",
                   (struct tv_http_source){.calls = &calls, .ctx = ctx});
}

static void start(struct world *world, bool has_web_sockets)
{
    const struct tv_httpd_settings settings = {.listen = "127.0.0.1:0",
                                               .has_web_sockets = has_web_sockets};
    *world = (struct world){.message_len = 5};
    world->service = (struct tv_http_service){
        .ctx = world, .begin = begin, .is_slow = is_slow, .answer = answer};
    assert_int_equal(
        tv_httpd_start(&world->httpd, tv_alloc_libc(), &world->service, &settings, NULL), TV_OK);
}

static int ask(const struct world *world, const char *version)
{
    struct sockaddr_in there = {.sin_family = AF_INET,
                                .sin_port = htons(tv_httpd_port(world->httpd))};
    const struct timeval patience = {.tv_usec = 20000};
    char request[512];
    there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&there, sizeof(there)), 0);
    (void)snprintf(request, sizeof(request),
                   "GET / HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, Upgrade\r\n"
                   "Upgrade: WebSocket\r\nSec-WebSocket-Version: %s\r\n"
                   "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                   version);
    assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL), strlen(request));
    return fd;
}

/* Ticks and hears until the text has come; or, for NULL, until the server closes. */
static size_t hear(const struct world *world, int fd, char *text, size_t cap, const char *wanted)
{
    size_t len = 0;
    for (unsigned i = 0; i < 5000; i++) {
        tv_httpd_tick(world->httpd);
        ssize_t got = recv(fd, text + len, cap - 1 - len, 0);
        len += got > 0 ? (size_t)got : 0;
        text[len] = '\0';
        if (wanted ? strstr(text, wanted) != NULL : !got)
            return len;
    }
    fail_msg("it never came: %s", text);
    return 0;
}

static void wait_until_left(const struct world *world, unsigned count)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    for (unsigned i = 0; i < 20000 && atomic_load(&world->left) < count; i++) {
        tv_httpd_tick(world->httpd);
        (void)nanosleep(&pause, NULL);
    }
    assert_int_equal(atomic_load(&world->left), count);
}

static void the_key_is_answered_as_the_standard_says(void **state)
{
    char accept[TV_WEB_SOCKET_ACCEPT_CAP];
    (void)state;
    tv_web_socket_accept(TV_STR("dGhlIHNhbXBsZSBub25jZQ=="), accept);
    assert_string_equal(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="); /* RFC 6455, 1.3 */
}

static void headers_have_one_byte_of_length_or_three(void **state)
{
    uint8_t header[TV_WEB_SOCKET_HEADER_MOST];
    (void)state;
    assert_int_equal(tv_web_socket_header(125, header), 2);
    assert_memory_equal(header, "\x81\x7d", 2);
    assert_int_equal(tv_web_socket_header(126, header), 4);
    assert_memory_equal(header, "\x81\x7e\x00\x7e", 4);
    assert_int_equal(tv_web_socket_header(4096, header), 4);
    assert_memory_equal(header, "\x81\x7e\x10\x00", 4);
}

static void a_source_comes_as_messages_until_the_page_leaves(void **state)
{
    struct world world;
    char text[4096];
    (void)state;
    start(&world, true);
    atomic_store(&world.wanted, 1);
    int fd = ask(&world, "13");
    (void)hear(&world, fd, text, sizeof(text), "\r\n\r\n\x81\x05mmmmm");
    assert_non_null(strstr(text, "HTTP/1.1 101 "));
    assert_non_null(strstr(text, "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
    world.message_len = 300;
    atomic_store(&world.wanted, 3);
    (void)hear(&world, fd, text, sizeof(text), "\x81\x7e\x01\x2cm");
    assert_int_equal(atomic_load(&world.left), 0);
    (void)close(fd);
    wait_until_left(&world, 1);
    tv_httpd_stop(world.httpd, 0);
}

/* A page waits for it, and a tick may be far. */
static void the_first_message_waits_for_no_tick(void **state)
{
    struct world world;
    char text[4096] = "";
    size_t len = 0;
    (void)state;
    start(&world, true);
    atomic_store(&world.wanted, 1);
    int fd = ask(&world, "13");
    for (unsigned i = 0; i < 1000 && !strstr(text, "mmmmm"); i++) {
        ssize_t got = recv(fd, text + len, sizeof(text) - 1 - len, 0);
        len += got > 0 ? (size_t)got : 0;
    }
    assert_non_null(strstr(text, "mmmmm"));
    (void)close(fd);
    tv_httpd_stop(world.httpd, 0);
}

/* What a page says is that it closes (RFC 6455, 5.5.1). */
static void a_page_that_says_something_is_let_go(void **state)
{
    struct world world;
    char text[4096];
    (void)state;
    start(&world, true);
    int fd = ask(&world, "13");
    (void)hear(&world, fd, text, sizeof(text), "\r\n\r\n");
    assert_int_equal(send(fd, "\x88\x80mask", 6, MSG_NOSIGNAL), 6);
    (void)hear(&world, fd, text, sizeof(text), NULL);
    wait_until_left(&world, 1);
    (void)close(fd);
    tv_httpd_stop(world.httpd, 0);
}

static void a_page_that_does_not_read_is_waited_for(void **state)
{
    struct world world;
    char text[4096];
    (void)state;
    start(&world, true);
    int fd = ask(&world, "13");
    (void)hear(&world, fd, text, sizeof(text), "\r\n\r\n");
    world.message_len = TV_WEB_SOCKET_MESSAGE_MOST;
    atomic_store(&world.wanted, 1000000);
    unsigned said;
    do { /* until the library has handed the socket over, and no more goes into it */
        said = world.said;
        (void)nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        tv_httpd_tick(world.httpd);
    } while (!said || said < world.said);
    assert_true(said < 1000000);
    assert_int_equal(atomic_load(&world.left), 0);
    /* The end of the server does not wait for it. */
    tv_httpd_stop(world.httpd, 0);
    assert_int_equal(atomic_load(&world.left), 1);
    (void)close(fd);
}

static void who_cannot_have_a_web_socket_gets_the_stream(void **state)
{
    struct world world;
    char text[4096];
    (void)state;
    for (unsigned has = 0; has < 2; has++) {
        start(&world, has);
        atomic_store(&world.wanted, 1);
        int fd = ask(&world, has ? "12" : "13");
        (void)hear(&world, fd, text, sizeof(text), "mmmmm");
        assert_non_null(strstr(text, "HTTP/1.1 200 "));
        (void)close(fd);
        tv_httpd_stop(world.httpd, 0);
        assert_int_equal(atomic_load(&world.left), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_key_is_answered_as_the_standard_says),
        cmocka_unit_test(headers_have_one_byte_of_length_or_three),
        cmocka_unit_test(a_source_comes_as_messages_until_the_page_leaves),
        cmocka_unit_test(the_first_message_waits_for_no_tick),
        cmocka_unit_test(a_page_that_says_something_is_let_go),
        cmocka_unit_test(a_page_that_does_not_read_is_waited_for),
        cmocka_unit_test(who_cannot_have_a_web_socket_gets_the_stream),
    };
    return cmocka_run_group_tests_name("http/web_sockets", tests, NULL, NULL);
}
