/* os/file/same_bytes: traces that are copies of one another, and those that are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file/same_bytes.h"

#define BLOCK_LEN 16384
#define NAME_CAP 96

static char folder[] = "/tmp/traceview-test-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[128];
    (void)state;
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return system(command);
}

static const char *path_of(char path[NAME_CAP], const char *name)
{
    (void)snprintf(path, NAME_CAP, "%s/%s", folder, name);
    return path;
}

/* A file of that length, all 'a' but for one byte at `at`. */
static void make_file(const char *name, size_t len, size_t at)
{
    char path[NAME_CAP];
    FILE *file = fopen(path_of(path, name), "we");
    assert_non_null(file);
    for (size_t i = 0; i < len; i++)
        assert_int_not_equal(fputc(i == at ? 'x' : 'a', file), EOF);
    assert_int_equal(fclose(file), 0);
}

static bool is_copy(const char *a, const char *b)
{
    char of_a[NAME_CAP];
    char of_b[NAME_CAP];
    return tv_trace_is_copy(path_of(of_a, a), path_of(of_b, b));
}

static void each_byte_counts(void **state)
{
    static const size_t lens[] = {1, BLOCK_LEN - 1, BLOCK_LEN, BLOCK_LEN + 1, 3 * BLOCK_LEN};
    (void)state;
    for (size_t i = 0; i < sizeof(lens) / sizeof(*lens); i++) {
        make_file("a.trace", lens[i], SIZE_MAX);
        make_file("b.trace", lens[i], SIZE_MAX);
        assert_true(is_copy("a.trace", "b.trace"));
        make_file("b.trace", lens[i], lens[i] - 1);
        assert_false(is_copy("a.trace", "b.trace"));
        make_file("b.trace", lens[i] + 1, SIZE_MAX);
        assert_false(is_copy("a.trace", "b.trace"));
    }
}

static void of_a_pair_both_files_count(void **state)
{
    char path[NAME_CAP];
    (void)state;
    make_file("a.key", 5, SIZE_MAX);
    make_file("b.key", 5, SIZE_MAX);
    make_file("a.data", 9, SIZE_MAX);
    make_file("b.data", 9, SIZE_MAX);
    assert_int_equal(tv_trace_len(path_of(path, "a.key")), 14);
    assert_true(is_copy("a.key", "b.key"));
    make_file("b.data", 9, 4);
    assert_false(is_copy("a.key", "b.key"));
}

/* Nothing waits for a pipe, and an empty file is no recording. */
static void what_is_no_regular_file_is_no_copy(void **state)
{
    char path[NAME_CAP];
    (void)state;
    make_file("empty.trace", 0, SIZE_MAX);
    make_file("other.trace", 0, SIZE_MAX);
    assert_false(is_copy("empty.trace", "other.trace"));
    assert_false(is_copy("none.trace", "none.trace"));
    assert_int_equal(mkfifo(path_of(path, "pipe"), 0600), 0);
    assert_false(is_copy("pipe", "pipe"));
    assert_int_equal(tv_trace_len(path), 0);
    assert_false(tv_trace_is_copy("-", "-"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_byte_counts),
        cmocka_unit_test(of_a_pair_both_files_count),
        cmocka_unit_test(what_is_no_regular_file_is_no_copy),
    };
    return cmocka_run_group_tests_name("same_bytes", tests, make_folder, remove_folder);
}
