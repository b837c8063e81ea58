/* http/body_writers: bodies on real sockets whose sink waits, as for a disk that is busy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "http/body_writers.h"
#include "http/httpd.h"
#include "os/waits.h"

#define S UINT64_C(1000000000)
#define BODY_MOST ((uint64_t)64 << 20)

struct world {
    struct tv_http_service service;
    struct tv_httpd *httpd;
    atomic_bool holds; /* the sink waits */
    atomic_bool fails; /* the sink fails */
    _Atomic unsigned waiting;
    _Atomic uint64_t taken;
    _Atomic uint64_t largest; /* piece */
    atomic_bool is_out_of_order;
    _Atomic unsigned opened, disconnected, ended;
    atomic_bool ended_before_its_sink;
    atomic_bool lost_its_headers;
    void *_Atomic connection; /* of a sink that needs it */
    atomic_bool lost_its_connection;
};

static void pause_ms(long ms)
{
    const struct timespec pause = {.tv_nsec = ms * 1000000};
    (void)nanosleep(&pause, NULL);
}

/* Byte i of a body is i modulo 251. */
static enum tv_code take(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    struct world *world = ctx;
    const uint8_t *at = bytes;
    uint64_t taken = atomic_load(&world->taken);
    tv_wait_expect(); /* in a build with assertions: this is no thread of the library */
    atomic_fetch_add(&world->waiting, 1);
    while (atomic_load(&world->holds))
        pause_ms(1);
    if (len > ((size_t)200 << 10))
        pause_ms(2); /* so that more comes than there is room for */
    struct MHD_Connection *connection = atomic_load(&world->connection);
    const char *mine =
        connection ? MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "X-Mine") : "it is";
    if (!mine || strcmp(mine, "it is") != 0)
        atomic_store(&world->lost_its_connection, true);
    atomic_fetch_sub(&world->waiting, 1);
    for (size_t i = 0; i < len; i++) {
        if (at[i] != (uint8_t)((taken + i) % 251))
            atomic_store(&world->is_out_of_order, true);
    }
    if (len > atomic_load(&world->largest))
        atomic_store(&world->largest, len);
    atomic_fetch_add(&world->taken, len);
    return atomic_load(&world->fails)
               ? tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "the disk is gone")
               : TV_OK;
}

static enum tv_http_take begin(void *ctx, struct tv_http_request *request,
                               struct tv_http_body_sink *body_sink,
                               struct tv_http_response *response)
{
    (void)ctx;
    (void)body_sink;
    (void)response;
    return request->method == TV_HTTP_PUT ? TV_HTTP_TAKE_OPEN : TV_HTTP_TAKE_NONE;
}

static enum tv_http_take open_body(void *ctx, struct tv_http_request *request,
                                   struct tv_http_body_sink *body_sink,
                                   struct tv_http_response *response)
{
    struct world *world = ctx;
    tv_wait_expect();
    atomic_fetch_add(&world->opened, 1);
    if (tv_str_equal(request->target, TV_STR("/refused"))) {
        tv_http_refuse(response, 403, "not here");
        return TV_HTTP_TAKE_REFUSED;
    }
    body_sink->most = BODY_MOST;
    body_sink->sink = (struct tv_sink){.write = take, .ctx = world};
    body_sink->needs_connection = tv_str_equal(request->target, TV_STR("/form"));
    if (body_sink->needs_connection)
        atomic_store(&world->connection, request->library);
    return TV_HTTP_TAKE_PIECES;
}

static bool is_slow(void *ctx, const struct tv_http_request *request)
{
    (void)ctx;
    return request->method == TV_HTTP_PUT;
}

static void answer(void *ctx, struct tv_http_request *request, struct tv_http_response *response)
{
    char text[64];
    const struct world *world = ctx;
    (void)snprintf(text, sizeof(text), "%llu", (unsigned long long)atomic_load(&world->taken));
    if (request->body_error.code != TV_OK)
        tv_http_refuse(response, 507, request->body_error.text);
    else
        tv_http_say(response, 200, "text/plain", "fine");
    tv_http_add(response, "X-Taken", text);
}

static void disconnected(void *ctx, struct tv_http_request *request)
{
    struct world *world = ctx;
    (void)request;
    atomic_fetch_add(&world->disconnected, 1);
}

