/* What is asked of `am`, and what its answers mean. */
#include "adb/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/units.h"

static struct tv_str str(const char *text)
{
    return tv_str_from(text);
}

static void count_line(void *ctx, const char *left_out)
{
    unsigned *lines = ctx;
    assert_non_null(strstr(left_out, "left out"));
    (*lines)++;
}

static enum tv_code fit(struct tv_profile_wish *wish, unsigned sdk, unsigned *lines,
                        struct tv_error *err)
{
    *lines = 0;
    return tv_profile_fit(wish, sdk, count_line, lines, err);
}

static void each_option_begins_with_its_version(void **state)
{
    (void)state;
    static const struct {
        struct tv_profile_wish wish;
        unsigned since;
    } cases[] = {{{.sampling_us = 1000}, 23},
                 {{.sampling_us = 1000, .is_launch = true}, 21},
                 {{.clock = TV_PROFILE_CLOCK_WALL}, 34},
                 {{.clock = TV_PROFILE_CLOCK_THREAD_CPU}, 34},
                 {{.output_version = 2}, 35},
                 {{.buffer_mib = 64}, 24},
                 {{.buffer_mib = 0}, 17}};
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        unsigned lines;
        struct tv_error err = {.code = TV_OK};
        struct tv_profile_wish wish = cases[i].wish;
        assert_int_equal(fit(&wish, cases[i].since, &lines, &err), TV_OK);
        assert_int_equal(lines, 0);
        assert_memory_equal(&wish, &cases[i].wish, sizeof(wish));
        assert_int_equal(fit(&wish, cases[i].since - 1, &lines, &err), TV_ERR_UNSUPPORTED);
        assert_non_null(strstr(err.text, ": ")); /* what to do instead */
    }
}

static void abilities_are_what_a_fit_allows(void **state)
{
    (void)state;
    const struct {
        enum tv_profile_ability ability;
        struct tv_profile_wish wish;
    } cases[] = {{TV_PROFILE_SAMPLING, {.sampling_us = 1000}},
                 {TV_PROFILE_SAMPLED_LAUNCH, {.sampling_us = 1000, .is_launch = true}},
                 {TV_PROFILE_BUFFER, {.buffer_mib = 64}},
                 {TV_PROFILE_CLOCK_TYPE, {.clock = TV_PROFILE_CLOCK_WALL}},
                 {TV_PROFILE_OUTPUT_VERSION, {.output_version = 2}},
                 {TV_PROFILE_STREAMING, {.is_streamed = true}}};
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        for (unsigned sdk = 17; sdk < 40; sdk++) {
            unsigned lines;
            struct tv_profile_wish wish = cases[i].wish;
            const bool is_done = fit(&wish, sdk, &lines, NULL) == TV_OK && lines == 0;
            assert_int_equal(tv_profile_knows(sdk, cases[i].ability), is_done);
        }
    }
    for (unsigned i = 0; i < TV_PROFILE_ABILITY_COUNT; i++)
        assert_true(strlen(tv_profile_abilities[i].name) && tv_profile_abilities[i].sdk > 17);
}

static void processes_of_one_name_are_counted(void **state)
{
    (void)state;
    char numbers[TV_PROFILE_NUMBERS_CAP];
    const struct tv_str ps =
        str("  PID NAME\n 4711 com.a\n 4712 com.a:web\nx com.a\n 4999 com.a\n");
    assert_int_equal(tv_profile_count_processes(ps, str("com.a"), numbers), 2);
    assert_string_equal(numbers, "4711, 4999");
    assert_int_equal(tv_profile_count_processes(ps, str("com.a:web"), numbers), 1);
    assert_string_equal(numbers, "4712");
    assert_int_equal(tv_profile_count_processes(ps, str("4711"), numbers), 0);
    assert_string_equal(numbers, "");
    assert_int_equal(tv_profile_count_processes(str(""), str("com.a"), numbers), 0);
    char many[2000];
    int len = snprintf(many, sizeof(many), "PID NAME\n");
    for (unsigned i = 0; i < 100; i++)
        len += snprintf(many + len, sizeof(many) - (size_t)len, "4194303 com.a\n");
    assert_int_equal(tv_profile_count_processes(str(many), str("com.a"), numbers), 100);
    assert_true(strlen(numbers) < TV_PROFILE_NUMBERS_CAP);
    assert_string_equal(numbers + strlen(numbers) - 9, ", 4194303");
}

