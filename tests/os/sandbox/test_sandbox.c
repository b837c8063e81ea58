/* os/sandbox: which fences stand, and that they stand around threads that were started before. What
 * a process behind them can still try is in test_sandboxed_child.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/sandbox/sandbox.h"

/* ThreadSanitizer gives a forked process a thread that sleeps again and again. Where that thread
 * comes late, its first sleep is behind the filter, which ends the process for it. */
#if defined(__SANITIZE_THREAD__)
#define HAS_OTHER_THREAD true
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAS_OTHER_THREAD true
#endif
#endif
#ifndef HAS_OTHER_THREAD
#define HAS_OTHER_THREAD false
#endif

static void skip_with_other_thread(void)
{
    if (HAS_OTHER_THREAD) {
        print_message(
            "skipped: under a sanitizer of threads a filter ends the sanitizer's thread\n");
        skip();
    }
}

/* Runs body in a process of its own and returns how it ended. */
static int end_of(void (*body)(void))
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        body();
        _exit(0);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void enter(void)
{
    struct tv_sandbox sandbox;
    tv_sandbox_enter_landlock(&sandbox);
    tv_sandbox_close(&sandbox);
}

static void open_file(void)
{
    enter();
    _exit(open("/etc/passwd", O_RDONLY | O_CLOEXEC) >= 0 ? 1 : 0);
}

static void a_sandbox_opens_no_file(void **state)
{
    (void)state;
    skip_with_other_thread();
    struct tv_sandbox sandbox = tv_sandbox_probe();
    if (!sandbox.has_landlock && !sandbox.has_filter) {
        print_message("skipped: neither Landlock nor libseccomp is there\n");
        skip();
    }
    assert_int_equal(end_of(open_file), 0);
}

static atomic_bool is_closed;
static atomic_bool has_begun;

static void *make_socket(void *ctx)
{
    (void)ctx;
    atomic_store(&has_begun, true);
    while (!atomic_load(&is_closed))
        continue;
    _exit(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) >= 0 ? 1 : 2);
    return NULL;
}

static void close_around_a_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, make_socket, NULL) != 0)
        _exit(3);
    while (!atomic_load(&has_begun))
        continue;
    enter();
    atomic_store(&is_closed, true);
    (void)pthread_join(thread, NULL);
}

static void it_stands_around_threads_that_run_already(void **state)
{
    (void)state;
    skip_with_other_thread();
    if (!tv_sandbox_probe().has_filter) {
        print_message("skipped: there is no libseccomp\n");
        skip();
    }
    int status = end_of(close_around_a_thread);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGSYS);
}

static void look_at_limits(void)
{
    struct tv_sandbox sandbox;
    struct rlimit files, processes;
    tv_sandbox_enter_landlock(&sandbox);
    /* Before the filter, which forbids to ask: tv_sandbox_close sets limits first. */
    tv_sandbox_close(&sandbox);
    if (sandbox.has_filter)
        _exit(getrlimit(RLIMIT_NOFILE, &files) == 0 ? 1 : 0);
    _exit(getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_max <= 4 &&
                  getrlimit(RLIMIT_NPROC, &processes) == 0 && processes.rlim_max == 0
              ? 0
              : 1);
}

static void its_limits_stand(void **state)
{
    (void)state;
    skip_with_other_thread();
    assert_int_equal(end_of(look_at_limits), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sandbox_opens_no_file),
        cmocka_unit_test(it_stands_around_threads_that_run_already),
        cmocka_unit_test(its_limits_stand),
    };
    return cmocka_run_group_tests_name("os/sandbox", tests, NULL, NULL);
}
