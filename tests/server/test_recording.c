/* What the page asks for becomes words of a helper, and no others. */
#include "server/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static enum tv_code read_wish(const char *query, struct tv_recording_request *wish,
                              struct tv_error *err)
{
    static char kept[8][256]; /* texts outlive the arena here */
    static unsigned next;
    struct tv_params params;
    struct tv_arena arena;
    tv_arena_init(&arena, tv_alloc_libc());
    assert_int_equal(tv_params_parse(&params, &arena, tv_str_from(query), NULL, err), TV_OK);
    enum tv_code code = tv_recording_read(&params, wish, err);
    struct tv_str *const texts[] = {&wish->serial, &wish->name, &wish->package, &wish->activity};
    for (size_t i = 0; i < 4 && code == TV_OK; i++) {
        char *room = kept[next++ % 8];
        if (texts[i]->len)
            memcpy(room, texts[i]->at, texts[i]->len);
        texts[i]->at = room;
    }
    tv_arena_release(&arena);
    return code;
}

static void assert_words(const char *query, const char *const *expected)
{
    struct tv_recording_request wish;
    struct tv_helper_thread_words words;
    struct tv_error err;
    assert_int_equal(read_wish(query, &wish, &err), TV_OK);
    tv_recording_words(&wish, "/a b/c.trace", &words);
    for (size_t i = 0; i < words.count; i++) {
        assert_non_null(expected[i]);
        assert_string_equal(words.of[i], expected[i]);
    }
    assert_null(expected[words.count]);
}

static void an_app_is_named_by_its_number(void **state)
{
    static const char *const plain[] = {
        "record", "--output=/a b/c.trace", "--progress=json", "--serial=X1", "--no-view", "4711",
        NULL};
    static const char *const all[] = {"record",
                                      "--output=/a b/c.trace",
                                      "--duration=10s",
                                      "--buffer=64m",
                                      "--progress=json",
                                      "--serial=X1",
                                      "--no-view",
                                      "--sampling=1ms",
                                      "7",
                                      NULL};
    static const char *const stream[] = {"record",
                                         "--output=/a b/c.trace",
                                         "--progress=json",
                                         "--serial=X1",
                                         "--no-view",
                                         "--streaming",
                                         "7",
                                         NULL};
    (void)state;
    assert_words("serial=X1&pid=4711&name=sh", plain);
    assert_words("serial=X1&pid=7&name=a&mode=sample&buffer_mb=64&duration_s=10", all);
    assert_words("serial=X1&pid=7&name=a&mode=stream", stream);
}

static void without_a_device_it_is_a_java_program(void **state)
{
    static const char *const words[] = {"record", "--output=/a b/c.trace", "--progress=json",
                                        "--jvm=4711", NULL};
    static const char *const sampled[] = {"record",
                                          "--output=/a b/c.trace",
                                          "--duration=5s",
                                          "--progress=json",
                                          "--sample=1ms",
                                          "--jvm=4711",
                                          NULL};
    (void)state;
    assert_words("pid=4711&name=Main&mode=trace", words);
    assert_words("pid=4711&name=Main&mode=sample&duration_s=5", sampled);
}

static void an_app_is_started_by_its_package(void **state)
{
    static const char *const startup[] = {
        "record",    "--output=/a b/c.trace", "--progress=json",  "--serial=X1",
        "--no-view", "--app-startup",         "com.example.app2", NULL};
    static const char *const activity[] = {
        "record",    "--output=/a b/c.trace", "--progress=json", "--serial=X1",
        "--no-view", "--start-activity",      "com.example.app", NULL};
    static const char *const named[] = {"record",
                                        "--output=/a b/c.trace",
                                        "--progress=json",
                                        "--serial=X1",
                                        "--no-view",
                                        "--app-startup",
                                        "--start-activity=.Main$Other",
                                        "com.example.app",
                                        NULL};
    (void)state;
    assert_words("serial=X1&name=a&begin=startup&package=com.example.app2", startup);
    assert_words("serial=X1&name=a&begin=activity&package=com.example.app", activity);
    assert_words("serial=X1&name=a&begin=startup&package=com.example.app&activity=.Main%24Other",
                 named);
}

