/* What a device tells of its processes. */
#include "adb/process_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Two entries: 4711 debuggable, with name and package; 815 profileable, with its ISA only. */
#define APPS                                                                                       \
    "\x0a\x26\x08\xe7\x24\x10\x01\x18\x01\x22\x05"                                                 \
    "arm64\x28\x0a\x32\x08"                                                                        \
    "b.c:more\x3a\x03"                                                                             \
    "b.c\x3a\x05"                                                                                  \
    "other"                                                                                        \
    "\x0a\x0e\x08\xaf\x06\x10\x00\x18\x01\x22\x05"                                                 \
    "arm64"

static void assert_text(struct tv_str text, const char *expected)
{
    assert_int_equal(text.len, strlen(expected));
    if (text.len)
        assert_memory_equal(text.at, expected, text.len);
}

static int setup(void **state)
{
    static struct tv_adb_processes processes;
    tv_adb_processes_init(&processes, tv_alloc_libc());
    *state = &processes;
    return 0;
}

static int teardown(void **state)
{
    tv_adb_processes_release(*state);
    return 0;
}

static void apps_are_debuggable_or_profileable(void **state)
{
    struct tv_adb_processes *processes = *state;
    const struct tv_str message = {APPS, sizeof(APPS) - 1};
    assert_int_equal(tv_adb_read_apps(message, processes, NULL), TV_OK);
    assert_int_equal(tv_adb_finish_processes(processes, NULL), TV_OK);
    assert_true(processes->has_profileable);
    assert_int_equal(processes->count, 2);
    assert_int_equal(processes->of[0].pid, 815);
    assert_false(processes->of[0].is_debuggable);
    assert_true(processes->of[0].is_profileable);
    assert_int_equal(processes->of[1].pid, 4711);
    assert_true(processes->of[1].is_debuggable);
    assert_int_equal(processes->of[1].user, 10);
    assert_text(processes->of[1].name, "b.c:more");
    assert_text(processes->of[1].package, "b.c");
}

/* However the message is cut, that is an error or a shorter list, never more. */
static void a_cut_message_is_no_list(void **state)
{
    struct tv_adb_processes *processes = *state;
    struct tv_error err;
    for (size_t len = 0; len < sizeof(APPS) - 1; len++) {
        enum tv_code code = tv_adb_read_apps((struct tv_str){APPS, len}, processes, &err);
        assert_int_equal(code, len == 0 || len == 40 ? TV_OK : TV_ERR_FORMAT);
        if (code != TV_OK && len > 1)
            assert_string_equal(err.text, "the device's list of processes is cut or no such list");
    }
}

static void a_process_has_a_number(void **state)
{
    struct tv_error err;
    assert_int_equal(tv_adb_read_apps((struct tv_str){"\x0a\x02\x10\x01", 4}, *state, &err),
                     TV_ERR_FORMAT);
    assert_string_equal(err.text, "the device lists a process of number 0");
}

static void jdwp_lists_debuggable_ones(void **state)
{
    struct tv_adb_processes *processes = *state;
    struct tv_error err;
    assert_int_equal(tv_adb_read_jdwp(TV_STR("12\n 345\r\n\n"), processes, NULL), TV_OK);
    assert_int_equal(processes->count, 2);
    assert_int_equal(processes->of[1].pid, 345);
    assert_true(processes->of[1].is_debuggable);
    assert_false(processes->has_profileable);
    assert_int_equal(tv_adb_read_jdwp(TV_STR("12\nx\n"), processes, &err), TV_ERR_FORMAT);
    assert_string_equal(err.text, "the device lists \"x\" where the number of a process belongs");
}

/* toybox, Android 8 and newer. */
static void ps_tells_name_user_and_time(void **state)
{
    struct tv_adb_processes *processes = *state;
    assert_int_equal(tv_adb_read_jdwp(TV_STR("12\n345\n9\n77\n"), processes, NULL), TV_OK);
    assert_int_equal(tv_adb_read_ps(TV_STR("  PID USER             ELAPSED NAME\n"
                                           "    1 root          2-00:00:01 init\n"
                                           "   12 u10_a99            01:05 com.b:p q\n"
                                           "  345 u0_a1           03:00:07 com.a\n"
                                           "   77 system              -:05 system_server\n"),
                                    processes, NULL),
                     TV_OK);
    assert_int_equal(tv_adb_finish_processes(processes, NULL), TV_OK);
    assert_int_equal(processes->count, 3); /* 9 has ended */
    assert_text(processes->of[0].name, "com.a");
    assert_int_equal(processes->of[0].uptime_s, 3 * 3600 + 7);
    assert_int_equal(processes->of[0].user, 0);
    assert_text(processes->of[1].name, "com.b:p q");
    assert_text(processes->of[1].package, "com.b");
    assert_text(processes->of[1].unix_user, "u10_a99");
    assert_int_equal(processes->of[1].user, 10);
    assert_int_equal(processes->of[1].uptime_s, 65);
    assert_text(processes->of[2].name, "system_server");
    assert_int_equal(processes->of[2].user, 0);
    assert_false(processes->of[2].has_uptime);
}

/* toolbox, Android 4 to 6: the state has no heading, and no time is told. */
static void old_ps_tells_name_and_user(void **state)
{
    struct tv_adb_processes *processes = *state;
    assert_int_equal(tv_adb_read_jdwp(TV_STR("1812\n"), processes, NULL), TV_OK);
    assert_int_equal(
        tv_adb_read_ps(
            TV_STR("USER     PID   PPID  VSIZE  RSS     WCHAN    PC        NAME\r\n"
                   "root      1     0     8784   788   ffffffff 00000000 S /init\r\n"
                   "u0_a55    1812  174   987654 45678 ffffffff 00000000 S com.example.app\r\n"),
            processes, NULL),
        TV_OK);
    assert_int_equal(tv_adb_finish_processes(processes, NULL), TV_OK);
    assert_text(processes->of[0].name, "com.example.app");
    assert_text(processes->of[0].unix_user, "u0_a55");
    assert_false(processes->of[0].has_uptime);
}

static void an_answer_that_is_no_table_changes_nothing(void **state)
{
    struct tv_adb_processes *processes = *state;
    assert_int_equal(tv_adb_read_jdwp(TV_STR("12\n"), processes, NULL), TV_OK);
    assert_int_equal(tv_adb_read_ps(TV_STR("sh: ps: not found\n"), processes, NULL), TV_OK);
    assert_int_equal(processes->count, 1);
    assert_int_equal(tv_adb_read_ps(TV_STR(""), processes, NULL), TV_OK);
    assert_int_equal(processes->count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(apps_are_debuggable_or_profileable, setup, teardown),
        cmocka_unit_test_setup_teardown(a_cut_message_is_no_list, setup, teardown),
        cmocka_unit_test_setup_teardown(a_process_has_a_number, setup, teardown),
        cmocka_unit_test_setup_teardown(jdwp_lists_debuggable_ones, setup, teardown),
        cmocka_unit_test_setup_teardown(ps_tells_name_user_and_time, setup, teardown),
        cmocka_unit_test_setup_teardown(old_ps_tells_name_and_user, setup, teardown),
        cmocka_unit_test_setup_teardown(an_answer_that_is_no_table_changes_nothing, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