static struct tv_http_rest *ended(void *ctx, struct tv_http_request *request,
                                  const struct tv_http_ending *ending)
{
    struct world *world = ctx;
    (void)ending;
    if (atomic_load(&world->waiting))
        atomic_store(&world->ended_before_its_sink, true);
    if (request->method == TV_HTTP_PUT &&
        !tv_str_equal(tv_http_header(request, "x-mine"), TV_STR("it is")))
        atomic_store(&world->lost_its_headers, true);
    atomic_fetch_add(&world->ended, 1);
    return NULL;
}

static void start(struct world *world)
{
    /* One thread of the library: a wait of it would be a wait of all. */
    const struct tv_httpd_settings settings = {.listen = "127.0.0.1:0", .threads = 1};
    struct tv_error err;
    *world = (struct world){.holds = false};
    world->service = (struct tv_http_service){.ctx = world,
                                              .begin = begin,
                                              .open = open_body,
                                              .disconnected = disconnected,
                                              .is_slow = is_slow,
                                              .answer = answer,
                                              .ended = ended};
    if (tv_httpd_start(&world->httpd, tv_alloc_libc(), &world->service, &settings, &err) != TV_OK)
        fail_msg("%s", err.text);
}

static void stop(struct world *world)
{
    tv_httpd_stop(world->httpd, S);
    assert_false(atomic_load(&world->is_out_of_order));
    assert_false(atomic_load(&world->ended_before_its_sink));
    assert_false(atomic_load(&world->lost_its_headers));
}

static int connect_to(const struct world *world)
{
    struct sockaddr_in there = {.sin_family = AF_INET,
                                .sin_port = htons(tv_httpd_port(world->httpd))};
    const struct timeval patience = {.tv_sec = 20};
    there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    assert_int_equal(connect(fd, (struct sockaddr *)&there, sizeof(there)), 0);
    return fd;
}

static void say(int fd, const void *bytes, size_t len)
{
    const char *at = bytes;
    while (len) {
        ssize_t sent = send(fd, at, len, MSG_NOSIGNAL);
        if (sent <= 0)
            return;
        at += sent;
        len -= (size_t)sent;
    }
}

static void say_head(int fd, const char *path, size_t len, const char *more)
{
    char head[256];
    int head_len = snprintf(head, sizeof(head),
                            "PUT %s HTTP/1.1\r\nHost: x\r\nX-Mine: it is\r\nConnection: close\r\n"
                            "Content-Length: %zu\r\n%s\r\n",
                            path, len, more);
    say(fd, head, (size_t)head_len);
}

static char *body_of(size_t len)
{
    char *body = malloc(len);
    assert_non_null(body);
    for (size_t i = 0; i < len; i++)
        body[i] = (char)(uint8_t)(i % 251);
    return body;
}

static void hear(int fd, char out[2048])
{
    size_t len = 0;
    ssize_t got;
    while (len < 2047 && (got = recv(fd, out + len, 2047 - len, 0)) > 0)
        len += (size_t)got;
    out[len] = '\0';
    (void)close(fd);
}

static void a_body_comes_whole_and_in_order(void **state)
{
    static const size_t lens[] = {0, 1, 1000, 70000, (size_t)20 << 20};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(lens); i++) {
        struct world world;
        char text[2048];
        char wanted[64];
        char *body = body_of(lens[i] + 1);
        start(&world);
        int fd = connect_to(&world);
        say_head(fd, "/", lens[i], "");
        say(fd, body, lens[i]);
        hear(fd, text);
        (void)snprintf(wanted, sizeof(wanted), "X-Taken: %zu\r\n", lens[i]);
        assert_non_null(strstr(text, "HTTP/1.1 200 "));
        assert_non_null(strstr(text, wanted));
        stop(&world);
        assert_true(atomic_load(&world.largest) <= (size_t)400 << 10);
        free(body);
    }
}

