/* Parts of files, of which what is in memory is told from what is not. */
#include "os/file/read_part.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int make_file(const char *bytes)
{
    char path[] = "part-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(write(fd, bytes, strlen(bytes)), strlen(bytes));
    return fd;
}

static void a_part_is_read_up_to_the_end(void **state)
{
    char out[16];
    (void)state;
    const int fd = make_file("0123456789");
    assert_int_equal(tv_file_read_part(fd, 3, out, 4), 4);
    assert_memory_equal(out, "3456", 4);
    assert_int_equal(tv_file_read_part(fd, 8, out, sizeof(out)), 2);
    assert_memory_equal(out, "89", 2);
    assert_int_equal(tv_file_read_part(fd, 10, out, sizeof(out)), 0);
    assert_int_equal(tv_file_read_part(-1, 0, out, sizeof(out)), -1);
    close(fd);
}

/* Some file systems never tell what is in memory. */
static void what_is_in_memory_is_read_at_once(void **state)
{
    char out[16];
    (void)state;
    const int fd = make_file("0123456789");
    const ssize_t got = tv_file_read_cached(fd, 3, out, 4);
    assert_true(got == 4 || got == -1);
    if (got == 4)
        assert_memory_equal(out, "3456", 4);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_is_read_up_to_the_end),
        cmocka_unit_test(what_is_in_memory_is_read_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
