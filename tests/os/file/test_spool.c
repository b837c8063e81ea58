/* os/spool: a file without a name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "os/file/spool.h"

static char folder[] = "/tmp/traceview-test-XXXXXX";

static int use_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? setenv("TMPDIR", folder, 1) : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder); /* fails where something was left in it */
}

static void it_has_no_name_and_can_be_read_back(void **state)
{
    struct tv_spool spool;
    char path[TV_SPOOL_PATH_CAP];
    char read[16] = "";
    (void)state;
    assert_int_equal(tv_spool_open(&spool, 10, NULL), TV_OK);
    assert_int_equal(tv_spool_append(&spool, "hello ", 6, NULL), TV_OK);
    assert_int_equal(tv_spool_append(&spool, "you", 3, NULL), TV_OK);
    assert_int_equal(spool.len, 9);
    tv_spool_path(&spool, path);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fread(read, 1, sizeof(read) - 1, file), 9);
    assert_string_equal(read, "hello you");
    assert_int_equal(fclose(file), 0);
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    unsigned count = 0;
    while (readdir(entries))
        count++;
    assert_int_equal(closedir(entries), 0);
    assert_int_equal(count, 2); /* . and .. */
    tv_spool_release(&spool);
    tv_spool_release(&spool);
}

static void what_does_not_fit_is_told_before_it_comes(void **state)
{
    struct tv_spool spool;
    struct tv_error err = {.code = TV_OK};
    (void)state;
    assert_int_equal(tv_spool_open(&spool, TV_SPOOL_MOST + 1, &err), TV_ERR_LIMIT);
    assert_non_null(strstr(err.text, "open it by its name"));
    assert_int_equal(spool.fd, -1);
    assert_int_equal(tv_spool_open(&spool, 0, &err), TV_OK);
    assert_int_equal(tv_spool_write_at(&spool, UINT64_MAX, "x", 1, &err), TV_ERR_LIMIT);
    assert_int_equal(tv_spool_write_at(&spool, TV_SPOOL_MOST, "x", 1, &err), TV_ERR_LIMIT);
    assert_int_equal(tv_spool_append(&spool, "x", SIZE_MAX, &err), TV_ERR_LIMIT);
    tv_spool_release(&spool);
}

static void a_full_disk_is_told(void **state)
{
    struct tv_spool spool = {.fd = -1};
    struct tv_error err = {.code = TV_OK};
    FILE *full = fopen("/dev/full", "w");
    (void)state;
    assert_non_null(full);
    spool.fd = fileno(full);
    assert_int_equal(tv_spool_append(&spool, "x", 1, &err), TV_ERR_LIMIT);
    assert_non_null(strstr(err.text, "free some, or set TMPDIR"));
    assert_int_equal(fclose(full), 0);
}

static void a_folder_that_is_not_there_is_told(void **state)
{
    struct tv_spool spool;
    struct tv_error err = {.code = TV_OK};
    (void)state;
    assert_int_equal(setenv("TMPDIR", "/nowhere/at/all", 1), 0);
    assert_int_equal(tv_spool_open(&spool, 0, &err), TV_ERR_SYSTEM);
    assert_non_null(strstr(err.text, "/nowhere/at/all"));
    assert_int_equal(setenv("TMPDIR", folder, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_has_no_name_and_can_be_read_back),
        cmocka_unit_test(what_does_not_fit_is_told_before_it_comes),
        cmocka_unit_test(a_full_disk_is_told),
        cmocka_unit_test(a_folder_that_is_not_there_is_told),
    };
    return cmocka_run_group_tests_name("os/spool", tests, use_folder, remove_folder);
}
