/* server/recent: the list of files that were opened last. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "server/recent.h"

static char folder[] = "/tmp/traceview-test-XXXXXX";
static char list[64];
static char shown[65536];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    (void)snprintf(list, sizeof(list), "%s/state/recent", folder);
    return 0;
}

static int remove_folder(void **state)
{
    char command[64];
    (void)state;
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return system(command);
}

static int forget(void **state)
{
    (void)state;
    (void)remove(list);
    return 0;
}

static const char *path_of(const char *name)
{
    static char path[512];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static void make_file(const char *name)
{
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    (void)fputs("12345", file);
    assert_int_equal(fclose(file), 0);
}

static void add(const char *name, uint64_t now_s)
{
    assert_int_equal(tv_recent_add(list, tv_alloc_libc(), path_of(name), now_s, NULL), TV_OK);
}

static const char *look(void)
{
    struct tv_buffer out;
    struct tv_json json;
    tv_buffer_init(&out, tv_alloc_libc());
    tv_json_init(&json, tv_buffer_sink(&out));
    tv_recent_write(list, tv_alloc_libc(), &json);
    assert_int_equal(tv_json_finish(&json, NULL), TV_OK);
    assert_true(out.len < sizeof(shown));
    memcpy(shown, out.bytes, out.len);
    shown[out.len] = '\0';
    tv_buffer_release(&out);
    return shown;
}

static unsigned count_of(const char *text, const char *word)
{
    unsigned count = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        count++;
    return count;
}

static void the_latest_is_first_and_each_once(void **state)
{
    (void)state;
    make_file("a.trace");
    make_file("b.trace");
    assert_string_equal(look(), "[]\n");
    add("a.trace", 10);
    add("b.trace", 20);
    add("a.trace", 30);
    const char *text = look();
    assert_int_equal(count_of(text, "\"id\""), 2);
    assert_true(strstr(text, "a.trace") < strstr(text, "b.trace"));
    assert_non_null(strstr(text, "\"bytes\":5,\"opened_s\":30"));
    assert_non_null(strstr(text, folder));
}

static void a_file_that_is_gone_is_left_out(void **state)
{
    (void)state;
    make_file("a.trace");
    make_file("gone.trace");
    add("gone.trace", 10);
    add("a.trace", 20);
    assert_int_equal(remove(path_of("gone.trace")), 0);
    assert_null(strstr(look(), "gone.trace"));
    assert_non_null(strstr(look(), "a.trace"));
}

static void no_more_than_twenty_are_kept(void **state)
{
    char name[32];
    (void)state;
    for (unsigned i = 0; i < 30; i++) {
        (void)snprintf(name, sizeof(name), "many%02u.trace", i);
        make_file(name);
        add(name, i);
    }
    assert_int_equal(count_of(look(), "\"id\""), TV_RECENT_MOST);
    assert_non_null(strstr(shown, "many29"));
    assert_null(strstr(shown, "many09"));
}

enum { VIEWERS = 4, FILES = TV_RECENT_MOST / VIEWERS, TIMES = 10 };

/* Adds the viewer's own files again and again, of which none may leave the list meanwhile: it has
 * room for those of all viewers. */
static bool add_own(unsigned viewer)
{
    char name[32];
    char own[16];
    (void)snprintf(own, sizeof(own), "own%u-", viewer);
    for (unsigned i = 0; i < FILES * TIMES; i++) {
        (void)snprintf(name, sizeof(name), "%s%u.trace", own, i % FILES);
        if (tv_recent_add(list, tv_alloc_libc(), path_of(name), i, NULL) != TV_OK ||
            count_of(look(), own) != (i < FILES ? i + 1 : FILES))
            return false;
    }
    return true;
}

static void what_viewers_open_at_once_is_all_there(void **state)
{
    char name[32];
    (void)state;
    for (unsigned i = 0; i < VIEWERS * FILES; i++) {
        (void)snprintf(name, sizeof(name), "own%u-%u.trace", i / FILES, i % FILES);
        make_file(name);
    }
    for (unsigned viewer = 0; viewer < VIEWERS; viewer++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            _exit(add_own(viewer) ? 0 : 1);
    }
    for (unsigned viewer = 0; viewer < VIEWERS; viewer++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    assert_int_equal(count_of(look(), "\"id\""), VIEWERS * FILES);
}

static void an_id_names_a_file_of_the_list_and_nothing_else(void **state)
{
    char path[TV_PATH_CAP];
    char id[32] = "";
    struct tv_error err = {.code = TV_OK};
    (void)state;
    make_file("a.trace");
    add("a.trace", 10);
    assert_int_equal(sscanf(strstr(look(), "0x"), "%31[0-9a-fx]", id), 1);
    assert_int_equal(tv_recent_find(list, tv_alloc_libc(), tv_str_from(id), path, &err), TV_OK);
    assert_string_equal(path, path_of("a.trace"));
    static const char *const wrong[] = {
        "", "0x", "0", "/etc/passwd", "0x1", "0xffffffffffffffffff"};
    for (size_t i = 0; i < TV_COUNT_OF(wrong); i++)
        assert_int_not_equal(
            tv_recent_find(list, tv_alloc_libc(), tv_str_from(wrong[i]), path, &err), TV_OK);
    assert_int_equal(remove(path_of("a.trace")), 0);
    assert_int_equal(tv_recent_find(list, tv_alloc_libc(), tv_str_from(id), path, &err),
                     TV_ERR_NOT_FOUND);
}

static void a_name_without_its_ending_is_kept_whole(void **state)
{
    (void)state;
    make_file("c.trace");
    add("c", 10);
    assert_non_null(strstr(look(), "\"name\":\"c.trace\""));
}

static void a_damaged_list_is_read_as_far_as_it_makes_sense(void **state)
{
    (void)state;
    make_file("a.trace");
    add("a.trace", 10);
    FILE *file = fopen(list, "a");
    assert_non_null(file);
    (void)fputs("\n\nx /etc/hosts\n7 relative\n7\n99999999999999999999999 /etc/hosts\n7 ", file);
    (void)fwrite("/etc\0/hosts\n", 1, 12, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(count_of(look(), "\"id\""), 1);
}

static void without_a_list_nothing_is_remembered(void **state)
{
    struct tv_json json;
    struct tv_buffer out;
    (void)state;
    assert_int_equal(tv_recent_add(NULL, tv_alloc_libc(), path_of("a.trace"), 1, NULL), TV_OK);
    tv_buffer_init(&out, tv_alloc_libc());
    tv_json_init(&json, tv_buffer_sink(&out));
    tv_recent_write(NULL, tv_alloc_libc(), &json);
    assert_int_equal(tv_json_finish(&json, NULL), TV_OK);
    assert_true(tv_str_equal(tv_buffer_view(&out), TV_STR("[]\n")));
    tv_buffer_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_latest_is_first_and_each_once, forget),
        cmocka_unit_test_teardown(a_file_that_is_gone_is_left_out, forget),
        cmocka_unit_test_teardown(no_more_than_twenty_are_kept, forget),
        cmocka_unit_test_teardown(what_viewers_open_at_once_is_all_there, forget),
        cmocka_unit_test_teardown(an_id_names_a_file_of_the_list_and_nothing_else, forget),
        cmocka_unit_test_teardown(a_name_without_its_ending_is_kept_whole, forget),
        cmocka_unit_test_teardown(a_damaged_list_is_read_as_far_as_it_makes_sense, forget),
        cmocka_unit_test(without_a_list_nothing_is_remembered),
    };
    return cmocka_run_group_tests_name("server/recent", tests, make_folder, remove_folder);
}