static void what_makes_no_difference_is_left_out_and_told(void **state)
{
    (void)state;
    static const struct {
        struct tv_profile_wish wish;
        unsigned sdk;
    } cases[] = {{{.is_streamed = true}, 25},
                 {{.clock = TV_PROFILE_CLOCK_DUAL}, 33},
                 {{.output_version = 1}, 34},
                 {{.buffer_mib = 8}, 22},
                 {{.is_streamed = true, .buffer_mib = 64}, 26}};
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        unsigned lines;
        struct tv_profile_wish wish = cases[i].wish;
        assert_int_equal(fit(&wish, cases[i].sdk, &lines, NULL), TV_OK);
        assert_int_equal(lines, 1);
        assert_int_equal(wish.clock, TV_PROFILE_CLOCK_ANY);
        assert_int_equal(wish.output_version, 0);
        assert_int_equal(wish.buffer_mib, 0);
        assert_int_equal(wish.is_streamed, cases[i].sdk == 26);
    }
}

static void stream_that_becomes_a_buffer_needs_the_buffer(void **state)
{
    (void)state;
    unsigned lines;
    struct tv_error err;
    struct tv_profile_wish wish = {.is_streamed = true, .buffer_mib = 64};
    assert_int_equal(fit(&wish, 22, &lines, &err), TV_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "--buffer needs Android 7, the device has Android 5.1"));
}

static void commands_are_as_am_takes_them(void **state)
{
    (void)state;
    struct tv_buffer command;
    const struct tv_profile_wish all = {
        .sampling_us = 500, .clock = TV_PROFILE_CLOCK_WALL, .output_version = 2, .buffer_mib = 64};
    const struct tv_profile_wish none = {.is_streamed = true};
    tv_buffer_init(&command, tv_alloc_libc());
    assert_int_equal(tv_profile_start(&command, &all, str("4711"), str("/t/a b"), NULL), TV_OK);
    assert_int_equal(tv_buffer_append(&command, "\n", 1, NULL), TV_OK);
    assert_int_equal(tv_profile_stop(&command, str("com.a.b"), NULL), TV_OK);
    assert_int_equal(tv_buffer_append(&command, "\n", 1, NULL), TV_OK);
    assert_int_equal(tv_profile_launch(&command, &none, str("a.b"), str(""), str("/t/x"), NULL),
                     TV_OK);
    assert_int_equal(tv_buffer_append(&command, "\n", 1, NULL), TV_OK);
    assert_int_equal(tv_profile_launch(&command, &none, str("a.b"), str(".Main$2"), str(""), NULL),
                     TV_OK);
    assert_int_equal(tv_buffer_append(&command, "", 1, NULL), TV_OK);
    assert_string_equal((const char *)command.bytes,
                        "am profile start --sampling 500 --clock-type wall "
                        "--profiler-output-version 2 4711 '/t/a b'\n"
                        "am profile stop com.a.b\n"
                        "am start -S --start-profiler /t/x --streaming a.b\n"
                        "am start -n 'a.b/.Main$2'");
    tv_buffer_release(&command);
}

