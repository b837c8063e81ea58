/* Looks from signal handlers: in order, whole, and lost where there is no room. */
#include "record/look_ring.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define THREADS 4
#define LOOKS 20000u

static struct tv_look_ring ring;

static void a_look_is_taken_when_it_is_whole(void **state)
{
    (void)state;
    assert_true(tv_look_ring_init(&ring, 100));
    assert_null(tv_look_ring_next(&ring));
    struct tv_own_look *first = tv_look_ring_begin(&ring), *second = tv_look_ring_begin(&ring);
    assert_true(first && second && first != second);
    first->count = 1;
    second->count = 2;
    tv_look_ring_end(second);
    assert_null(tv_look_ring_next(&ring)); /* the first is not whole */
    tv_look_ring_end(first);
    for (uint32_t i = 1; i <= 2; i++) {
        struct tv_own_look *look = tv_look_ring_next(&ring);
        assert_non_null(look);
        assert_int_equal(look->count, i);
        tv_look_ring_give(&ring, look);
    }
    assert_null(tv_look_ring_next(&ring));
    tv_look_ring_release(&ring);
}

static void what_has_no_room_is_counted(void **state)
{
    (void)state;
    assert_true(tv_look_ring_init(&ring, 8));
    for (uint32_t i = 0; i < TV_LOOK_RING_PLACES; i++)
        tv_look_ring_end(tv_look_ring_begin(&ring));
    assert_null(tv_look_ring_begin(&ring));
    assert_int_equal(ring.lost, 1);
    tv_look_ring_give(&ring, tv_look_ring_next(&ring));
    assert_non_null(tv_look_ring_begin(&ring));
    tv_look_ring_release(&ring);
}

static void *put_looks(void *number)
{
    for (uint32_t i = 0; i < LOOKS;) {
        struct tv_own_look *look = tv_look_ring_begin(&ring);
        if (!look)
            continue;
        look->thread = (uintptr_t)number;
        look->count = i;
        memcpy(look->bytes, &i, sizeof(i));
        tv_look_ring_end(look);
        i++;
    }
    return NULL;
}

static void threads_put_in_and_one_takes_out(void **state)
{
    static char names[THREADS];
    pthread_t threads[THREADS];
    uint32_t next[THREADS] = {0};
    (void)state;
    assert_true(tv_look_ring_init(&ring, sizeof(uint32_t)));
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, put_looks, &names[i]), 0);
    for (uint32_t taken = 0; taken < THREADS * LOOKS;) {
        struct tv_own_look *look = tv_look_ring_next(&ring);
        uint32_t content;
        if (!look)
            continue;
        size_t thread = look->thread - (uintptr_t)names;
        memcpy(&content, look->bytes, sizeof(content));
        assert_true(thread < THREADS);
        assert_int_equal(look->count, next[thread]);
        assert_int_equal(content, next[thread]++);
        tv_look_ring_give(&ring, look);
        taken++;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    tv_look_ring_release(&ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_look_is_taken_when_it_is_whole),
        cmocka_unit_test(what_has_no_room_is_counted),
        cmocka_unit_test(threads_put_in_and_one_takes_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
