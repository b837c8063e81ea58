/* Bytes from one file into another, also where the kernel cannot copy them. */
#include "os/file/copy_range.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define LONG_LEN ((size_t)300000)

static int make_file(const void *bytes, size_t len)
{
    char path[] = "copied-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(write(fd, bytes, len), len);
    return fd;
}

static void assert_holds(int fd, const char *bytes)
{
    char back[64];
    assert_int_equal(pread(fd, back, sizeof(back), 0), strlen(bytes));
    assert_memory_equal(back, bytes, strlen(bytes));
}

static void a_part_goes_where_it_belongs(void **state)
{
    (void)state;
    const int from = make_file("0123456789", 10);
    const int to = make_file("abcdef", 6);
    assert_int_equal(tv_file_copy_range(from, 3, to, 4, 4), 4);
    assert_holds(to, "abcd3456");
    assert_int_equal(tv_file_copy_range(from, 8, to, 0, 100), 2); /* the file ends */
    assert_holds(to, "89cd3456");
    assert_int_equal(tv_file_copy_range(from, 10, to, 0, 100), 0);
    assert_int_equal(tv_file_copy_range(-1, 0, to, 0, 1), -1);
    assert_int_equal(tv_file_copy_range(from, 0, -1, 0, 1), -1);
    (void)close(from);
    (void)close(to);
}

/* A file in memory and one of a disk are on two file systems. */
static void where_the_kernel_cannot_bytes_are_read_and_written(void **state)
{
    char *bytes = malloc(LONG_LEN);
    char *back = malloc(LONG_LEN);
    (void)state;
    assert_non_null(bytes);
    assert_non_null(back);
    for (size_t i = 0; i < LONG_LEN; i++)
        bytes[i] = (char)(i * 2654435761u >> 13);
    const int from = memfd_create("from", 0);
    assert_true(from >= 0);
    assert_int_equal(write(from, bytes, LONG_LEN), LONG_LEN);
    const int to = make_file("", 0);
    assert_int_equal(tv_file_copy_range(from, 0, to, 0, LONG_LEN), LONG_LEN);
    assert_int_equal(pread(to, back, LONG_LEN, 0), LONG_LEN);
    assert_memory_equal(back, bytes, LONG_LEN);
    free(bytes);
    free(back);
    (void)close(from);
    (void)close(to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_goes_where_it_belongs),
        cmocka_unit_test(where_the_kernel_cannot_bytes_are_read_and_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
