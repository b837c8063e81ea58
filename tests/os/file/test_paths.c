/* os/paths: where settings are, and that a file is replaced whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file/paths.h"
#include "os/memory/alloc.h"

static char folder[] = "/tmp/traceview-test-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[256];
    (void)state;
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return system(command);
}

static void settings_are_where_xdg_says(void **state)
{
    char path[TV_PATH_CAP];
    (void)state;
    (void)setenv("HOME", "/home/someone", 1);
    (void)unsetenv("XDG_CONFIG_HOME");
    assert_int_equal(tv_path_config(path, "x.json", NULL), TV_OK);
    assert_string_equal(path, "/home/someone/.config/traceview/x.json");
    (void)setenv("XDG_CONFIG_HOME", "relative/is/ignored", 1);
    assert_int_equal(tv_path_config(path, "x.json", NULL), TV_OK);
    assert_string_equal(path, "/home/someone/.config/traceview/x.json");
    (void)setenv("XDG_CONFIG_HOME", "/elsewhere", 1);
    assert_int_equal(tv_path_config(path, "x.json", NULL), TV_OK);
    assert_string_equal(path, "/elsewhere/traceview/x.json");
    (void)unsetenv("XDG_CONFIG_HOME");
    (void)unsetenv("HOME");
    assert_int_equal(tv_path_config(path, "x.json", NULL), TV_ERR_SYSTEM);
}

static void make_file(const char *text, const char *name)
{
    char path[TV_PATH_CAP];
    (void)snprintf(path, sizeof(path), "%s/home/%s", folder, name);
    assert_int_equal(tv_path_make_folders(path, NULL), TV_OK);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static bool is_downloaded(const char *name)
{
    char path[TV_PATH_CAP];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    return tv_path_is_downloaded(path, tv_os_alloc());
}

static void downloads_are_where_the_desktop_says(void **state)
{
    (void)state;
    static const char *const names[] = {"own.trace", "Downloads/a.trace", "Downloads2/a.trace",
                                        "Transfers/in/a.trace"};
    for (size_t i = 0; i < TV_COUNT_OF(names); i++)
        make_file("x", names[i]);
    char home[TV_PATH_CAP], other[TV_PATH_CAP + 64];
    (void)snprintf(home, sizeof(home), "%s/home", folder);
    (void)setenv("HOME", home, 1);
    (void)unsetenv("XDG_CONFIG_HOME");
    assert_true(is_downloaded("home/Downloads/a.trace"));
    assert_true(is_downloaded("home/Downloads/../Downloads/a.trace"));
    assert_false(is_downloaded("home/Downloads2/a.trace"));
    assert_false(is_downloaded("home/Downloads/none.trace"));
    assert_false(is_downloaded("home/own.trace"));
    make_file("# XDG_DOWNLOAD_DIR=\"$HOME\"\nXDG_DOWNLOAD_DIR=\"$HOME/Transfers\"\n",
              ".config/user-dirs.dirs");
    assert_true(is_downloaded("home/Transfers/in/a.trace"));
    assert_false(is_downloaded("home/Downloads/a.trace"));
    (void)snprintf(other, sizeof(other), "XDG_DOWNLOAD_DIR=\"%s/Downloads2/\"\n", home);
    make_file(other, ".config/user-dirs.dirs");
    assert_true(is_downloaded("home/Downloads2/a.trace"));
    /* The home stands there where the desktop has no such folder. */
    make_file("XDG_DOWNLOAD_DIR=\"$HOME/\"\n", ".config/user-dirs.dirs");
    assert_false(is_downloaded("home/own.trace"));
    make_file("XDG_DOWNLOAD_DIR=\"\"\n", ".config/user-dirs.dirs");
    assert_true(is_downloaded("home/Downloads/a.trace"));
    (void)unsetenv("HOME");
    assert_false(is_downloaded("home/Downloads/a.trace"));
}

static void what_is_remembered_lies_apart_from_what_is_chosen(void **state)
{
    char path[TV_PATH_CAP];
    (void)state;
    (void)setenv("HOME", "/home/someone", 1);
    (void)unsetenv("XDG_STATE_HOME");
    assert_int_equal(tv_path_state(path, "recent", NULL), TV_OK);
    assert_string_equal(path, "/home/someone/.local/state/traceview/recent");
    (void)setenv("XDG_STATE_HOME", "/elsewhere", 1);
    assert_int_equal(tv_path_state(path, "recent", NULL), TV_OK);
    assert_string_equal(path, "/elsewhere/traceview/recent");
}

static void what_is_given_into_keeping_lies_apart_from_both(void **state)
{
    char path[TV_PATH_CAP];
    (void)state;
    (void)setenv("HOME", "/home/someone", 1);
    (void)unsetenv("XDG_DATA_HOME");
    assert_int_equal(tv_path_data(path, "store", NULL), TV_OK);
    assert_string_equal(path, "/home/someone/.local/share/traceview/store");
    (void)setenv("XDG_DATA_HOME", "/elsewhere", 1);
    assert_int_equal(tv_path_data(path, "store", NULL), TV_OK);
    assert_string_equal(path, "/elsewhere/traceview/store");
}

static void a_name_stands_for_a_whole_path(void **state)
{
    char path[TV_PATH_CAP];
    char name[300];
    (void)state;
    (void)snprintf(name, sizeof(name), "%s/x.trace", folder);
    assert_int_equal(tv_file_replace(name, TV_STR("x"), NULL), TV_OK);
    (void)snprintf(name, sizeof(name), "%s/../%s/x", folder, folder + 5);
    assert_true(tv_path_of_file(path, name));
    (void)snprintf(name, sizeof(name), "%s/x.trace", folder);
    assert_string_equal(path, name);
    assert_false(tv_path_of_file(path, "/nowhere/x"));
}

