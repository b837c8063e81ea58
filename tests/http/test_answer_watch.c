/* http/answer_watch: a service whose answers take as long as the test says, on a real socket. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "http/httpd.h"

#define S UINT64_C(1000000000)

struct world {
    struct tv_http_service service;
    struct tv_httpd *httpd;
    atomic_uint begun; /* long answers, each time that one begins */
    atomic_uint cut;
    atomic_bool is_over; /* long answers come to their ends */
};

static void pause_ms(long ms)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

/* The party is what X-Party says. */
static enum tv_http_take begin(void *ctx, struct tv_http_request *request,
                               struct tv_http_body_sink *body_sink,
                               struct tv_http_response *response)
{
    struct tv_str party = tv_http_header(request, "X-Party");
    (void)ctx;
    (void)body_sink;
    tv_http_add(response, "X-Begun", "once");
    if (party.len)
        request->party.bytes[0] = (uint8_t)party.at[0];
    return TV_HTTP_TAKE_NONE;
}

static bool is_slow(void *ctx, const struct tv_http_request *request)
{
    (void)ctx;
    (void)request;
    return true;
}

static void answer(void *ctx, struct tv_http_request *request, struct tv_http_response *response)
{
    struct world *world = ctx;
    bool is_long = tv_str_equal(request->target, TV_STR("/long"));
    if (is_long)
        atomic_fetch_add(&world->begun, 1);
    while (is_long && !atomic_load(&world->is_over)) {
        if (request->is_unwanted && atomic_load(request->is_unwanted)) {
            atomic_fetch_add(&world->cut, 1);
            tv_http_add(response, "X-Half", "made");
            tv_http_set(response, "X-Begun", "of an answer that is given up");
            tv_http_refuse(response, 503, "cut");
            return;
        }
        pause_ms(1);
    }
    tv_http_say(response, 200, "text/plain", "made");
}

static void start(struct world *world, const struct tv_httpd_settings *settings)
{
    struct tv_error err;
    *world = (struct world){.is_over = false};
    world->service = (struct tv_http_service){
        .ctx = world, .begin = begin, .is_slow = is_slow, .answer = answer};
    if (tv_httpd_start(&world->httpd, tv_alloc_libc(), &world->service, settings, &err) != TV_OK)
        fail_msg("%s", err.text);
}

/* Sends a request of a party. */
static int say(const struct world *world, const char *method, const char *path, char party)
{
    const struct timeval patience = {.tv_sec = 60};
    struct sockaddr_in there = {.sin_family = AF_INET,
                                .sin_port = htons(tv_httpd_port(world->httpd))};
    char text[256];
    there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    assert_int_equal(connect(fd, (struct sockaddr *)&there, sizeof(there)), 0);
    int len = snprintf(text, sizeof(text),
                       "%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Party: %c\r\n\r\n",
                       method, path, party);
    assert_int_equal(send(fd, text, (size_t)len, MSG_NOSIGNAL), len);
    return fd;
}

/* All that comes until the server closes has each of the texts. */
static void hear(int fd, const char *wanted, const char *other)
{
    char text[4096];
    size_t len = 0;
    ssize_t got;
    while (len < sizeof(text) - 1 && (got = recv(fd, text + len, sizeof(text) - 1 - len, 0)) > 0)
        len += (size_t)got;
    text[len] = '\0';
    (void)close(fd);
    if (!strstr(text, wanted) || !strstr(text, other))
        fail_msg("no '%s' and '%s' in: %s", wanted, other, text);
    assert_null(strstr(text, "X-Half"));
    assert_non_null(strstr(text, "X-Begun: once"));
}

static void wait_for(const atomic_uint *count, unsigned wanted)
{
    for (unsigned i = 0; i < 60000 && atomic_load(count) < wanted; i++)
        pause_ms(1);
    assert_int_equal(atomic_load(count), wanted);
}

