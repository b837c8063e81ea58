/* The agent's options, and which classes they want. */
#include "jvm/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct tv_jvm_options options;
static char why[TV_JVM_WHY_CAP];

static bool wants(const char *name, bool is_boot)
{
    return tv_jvm_options_want(&options, name, strlen(name), is_boot);
}

static void every_option_is_read(void **state)
{
    (void)state;
    assert_true(
        tv_jvm_options_parse("start=app.trace,buffer=64m,clock=wall,mode=events,sample=2ms,"
                             "boot=yes,machine=yes,waits=yes,alloc=yes,lines=yes,only=com.example",
                             &options, why));
    assert_int_equal(options.command, TV_JVM_START);
    assert_string_equal(options.base, "app.trace");
    assert_int_equal(options.buffer_len, 64 << 20);
    assert_true(options.has_wall && !options.has_cpu);
    assert_int_equal(options.mode, TV_JVM_EVENTS);
    assert_int_equal(options.interval_us, 2000);
    assert_true(options.has_boot && options.has_machine && options.has_waits &&
                options.has_allocations && options.has_lines);
    assert_int_equal(options.only.count, 1);
    assert_string_equal(options.only.of[0], "com/example");
}

static void without_words_it_waits(void **state)
{
    (void)state;
    assert_true(tv_jvm_options_parse(NULL, &options, why));
    assert_int_equal(options.command, TV_JVM_WAIT);
    assert_true(tv_jvm_options_parse("start", &options, why));
    assert_int_equal(options.command, TV_JVM_START);
    assert_null(options.base);
    assert_true(tv_jvm_options_parse("stop", &options, why));
    assert_int_equal(options.command, TV_JVM_STOP);
}

static void a_backslash_keeps_a_comma(void **state)
{
    (void)state;
    assert_true(tv_jvm_options_parse("stream=a\\,b\\\\c.trace,clock=cpu", &options, why));
    assert_string_equal(options.base, "a,b\\c.trace");
    assert_true(options.is_exact && options.is_streaming && options.has_cpu);
}

/* Several virtual machines get the same options: each puts its number behind the file's name. */
static void each_process_has_a_file(void **state)
{
    (void)state;
    assert_true(tv_jvm_options_parse("each=/tmp/a,most=1g", &options, why));
    assert_int_equal(options.command, TV_JVM_START);
    assert_string_equal(options.base, "/tmp/a");
    assert_true(options.is_for_each && options.is_streaming);
    assert_null(options.awaited);
    assert_int_equal(options.file_most, UINT64_C(1) << 30);
    assert_true(tv_jvm_options_parse("each=/tmp/a,while=/tmp/a", &options, why));
    assert_true(options.is_for_each && options.is_streaming);
    assert_string_equal(options.awaited, "/tmp/a");
    assert_true(tv_jvm_options_parse("stream=a", &options, why));
    assert_false(options.is_for_each);
    assert_null(options.awaited);
    assert_int_equal(options.file_most, 0);
    assert_true(tv_jvm_options_parse("stream=a,while=/tmp/b", &options, why));
    assert_string_equal(options.awaited, "/tmp/b");
}

static void what_is_wrong_is_told(void **state)
{
    static const char *const cases[][2] = {
        {"strat=a", "there is no option: 'strat'"},
        {"each=", "each= needs the beginning of a file's name: ''"},
        {"stream=a,while=", "while= needs a file: ''"},
        {"stream=a,most=x", "most= needs a size, such as 100m: 'x'"},
        {"start=a,mode", "this option needs a value: 'mode'"},
        {"mode=fast", "mode= is events or rewrite: 'fast'"},
        {"clock=both", "clock= is dual, wall or cpu: 'both'"},
        {"buffer=64x", "buffer= needs a size, such as 64m: '64x'"},
        {"buffer=99999999999g", "buffer= needs a size, such as 64m: '99999999999g'"},
        {"buffer=-1", "buffer= needs a size, such as 64m: '-1'"},
        {"sample=0ms", "sample= needs a time, such as 1ms: '0ms'"},
        {"sample=1", "sample= needs a time, such as 1ms: '1'"},
        {"boot=1", "boot= is yes or no: '1'"},
        {"machine=", "machine= is yes or no: ''"},
        {"only=a::b", "only= and skip= need at most 128 packages or classes: ''"},
        {"stream=", "stream= needs a file: ''"},
        {"while=", "while= needs a file: ''"},
        {"start=a,slower=1ms", "slower= needs ring="},
        {"start=a,ring=1m,slow-method=b", "slow-method= needs slower="},
        {"start=a,most=1g", "most= needs stream= or each=, and no ring="},
        {"stream=a,ring=1m,most=1g", "most= needs stream= or each=, and no ring="},
        {"start=a,lines=yes", "lines= needs sample="},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_false(tv_jvm_options_parse(cases[i][0], &options, why));
        assert_string_equal(why, cases[i][1]);
    }
}

