/* os/stamp: what tells that a file was written anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "os/file/stamp.h"

static char folder[] = "/tmp/traceview-test-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[64];
    (void)state;
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return system(command);
}

static const char *path_of(const char *name)
{
    static char path[64];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    (void)fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void another_length_or_another_file_is_another_stamp(void **state)
{
    (void)state;
    struct tv_stamp none = tv_stamp_of(path_of("a"));
    assert_false(tv_stamp_is_there(&none));
    write_file("a", "1");
    struct tv_stamp first = tv_stamp_of(path_of("a"));
    struct tv_stamp again = tv_stamp_of(path_of("a"));
    assert_true(tv_stamp_is_there(&first));
    assert_true(tv_stamp_equal(&first, &again));
    assert_false(tv_stamp_equal(&none, &first));
    write_file("a", "12");
    struct tv_stamp longer = tv_stamp_of(path_of("a"));
    assert_false(tv_stamp_equal(&first, &longer));
}

static void files_that_a_name_stands_for_count(void **state)
{
    (void)state;
    write_file("b.key", "1");
    write_file("b.data", "1");
    struct tv_stamp by_stem = tv_stamp_of(path_of("b"));
    struct tv_stamp by_half = tv_stamp_of(path_of("b.key"));
    write_file("b.data", "12");
    struct tv_stamp stem_now = tv_stamp_of(path_of("b"));
    struct tv_stamp half_now = tv_stamp_of(path_of("b.key"));
    assert_true(tv_stamp_is_there(&by_stem));
    assert_false(tv_stamp_equal(&by_stem, &stem_now));
    assert_false(tv_stamp_equal(&by_half, &half_now));
    write_file("c.trace", "1");
    struct tv_stamp of_trace = tv_stamp_of(path_of("c"));
    assert_true(tv_stamp_is_there(&of_trace));
    struct tv_stamp of_folder = tv_stamp_of(folder);
    assert_false(tv_stamp_is_there(&of_folder));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_length_or_another_file_is_another_stamp),
        cmocka_unit_test(files_that_a_name_stands_for_count),
    };
    return cmocka_run_group_tests_name("os/stamp", tests, make_folder, remove_folder);
}