static void a_late_answer_is_cut_and_says_when_to_come_again(void **state)
{
    const struct tv_httpd_settings settings = {
        .listen = "127.0.0.1:0", .workers = 1, .answer_s = 1};
    struct world world;
    (void)state;
    start(&world, &settings);
    int fd = say(&world, "GET", "/long", 'a');
    hear(fd, "HTTP/1.1 503", "took longer than 1 s");
    assert_int_equal(atomic_load(&world.cut), 1);
    assert_int_equal(tv_httpd_counts(world.httpd).late, 1);
    fd = say(&world, "GET", "/long", 'a');
    hear(fd, "HTTP/1.1 503", "Retry-After: 10");
    tv_httpd_stop(world.httpd, S);
}

/* What changes something has no deadline, and the one behind it waits for its only thread. */
static void who_waits_too_long_is_refused_before_a_thread_is_free(void **state)
{
    const struct tv_httpd_settings settings = {
        .listen = "127.0.0.1:0", .workers = 1, .answer_s = 1};
    struct world world;
    (void)state;
    start(&world, &settings);
    int change = say(&world, "DELETE", "/long", 'a');
    wait_for(&world.begun, 1);
    int question = say(&world, "GET", "/quick", 'a');
    while (!tv_httpd_counts(world.httpd).waiting)
        pause_ms(1);
    hear(question, "HTTP/1.1 503", "Retry-After: 10");
    assert_int_equal(atomic_load(&world.cut), 0);
    atomic_store(&world.is_over, true);
    hear(change, "HTTP/1.1 200", "made");
    tv_httpd_stop(world.httpd, S);
}

static void an_answer_is_cut_when_its_client_has_gone(void **state)
{
    const struct tv_httpd_settings settings = {.listen = "127.0.0.1:0", .workers = 1};
    struct world world;
    (void)state;
    start(&world, &settings);
    int fd = say(&world, "GET", "/long", 'a');
    wait_for(&world.begun, 1);
    (void)close(fd);
    wait_for(&world.cut, 1);
    assert_int_equal(tv_httpd_counts(world.httpd).late, 0);
    tv_httpd_stop(world.httpd, S);
}

/* Two long ones have all threads: a short one is answered, and the one that gave way is made in the
 * end, with nothing left of its first beginning. */
static void a_short_question_is_answered_while_long_ones_have_all_threads(void **state)
{
    const struct tv_httpd_settings settings = {
        .listen = "127.0.0.1:0", .workers = 1, .answer_s = 3600};
    struct world world;
    int held[2];
    (void)state;
    start(&world, &settings);
    for (unsigned i = 0; i < 2; i++) {
        held[i] = say(&world, "GET", "/long", (char)('a' + i));
        wait_for(&world.begun, i + 1);
    }
    for (unsigned i = 0; i < 3; i++) {
        int quick = say(&world, "GET", "/quick", 'c');
        hear(quick, "HTTP/1.1 200", "made");
    }
    assert_int_equal(atomic_load(&world.cut), 1);
    atomic_store(&world.is_over, true);
    for (unsigned i = 0; i < 2; i++)
        hear(held[i], "HTTP/1.1 200", "made");
    assert_int_equal(atomic_load(&world.begun), 3);
    tv_httpd_stop(world.httpd, S);
}

static void a_stop_cuts_what_its_patience_does_not_suffice_for(void **state)
{
    const struct tv_httpd_settings settings = {.listen = "127.0.0.1:0", .workers = 1};
    struct world world;
    (void)state;
    start(&world, &settings);
    int fd = say(&world, "GET", "/long", 'a');
    wait_for(&world.begun, 1);
    tv_httpd_stop(world.httpd, 0);
    assert_int_equal(atomic_load(&world.cut), 1);
    (void)close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_late_answer_is_cut_and_says_when_to_come_again),
        cmocka_unit_test(who_waits_too_long_is_refused_before_a_thread_is_free),
        cmocka_unit_test(an_answer_is_cut_when_its_client_has_gone),
        cmocka_unit_test(a_short_question_is_answered_while_long_ones_have_all_threads),
        cmocka_unit_test(a_stop_cuts_what_its_patience_does_not_suffice_for),
    };
    return cmocka_run_group_tests_name("http/answer_watch", tests, NULL, NULL);
}
