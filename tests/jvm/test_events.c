/* Recording by events: which of them ask the virtual machine, and which become records. */
#include "jvm/events.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_machine.h"
#include "jvm/methods.h"
#include "record/calls.h"
#include "record/recorder.h"

static jvmtiEventCallbacks events;

static void enter(void)
{
    events.MethodEntry(NULL, fake_machine_env(), fake_machine_thread(0), fake_machine_method());
}

static void leave(void)
{
    const jvalue value = {.j = 0};
    events.MethodExit(NULL, fake_machine_env(), fake_machine_thread(0), fake_machine_method(),
                      JNI_FALSE, value);
}

static int begin(void **state)
{
    (void)state;
    fake_machine_begin();
    tv_calls_prepare(TV_CALLS_MOST, NULL);
    tv_jvm_events_set(&events);
    tv_jvm_methods_forget();
    return 0;
}

static uint64_t record(void (*what)(void))
{
    char path[] = "/tmp/test-events-XXXXXX.trace";
    struct tv_recorder_result result;
    close(mkstemps(path, 6));
    assert_int_equal(tv_recorder_start(&(struct tv_recorder_options){.path = path}), TV_TRACE_OK);
    what();
    assert_int_equal(tv_recorder_stop(&result), TV_TRACE_OK);
    unlink(path);
    return result.records;
}

static void a_call(void)
{
    enter();
    leave();
}

static void an_enter_and_an_exit_are_recorded(void **state)
{
    (void)state;
    assert_int_equal(record(a_call), 2);
    assert_int_equal(fake_machine.asked_for_methods, 1);
}

/* The call began before the recording: it is not to be described. */
static void an_exit_without_its_enter_asks_nothing(void **state)
{
    (void)state;
    assert_int_equal(record(leave), 0);
    assert_int_equal(fake_machine.asked_for_methods, 0);
}

/* The recording stops between the two: the virtual machine may be ending, and is left alone. */
static void an_exit_behind_the_end_asks_nothing(void **state)
{
    (void)state;
    assert_int_equal(record(enter), 1);
    tv_jvm_methods_forget();
    assert_true(tv_calls.depth > 0);
    leave();
    assert_int_equal(fake_machine.asked_for_methods, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_enter_and_an_exit_are_recorded, begin),
        cmocka_unit_test_setup(an_exit_without_its_enter_asks_nothing, begin),
        cmocka_unit_test_setup(an_exit_behind_the_end_asks_nothing, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
