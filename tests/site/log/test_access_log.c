/* site/access_log: a line for each request, whole, and without what nobody may read in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file/paths.h"
#include "site/log/access_log.h"

static char folder[] = "/tmp/traceview-test-XXXXXX";
static char path[64];

static const struct tv_access access_of_a_trace = {
    .now_ms = 1700000000123,
    .method = "GET",
    .route = "/trace/{id}/",
    .id = {"0123456789abcdef0123456789abcdef", 32},
    .status = 200,
    .is_whole = true,
    .received = 1,
    .sent = 23,
    .ns = 4567890,
    .client = {{[10] = 0xff, [11] = 0xff, [12] = 10, [15] = 1}},
};

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    (void)snprintf(path, sizeof(path), "%s/access.log", folder);
    return 0;
}

static int remove_folder(void **state)
{
    char command[256];
    (void)state;
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return system(command);
}

static struct tv_access_log *opened(const char *where, struct tv_metrics *metrics)
{
    struct tv_access_log *log;
    struct tv_error err;
    *metrics = (struct tv_metrics){0};
    if (tv_access_log_open(&log, tv_alloc_libc(), where, metrics, &err) != TV_OK)
        fail_msg("%s", err.text);
    return log;
}

static void assert_content(const char *name, const char *content)
{
    struct tv_buffer bytes;
    tv_buffer_init(&bytes, tv_alloc_libc());
    assert_int_equal(tv_file_read_small(name, 100000, &bytes, NULL), TV_OK);
    assert_int_equal(tv_buffer_append(&bytes, "", 1, NULL), TV_OK);
    assert_string_equal((const char *)bytes.bytes, content);
    tv_buffer_release(&bytes);
    assert_int_equal(remove(name), 0);
}

/* "3eb1bd43" is the SHA-256 of the id, by sha256sum. */
#define LINE                                                                                       \
    "{\"time\":\"2023-11-14T22:13:20.123Z\",\"method\":\"GET\",\"route\":\"/trace/{id}/\","        \
    "\"id\":\"3eb1bd43\",\"status\":200,\"whole\":true,\"received\":1,\"sent\":23,\"us\":4567,"    \
    "\"client\":\"10.0.0.1\"}\n"

static void a_request_is_a_line_without_its_id(void **state)
{
    struct tv_metrics metrics;
    struct tv_access_log *log = opened(path, &metrics);
    (void)state;
    tv_access_log_write(log, &access_of_a_trace);
    tv_access_log_close(log);
    log = opened(path, &metrics); /* another process goes on in the same file */
    tv_access_log_write(log, &access_of_a_trace);
    tv_access_log_close(log);
    assert_content(path, LINE LINE);
}

static void what_a_client_wrote_stays_in_its_line(void **state)
{
    struct tv_metrics metrics;
    struct tv_access_log *log = opened(path, &metrics);
    struct tv_access access = access_of_a_trace;
    (void)state;
    access.route = NULL;
    access.id = (struct tv_str){NULL, 0};
    access.status = 0;
    access.is_whole = false;
    access.user = TV_STR("a\"b\n{\x1b[31m\xff");
    tv_access_log_write(log, &access);
    tv_access_log_close(log);
    assert_content(path,
                   "{\"time\":\"2023-11-14T22:13:20.123Z\",\"method\":\"GET\",\"route\":\"\","
                   "\"status\":0,\"whole\":false,\"received\":1,\"sent\":23,\"us\":4567,"
                   "\"client\":\"10.0.0.1\",\"user\":\"a\\\"b\\u000a{\\u001b[31m\xef\xbf\xbd\"}\n");
}

static void errors_do_not_fill_the_disk(void **state)
{
    struct tv_metrics metrics;
    struct tv_access_log *log = opened(path, &metrics);
    struct tv_error failure = {.code = TV_ERR_SYSTEM, .text = "the store is gone"};
    struct stat status;
    (void)state;
    for (uint64_t i = 0; i < 1000; i++)
        tv_access_log_error(log, 1700000000000 + i, "asking the store", &failure);
    assert_int_equal(stat(path, &status), 0);
    assert_true(status.st_size < 1500);
    tv_access_log_error(log, 1700000100000, "asking the store", &failure);
    tv_access_log_close(log);
    assert_int_equal(metrics.counters[TV_COUNTER_ERRORS], 1001);
    assert_int_equal(stat(path, &status), 0);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char line[300];
    int count = 0;
    while (fgets(line, sizeof(line), file))
        count++;
    assert_int_equal(fclose(file), 0);
    assert_int_equal(count, 11);
    assert_string_equal(line, "{\"time\":\"2023-11-14T22:15:00.000Z\",\"error\":\"the store is "
                              "gone\",\"while\":\"asking the store\",\"unwritten_errors\":990}\n");
    assert_int_equal(remove(path), 0);
}

static void a_file_that_was_moved_is_made_anew(void **state)
{
    struct tv_metrics metrics;
    struct tv_access_log *log = opened(path, &metrics);
    char moved[80];
    (void)state;
    (void)snprintf(moved, sizeof(moved), "%s.1", path);
    tv_access_log_write(log, &access_of_a_trace);
    assert_int_equal(rename(path, moved), 0);
    tv_access_log_write(log, &access_of_a_trace);
    assert_int_equal(tv_access_log_reopen(log, NULL), TV_OK);
    tv_access_log_write(log, &access_of_a_trace);
    tv_access_log_close(log);
    assert_content(moved, LINE LINE);
    assert_content(path, LINE);
}

