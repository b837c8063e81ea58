/* http/httpd: a small service on real sockets, and clients that drip, leave and stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "http/httpd.h"
#include "http/ranges.h"
#include "os/clock.h"

#define S UINT64_C(1000000000)
#define BODY_MOST 1000000u
#define CROWD 10000u

struct world {
    struct tv_http_service service;
    struct tv_httpd *httpd;
    pthread_t ticker;
    atomic_bool is_over;
    _Atomic unsigned begun;
    _Atomic unsigned ended;
    _Atomic unsigned whole;
    _Atomic unsigned rests;       /* that were done */
    atomic_bool holds_rests;      /* a rest waits until this is over */
    _Atomic unsigned rests_begun; /* that were begun */
    struct tv_http_rest rest_of[8];
    _Atomic unsigned rests_left;
    _Atomic unsigned answers; /* to requests of /slow */
    _Atomic unsigned held;    /* answers to /held that wait */
    atomic_bool holds_answers;
};

/* As what a cut upload leaves, which waits for a store that somebody else has locked. */
static void do_rest(void *ctx)
{
    struct world *world = ctx;
    atomic_fetch_add(&world->rests_begun, 1);
    while (atomic_load(&world->holds_rests))
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    atomic_fetch_add(&world->rests, 1);
}

static enum tv_http_take begin(void *ctx, struct tv_http_request *request,
                               struct tv_http_body_sink *body_sink,
                               struct tv_http_response *response)
{
    struct world *world = ctx;
    (void)request;
    (void)response;
    atomic_fetch_add(&world->begun, 1);
    body_sink->most = BODY_MOST;
    return TV_HTTP_TAKE_MEMORY;
}

static bool is_slow(void *ctx, const struct tv_http_request *request)
{
    (void)ctx;
    return tv_str_equal(request->target, TV_STR("/slow")) ||
           tv_str_equal(request->target, TV_STR("/file")) ||
           tv_str_equal(request->target, TV_STR("/held"));
}

static void answer(void *ctx, struct tv_http_request *request, struct tv_http_response *response)
{
    struct world *world = ctx;
    atomic_fetch_add(&world->answers, tv_str_equal(request->target, TV_STR("/slow")));
    if (tv_str_equal(request->target, TV_STR("/held"))) {
        atomic_fetch_add(&world->held, 1);
        while (atomic_load(&world->holds_answers))
            (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    if (request->body_error.code == TV_ERR_LIMIT) {
        tv_http_refuse(response, 413, request->body_error.text);
    } else if (tv_str_equal(request->target, TV_STR("/file"))) {
        const struct tv_http_file file = {
            .part = {.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), .len = 1000},
            .etag = "\"a\"",
            .content_type = "application/octet-stream",
            .cache = "private"};
        tv_http_send_file(request, response, &file);
    } else {
        tv_http_say(response, 200, "text/plain", tv_http_method_name(request->method));
        tv_http_add_str(response, "X-Peer", request->peer);
        tv_http_add_str(response, "X-Mine", tv_http_header(request, "x-mine"));
    }
}

static struct tv_http_rest *ended(void *ctx, struct tv_http_request *request,
                                  const struct tv_http_ending *ending)
{
    struct world *world = ctx;
    bool has_rest = tv_str_equal(request->target, TV_STR("/rest"));
    atomic_fetch_add(&world->whole, ending->is_whole);
    atomic_fetch_add(&world->ended, 1);
    if (!has_rest)
        return NULL;
    struct tv_http_rest *rest = &world->rest_of[atomic_fetch_add(&world->rests_left, 1)];
    *rest = (struct tv_http_rest){.run = do_rest, .ctx = world};
    return rest;
}

static void pause_ms(long ms)
{
    const struct timespec pause = {.tv_nsec = ms * 1000000};
    (void)nanosleep(&pause, NULL);
}

static void *tick(void *arg)
{
    struct world *world = arg;
    while (!atomic_load(&world->is_over)) {
        tv_httpd_tick(world->httpd);
        pause_ms(20);
    }
    return NULL;
}

static void start(struct world *world, const struct tv_httpd_settings *settings)
{
    struct tv_error err;
    *world = (struct world){.is_over = false};
    world->service = (struct tv_http_service){
        .ctx = world, .begin = begin, .is_slow = is_slow, .answer = answer, .ended = ended};
    if (tv_httpd_start(&world->httpd, tv_alloc_libc(), &world->service, settings, &err) != TV_OK)
        fail_msg("%s", err.text);
    assert_int_equal(pthread_create(&world->ticker, NULL, tick, world), 0);
}

static void stop(struct world *world, uint64_t patience_ns)
{
    atomic_store(&world->is_over, true);
    assert_int_equal(pthread_join(world->ticker, NULL), 0);
    tv_httpd_stop(world->httpd, patience_ns);
    assert_int_equal(atomic_load(&world->begun), atomic_load(&world->ended));
}

/* A connection from that address of this machine. */
static int connect_from(const struct world *world, const char *from)
{
    struct sockaddr_in here = {.sin_family = AF_INET};
    struct sockaddr_in there = {.sin_family = AF_INET,
                                .sin_port = htons(tv_httpd_port(world->httpd))};
    const struct timeval patience = {.tv_sec = 20};
    const int on = 1;
    there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(inet_pton(AF_INET, from, &here.sin_addr), 1);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    (void)setsockopt(fd, IPPROTO_IP, 24 /* IP_BIND_ADDRESS_NO_PORT */, &on, sizeof(on));
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    assert_int_equal(bind(fd, (struct sockaddr *)&here, sizeof(here)), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&there, sizeof(there)), 0);
    return fd;
}

