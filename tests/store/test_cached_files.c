/* Room in a folder of copies: which ones go. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "store/cached_files.h"

#define NOW ((int64_t)1700000000)
#define KIB 1024

struct fixture {
    char dir[64];
};

static int begin(void **state)
{
    struct fixture *fix = calloc(1, sizeof(*fix));
    assert_non_null(fix);
    (void)snprintf(fix->dir, sizeof(fix->dir), "/tmp/traceview-test-XXXXXX");
    assert_non_null(mkdtemp(fix->dir));
    *state = fix;
    return 0;
}

static int end(void **state)
{
    struct fixture *fix = *state;
    char command[128];
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", fix->dir);
    free(fix);
    return system(command);
}

static void path_of(const struct fixture *fix, unsigned number, char path[160])
{
    (void)snprintf(path, 160, "%s/%02x/%062x", fix->dir, number & 3, number);
}

/* A copy of 10 KiB that was used `ago_s` seconds ago. */
static void make(const struct fixture *fix, unsigned number, int64_t ago_s)
{
    const struct timespec times[2] = {{.tv_sec = NOW - ago_s}, {.tv_sec = NOW - ago_s}};
    char path[160];
    (void)snprintf(path, sizeof(path), "%s/%02x", fix->dir, number & 3);
    (void)mkdir(path, 0700);
    path_of(fix, number, path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, 10L * KIB), 0);
    assert_int_equal(futimens(fd, times), 0);
    (void)close(fd);
}

static bool is_there(const struct fixture *fix, unsigned number)
{
    char path[160];
    path_of(fix, number, path);
    return access(path, F_OK) == 0;
}

static void oldest_go_until_the_rest_fits(void **state)
{
    const struct fixture *fix = *state;
    for (unsigned i = 0; i < 8; i++)
        make(fix, i, 100 - (int64_t)i);
    tv_cached_files_cut(fix->dir, 35 * KIB, NOW, tv_alloc_libc());
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(is_there(fix, i), i >= 5);
    tv_cached_files_cut(fix->dir, 0, NOW, tv_alloc_libc());
    assert_false(is_there(fix, 7));
}

static void what_was_used_is_the_youngest(void **state)
{
    const struct fixture *fix = *state;
    char path[160];
    make(fix, 0, 100);
    make(fix, 1, 50);
    path_of(fix, 0, path);
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    tv_cached_files_use(fd);
    (void)close(fd);
    tv_cached_files_cut(fix->dir, 10 * KIB, NOW, tv_alloc_libc());
    assert_true(is_there(fix, 0));
    assert_false(is_there(fix, 1));
}

static void what_nobody_used_for_a_day_goes(void **state)
{
    const struct fixture *fix = *state;
    make(fix, 0, TV_CACHED_SECONDS + 1);
    make(fix, 1, TV_CACHED_SECONDS - 1);
    tv_cached_files_cut(fix->dir, 1000 * KIB, NOW, tv_alloc_libc());
    assert_false(is_there(fix, 0));
    assert_true(is_there(fix, 1));
}

static void other_files_stay(void **state)
{
    const struct fixture *fix = *state;
    char path[160];
    (void)snprintf(path, sizeof(path), "%s/notes", fix->dir);
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    (void)close(fd);
    make(fix, 0, 1);
    tv_cached_files_cut(fix->dir, 0, NOW, tv_alloc_libc());
    assert_int_equal(access(path, F_OK), 0);
    assert_false(is_there(fix, 0));
    tv_cached_files_cut("/nonexistent/folder", 0, NOW, tv_alloc_libc());
}

static bool is_first(void *ctx, const struct tv_hash *name)
{
    assert_string_equal(ctx, "numbers");
    assert_memory_equal(name->hex, "01", 2);
    return name->hex[63] == '1';
}

/* Of the folder 01 alone. */
static void copies_that_are_not_kept_go(void **state)
{
    const struct fixture *fix = *state;
    char numbers[] = "numbers";
    for (unsigned i = 0; i < 8; i++)
        make(fix, i, 100);
    make(fix, 9, TV_CACHED_SECONDS + 1);
    assert_int_equal(tv_cached_files_sift(fix->dir, 1, NOW, is_first, numbers), 2);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(is_there(fix, i), i != 5);
    assert_false(is_there(fix, 9));
    assert_int_equal(tv_cached_files_sift(fix->dir, 77, NOW, is_first, numbers), 0);
    assert_int_equal(tv_cached_files_sift("/nowhere", 1, NOW, is_first, numbers), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(oldest_go_until_the_rest_fits, begin, end),
        cmocka_unit_test_setup_teardown(what_was_used_is_the_youngest, begin, end),
        cmocka_unit_test_setup_teardown(what_nobody_used_for_a_day_goes, begin, end),
        cmocka_unit_test_setup_teardown(other_files_stay, begin, end),
        cmocka_unit_test_setup_teardown(copies_that_are_not_kept_go, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
