/* os/unnamed_file: a file gets its name last, and what is sent to the disk before is what was
 * written. */
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
#include <sys/stat.h>
#include <unistd.h>

#include "os/file/unnamed_file.h"

static char folder[] = "/tmp/traceview-test-XXXXXX";
static int folder_fd = -1;

static int use_folder(void **state)
{
    (void)state;
    folder_fd = mkdtemp(folder) ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    return folder_fd >= 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    (void)close(folder_fd);
    return rmdir(folder); /* fails where something was left in it */
}

static void it_has_no_name_until_it_gets_one(void **state)
{
    char read_back[32] = "";
    struct stat status;
    (void)state;
    int fd = tv_unnamed_file_open_in(folder_fd);
    if (fd < 0)
        return; /* the file system of /tmp has no such files */
    assert_int_equal(write(fd, "what was written", 16), 16);
    assert_int_equal(tv_unnamed_file_name(fd, folder_fd, "name"), 0);
    errno = 0;
    assert_int_equal(tv_unnamed_file_name(fd, folder_fd, "name"), -1);
    assert_int_equal(errno, EEXIST);
    assert_int_equal(fstatat(folder_fd, "name", &status, 0), 0);
    assert_int_equal(status.st_size, 16);
    assert_int_equal(pread(fd, read_back, sizeof(read_back), 0), 16);
    assert_string_equal(read_back, "what was written");
    (void)close(fd);
    assert_int_equal(unlinkat(folder_fd, "name", 0), 0);
}

/* Its bytes and its length stay; what cannot be sent, as a part behind the end or a pipe, is passed
 * over. */
static void what_is_sent_to_the_disk_stays_what_it_is(void **state)
{
    static char bytes[1 << 20], read_back[1 << 20];
    struct stat status;
    int ends[2];
    (void)state;
    int fd = tv_unnamed_file_open_in(folder_fd);
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)(i * 7 >> 3);
    if (fd >= 0) {
        assert_int_equal(write(fd, bytes, sizeof(bytes)), sizeof(bytes));
        tv_unnamed_file_send(fd, 4096, sizeof(bytes) - 4096);
        tv_unnamed_file_send(fd, 0, sizeof(bytes) * (off_t)2);
        tv_unnamed_file_send(fd, -1, 10);
        assert_int_equal(write(fd, "x", 1), 1);
        assert_int_equal(fstat(fd, &status), 0);
        assert_int_equal(status.st_size, sizeof(bytes) + 1);
        assert_int_equal(pread(fd, read_back, sizeof(read_back), 0), sizeof(read_back));
        assert_memory_equal(read_back, bytes, sizeof(bytes));
        (void)close(fd);
    }
    assert_int_equal(pipe(ends), 0);
    tv_unnamed_file_send(ends[1], 0, 10);
    assert_int_equal(write(ends[1], "y", 1), 1);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_has_no_name_until_it_gets_one),
        cmocka_unit_test(what_is_sent_to_the_disk_stays_what_it_is),
    };
    return cmocka_run_group_tests_name("os/unnamed_file", tests, use_folder, remove_folder);
}