static void say(int fd, const char *text)
{
    (void)send(fd, text, strlen(text), MSG_NOSIGNAL);
}

/* All that comes until the server closes. */
static size_t hear(int fd, char *out, size_t cap)
{
    size_t len = 0;
    ssize_t got;
    while (len < cap - 1 && (got = recv(fd, out + len, cap - 1 - len, 0)) > 0)
        len += (size_t)got;
    out[len] = '\0';
    return len;
}

static bool ask_from(const struct world *world, const char *from, const char *request,
                     const char *wanted)
{
    char text[8192];
    int fd = connect_from(world, from);
    say(fd, request);
    (void)hear(fd, text, sizeof(text));
    (void)close(fd);
    return strstr(text, wanted) != NULL;
}

#define END "Host: x\r\nConnection: close\r\n\r\n"

static void every_method_comes_through_with_its_headers(void **state)
{
    static const char *const methods[] = {"GET", "PUT", "POST", "PATCH", "DELETE", "OPTIONS"};
    const struct tv_httpd_settings settings = {.listen = "127.0.0.1:0", .threads = 3};
    struct world world;
    (void)state;
    start(&world, &settings);
    for (size_t i = 0; i < TV_COUNT_OF(methods); i++) {
        for (int slow = 0; slow < 2; slow++) {
            char request[256];
            char wanted[64];
            (void)snprintf(request, sizeof(request),
                           "%s /%s HTTP/1.1\r\nX-MINE: it is\r\nContent-Length: 3\r\n" END "abc",
                           methods[i], slow ? "slow" : "");
            (void)snprintf(wanted, sizeof(wanted), "\r\n\r\n%s", methods[i]);
            assert_true(ask_from(&world, "127.0.0.9", request, wanted));
            assert_true(ask_from(&world, "127.0.0.9", request, "X-Mine: it is\r\n"));
            assert_true(ask_from(&world, "127.0.0.9", request, "X-Peer: 127.0.0.9\r\n"));
        }
    }
    stop(&world, 0);
}

static void headers_that_two_could_read_in_two_ways_are_refused(void **state)
{
    static const char *const headers[] = {"Host: a\r\nHost: b\r\n",
                                          "Content-Length: 1\r\nContent-Length: 2\r\n",
                                          "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
                                          "Content-Length: three\r\n",
                                          "Transfer-Encoding: gzip, chunked\r\n",
                                          "Transfer-Encoding: chunkedd\r\n",
                                          "Transfer-Encoding: identity\r\n",
                                          "Content-Length : 3\r\n",
                                          "Transfer-Encoding : chunked\r\n",
                                          "Host : a\r\n",
                                          "X-A: b\n",
                                          "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n"};
    const struct tv_httpd_settings settings = {.listen = "127.0.0.1:0"};
    struct world world;
    (void)state;
    start(&world, &settings);
    for (size_t i = 0; i < TV_COUNT_OF(headers); i++) {
        char request[256];
        (void)snprintf(request, sizeof(request), "POST / HTTP/1.1\r\n%s" END, headers[i]);
        assert_true(ask_from(&world, "127.0.0.1", request, "HTTP/1.1 400 "));
    }
    assert_int_equal(atomic_load(&world.begun), 0);
    stop(&world, 0);
}

