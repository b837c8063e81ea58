/* os/fault: a file that becomes shorter under its mapping ends the program with status 1 and a
 * word. */
#include <setjmp.h>
#include <stdarg.h>
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

/* In the child: maps, shortens, reads. */
static void read_shortened(const char *name)
{
    struct tv_file file;
    tv_file_init(&file, tv_alloc_libc());
    tv_fault_explain_shortened_files();
    if (tv_file_open(&file, name, NULL, NULL) != TV_OK || truncate(name, 0) != 0)
        _exit(99);
    const volatile uint8_t *bytes = file.bytes;
    _exit(bytes[file.len - 1] ? 98 : 97);
}

static void shortened_file_is_explained(void **state)
{
    char name[] = "/tmp/traceview-test-XXXXXX";
    char text[256] = "";
    int ends[2];
    int status = 0;
    (void)state;
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, 100000), 0);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[1], STDERR_FILENO);
        read_shortened(name);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shortened_file_is_explained)};
    return cmocka_run_group_tests_name("os/fault", tests, NULL, NULL);
}
