/* The output of a shell of version 1. */
#include "adb/plain_shell.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory/buffer.h"

/* Gives the stream in pieces of `piece` bytes. */
static int run(const char *stream, size_t len, size_t piece, struct tv_buffer *out)
{
    int status = 0;
    out->len = 0;
    struct tv_adb_plain plain = {.sink = tv_buffer_sink(out)};
    for (size_t at = 0; at < len; at += piece) {
        size_t some = len - at < piece ? len - at : piece;
        assert_int_equal(tv_adb_plain_push(&plain, (struct tv_str){stream + at, some}, NULL),
                         TV_OK);
    }
    assert_int_equal(tv_adb_plain_end(&plain, &status, NULL), TV_OK);
    return status;
}

static void assert_run(const char *stream, const char *expected, int status)
{
    struct tv_buffer out;
    tv_buffer_init(&out, tv_alloc_libc());
    for (size_t piece = 1; piece <= strlen(stream); piece++) {
        assert_int_equal(run(stream, strlen(stream), piece, &out), status);
        assert_int_equal(out.len, strlen(expected));
        if (out.len)
            assert_memory_equal(out.bytes, expected, out.len);
    }
    tv_buffer_release(&out);
}

static void the_last_line_is_the_status(void **state)
{
    (void)state;
    assert_run("one\r\ntwo\r\ntv-status:0\r\n", "one\ntwo\n", 0);
    assert_run("tv-status:127\r\n", "", 127);
    assert_run("no line end"
               "tv-status:1\n",
               "no line end", 1);
}

static void only_the_last_line_is_the_status(void **state)
{
    (void)state;
    assert_run("tv-status:3\r\nmore\r\ntv-status:0\r\n", "tv-status:3\nmore\n", 0);
    assert_run("tv-status:tv-status:7\n", "tv-status:", 7);
}

static void a_stream_that_is_cut_has_no_status(void **state)
{
    (void)state;
    assert_run("one\r\ntwo", "one\ntwo", -1);
    assert_run("one\r\ntv-status:1", "one\ntv-status:1", -1);
    assert_run("tv-status:999\n", "tv-status:999\n", -1);
    assert_run("tv-status:x\n", "tv-status:x\n", -1);
    assert_run("tv-status:0000\n", "tv-status:0000\n", -1);
    assert_run("tv-status:0\r\n\r\r\r\r", "tv-status:0\n\r\r\r\r", -1);
}

static void returns_alone_stay(void **state)
{
    (void)state;
    assert_run("a\rb\r\r\ntv-status:0\r\n", "a\rb\r\n", 0);
}

static void long_output_is_given_whole(void **state)
{
    static char stream[5000];
    struct tv_buffer out;
    (void)state;
    memset(stream, 'x', sizeof(stream));
    memcpy(stream + sizeof(stream) - 13, "\ntv-status:5\n", 13);
    tv_buffer_init(&out, tv_alloc_libc());
    for (size_t piece = 1; piece < 200; piece++) {
        assert_int_equal(run(stream, sizeof(stream), piece * 7, &out), 5);
        assert_int_equal(out.len, sizeof(stream) - 12);
        assert_memory_equal(out.bytes, stream, out.len);
    }
    tv_buffer_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_line_is_the_status),
        cmocka_unit_test(only_the_last_line_is_the_status),
        cmocka_unit_test(a_stream_that_is_cut_has_no_status),
        cmocka_unit_test(returns_alone_stay),
        cmocka_unit_test(long_output_is_given_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