/* Chunks that are shorter than the library's buffer, which brings them one after the other. */
static void chunks_come_whole_and_in_order(void **state)
{
    enum { CHUNK = 1000, COUNT = 5000 };
    struct world world;
    char text[2048];
    char *body = body_of(CHUNK * COUNT);
    (void)state;
    start(&world);
    int fd = connect_to(&world);
    static const char head[] = "PUT / HTTP/1.1\r\nHost: x\r\nX-Mine: it is\r\n"
                               "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
    say(fd, head, sizeof(head) - 1);
    for (unsigned i = 0; i < COUNT; i++) {
        char chunk[CHUNK + 16];
        int begin = snprintf(chunk, sizeof(chunk), "%x\r\n", (unsigned)CHUNK);
        memcpy(chunk + begin, body + (size_t)i * CHUNK, CHUNK);
        memcpy(chunk + begin + CHUNK, "\r\n", 2);
        say(fd, chunk, (size_t)begin + CHUNK + 2);
    }
    say(fd, "0\r\n\r\n", 5);
    hear(fd, text);
    assert_non_null(strstr(text, "X-Taken: 5000000\r\n"));
    stop(&world);
    free(body);
}

struct sender {
    int fd;
    const char *body;
    size_t len;
};

static void *send_all(void *arg)
{
    const struct sender *sender = arg;
    say(sender->fd, sender->body, sender->len);
    return NULL;
}

/* The sinks of more bodies wait than there are writers, and everybody else is answered. */
static void sinks_that_wait_keep_nobody_else_waiting(void **state)
{
    enum { COUNT = 6, LEN = 4 << 20 };
    struct world world;
    char text[2048];
    char *body = body_of(LEN);
    pthread_t threads[COUNT];
    struct sender senders[COUNT];
    (void)state;
    start(&world);
    atomic_store(&world.holds, true);
    for (unsigned i = 0; i < COUNT; i++) {
        senders[i] = (struct sender){connect_to(&world), body, LEN};
        say_head(senders[i].fd, "/", LEN, "");
        assert_int_equal(pthread_create(&threads[i], NULL, send_all, &senders[i]), 0);
    }
    while (atomic_load(&world.waiting) < TV_BODY_WRITERS)
        pause_ms(1);
    for (unsigned i = 0; i < 20; i++) {
        int fd = connect_to(&world);
        say(fd, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 46);
        hear(fd, text);
        assert_non_null(strstr(text, "HTTP/1.1 200 "));
    }
    atomic_store(&world.holds, false);
    for (unsigned i = 0; i < COUNT; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        hear(senders[i].fd, text);
        assert_non_null(strstr(text, "HTTP/1.1 200 "));
    }
    assert_int_equal(atomic_load(&world.taken), (uint64_t)COUNT * LEN);
    /* Six bodies shared one count, and questions ended meanwhile. */
    atomic_store(&world.is_out_of_order, false);
    atomic_store(&world.ended_before_its_sink, false);
    stop(&world);
    free(body);
}

/* The client has gone: the service is told at once, and the request ends when its sink is done,
 * with all bytes that had come, and with its headers. */
static void a_client_that_leaves_ends_after_its_sink(void **state)
{
    struct world world;
    char *body = body_of(100000);
    (void)state;
    for (unsigned round = 0; round < 20; round++) {
        start(&world);
        atomic_store(&world.holds, true);
        int fd = connect_to(&world);
        say_head(fd, "/", 200000, "");
        say(fd, body, 100000);
        while (!atomic_load(&world.waiting))
            pause_ms(1);
        pause_ms(round % 4);
        (void)close(fd);
        while (!atomic_load(&world.disconnected))
            pause_ms(1);
        assert_int_equal(atomic_load(&world.ended), 0);
        atomic_store(&world.holds, false);
        while (!atomic_load(&world.ended))
            pause_ms(1);
        assert_int_equal(atomic_load(&world.taken), 100000);
        stop(&world);
    }
    free(body);
}

/* A sink that reads what is the connection's has it until its piece is written; what has come
 * besides is dropped. */
static void a_sink_keeps_the_connection_that_it_needs(void **state)
{
    struct world world;
    char *body = body_of(100000);
    (void)state;
    for (unsigned round = 0; round < 20; round++) {
        start(&world);
        atomic_store(&world.holds, true);
        int fd = connect_to(&world);
        say_head(fd, "/form", 200000, "");
        say(fd, body, 100000);
        while (!atomic_load(&world.waiting))
            pause_ms(1);
        pause_ms(round % 4);
        (void)close(fd);
        while (!atomic_load(&world.disconnected))
            pause_ms(1);
        pause_ms(5);
        assert_int_equal(atomic_load(&world.ended), 0);
        atomic_store(&world.holds, false);
        while (!atomic_load(&world.ended))
            pause_ms(1);
        assert_false(atomic_load(&world.lost_its_connection));
        assert_in_range(atomic_load(&world.taken), 1, 100000);
        stop(&world);
    }
    free(body);
}

