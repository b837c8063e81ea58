/* Holes in files: the room goes back, the rest stays. */
#include "os/file/hole.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define LEN ((size_t)1 << 20)

static void a_hole_is_zeros_and_takes_no_room(void **state)
{
    static char bytes[LEN];
    char path[] = "hole-XXXXXX";
    struct stat before, after;
    (void)state;
    memset(bytes, 'x', LEN);
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(write(fd, bytes, LEN), LEN);
    assert_int_equal(fsync(fd), 0);
    assert_int_equal(fstat(fd, &before), 0);
    assert_true(tv_file_room(fd) > 0);
    if (!tv_file_give_back(fd, 0, LEN / 2)) {
        close(fd);
        skip(); /* a file system without holes */
    }
    assert_int_equal(fstat(fd, &after), 0);
    assert_int_equal(after.st_size, LEN);
    assert_true(after.st_blocks < before.st_blocks);
    assert_int_equal(pread(fd, bytes, LEN, 0), LEN);
    assert_int_equal(bytes[LEN / 2 - 1], 0);
    assert_int_equal(bytes[LEN / 2], 'x');
    close(fd);
}

static void what_is_no_file_has_no_holes(void **state)
{
    (void)state;
    assert_false(tv_file_give_back(-1, 0, 4096));
    assert_false(tv_file_give_back(0, UINT64_MAX, 4096));
    assert_true(tv_file_room(-1) == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hole_is_zeros_and_takes_no_room),
        cmocka_unit_test(what_is_no_file_has_no_holes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
