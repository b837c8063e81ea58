/* Files of programs: where they are, and what loads them, also where the bytes are not to be
 * trusted. */
#include "os/process/program_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char name[TV_LOADER_NAME_CAP];

static void a_program_is_found_where_execvp_would_find_it(void **state)
{
    char path[TV_PATH_CAP];
    (void)state;
    assert_true(tv_program_file("sh", path));
    assert_int_equal(path[0], '/');
    assert_true(tv_program_file("/proc/self/exe", path));
    assert_non_null(strstr(path, "test-os"));
    assert_false(tv_program_file("no such program", path));
    assert_false(tv_program_file("./no such program", path));
}

static void the_loader_is_that_of_the_file(void **state)
{
    (void)state;
    tv_program_file_loader("/proc/self/exe", name);
    assert_memory_equal(name, "ld-", 3);
    tv_program_file_loader("/dev/null", name);
    assert_string_equal(name, "");
    tv_program_file_loader("/nowhere", name);
    assert_string_equal(name, "");
}

/* Also where the text lies across two of the pieces that are read. */
static void a_text_is_found_wherever_it_stands(void **state)
{
    char path[] = "/tmp/traceview-test-XXXXXX";
    static const char text[] = "__a_hook";
    static const off_t places[] = {0, 1, 65536 - 9, 65536 - 8, 65536 - 4, 65536 - 1, 65536, 131069};
    int file = mkstemp(path);
    (void)state;
    assert_true(file >= 0);
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
        assert_int_equal(ftruncate(file, 0), 0);
        assert_int_equal(ftruncate(file, 200000), 0);
        assert_false(tv_program_file_has(path, text));
        assert_int_equal(pwrite(file, text, sizeof(text) - 1, places[i]), sizeof(text) - 1);
        assert_true(tv_program_file_has(path, text));
    }
    assert_false(tv_program_file_has("/nowhere", text));
    close(file);
    (void)unlink(path);
}

/* This program's own beginning, cut anywhere, and with any byte of its headers changed. */
static void odd_bytes_give_no_loader_or_some_text(void **state)
{
    static uint8_t bytes[4096];
    char path[] = "/tmp/traceview-test-XXXXXX";
    FILE *self = fopen("/proc/self/exe", "rb");
    (void)state;
    assert_non_null(self);
    assert_int_equal(fread(bytes, sizeof(bytes), 1, self), 1);
    fclose(self);
    int file = mkstemp(path);
    assert_true(file >= 0);
    for (size_t len = 0; len < 1024; len += 8) {
        assert_int_equal(ftruncate(file, 0), 0);
        assert_int_equal(pwrite(file, bytes, len, 0), len);
        tv_program_file_loader(path, name);
        assert_true(strlen(name) < sizeof(name));
    }
    for (size_t i = 0; i < 512; i++) {
        uint8_t whole = bytes[i];
        bytes[i] = (uint8_t)~whole;
        assert_int_equal(pwrite(file, bytes, sizeof(bytes), 0), sizeof(bytes));
        tv_program_file_loader(path, name);
        assert_true(strlen(name) < sizeof(name));
        bytes[i] = whole;
    }
    assert_int_equal(pwrite(file, bytes, sizeof(bytes), 0), sizeof(bytes));
    tv_program_file_loader(path, name);
    assert_memory_equal(name, "ld-", 3);
    close(file);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_is_found_where_execvp_would_find_it),
        cmocka_unit_test(the_loader_is_that_of_the_file),
        cmocka_unit_test(a_text_is_found_wherever_it_stands),
        cmocka_unit_test(odd_bytes_give_no_loader_or_some_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