static void what_a_sink_refuses_is_told_at_the_end(void **state)
{
    struct world world;
    char text[2048];
    char *body = body_of((size_t)4 << 20);
    (void)state;
    start(&world);
    atomic_store(&world.fails, true);
    int fd = connect_to(&world);
    say_head(fd, "/", (size_t)4 << 20, "");
    say(fd, body, (size_t)4 << 20);
    hear(fd, text);
    assert_non_null(strstr(text, "HTTP/1.1 507 "));
    assert_non_null(strstr(text, "the disk is gone"));
    assert_true(atomic_load(&world.taken) < (uint64_t)1 << 20);
    stop(&world);
    free(body);
}

/* "Expect: 100-continue" is answered when the service has said that it takes the body. */
static void a_body_is_asked_for_when_it_is_taken(void **state)
{
    struct world world;
    char text[2048];
    (void)state;
    start(&world);
    int fd = connect_to(&world);
    say_head(fd, "/refused", 1000, "Expect: 100-continue\r\n");
    hear(fd, text);
    assert_int_equal(strncmp(text, "HTTP/1.1 403 ", 13), 0);
    fd = connect_to(&world);
    say_head(fd, "/", 3, "Expect: 100-continue\r\n");
    ssize_t got = recv(fd, text, sizeof(text) - 1, 0);
    assert_true(got > 0 && strncmp(text, "HTTP/1.1 100 ", 13) == 0);
    say(fd, "\0\1\2", 3);
    hear(fd, text);
    assert_non_null(strstr(text, "HTTP/1.1 200 "));
    assert_int_equal(atomic_load(&world.opened), 2);
    stop(&world);
}

static void a_body_that_says_that_it_is_too_long_is_not_read(void **state)
{
    struct world world;
    char text[2048];
    (void)state;
    start(&world);
    int fd = connect_to(&world);
    say_head(fd, "/", (size_t)BODY_MOST + 1, "");
    hear(fd, text);
    assert_int_equal(strncmp(text, "HTTP/1.1 507 ", 13), 0);
    assert_int_equal(atomic_load(&world.taken), 0);
    stop(&world);
}

static void *let_go_later(void *arg)
{
    struct world *world = arg;
    pause_ms(300);
    atomic_store(&world->holds, false);
    return NULL;
}

/* A stop whose patience is over waits for the piece that is being written, and no more come. */
static void a_stop_waits_for_what_is_written(void **state)
{
    struct world world;
    pthread_t thread;
    char *body = body_of(100000);
    (void)state;
    start(&world);
    atomic_store(&world.holds, true);
    int fd = connect_to(&world);
    say_head(fd, "/", 200000, "");
    say(fd, body, 100000);
    while (!atomic_load(&world.waiting))
        pause_ms(1);
    assert_int_equal(pthread_create(&thread, NULL, let_go_later, &world), 0);
    tv_httpd_stop(world.httpd, 0);
    assert_int_equal(atomic_load(&world.ended), 1);
    assert_false(atomic_load(&world.ended_before_its_sink));
    assert_int_equal(pthread_join(thread, NULL), 0);
    (void)close(fd);
    free(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_comes_whole_and_in_order),
        cmocka_unit_test(chunks_come_whole_and_in_order),
        cmocka_unit_test(sinks_that_wait_keep_nobody_else_waiting),
        cmocka_unit_test(a_client_that_leaves_ends_after_its_sink),
        cmocka_unit_test(a_sink_keeps_the_connection_that_it_needs),
        cmocka_unit_test(what_a_sink_refuses_is_told_at_the_end),
        cmocka_unit_test(a_body_is_asked_for_when_it_is_taken),
        cmocka_unit_test(a_body_that_says_that_it_is_too_long_is_not_read),
        cmocka_unit_test(a_stop_waits_for_what_is_written),
    };
    return cmocka_run_group_tests_name("http/body_writers", tests, NULL, NULL);
}
