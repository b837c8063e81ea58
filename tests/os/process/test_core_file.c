/* os/process/core_file: a process that crashes leaves nothing of its memory. */
#include "os/process/core_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Crashes in a folder where a core file would lie. Returns how it ended. */
static int crash(const char *folder, void (*before)(void))
{
    int status = 0;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        struct rlimit limit;
        if (chdir(folder) != 0 || getrlimit(RLIMIT_CORE, &limit) != 0)
            _exit(1);
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_CORE, &limit);
        if (before)
            before();
        (void)signal(SIGABRT, SIG_DFL);
        abort();
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    return status;
}

/* Where a program takes core files from a pipe, the kernel asks whether the process is dumpable. */
static void forbid(void)
{
    tv_core_file_forbid();
    if (prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0)
        _exit(1);
}

static void no_crash_leaves_a_core_file(void **state)
{
    char folder[] = "/tmp/traceview-core-XXXXXX";
    char command[64];
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_false(WCOREDUMP(crash(folder, forbid)));
    (void)snprintf(command, sizeof(command), "rmdir '%s'", folder); /* it is empty */
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_crash_leaves_a_core_file)};
    return cmocka_run_group_tests_name("os/process/core_file", tests, NULL, NULL);
}
