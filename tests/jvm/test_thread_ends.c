/* Threads that have ended, as those that note them and the one that takes them see it. */
#include "jvm/thread_ends.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define THREADS 8
#define NOTES 500u

static struct tv_jvm_ended taken[TV_JVM_ENDED_MOST];

static void what_is_noted_is_taken_once_in_its_order(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 3; i++)
        tv_jvm_ended_note(&(struct tv_jvm_ended){.key = taken + i, .cpu_ns = 10 * i, .ticks = i});
    assert_int_equal(tv_jvm_ended_take(taken), 3);
    for (uint64_t i = 0; i < 3; i++) {
        assert_ptr_equal(taken[i].key, taken + i);
        assert_int_equal(taken[i].cpu_ns, 10 * i);
        assert_int_equal(taken[i].ticks, i);
    }
    assert_int_equal(tv_jvm_ended_take(taken), 0);
}

static void what_has_no_room_is_left_out(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < TV_JVM_ENDED_MOST + 10; i++)
        tv_jvm_ended_note(&(struct tv_jvm_ended){.ticks = i});
    assert_int_equal(tv_jvm_ended_take(taken), TV_JVM_ENDED_MOST);
    assert_int_equal(taken[TV_JVM_ENDED_MOST - 1].ticks, TV_JVM_ENDED_MOST - 1);
    assert_int_equal(tv_jvm_ended_take(taken), 0);
}

static void *note(void *key)
{
    for (uint64_t i = 0; i < NOTES; i++)
        tv_jvm_ended_note(&(struct tv_jvm_ended){.key = key, .ticks = i});
    return NULL;
}

/* Of each thread what is taken is in the order in which it was noted. */
static void threads_note_while_another_takes(void **state)
{
    pthread_t threads[THREADS];
    uint64_t next[THREADS] = {0};
    (void)state;
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, note, &next[i]), 0);
    for (unsigned round = 0; round < 1000; round++) {
        const size_t count = tv_jvm_ended_take(taken);
        for (size_t i = 0; i < count; i++) {
            uint64_t *at = (uint64_t *)(uintptr_t)taken[i].key;
            assert_true(taken[i].ticks >= *at);
            *at = taken[i].ticks + 1;
        }
    }
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    (void)tv_jvm_ended_take(taken);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_noted_is_taken_once_in_its_order),
        cmocka_unit_test(what_has_no_room_is_left_out),
        cmocka_unit_test(threads_note_while_another_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
