/* os/file/newest_files: what a folder has, however large it is and whatever lies in it. */
#include "os/file/newest_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/traceview-test-XXXXXX";
static struct tv_newest_files files;

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
    static char path[128];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

/* Makes a file that was changed `changed` seconds after 1970. */
static void make_file(const char *name, time_t changed)
{
    const struct timespec times[2] = {{.tv_sec = changed}, {.tv_sec = changed}};
    int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "abc", 3), 3);
    assert_int_equal(futimens(fd, times), 0);
    assert_int_equal(close(fd), 0);
}

static void files_come_newest_first(void **state)
{
    (void)state;
    make_file("old", 100);
    make_file("b", 200);
    make_file("a", 200);
    make_file(".hidden", 300);
    assert_int_equal(mkdir(path_of("below"), 0700), 0);
    assert_int_equal(mkfifo(path_of("pipe"), 0600), 0);
    assert_int_equal(symlink("loop", path_of("loop")), 0);
    assert_int_equal(symlink("old", path_of("link")), 0);
    assert_int_equal(tv_newest_files_find(&files, folder, NULL), TV_OK);
    assert_int_equal(files.count, 4);
    assert_int_equal(files.seen, 4);
    assert_string_equal(files.of[0].name, "a");
    assert_string_equal(files.of[1].name, "b");
    assert_string_equal(files.of[2].name, "link");
    assert_string_equal(files.of[3].name, "old");
    assert_int_equal(files.of[3].len, 3);
    assert_int_equal(files.others, 2); /* the pipe, and the link to itself */
    assert_false(files.is_cut);
}

static void of_many_files_the_newest_are_kept(void **state)
{
    char name[32];
    (void)state;
    for (int i = 0; i < 300; i++) {
        (void)snprintf(name, sizeof(name), "many%d", i);
        make_file(name, 1000 + (i * 7) % 300);
    }
    assert_int_equal(tv_newest_files_find(&files, folder, NULL), TV_OK);
    assert_int_equal(files.count, TV_NEWEST_MOST);
    assert_int_equal(files.seen, 304);
    for (size_t i = 0; i < files.count; i++)
        assert_int_equal(files.of[i].changed_ns, (int64_t)(1299 - i) * 1000000000);
}

static void a_folder_that_is_none_is_told(void **state)
{
    struct tv_error err;
    (void)state;
    assert_int_equal(tv_newest_files_find(&files, path_of("absent"), &err), TV_ERR_NOT_FOUND);
    assert_string_equal(err.text, "no such folder: check the name");
    assert_int_equal(tv_newest_files_find(&files, path_of("old"), &err), TV_ERR_SYSTEM);
    assert_string_equal(err.text, "cannot be opened as a folder: Not a directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_come_newest_first),
        cmocka_unit_test(of_many_files_the_newest_are_kept),
        cmocka_unit_test(a_folder_that_is_none_is_told),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
