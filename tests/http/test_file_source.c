/* http/file_source: files on real sockets, from a disk that is slow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "http/exchange.h"
#include "http/httpd.h"
#include "http/ranges.h"
#include "os/file/read_part.h"
#include "os/waits.h"

#define S UINT64_C(1000000000)
#define FILE_LEN ((size_t)1000 * 1000)
#define MS 1000000

static struct {
    struct tv_http_service service;
    struct tv_httpd *httpd;
    int file;
    uint64_t told_len; /* what the service says of the file's length */
    atomic_bool holds; /* the disk waits */
    _Atomic unsigned waiting;
} world;

static void pause_ms(long ms)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = ms * MS}, NULL);
}

/* A disk that has nothing in memory. */
static ssize_t read_nothing(int fd, uint64_t off, void *into, size_t cap)
{
    (void)fd;
    (void)off;
    (void)into;
    (void)cap;
    errno = EAGAIN;
    return -1;
}

static ssize_t read_slowly(int fd, uint64_t off, void *into, size_t cap)
{
    atomic_fetch_add(&world.waiting, 1);
    while (atomic_load(&world.holds))
        pause_ms(1);
    atomic_fetch_sub(&world.waiting, 1);
    return tv_file_read_part(fd, off, into, cap);
}

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
    return tv_str_equal(request->target, TV_STR("/file"));
}

static void answer(void *ctx, struct tv_http_request *request, struct tv_http_response *response)
{
    if (!is_slow(ctx, request)) {
        tv_http_say(response, 200, "text/plain", "at once");
        return;
    }
    const struct tv_http_file file = {
        .part = {.fd = fcntl(world.file, F_DUPFD_CLOEXEC, 3), .len = world.told_len},
        .etag = "\"a\"",
        .content_type = "application/octet-stream",
        .cache = "private"};
    tv_http_send_file(request, response, &file);
}

/* One thread of the library serves all. Byte i of the file is i modulo 251. */
static void start(void)
{
    const struct tv_httpd_settings settings = {.listen = "127.0.0.1:0", .threads = 1};
    static uint8_t bytes[FILE_LEN];
    char path[] = "source-XXXXXX";
    struct tv_error err;
    for (size_t i = 0; i < FILE_LEN; i++)
        bytes[i] = (uint8_t)(i % 251);
    world.file = mkstemp(path);
    assert_true(world.file >= 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(write(world.file, bytes, FILE_LEN), FILE_LEN);
    world.told_len = FILE_LEN;
    world.service = (struct tv_http_service){.begin = begin, .is_slow = is_slow, .answer = answer};
    if (tv_httpd_start(&world.httpd, tv_alloc_libc(), &world.service, &settings, &err) != TV_OK)
        fail_msg("%s", err.text);
}

static void slow_down(void)
{
    world.httpd->readers.read_cached = read_nothing;
    world.httpd->readers.read_part = read_slowly;
}

static void stop(void)
{
    tv_httpd_stop(world.httpd, S);
    (void)close(world.file);
}

static int ask(const char *request)
{
    const struct timeval patience = {.tv_sec = 10};
    const struct sockaddr_in there = {.sin_family = AF_INET,
                                      .sin_port = htons(tv_httpd_port(world.httpd)),
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    assert_int_equal(connect(fd, (const struct sockaddr *)&there, sizeof(there)), 0);
    assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL), strlen(request));
    return fd;
}

static size_t hear(int fd, uint8_t *out, size_t cap)
{
    size_t len = 0;
    ssize_t got;
    while (len < cap && (got = recv(fd, out + len, cap - len, 0)) > 0)
        len += (size_t)got;
    (void)close(fd);
    return len;
}

#define END "Host: a\r\nConnection: close\r\n\r\n"

/* Hears an answer; returns how long its body is, whose first byte is byte `from` of the file. */
static size_t hear_file(int fd, size_t from)
{
    static uint8_t out[FILE_LEN + 4096];
    size_t len = hear(fd, out, sizeof(out));
    const char *end = strstr((const char *)out, "\r\n\r\n"); /* headers have no NUL */
    assert_non_null(end);
    const uint8_t *body = (const uint8_t *)end + 4;
    len -= (size_t)(body - out);
    for (size_t i = 0; i < len; i++) {
        if (body[i] != (uint8_t)((from + i) % 251))
            fail_msg("byte %zu is %u", i, body[i]);
    }
    return len;
}

static void a_file_comes_whole_from_memory_and_from_a_disk(void **state)
{
    (void)state;
    for (int is_slowed = 0; is_slowed < 2; is_slowed++) {
        start();
        if (is_slowed)
            slow_down();
        assert_int_equal(hear_file(ask("GET /file HTTP/1.1\r\n" END), 0), FILE_LEN);
        assert_int_equal(
            hear_file(ask("GET /file HTTP/1.1\r\nRange: bytes=300000-699999\r\n" END), 300000),
            400000);
        assert_int_equal(hear_file(ask("HEAD /file HTTP/1.1\r\n" END), 0), 0);
        stop();
    }
}

/* The only thread of the library answers others meanwhile. */
static void a_disk_that_waits_keeps_no_other_waiting(void **state)
{
    char out[512] = {0};
    (void)state;
    start();
    slow_down();
    atomic_store(&world.holds, true);
    int files[4];
    for (size_t i = 0; i < 4; i++)
        files[i] = ask("GET /file HTTP/1.1\r\n" END);
    while (atomic_load(&world.waiting) < TV_FILE_READERS)
        pause_ms(1);
    (void)hear(ask("GET / HTTP/1.1\r\n" END), (uint8_t *)out, sizeof(out) - 1);
    assert_non_null(strstr(out, "at once"));
    (void)close(files[3]); /* one that waits, and one that a reader has, leave */
    (void)close(files[0]);
    pause_ms(20);
    atomic_store(&world.holds, false);
    assert_int_equal(hear_file(files[1], 0), FILE_LEN);
    assert_int_equal(hear_file(files[2], 0), FILE_LEN);
    stop();
}

/* The client sees that the body is not whole. */
static void a_file_that_is_shorter_than_was_said_is_cut(void **state)
{
    (void)state;
    for (int is_slowed = 0; is_slowed < 2; is_slowed++) {
        start();
        world.told_len = FILE_LEN + 1000;
        if (is_slowed)
            slow_down();
        assert_int_equal(hear_file(ask("GET /file HTTP/1.1\r\n" END), 0), FILE_LEN);
        stop();
    }
}

static void a_stop_ends_files_that_are_under_way(void **state)
{
    (void)state;
    start();
    slow_down();
    atomic_store(&world.holds, true);
    int file = ask("GET /file HTTP/1.1\r\n" END);
    while (!atomic_load(&world.waiting))
        pause_ms(1);
    atomic_store(&world.holds, false);
    tv_httpd_stop(world.httpd, 0);
    (void)close(file);
    (void)close(world.file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_comes_whole_from_memory_and_from_a_disk),
        cmocka_unit_test(a_disk_that_waits_keeps_no_other_waiting),
        cmocka_unit_test(a_file_that_is_shorter_than_was_said_is_cut),
        cmocka_unit_test(a_stop_ends_files_that_are_under_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
