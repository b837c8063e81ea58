/* os/memory/memory_file: nothing changes a file that is sealed. */
#include "os/memory/memory_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static void what_is_sealed_stays(void **state)
{
    uint64_t len = 0;
    (void)state;
    int fd = tv_memory_file_open();
    assert_int_equal(write(fd, "index", 5), 5);
    assert_true(tv_memory_file_seal(fd, &len));
    assert_int_equal(len, 5);
    assert_int_equal(pwrite(fd, "x", 1, 0), -1);
    assert_int_equal(errno, EPERM);
    assert_int_equal(ftruncate(fd, 1), -1);
    assert_int_equal(ftruncate(fd, 9), -1);
    (void)close(fd);
}

static void what_is_mapped_to_write_is_not_sealed(void **state)
{
    uint64_t len;
    (void)state;
    int fd = tv_memory_file_open();
    assert_int_equal(ftruncate(fd, 5), 0);
    void *bytes = mmap(NULL, 5, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_ptr_not_equal(bytes, MAP_FAILED);
    assert_false(tv_memory_file_seal(fd, &len));
    assert_int_equal(munmap(bytes, 5), 0);
    assert_true(tv_memory_file_seal(fd, &len));
    (void)close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_sealed_stays),
        cmocka_unit_test(what_is_mapped_to_write_is_not_sealed),
    };
    return cmocka_run_group_tests_name("os/memory_file", tests, NULL, NULL);
}