static void what_cannot_be_written_is_counted(void **state)
{
    struct tv_metrics metrics;
    struct tv_access_log *log = opened("/dev/full", &metrics);
    (void)state;
    tv_access_log_write(log, &access_of_a_trace);
    tv_access_log_close(log);
    assert_int_equal(metrics.counters[TV_COUNTER_LOG_LOST], 1);
    log = opened("none", &metrics);
    tv_access_log_write(log, &access_of_a_trace);
    assert_int_equal(tv_access_log_reopen(log, NULL), TV_OK);
    tv_access_log_close(log);
    assert_int_equal(metrics.counters[TV_COUNTER_LOG_LOST], 0);
}

/* Reads all that is there now, and counts the lines. *last: the last one. */
static unsigned read_lines(int fd, char *last, size_t cap)
{
    unsigned count = 0;
    size_t len = 0;
    char byte;
    while (recv(fd, &byte, 1, MSG_DONTWAIT) == 1 ||
           (errno == ENOTSOCK && read(fd, &byte, 1) == 1)) {
        assert_true(len < cap - 1);
        last[len++] = byte;
        if (byte != '\n')
            continue;
        last[len] = '\0';
        len = 0;
        count++;
    }
    assert_int_equal(len, 0);
    return count;
}

/* Standard error is one end of `ends`, and whoever has the other one reads nothing for a while. */
static void check_unread_stderr(const int ends[2])
{
    struct tv_metrics metrics;
    char last[300];
    int own = dup(STDERR_FILENO);
    assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
    struct tv_access_log *log = opened("stderr", &metrics);
    for (unsigned i = 0; i < 10000; i++)
        tv_access_log_write(log, &access_of_a_trace);
    uint64_t lost = metrics.counters[TV_COUNTER_LOG_LOST];
    unsigned written = read_lines(ends[0], last, sizeof(last));
    tv_access_log_write(log, &access_of_a_trace);
    assert_int_equal(dup2(own, STDERR_FILENO), STDERR_FILENO);
    (void)close(own);
    assert_in_range(lost, 1, 9999);
    assert_int_equal(written + lost, 10000);
    assert_string_equal(last, LINE);
    assert_int_equal(metrics.counters[TV_COUNTER_LOG_LOST], lost);
    char told[100];
    char after[sizeof(told)];
    ssize_t got = read(ends[0], after, sizeof(after) - 1);
    int len = snprintf(told, sizeof(told),
                       "{\"time\":\"2023-11-14T22:13:20.123Z\",\"lost_lines\":%llu}\n",
                       (unsigned long long)lost);
    assert_true(got >= len);
    after[len] = '\0';
    assert_string_equal(after, told);
    tv_access_log_close(log);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

static void a_reader_that_reads_nothing_holds_nobody_up(void **state)
{
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    check_unread_stderr(ends);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    check_unread_stderr(ends);
}

static void a_file_as_standard_error_is_written_where_others_go_on(void **state)
{
    struct tv_metrics metrics;
    int own = dup(STDERR_FILENO);
    (void)state;
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(dup2(file, STDERR_FILENO), STDERR_FILENO);
    (void)close(file);
    assert_int_equal(write(STDERR_FILENO, "a\n", 2), 2);
    struct tv_access_log *log = opened("stderr", &metrics);
    tv_access_log_write(log, &access_of_a_trace);
    assert_int_equal(write(STDERR_FILENO, "b\n", 2), 2);
    tv_access_log_close(log);
    assert_int_equal(write(STDERR_FILENO, "c\n", 2), 2);
    assert_int_equal(dup2(own, STDERR_FILENO), STDERR_FILENO);
    (void)close(own);
    assert_content(path, "a\n" LINE "b\nc\n");
}

static void a_folder_that_is_missing_is_told(void **state)
{
    struct tv_metrics metrics = {0};
    struct tv_access_log *log;
    struct tv_error err;
    (void)state;
    assert_int_equal(
        tv_access_log_open(&log, tv_alloc_libc(), "/nowhere/access.log", &metrics, &err),
        TV_ERR_SYSTEM);
    assert_null(log);
    assert_string_equal(err.text,
                        "log /nowhere/access.log cannot be opened: No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_a_line_without_its_id),
        cmocka_unit_test(what_a_client_wrote_stays_in_its_line),
        cmocka_unit_test(errors_do_not_fill_the_disk),
        cmocka_unit_test(a_file_that_was_moved_is_made_anew),
        cmocka_unit_test(what_cannot_be_written_is_counted),
        cmocka_unit_test(a_reader_that_reads_nothing_holds_nobody_up),
        cmocka_unit_test(a_file_as_standard_error_is_written_where_others_go_on),
        cmocka_unit_test(a_folder_that_is_missing_is_told),
    };
    return cmocka_run_group_tests_name("site/access_log", tests, make_folder, remove_folder);
}