static void a_part_of_a_file_is_sent(void **state)
{
    const struct tv_httpd_settings settings = {.listen = "127.0.0.1:0"};
    struct world world;
    (void)state;
    start(&world, &settings);
    assert_true(ask_from(&world, "127.0.0.1", "GET /file HTTP/1.1\r\nRange: bytes=1-3\r\n" END,
                         "\r\n\r\nELF"));
    assert_true(ask_from(&world, "127.0.0.1", "GET /file HTTP/1.1\r\nIf-None-Match: \"a\"\r\n" END,
                         "HTTP/1.1 304 "));
    assert_true(
        ask_from(&world, "127.0.0.1", "HEAD /file HTTP/1.1\r\n" END, "Content-Length: 1000\r\n"));
    stop(&world, 0);
}

static void a_body_that_says_that_it_is_long_is_not_read(void **state)
{
    const struct tv_httpd_settings settings = {.listen = "127.0.0.1:0"};
    struct world world;
    (void)state;
    start(&world, &settings);
    assert_true(ask_from(&world, "127.0.0.1", "PUT / HTTP/1.1\r\nContent-Length: 1000001\r\n" END,
                         "HTTP/1.1 413 "));
    stop(&world, 0);
}

/* A client that sends all before it listens, as most do. */
static void a_refusal_reaches_a_client_that_still_sends(void **state)
{
    static const char *const methods[] = {"PUT", "POST", "PATCH", "DELETE"};
    static char body[8 << 20];
    const struct tv_httpd_settings settings = {.listen = "127.0.0.1:0"};
    struct world world;
    char text[4096];
    (void)state;
    start(&world, &settings);
    for (size_t i = 0; i < TV_COUNT_OF(methods); i++) {
        int fd = connect_from(&world, "127.0.0.1");
        size_t sent = 0;
        ssize_t got = 1;
        (void)snprintf(text, sizeof(text),
                       "%s / HTTP/1.1\r\nHost: x\r\nContent-Length: %zu\r\n\r\n", methods[i],
                       sizeof(body));
        say(fd, text);
        while (sent < sizeof(body) && got > 0) {
            got = send(fd, body + sent, sizeof(body) - sent, MSG_NOSIGNAL);
            sent += got > 0 ? (size_t)got : 0;
        }
        assert_int_equal(sent, sizeof(body));
        (void)hear(fd, text, sizeof(text));
        assert_non_null(strstr(text, "HTTP/1.1 413 "));
        (void)close(fd);
    }
    stop(&world, 0);
}

static void a_stop_waits_for_an_upload_and_not_for_ever(void **state)
{
    const struct tv_httpd_settings settings = {.listen = "127.0.0.1:0"};
    struct world world;
    char text[1024];
    (void)state;
    start(&world, &settings);
    int fd = connect_from(&world, "127.0.0.1");
    say(fd, "PUT / HTTP/1.1\r\nContent-Length: 10\r\n" END "abc");
    while (!atomic_load(&world.begun))
        pause_ms(1);
    uint64_t begun_ns = tv_now_ns();
    stop(&world, S / 5);
    assert_true(tv_now_ns() - begun_ns >= S / 5);
    assert_int_equal(hear(fd, text, sizeof(text)), 0);
    assert_int_equal(atomic_load(&world.whole), 0);
    (void)close(fd);
}

/* What requests leave waits, as for a store that somebody has locked: one worker of two waits with
 * it, so questions are answered, the slow ones too, and a stop waits for all that was left. */
static void what_requests_leave_holds_up_no_question_and_is_done_before_a_stop(void **state)
{
    const struct tv_httpd_settings settings = {.listen = "127.0.0.1:0", .workers = 2};
    struct world world;
    (void)state;
    start(&world, &settings);
    atomic_store(&world.holds_rests, true);
    for (unsigned i = 0; i < 3; i++)
        assert_true(ask_from(&world, "127.0.0.1", "GET /rest HTTP/1.1\r\n" END, "\r\n\r\nGET"));
    while (!atomic_load(&world.rests_begun))
        pause_ms(1);
    for (unsigned i = 0; i < 5; i++) {
        assert_true(ask_from(&world, "127.0.0.1", "GET / HTTP/1.1\r\n" END, "\r\n\r\nGET"));
        assert_true(ask_from(&world, "127.0.0.1", "GET /slow HTTP/1.1\r\n" END, "\r\n\r\nGET"));
    }
    assert_int_equal(atomic_load(&world.rests_begun), 1);
    assert_int_equal(atomic_load(&world.rests), 0);
    atomic_store(&world.holds_rests, false);
    stop(&world, 0);
    assert_int_equal(atomic_load(&world.rests_left), 3);
    assert_int_equal(atomic_load(&world.rests), 3);
}

/* All threads that one address may have are busy while five ask and go: nobody works for them, but
 * for what changes something. */