static void any_name_of_a_pair_stands_for_its_key_file(void **state)
{
    static const char *const endings[] = {"", ".key", ".data"};
    char path[TV_PATH_CAP];
    char key[300];
    char name[300];
    (void)state;
    (void)snprintf(key, sizeof(key), "%s/pair.key", folder);
    (void)snprintf(name, sizeof(name), "%s/pair.data", folder);
    assert_int_equal(tv_file_replace(key, TV_STR("key"), NULL), TV_OK);
    assert_int_equal(tv_file_replace(name, TV_STR("data"), NULL), TV_OK);
    for (size_t i = 0; i < TV_COUNT_OF(endings); i++) {
        (void)snprintf(name, sizeof(name), "%s/pair%s", folder, endings[i]);
        assert_true(tv_path_of_file(path, name));
        assert_string_equal(path, key);
    }
}

static void the_example_is_found_from_the_program(void **state)
{
    char path[TV_PATH_CAP];
    (void)state;
    assert_int_equal(tv_path_shared(path, "no-such-file", NULL), TV_ERR_NOT_FOUND);
}

static void replacing_makes_folders_and_leaves_no_draft(void **state)
{
    char path[256];
    char listing[300];
    struct tv_buffer out;
    struct stat status;
    (void)state;
    (void)snprintf(path, sizeof(path), "%s/a/b/settings.json", folder);
    assert_int_equal(tv_file_replace(path, TV_STR("old"), NULL), TV_OK);
    assert_int_equal(tv_file_replace(path, TV_STR("new!"), NULL), TV_OK);
    tv_buffer_init(&out, tv_alloc_libc());
    assert_int_equal(tv_file_read_small(path, 4, &out, NULL), TV_OK);
    assert_int_equal(out.len, 4);
    assert_memory_equal(out.bytes, "new!", 4);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    (void)snprintf(listing, sizeof(listing), "test $(ls '%s/a/b' | wc -l) = 1", folder);
    assert_int_equal(system(listing), 0);
    assert_int_equal(tv_file_read_small(path, 3, &out, NULL), TV_ERR_LIMIT);
    tv_buffer_release(&out);
}

static void what_is_not_a_file_is_told(void **state)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_buffer out;
    char pipe[TV_PATH_CAP];
    (void)state;
    tv_buffer_init(&out, tv_alloc_libc());
    (void)snprintf(pipe, sizeof(pipe), "%s/pipe", folder);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_int_equal(tv_file_read_small(pipe, 9, &out, &err), TV_ERR_SYSTEM);
    assert_int_equal(tv_file_read_small("/nowhere/at/all", 9, &out, &err), TV_ERR_NOT_FOUND);
    assert_int_equal(tv_file_read_small(folder, 9, &out, &err), TV_ERR_SYSTEM);
    assert_int_equal(tv_file_replace("/proc/nobody/can/write", TV_STR("x"), &err), TV_ERR_SYSTEM);
    tv_buffer_release(&out);
}

static void a_folder_is_listed_from_its_descriptor(void **state)
{
    (void)state;
    const int at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(at >= 0);
    assert_int_equal(mkdirat(at, "listed", 0700), 0);
    for (unsigned time = 0; time < 2; time++) { /* each listing begins at the beginning */
        DIR *entries = tv_path_list(at, ".");
        bool is_listed = false;
        assert_non_null(entries);
        for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries))
            is_listed |= strcmp(entry->d_name, "listed") == 0;
        assert_true(is_listed);
        assert_int_equal(closedir(entries), 0);
    }
    assert_null(tv_path_list(at, "nowhere"));
    assert_int_equal(errno, ENOENT);
    assert_int_equal(unlinkat(at, "listed", AT_REMOVEDIR), 0);
    assert_int_equal(close(at), 0);
}

static void paths_go_from_the_root(void **state)
{
    char here[TV_PATH_CAP], whole[TV_PATH_CAP], wanted[2 * TV_PATH_CAP], name[TV_PATH_CAP];
    (void)state;
    assert_non_null(getcwd(here, sizeof(here)));
    assert_true(tv_path_from_root(whole, "not/there"));
    (void)snprintf(wanted, sizeof(wanted), "%s/not/there", here);
    assert_string_equal(whole, wanted);
    assert_true(tv_path_from_root(whole, "/not/there"));
    assert_string_equal(whole, "/not/there");
    memset(name, 'a', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    assert_false(tv_path_from_root(whole, name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_are_where_xdg_says),
        cmocka_unit_test(downloads_are_where_the_desktop_says),
        cmocka_unit_test(what_is_remembered_lies_apart_from_what_is_chosen),
        cmocka_unit_test(what_is_given_into_keeping_lies_apart_from_both),
        cmocka_unit_test(a_name_stands_for_a_whole_path),
        cmocka_unit_test(any_name_of_a_pair_stands_for_its_key_file),
        cmocka_unit_test(the_example_is_found_from_the_program),
        cmocka_unit_test(replacing_makes_folders_and_leaves_no_draft),
        cmocka_unit_test(what_is_not_a_file_is_told),
        cmocka_unit_test(a_folder_is_listed_from_its_descriptor),
        cmocka_unit_test(paths_go_from_the_root),
    };
    return cmocka_run_group_tests_name("os/paths", tests, make_folder, remove_folder);
}
