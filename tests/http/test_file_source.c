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
    bool is_far;         /* the bytes are in no file */
    uint64_t broken_off; /* from where on there are none */
    _Atomic unsigned far_opened, far_closed, far_reads;
    _Atomic size_t far_most; /* that were asked for at once */
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

static ssize_t read_far(void *ctx, uint64_t off, void *into, size_t cap)
{
    (void)ctx;
    atomic_fetch_add(&world.far_reads, 1);
    if (cap > atomic_load(&world.far_most))
        atomic_store(&world.far_most, cap);
    if (off >= world.broken_off)
        return -1;
    for (size_t i = 0; i < cap; i++)
        ((uint8_t *)into)[i] = (uint8_t)((off + i) % 251);
    return (ssize_t)cap;
}

static void close_far(void *ctx)
{
    (void)ctx;
    atomic_fetch_add(&world.far_closed, 1);
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
    struct tv_http_file file = {
        .part = {.fd = fcntl(world.file, F_DUPFD_CLOEXEC, 3), .len = world.told_len},
        .etag = "\"a\"",
        .content_type = "application/octet-stream",
        .cache = "private"};
    if (world.is_far) {
        (void)close(file.part.fd);
        file.part.fd = -1;
        file.part.far = (struct tv_http_far_bytes){.read = read_far, .close = close_far};
        atomic_fetch_add(&world.far_opened, 1);
    }
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
    enum { FILES = TV_FILE_READERS + 2 };
    int files[FILES];
    for (size_t i = 0; i < FILES; i++)
        files[i] = ask("GET /file HTTP/1.1\r\n" END);
    while (atomic_load(&world.waiting) < TV_FILE_READERS)
        pause_ms(1);
    (void)hear(ask("GET / HTTP/1.1\r\n" END), (uint8_t *)out, sizeof(out) - 1);
    assert_non_null(strstr(out, "at once"));
    (void)close(files[FILES - 1]); /* one that waits, and one that a reader has, leave */
    (void)close(files[0]);
    pause_ms(20);
    atomic_store(&world.holds, false);
    for (size_t i = 1; i < FILES - 1; i++)
        assert_int_equal(hear_file(files[i], 0), FILE_LEN);
    stop();
}

/* Whole, a range, nothing but headers, known already, cut off: each is closed once. */
static void bytes_that_are_far_are_brought_and_closed(void **state)
{
    static const char again[] = "GET /file HTTP/1.1\r\nIf-None-Match: \"a\"\r\n" END;
    (void)state;
    start();
    world.is_far = true;
    world.broken_off = UINT64_MAX;
    assert_int_equal(hear_file(ask("GET /file HTTP/1.1\r\n" END), 0), FILE_LEN);
    assert_int_equal(atomic_load(&world.far_reads), 2); /* 512 KiB, then what is left */
    assert_int_equal(
        hear_file(ask("GET /file HTTP/1.1\r\nRange: bytes=300000-699999\r\n" END), 300000), 400000);
    assert_int_equal(hear_file(ask("HEAD /file HTTP/1.1\r\n" END), 0), 0);
    assert_int_equal(hear_file(ask(again), 0), 0);
    world.broken_off = 500000;
    assert_true(hear_file(ask("GET /file HTTP/1.1\r\n" END), 0) < FILE_LEN);
    stop();
    assert_int_equal(atomic_load(&world.far_opened), 5);
    assert_int_equal(atomic_load(&world.far_closed), 5);
    world.is_far = false;
}

/* A client that is quick gets longer blocks, each at most 4 MiB. */
static void blocks_of_far_bytes_grow(void **state)
{
    static uint8_t out[1 << 16];
    (void)state;
    start();
    world.is_far = true;
    world.broken_off = UINT64_MAX;
    world.told_len = (uint64_t)40 << 20;
    atomic_store(&world.far_most, 0);
    int fd = ask("GET /file HTTP/1.1\r\n" END);
    while (recv(fd, out, sizeof(out), 0) > 0)
        continue;
    (void)close(fd);
    stop();
    assert_in_range(atomic_load(&world.far_most), (size_t)1 << 20, (size_t)4 << 20);
    world.is_far = false;
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
        cmocka_unit_test(bytes_that_are_far_are_brought_and_closed),
        cmocka_unit_test(blocks_of_far_bytes_grow),
        cmocka_unit_test(a_file_that_is_shorter_than_was_said_is_cut),
        cmocka_unit_test(a_stop_ends_files_that_are_under_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