/* The answers that the device of the tests gives, whose files say where they are from. */
static void answers_of_devices_are_understood(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        enum tv_profile_answer answer;
        const char *reason;
    } cases[] = {
        {"unknown-process@5", TV_PROFILE_NO_PROCESS, "Unknown process: <process>"},
        {"unknown-process@8", TV_PROFILE_NO_PROCESS, "Unknown process: <process>"},
        {"unknown-process@11", TV_PROFILE_NO_PROCESS, "Unknown process: <process>"},
        {"not-debuggable@5", TV_PROFILE_NOT_ALLOWED, "Process not debuggable: <package>"},
        {"not-debuggable@8", TV_PROFILE_NOT_ALLOWED, "Process not debuggable: <package>"},
        {"not-debuggable@11", TV_PROFILE_NOT_ALLOWED,
         "Process not debuggable, and not profileable by shell: <package>"},
        {"unknown-option@5", TV_PROFILE_NO_OPTION, "Unknown option: <option>"},
        {"no-file@5", TV_PROFILE_NO_FILE, "Unable to open file: <file>"},
        {"no-file@8", TV_PROFILE_NO_FILE, "Unable to open file: <file>"},
        {"no-activity@5", TV_PROFILE_NO_ACTIVITY, NULL},
        {"no-class@5", TV_PROFILE_NO_ACTIVITY, "Activity class {<package>/<name>} does not exist."},
        {"not-found@11", TV_PROFILE_OTHER_FAILURE, NULL},
        {"starting@5", TV_PROFILE_DONE, NULL},
    };
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        char path[128], bytes[2048];
        (void)snprintf(path, sizeof(path), "tests/adb/texts/%s.txt", cases[i].file);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        size_t len = fread(bytes, 1, sizeof(bytes) - 1, file);
        (void)fclose(file);
        bytes[len] = '\0';
        const char *text = strstr(bytes, "\n\n");
        assert_non_null(text);
        assert_int_equal(tv_profile_answer_of(str(text + 2), 0), cases[i].answer);
        struct tv_str reason = tv_profile_reason(str(text + 2));
        if (cases[i].reason && !tv_str_equal(reason, str(cases[i].reason)))
            fail_msg("%s: %.*s", cases[i].file, (int)reason.len, reason.at);
    }
    assert_int_equal(tv_profile_answer_of(str(""), 0), TV_PROFILE_DONE);
    assert_int_equal(tv_profile_answer_of(str(""), 255), TV_PROFILE_OTHER_FAILURE);
}

static void recording_under_way_is_found_in_a_dump(void **state)
{
    (void)state;
    struct tv_str package, file;
    const char *dump = "ACTIVITY\n  mProfileApp=com.a.b mProfileProc=ProcessRecord{b6f 1:com.a.b}\n"
                       "  mProfileFile=/data/local/tmp/x.trace mProfileFd=null\n";
    assert_true(tv_profile_under_way(str(dump), &package, &file));
    assert_true(tv_str_equal(package, str("com.a.b")));
    assert_true(tv_str_equal(file, str("/data/local/tmp/x.trace")));
    assert_false(
        tv_profile_under_way(str("  mProfileApp=null mProfileProc=null\n"), &package, &file));
    assert_false(tv_profile_under_way(str("nothing\n"), &package, &file));
}