static void questions_of_clients_that_went_away_are_not_answered(void **state)
{
    const struct tv_httpd_settings settings = {.listen = "127.0.0.1:0", .workers = 2};
    struct world world;
    int held[3];
    (void)state;
    start(&world, &settings);
    atomic_store(&world.holds_answers, true);
    for (size_t i = 0; i < TV_COUNT_OF(held); i++) {
        held[i] = connect_from(&world, "127.0.0.1");
        say(held[i], "GET /held HTTP/1.1\r\n" END);
    }
    while (atomic_load(&world.held) < TV_COUNT_OF(held))
        pause_ms(1);
    for (unsigned i = 0; i < 6; i++) {
        int fd = connect_from(&world, "127.0.0.1");
        say(fd, i < 5 ? "GET /slow HTTP/1.1\r\n" END : "DELETE /slow HTTP/1.1\r\n" END);
        while (atomic_load(&world.begun) < TV_COUNT_OF(held) + i + 1)
            pause_ms(1);
        (void)close(fd);
    }
    atomic_store(&world.holds_answers, false);
    for (size_t i = 0; i < TV_COUNT_OF(held); i++) {
        char text[1024];
        (void)hear(held[i], text, sizeof(text));
        assert_non_null(strstr(text, "\r\n\r\nGET"));
        (void)close(held[i]);
    }
    assert_true(ask_from(&world, "127.0.0.1", "GET /slow HTTP/1.1\r\n" END, "\r\n\r\nGET"));
    stop(&world, S);
    assert_int_equal(atomic_load(&world.answers), 2);
}

/* As many open files as the system allows; returns how many connections that is enough for. */
static size_t raise_limit(void)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    size_t most = limit.rlim_cur > CROWD + 1000 ? CROWD : (size_t)limit.rlim_cur - 1000;
    if (most < CROWD)
        print_message("only %zu connections, and not %u: the limit of open files\n", most, CROWD);
    return most;
}

/* They send a byte each round: of a request line, or of a body. */
static void ten_thousand_that_drip_keep_nobody_out(void **state)
{
    static int held[CROWD];
    static const char *const openings[] = {
        "GET / HT", "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n"};
    const struct tv_httpd_settings settings = {.listen = "127.0.0.1:0",
                                               .connections = 256,
                                               .per_address = 100,
                                               .header_s = 2,
                                               .least_rate = 1000,
                                               .rate_s = 2};
    struct world world;
    size_t count = raise_limit();
    (void)state;
    start(&world, &settings);
    for (size_t i = 0; i < count; i++) {
        held[i] = connect_from(&world, "127.0.0.1");
        say(held[i], openings[i % 2]);
        if (i % 500 == 0)
            assert_true(ask_from(&world, "127.0.0.2", "GET / HTTP/1.1\r\n" END, "200 OK"));
    }
    for (unsigned round = 0; round < 5; round++) {
        for (size_t i = 0; i < count; i++)
            say(held[i], "x");
        uint64_t begun_ns = tv_now_ns();
        assert_true(ask_from(&world, "127.0.0.2", "GET / HTTP/1.1\r\n" END, "200 OK"));
        assert_true(tv_now_ns() - begun_ns < 5 * S);
        pause_ms(700);
    }
    /* When the drips are gone, their address is free again, too. */
    for (unsigned i = 0; i < 200 && tv_httpd_counts(world.httpd).open; i++)
        pause_ms(100);
    assert_int_equal(tv_httpd_counts(world.httpd).open, 0);
    assert_true(tv_httpd_counts(world.httpd).sent_away >= count);
    assert_true(ask_from(&world, "127.0.0.1", "GET / HTTP/1.1\r\n" END, "200 OK"));
    for (size_t i = 0; i < count; i++)
        (void)close(held[i]);
    stop(&world, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_comes_through_with_its_headers),
        cmocka_unit_test(headers_that_two_could_read_in_two_ways_are_refused),
        cmocka_unit_test(a_part_of_a_file_is_sent),
        cmocka_unit_test(a_body_that_says_that_it_is_long_is_not_read),
        cmocka_unit_test(a_refusal_reaches_a_client_that_still_sends),
        cmocka_unit_test(a_stop_waits_for_an_upload_and_not_for_ever),
        cmocka_unit_test(what_requests_leave_holds_up_no_question_and_is_done_before_a_stop),
        cmocka_unit_test(questions_of_clients_that_went_away_are_not_answered),
        cmocka_unit_test(ten_thousand_that_drip_keep_nobody_out),
    };
    return cmocka_run_group_tests_name("http/httpd", tests, NULL, NULL);
}