/* A program that starts by itself gives the interval, or whether it streams, then. */
static void what_a_program_may_still_give_is_not_missing(void **state)
{
    static const char *const texts[] = {"lines=yes,most=1g", "stop", "stream=a,most=1g",
                                        "start=a,sample=1ms,lines=yes",
                                        "start=a,ring=1m,slower=1ms,slow-method=b"};
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_true(tv_jvm_options_parse(texts[i], &options, why));
}

static void options_that_are_too_long_are_refused(void **state)
{
    static char text[TV_JVM_OPTIONS_CAP + 1];
    (void)state;
    memset(text, 'a', sizeof(text) - 1);
    assert_false(tv_jvm_options_parse(text, &options, why));
    memset(text, ':', sizeof(text) - 1);
    memcpy(text, "only=", 5);
    text[TV_JVM_OPTIONS_CAP - 1] = '\0';
    for (size_t i = 5; i < TV_JVM_OPTIONS_CAP - 1; i += 2)
        text[i] = 'p';
    assert_false(tv_jvm_options_parse(text, &options, why));
}

static void prefixes_end_where_names_do(void **state)
{
    (void)state;
    assert_true(
        tv_jvm_options_parse("only=com.example.*:Main,skip=com.example.gen", &options, why));
    assert_true(wants("com/example/Main", false));
    assert_true(wants("com/example/Main$Inner", false));
    assert_true(wants("Main", false) && wants("Main$1", false));
    assert_false(wants("Mainly", false));
    assert_false(wants("com/examples/Main", false));
    assert_false(wants("com/exam", false));
    assert_false(wants("com/example/gen/A", false));
    assert_true(wants("com/example/general/A", false));
}

static void the_boot_loader_and_the_recorder_are_left_out(void **state)
{
    (void)state;
    assert_true(tv_jvm_options_parse("start", &options, why));
    assert_true(wants("a/B", false));
    assert_false(wants("java/lang/String", true));
    assert_false(wants("traceview/Debug", false));
    assert_true(wants("traceview/Debugger", false));
    assert_true(tv_jvm_options_parse("start,boot=yes", &options, why));
    assert_true(wants("java/lang/String", true));
    assert_false(wants("java/lang/TraceviewCalls", true));
}

static void classes_of_other_agents_are_left_out_until_asked_for(void **state)
{
    (void)state;
    assert_true(tv_jvm_options_parse("start", &options, why));
    assert_false(wants("org/jacoco/agent/rt/internal_0000/asm/ClassReader", false));
    assert_false(wants("org/jacoco/agent/rt/RT", true));
    assert_true(wants("org/jacoco/core/tools/ExecFileLoader", false));
    assert_true(wants("org/jacoco/agent/rtl/Other", false));
    assert_true(tv_jvm_options_parse("start,only=org.jacoco.agent.rt", &options, why));
    assert_true(wants("org/jacoco/agent/rt/RT", false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_of_other_agents_are_left_out_until_asked_for),
        cmocka_unit_test(every_option_is_read),
        cmocka_unit_test(without_words_it_waits),
        cmocka_unit_test(a_backslash_keeps_a_comma),
        cmocka_unit_test(each_process_has_a_file),
        cmocka_unit_test(what_is_wrong_is_told),
        cmocka_unit_test(what_a_program_may_still_give_is_not_missing),
        cmocka_unit_test(options_that_are_too_long_are_refused),
        cmocka_unit_test(prefixes_end_where_names_do),
        cmocka_unit_test(the_boot_loader_and_the_recorder_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