static void processes_are_found_by_name_and_number(void **state)
{
    (void)state;
    uint64_t pid = 0;
    struct tv_str name;
    const char *new = "  PID NAME\n   41 com.a.b:web\n   42 com.a.b\n  900 ps\n";
    const char *old = "USER     PID   PPID  VSIZE  RSS     WCHAN    PC         NAME\r\n"
                      "u0_a1    42    190   15     61      ffffffff b6efc9a0 S com.a.b\r\n";
    assert_true(tv_profile_find_process(str(new), str("com.a.b"), &pid, &name));
    assert_int_equal(pid, 42);
    assert_true(tv_profile_find_process(str(new), str("41"), &pid, &name));
    assert_true(tv_str_equal(name, str("com.a.b:web")));
    assert_true(tv_profile_find_process(str(old), str("com.a.b"), &pid, &name));
    assert_int_equal(pid, 42);
    assert_false(tv_profile_find_process(str(new), str("com.a"), &pid, &name));
    assert_false(tv_profile_find_process(str("\xff\xfe"), str("a"), &pid, &name));
    assert_false(tv_profile_find_process(str(""), str("a"), &pid, &name));
    /* A package is its own process alone, whatever others it has. */
    const char *others = "PID NAME\n6 com.ab:x\n8 com.a:x;y/z\n7 com.a:x\n";
    assert_false(tv_profile_find_process(str(others), str("com.a"), &pid, &name));
    assert_true(tv_profile_find_process(str(others), str("com.a:x"), &pid, &name));
    assert_int_equal(pid, 7);
    assert_true(tv_profile_find_other_process(str(others), str("com.a"), &name));
    assert_true(tv_str_equal(name, str("com.a:x")));
    assert_false(tv_profile_find_other_process(str(new), str("com.a"), &name));
    assert_false(tv_profile_find_other_process(str("PID NAME\n7 com.a\n"), str("com.a"), &name));
    assert_false(tv_profile_find_other_process(str(""), str("a"), &name));
}

static void packages_are_told_from_programs(void **state)
{
    (void)state;
    static const char *const packages[] = {"com.example.app", "a.b", "com.a_b.C1:web"};
    static const char *const others[] = {"app", "./com.example", "python3.11", "com..a", "com.a.",
                                         "",    "a.b c",         "/usr/a.b",   "4711",   "a.b:c/d"};
    for (size_t i = 0; i < TV_COUNT_OF(packages); i++)
        assert_true(tv_profile_is_package(str(packages[i])));
    for (size_t i = 0; i < TV_COUNT_OF(others); i++) {
        if (tv_profile_is_package(str(others[i])))
            fail_msg("%s", others[i]);
    }
}

static void buffers_grow_with_rate_and_time(void **state)
{
    (void)state;
    assert_int_equal(tv_profile_buffer_for(0, 0), 8);
    assert_int_equal(tv_profile_buffer_for(1 << 20, UINT64_C(10000000000)), 16); /* 12.5 MiB */
    assert_int_equal(tv_profile_buffer_for(5 << 20, UINT64_C(10000000000)), 64); /* 62.5 MiB */
    assert_int_equal(tv_profile_buffer_for(800 << 20, TV_NS_PER_S), 1024);
    assert_int_equal(tv_profile_buffer_for(900 << 20, TV_NS_PER_S), 0); /* 1125 MiB */
    assert_int_equal(tv_profile_buffer_for(UINT64_MAX, UINT64_MAX), 0);
}

static void versions_have_names(void **state)
{
    (void)state;
    static const struct {
        unsigned sdk;
        const char *name;
    } cases[] = {{22, "Android 5.1"}, {26, "Android 8"},  {30, "Android 11"},
                 {34, "Android 14"},  {36, "Android 16"}, {10, "Android of API level 10"}};
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        char name[TV_PROFILE_VERSION_CAP];
        tv_profile_version(cases[i].sdk, name);
        assert_string_equal(name, cases[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_option_begins_with_its_version),
        cmocka_unit_test(abilities_are_what_a_fit_allows),
        cmocka_unit_test(processes_of_one_name_are_counted),
        cmocka_unit_test(what_makes_no_difference_is_left_out_and_told),
        cmocka_unit_test(stream_that_becomes_a_buffer_needs_the_buffer),
        cmocka_unit_test(commands_are_as_am_takes_them),
        cmocka_unit_test(answers_of_devices_are_understood),
        cmocka_unit_test(recording_under_way_is_found_in_a_dump),
        cmocka_unit_test(processes_are_found_by_name_and_number),
        cmocka_unit_test(packages_are_told_from_programs),
        cmocka_unit_test(buffers_grow_with_rate_and_time),
        cmocka_unit_test(versions_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