static void what_is_no_serial_number_is_refused(void **state)
{
    static const struct {
        const char *query, *text;
    } cases[] = {
        {"serial=a%20b&pid=1&name=x", "serial is no serial number"},
        {"serial=a%0a&pid=1&name=x", "serial is no serial number"},
        {"serial=&pid=1&name=x", "serial is no serial number"},
        {"serial=%c3%a4&pid=1&name=x", "serial is no serial number"},
        {"serial=a&pid=1", "name is missing, or too long"},
        {"serial=a&name=x", "pid is missing"},
        {"serial=a&name=x&begin=startup", "package is no name of an app, com.example.app"},
        {"serial=a&name=x&begin=startup&package=sh",
         "package is no name of an app, com.example.app"},
        {"serial=a&name=x&begin=startup&package=--output.a",
         "package is no name of an app, com.example.app"},
        {"serial=a&name=x&begin=startup&package=a.b%20c",
         "package is no name of an app, com.example.app"},
        {"serial=a&name=x&begin=startup&package=a.b&activity=a/b",
         "activity is no name of a class, .MainActivity"},
        {"serial=a&name=x&begin=startup&package=a.b&pid=7",
         "what is started is an app of a device, which has no pid yet"},
        {"name=x&begin=activity&package=a.b",
         "what is started is an app of a device, which has no pid yet"},
        {"serial=a&name=x&pid=7&package=a.b",
         "package and activity are of an app that is started: say how by begin"},
        {"pid=1&name=x&mode=stream", "streams and buffers are of devices, and serial is missing"},
        {"pid=1&name=x&buffer_mb=8", "streams and buffers are of devices, and serial is missing"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct tv_recording_request wish;
        struct tv_error err;
        assert_int_equal(read_wish(cases[i].query, &wish, &err), TV_ERR_ARGUMENT);
        assert_string_equal(err.text, cases[i].text);
    }
}

static void a_number_is_a_number(void **state)
{
    static const char *const queries[] = {"serial=a&name=x&pid=0",
                                          "serial=a&name=x&pid=sh",
                                          "serial=a&name=x&pid=99999999",
                                          "serial=a&name=x&pid=1&buffer_mb=4096",
                                          "serial=a&name=x&pid=1&mode=other",
                                          "serial=a&name=x&pid=1&duration_s=-1"};
    (void)state;
    for (size_t i = 0; i < sizeof(queries) / sizeof(*queries); i++) {
        struct tv_recording_request wish;
        assert_int_equal(read_wish(queries[i], &wish, NULL), TV_ERR_ARGUMENT);
    }
}

static void a_file_is_named_by_process_and_time(void **state)
{
    static const struct {
        const char *process, *name;
    } cases[] = {
        {"com.example.app:sync-1", "com.example.app_sync-1-20261122-090503.trace"},
        {"../../.bashrc", "_._.._.bashrc-20261122-090503.trace"},
        {"-rf a\nb", "_rf_a_b-20261122-090503.trace"},
        {"\xc3\xa4", "__-20261122-090503.trace"},
    };
    const struct tm when = {
        .tm_year = 126, .tm_mon = 10, .tm_mday = 22, .tm_hour = 9, .tm_min = 5, .tm_sec = 3};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char name[TV_RECORDING_NAME_CAP];
        tv_recording_file_name(name, tv_str_from(cases[i].process), &when);
        assert_null(strchr(name, '/'));
        assert_string_equal(name, cases[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_app_is_named_by_its_number),
        cmocka_unit_test(an_app_is_started_by_its_package),
        cmocka_unit_test(without_a_device_it_is_a_java_program),
        cmocka_unit_test(what_is_no_serial_number_is_refused),
        cmocka_unit_test(a_number_is_a_number),
        cmocka_unit_test(a_file_is_named_by_process_and_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
