/* Looks at virtual threads: their CPU time is their carrier's while they are mounted. */
#include "jvm/virtual_stacks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/units.h"
#include "fake_machine.h"
#include "jvm/methods.h"
#include "record/recorder.h"

#define RECORD_LEN 14u /* of version 3: thread, word, CPU time and wall time, both in us */
#define CPU_OFFSET 6u
#define US_PER_MS 1000u

static char path[] = "/tmp/test-virtual-XXXXXX.trace";

static uint64_t cpu_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return tv_timespec_ns(time.tv_sec, time.tv_nsec);
}

static void work(uint64_t ns)
{
    for (const uint64_t begin = cpu_ns(); cpu_ns() - begin < ns;)
        ;
}

static int begin(void **state)
{
    (void)state;
    (void)strcpy(path, "/tmp/test-virtual-XXXXXX.trace");
    close(mkstemps(path, 6));
    fake_machine_begin();
    tv_jvm_methods_forget();
    const struct tv_recorder_options options = {
        .path = path, .interval_us = 1000, .is_watched = true};
    if (tv_recorder_start(&options) != TV_TRACE_OK)
        return -1;
    tv_jvm_virtual_begin();
    return 0;
}

/* Ends the recording. Returns the CPU time from the first to the last record, in us; counts them.
 */
static uint32_t end(uint64_t *records)
{
    static uint8_t bytes[1 << 20];
    struct tv_recorder_result result;
    tv_jvm_virtual_end(fake_machine_env());
    assert_int_equal(tv_recorder_stop(&result), TV_TRACE_OK);
    FILE *file = fopen(path, "rb");
    const size_t len = fread(bytes, 1, sizeof(bytes), file);
    (void)fclose(file);
    unlink(path);
    *records = result.records;
    if (!result.records)
        return 0;
    const uint8_t *first = bytes + len - result.records * RECORD_LEN;
    return tv_load_le32(bytes + len - RECORD_LEN + CPU_OFFSET) - tv_load_le32(first + CPU_OFFSET);
}

static void cpu_time_counts_while_mounted(void **state)
{
    JNIEnv *jni = fake_machine_env();
    jthread thread = fake_machine_thread(1);
    uint64_t records;
    (void)state;
    tv_jvm_virtual_mounted(jni, thread);
    (void)tv_jvm_virtual_look(jni);
    const uint64_t from = cpu_ns();
    work(20 * TV_NS_PER_MS);
    tv_jvm_virtual_unmounted(jni, thread);
    const uint64_t until = cpu_ns();
    (void)tv_jvm_virtual_look(jni);
    work(20 * TV_NS_PER_MS); /* for others, that the thread waits for */
    tv_jvm_virtual_mounted(jni, thread);
    tv_jvm_virtual_ended(jni, thread);
    (void)tv_jvm_virtual_look(jni);
    const uint32_t us = end(&records);
    assert_true(records >= 2);
    assert_in_range(us, 19 * US_PER_MS, (until - from) / TV_NS_PER_US + 5 * US_PER_MS);
    assert_int_equal(fake_machine.references, 0);
}

static void a_thread_that_was_never_mounted_has_no_row(void **state)
{
    uint64_t records;
    (void)state;
    tv_jvm_virtual_unmounted(fake_machine_env(), fake_machine_thread(2));
    (void)tv_jvm_virtual_look(fake_machine_env());
    assert_int_equal(end(&records), 0);
    assert_int_equal(records, 0);
    assert_int_equal(fake_machine.references, 0);
}

/* More are mounted than one look takes: the next look takes the others, and the end lets go of all.
 */
static void the_end_lets_go_of_threads_that_are_mounted(void **state)
{
    uint64_t records;
    (void)state;
    for (unsigned i = 0; i < FAKE_THREADS; i++)
        tv_jvm_virtual_mounted(fake_machine_env(), fake_machine_thread(i));
    assert_int_equal(fake_machine.references, FAKE_THREADS);
    (void)tv_jvm_virtual_look(fake_machine_env());
    assert_int_equal(fake_machine.references, FAKE_THREADS);
    (void)end(&records);
    assert_int_equal(fake_machine.references, 0);
    assert_false(tv_jvm_virtual_is_on());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(cpu_time_counts_while_mounted, begin),
        cmocka_unit_test_setup(a_thread_that_was_never_mounted_has_no_row, begin),
        cmocka_unit_test_setup(the_end_lets_go_of_threads_that_are_mounted, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
