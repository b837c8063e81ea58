/* os/fault: signals that would end the program, and signals that threads leave to the main one.
 * Missing bytes of mapped files are in test_mapping.c. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "os/memory/fault.h"

/* In the child: writes more than a file may have; the status tells what came of it. */
static void write_too_much(int fd)
{
    const struct rlimit limit = {.rlim_cur = 10, .rlim_max = 10};
    tv_fault_handle_signals();
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0 || write(fd, "0123456789", 10) != 10)
        _exit(99);
    _exit(write(fd, "x", 1) < 0 && errno == EFBIG ? 0 : 98);
}

static void write_beyond_the_limit_fails(void **state)
{
    char name[] = "/tmp/traceview-test-XXXXXX";
    int status = 0;
    (void)state;
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    pid_t child = fork();
    if (child == 0)
        write_too_much(fd);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    (void)close(fd);
    (void)unlink(name);
}

/* A started program is to have the usual signal: `sh` ends by it as it would without us. */
static void started_programs_have_the_usual_signal(void **state)
{
    int status = 0;
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        tv_fault_handle_signals();
        (void)execl("/bin/sh", "sh", "-c", "kill -XFSZ $$; exit 0", (char *)NULL);
        _exit(99);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGXFSZ);
}

static void held_signals_leave_faults_open(void **state)
{
    sigset_t old;
    sigset_t now;
    (void)state;
    tv_fault_hold_signals(&old);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, &old, &now), 0);
    assert_true(sigismember(&now, SIGINT));
    assert_true(sigismember(&now, SIGTERM));
    assert_false(sigismember(&now, SIGBUS));
    assert_false(sigismember(&now, SIGSEGV));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(write_beyond_the_limit_fails),
        cmocka_unit_test(started_programs_have_the_usual_signal),
        cmocka_unit_test(held_signals_leave_faults_open),
    };
    return cmocka_run_group_tests_name("os/fault", tests, NULL, NULL);
}
