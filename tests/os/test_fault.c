/* os/fault: a file that becomes shorter under its mapping ends the program with status 1 and a
 * word. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "os/fault.h"
#include "os/file.h"
#include "os/pool.h"

/* What is read, and by which thread. */
struct reading {
    struct tv_file file;
    pthread_t first_thread;
    bool by_worker;
};

/* The first thread and one worker take a task each: the one that is not to read waits. */
static void read_last(void *arg, size_t task_ix)
{
    const struct reading *reading = arg;
    bool is_worker = !pthread_equal(pthread_self(), reading->first_thread);
    (void)task_ix;
    if (is_worker != reading->by_worker)
        (void)sleep(10);
    const volatile uint8_t *bytes = reading->file.bytes;
    _exit(bytes[reading->file.len - 1] ? 98 : 97);
}

/* In the child: maps, shortens, reads. */
static void read_shortened(const char *name, bool by_worker)
{
    struct reading reading = {.first_thread = pthread_self(), .by_worker = by_worker};
    struct tv_workers *workers;
    tv_file_init(&reading.file, tv_alloc_libc());
    tv_fault_explain_shortened_files();
    if (tv_workers_new(&workers, tv_alloc_libc(), 2, NULL) != TV_OK ||
        tv_file_open(&reading.file, name, NULL, NULL) != TV_OK || truncate(name, 0) != 0)
        _exit(99);
    const struct tv_pool *pool = tv_workers_pool(workers);
    pool->run(pool->ctx, read_last, &reading, 2);
}

static void check_shortened(bool by_worker)
{
    char name[] = "/tmp/traceview-test-XXXXXX";
    char text[256] = "";
    int ends[2];
    int status = 0;
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, 100000), 0);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[1], STDERR_FILENO);
        read_shortened(name, by_worker);
    }
    (void)close(ends[1]);
    assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
    assert_non_null(strstr(text, "became shorter"));
    (void)close(ends[0]);
    (void)close(fd);
    (void)unlink(name);
}

static void shortened_file_is_explained(void **state)
{
    (void)state;
    check_shortened(false);
}

static void shortened_file_is_explained_by_a_worker(void **state)
{
    (void)state;
    check_shortened(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shortened_file_is_explained),
        cmocka_unit_test(shortened_file_is_explained_by_a_worker),
    };
    return cmocka_run_group_tests_name("os/fault", tests, NULL, NULL);
}
