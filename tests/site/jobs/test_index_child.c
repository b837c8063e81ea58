/* site/index_child: how the part that reads uploads ends, and what it says. That its indexes are
 * those of any other build is in test_index_job.c. */
#include "site/jobs/index_child.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "base/compiler.h"
#include "os/sandbox/sandboxed_child.h"
#include "support/trace_builder.h"

static int file_with(const void *bytes, size_t len)
{
    char name[] = "/tmp/traceview-site-XXXXXX";
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    assert_int_equal(unlink(name), 0);
    assert_int_equal(write(fd, bytes, len), len);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

/* How the part ended. */
struct ended {
    int status;
    char said[512];
    off_t written;
};

struct run {
    int in;
    const char *const *words;
    int word_count;
    uint64_t file_most; /* bytes of its output; 0: no limit */
};

static void become_part(const struct run *run, int out, int said)
{
    char *words[TV_INDEX_CHILD_WORDS + 1] = {NULL};
    const struct rlimit most = {.rlim_cur = run->file_most, .rlim_max = run->file_most};
    memcpy(words, run->words, (size_t)run->word_count * sizeof(words[0]));
    if (dup2(run->in, 0) < 0 || dup2(out, 1) < 0 || dup2(said, 2) < 0)
        _exit(99);
    for (int fd = 3; fd < 64; fd++)
        (void)close(fd);
    if (run->file_most && setrlimit(RLIMIT_FSIZE, &most) != 0)
        _exit(99);
    tv_index_child_run(run->word_count, words);
}

static struct ended run_part(const struct run *run)
{
    struct ended ended = {.status = -1};
    int status;
    int out = file_with("", 0);
    int said = file_with("", 0);
    pid_t part = fork();
    if (part == 0)
        become_part(run, out, said);
    assert_int_equal(waitpid(part, &status, 0), part);
    if (WIFEXITED(status))
        ended.status = WEXITSTATUS(status);
    assert_true(pread(said, ended.said, sizeof(ended.said) - 1, 0) >= 0);
    ended.written = lseek(out, 0, SEEK_END);
    (void)close(run->in);
    (void)close(out);
    (void)close(said);
    return ended;
}

static struct ended run_as(const struct tv_index_child *told, const void *bytes, size_t len,
                           uint64_t file_most)
{
    struct tv_index_child_words words;
    tv_index_child_words(&words, told);
    const struct run run = {.in = file_with(bytes, len),
                            .words = words.words,
                            .word_count = (int)TV_INDEX_CHILD_WORDS,
                            .file_most = file_most};
    return run_part(&run);
}

static struct ended run_on(const void *bytes, size_t len, uint64_t file_most)
{
    const struct tv_index_child told = {
        .identity = {1, 2}, .unpacked_most = (uint64_t)1 << 20, .thread_count = 2};
    return run_as(&told, bytes, len, file_most);
}

static struct ended run_locally_on(const void *bytes, size_t len, uint64_t file_most)
{
    const struct tv_index_child told = {
        .identity = {1, 2}, .unpacked_most = UINT64_MAX, .thread_count = 2, .is_local = true};
    return run_as(&told, bytes, len, file_most);
}

static void expect(const struct ended *ended, int status, const char *said)
{
    if (ended->status != status || !strstr(ended->said, said))
        fail_msg("status %d, \"%s\"; expected %d, \"%s\"", ended->status, ended->said, status,
                 said);
    if (status != TV_CHILD_STATUS_DONE)
        assert_non_null(strchr(ended->said, '\n'));
}

static void build_trace(struct trace_builder *t)
{
    build_text(t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(t, MAIN, FOO, 10);
    leave(t, MAIN, FOO, 30);
}

static void a_trace_gives_an_index(void **state)
{
    struct trace_builder t;
    (void)state;
    build_trace(&t);
    struct ended ended = run_on(t.bytes.bytes, t.bytes.len, 0);
    expect(&ended, TV_CHILD_STATUS_DONE, "");
    assert_true(ended.written > 4096);
    assert_string_equal(ended.said, "");
    build_release(&t);
}

static void what_is_no_trace_is_refused(void **state)
{
    (void)state;
    struct ended empty = run_on("", 0, 0);
    expect(&empty, TV_CHILD_STATUS_REFUSED, "is empty");
    struct ended picture = run_on("\x89PNG\r\n\x1a\n", 8, 0);
    expect(&picture, TV_CHILD_STATUS_REFUSED, "PNG");
    struct ended text = run_on("hello\n", 6, 0);
    expect(&text, TV_CHILD_STATUS_REFUSED, "");
    struct ended gzip = run_on("\x1f\x8b\x08", 3, 0);
    expect(&gzip, TV_CHILD_STATUS_REFUSED, "packed data");
    assert_int_equal(picture.written, 0);
}

static void a_bomb_is_refused(void **state)
{
    enum { MEGABYTE = 1 << 20, MEGABYTES = 64 };
    static uint8_t zeros[MEGABYTE], packed[MEGABYTE];
    z_stream stream = {.next_out = packed, .avail_out = sizeof(packed)};
    (void)state;
    assert_int_equal(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    for (int i = 0; i < MEGABYTES; i++) {
        stream.next_in = zeros;
        stream.avail_in = sizeof(zeros);
        assert_int_equal(deflate(&stream, Z_NO_FLUSH), Z_OK);
    }
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    struct ended ended = run_on(packed, sizeof(packed) - stream.avail_out, 0);
    (void)deflateEnd(&stream);
    expect(&ended, TV_CHILD_STATUS_REFUSED, "unpacks to much more");
}

static void an_index_that_is_too_long_is_refused(void **state)
{
    struct trace_builder t;
    (void)state;
    build_trace(&t);
    struct ended ended = run_on(t.bytes.bytes, t.bytes.len, 4100);
    expect(&ended, TV_CHILD_STATUS_REFUSED, "larger than this site keeps");
    ended = run_locally_on(t.bytes.bytes, t.bytes.len, 4100);
    expect(&ended, TV_CHILD_STATUS_UNABLE, "its index cannot be written: File too large");
    build_release(&t);
}

static void a_user_cannot_ask_for_it(void **state)
{
    static const char *const words[] = {"traceview", TV_INDEX_CHILD_WORD, "x", "0", "1", "0"};
    char program[] = "traceview", word[] = TV_INDEX_CHILD_WORD, file[] = "app.trace";
    char *const context[] = {program, word}, *const other[] = {program, file};
    (void)state;
    for (int count = 2; count <= (int)TV_COUNT_OF(words); count++) {
        const struct run run = {.in = file_with("", 0), .words = words, .word_count = count};
        struct ended ended = run_part(&run);
        expect(&ended, TV_CHILD_STATUS_UNABLE, "no word of a user");
    }
    assert_true(tv_index_child_is_asked(2, context));
    assert_false(tv_index_child_is_asked(2, other));
    assert_false(tv_index_child_is_asked(1, context));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_gives_an_index),
        cmocka_unit_test(what_is_no_trace_is_refused),
        cmocka_unit_test(a_bomb_is_refused),
        cmocka_unit_test(an_index_that_is_too_long_is_refused),
        cmocka_unit_test(a_user_cannot_ask_for_it),
    };
    return cmocka_run_group_tests_name("site/index_child", tests, NULL, NULL);
}
