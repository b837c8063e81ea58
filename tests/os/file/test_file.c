/* os/file: the names that find a trace, and what cannot be opened. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file/file.h"

static char folder[] = "/tmp/traceview-test-XXXXXX";

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static int make_files(void **state)
{
    (void)state;
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return -1;
    write_text("plain", "as it is");
    write_text("stem.trace", "with an ending");
    write_text("pair.key", "key and ");
    write_text("pair.data", "data");
    write_text("lonely.key", "no data");
    write_text("empty", "");
    write_text("both", "the name itself");
    write_text("both.trace", "not this");
    return mkdir("folder", 0700);
}

static int remove_files(void **state)
{
    char command[256];
    (void)state;
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return system(command);
}

static void check_content(const char *name, const char *expected)
{
    struct tv_file file;
    tv_file_init(&file, tv_alloc_libc());
    assert_int_equal(tv_file_open(&file, name, NULL, NULL), TV_OK);
    assert_int_equal(file.len, strlen(expected));
    assert_memory_equal(file.bytes, expected, file.len);
    tv_file_release(&file);
}

static void check_failure(const char *name, enum tv_code expected, const char *text)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_file file;
    tv_file_init(&file, tv_alloc_libc());
    assert_int_equal(tv_file_open(&file, name, NULL, &err), expected);
    assert_non_null(strstr(err.text, text));
    assert_int_equal(file.len, 0);
    tv_file_release(&file);
}

static void names_are_found_in_order(void **state)
{
    (void)state;
    check_content("plain", "as it is");
    check_content("stem", "with an ending");
    check_content("both", "the name itself");
    check_content("pair", "key and data");
    check_content("pair.key", "key and data");
    check_content("pair.data", "key and data");
    check_content("lonely.key", "no data");
}

static void check_parts(const char *name, size_t count, const char *first, const char *second)
{
    char parts[TV_FILE_PARTS][TV_FILE_NAME_CAP];
    assert_int_equal(tv_file_parts(name, parts), count);
    assert_string_equal(parts[0], first);
    if (second)
        assert_string_equal(parts[1], second);
}

static void name_stands_for_these_files(void **state)
{
    char long_name[TV_FILE_NAME_CAP + 1];
    char parts[TV_FILE_PARTS][TV_FILE_NAME_CAP];
    (void)state;
    check_parts("plain", 1, "plain", NULL);
    check_parts("stem", 1, "stem.trace", NULL);
    check_parts("both", 1, "both", NULL);
    check_parts("pair", 2, "pair.key", "pair.data");
    check_parts("pair.data", 2, "pair.key", "pair.data");
    check_parts("lonely.key", 1, "lonely.key", NULL);
    check_parts("nowhere", 1, "nowhere", NULL);
    memset(long_name, 'x', TV_FILE_NAME_CAP);
    long_name[TV_FILE_NAME_CAP] = '\0';
    assert_int_equal(tv_file_parts(long_name, parts), 0);
    check_failure(long_name, TV_ERR_SYSTEM, "name");
}

static void pipes_are_read(void **state)
{
    int ends[2];
    int input = dup(STDIN_FILENO);
    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "through a pipe", 14), 14);
    (void)close(ends[1]);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    check_content("-", "through a pipe");
    (void)dup2(input, STDIN_FILENO);
    (void)close(input);
    (void)close(ends[0]);
}

static enum tv_code open_with(const char *name, const struct tv_file_opts *opts, uint64_t *len)
{
    struct tv_file file;
    tv_file_init(&file, tv_alloc_libc());
    enum tv_code code = tv_file_open(&file, name, opts, NULL);
    *len = file.len;
    tv_file_release(&file);
    return code;
}

static void files_with_an_end_are_not_waited_for(void **state)
{
    static const struct tv_file_opts regular = {.only_regular = true};
    static const struct tv_file_opts short_ones = {.most_len = 7};
    uint64_t len;
    (void)state;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(open_with("pipe", &regular, &len), TV_ERR_SYSTEM);
    assert_int_equal(open_with("plain", &regular, &len), TV_OK);
    assert_int_equal(open_with("plain", &short_ones, &len), TV_ERR_LIMIT);
    /* A regular file, too, whose length nobody knows. */
    assert_int_equal(open_with("/proc/self/status", &regular, &len), TV_ERR_FORMAT);
    assert_int_equal(open_with("/proc/self/status", NULL, &len), TV_OK);
    assert_true(len > 100);
    check_failure("/dev/zero", TV_ERR_SYSTEM, "is a device");
}

static void halves_of_a_pair_are_files_with_an_end(void **state)
{
    (void)state;
    write_text("odd.key", "key and ");
    assert_int_equal(mkfifo("odd.data", 0600), 0);
    check_failure("odd", TV_ERR_SYSTEM, "is a pipe");
    assert_int_equal(unlink("odd.data"), 0);
    assert_int_equal(rename("odd.key", "odd.data"), 0);
    assert_int_equal(symlink("/dev/zero", "odd.key"), 0);
    check_failure("odd.data", TV_ERR_SYSTEM, "is a device");
}

/* Goes on three times, and then not any more. */
static bool go_on_thrice(void *ctx, uint64_t done, uint64_t of)
{
    unsigned *count = ctx;
    assert_int_equal(of, 0);
    assert_int_equal(done, 0);
    return ++*count <= 3;
}

static void waiting_for_a_pipe_can_be_cancelled(void **state)
{
    unsigned count = 0;
    const struct tv_file_opts opts = {.unpack = {.progress = go_on_thrice, .progress_ctx = &count}};
    uint64_t len;
    (void)state;
    assert_int_equal(mkfifo("silent", 0600), 0);
    assert_int_equal(open_with("silent", &opts, &len), TV_ERR_CANCELLED);
    assert_int_equal(count, 4);
    /* Somebody is there, and writes nothing. */
    int writer = open("silent", O_RDWR | O_CLOEXEC);
    assert_true(writer >= 0);
    count = 0;
    assert_int_equal(open_with("silent", &opts, &len), TV_ERR_CANCELLED);
    (void)close(writer);
}

static void what_cannot_be_opened_is_told(void **state)
{
    (void)state;
    check_failure("nowhere", TV_ERR_NOT_FOUND, "no such file");
    check_failure("folder", TV_ERR_SYSTEM, "is a directory");
    check_failure("empty", TV_ERR_FORMAT, "is empty");
    check_failure("plain/below", TV_ERR_SYSTEM, "Not a directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found_in_order),
        cmocka_unit_test(name_stands_for_these_files),
        cmocka_unit_test(pipes_are_read),
        cmocka_unit_test(files_with_an_end_are_not_waited_for),
        cmocka_unit_test(halves_of_a_pair_are_files_with_an_end),
        cmocka_unit_test(waiting_for_a_pipe_can_be_cancelled),
        cmocka_unit_test(what_cannot_be_opened_is_told),
    };
    return cmocka_run_group_tests_name("os/file", tests, make_files, remove_files);
}
