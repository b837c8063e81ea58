/* http/answer_queue: turns, shares, and who gives way. Times are told, so nothing here waits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "http/answer_queue.h"

#define LONG (TV_ANSWER_LONG_NS + 1)

static void add(struct tv_answer_queue *queue, struct tv_answer *answer, uint8_t party)
{
    *answer = (struct tv_answer){.party = {.bytes = {party}}, .may_be_cut = true, .came_ns = 1};
    tv_answer_queue_add(queue, answer);
}

/* One that asks much and one that asks little: each has one answered in turn. */
static void parties_take_turns(void **state)
{
    struct tv_answer_queue queue;
    struct tv_answer greedy[6];
    struct tv_answer modest[2];
    (void)state;
    tv_answer_queue_init(&queue, 1);
    for (size_t i = 0; i < TV_COUNT_OF(greedy); i++)
        add(&queue, &greedy[i], 'g');
    assert_ptr_equal(tv_answer_queue_take(&queue, 0), &greedy[0]);
    for (size_t i = 0; i < TV_COUNT_OF(modest); i++)
        add(&queue, &modest[i], 'm');
    const struct tv_answer *order[] = {&modest[0], &greedy[1], &modest[1], &greedy[2], &greedy[3]};
    tv_answer_queue_end(&queue, &greedy[0]);
    for (size_t i = 0; i < TV_COUNT_OF(order); i++) {
        struct tv_answer *next = tv_answer_queue_take(&queue, 0);
        assert_ptr_equal(next, order[i]);
        assert_null(tv_answer_queue_take(&queue, 0)); /* there is one place */
        tv_answer_queue_end(&queue, next);
    }
    assert_int_equal(queue.waiting.count, 2);
}

/* A party has half of the places while another one waits, and may have more while none does. */
static void a_party_has_half_of_the_places_where_others_wait(void **state)
{
    struct tv_answer_queue queue;
    struct tv_answer greedy[4];
    struct tv_answer modest;
    (void)state;
    tv_answer_queue_init(&queue, 4);
    for (size_t i = 0; i < TV_COUNT_OF(greedy); i++)
        add(&queue, &greedy[i], 'g');
    assert_ptr_equal(tv_answer_queue_take(&queue, 0), &greedy[0]);
    assert_ptr_equal(tv_answer_queue_take(&queue, 0), &greedy[1]);
    add(&queue, &modest, 'm');
    queue.turn = 100; /* the modest one's turn is far away: shares alone let it in */
    modest.turn = 100;
    assert_ptr_equal(tv_answer_queue_take(&queue, 0), &modest);
    assert_ptr_equal(tv_answer_queue_take(&queue, 0), &greedy[2]);
    assert_null(tv_answer_queue_take(&queue, 0));
}

/* Long answers give up their places for short ones while they go on. */
static void short_answers_do_not_wait_for_long_ones(void **state)
{
    struct tv_answer_queue queue;
    struct tv_answer slow[2];
    struct tv_answer quick;
    (void)state;
    tv_answer_queue_init(&queue, 2);
    for (size_t i = 0; i < TV_COUNT_OF(slow); i++) {
        add(&queue, &slow[i], 's');
        assert_ptr_equal(tv_answer_queue_take(&queue, 0), &slow[i]);
    }
    add(&queue, &quick, 'q');
    assert_null(tv_answer_queue_take(&queue, 0));
    assert_false(tv_answer_queue_look(&queue, TV_ANSWER_LONG_NS));
    assert_null(tv_answer_queue_take(&queue, 0));
    assert_true(tv_answer_queue_look(&queue, LONG));
    assert_ptr_equal(tv_answer_queue_take(&queue, LONG), &quick);
    assert_false(atomic_load(&slow[0].is_unwanted) || atomic_load(&slow[1].is_unwanted));
}

/* All threads work on long answers, of three parties: one of the greediest begins again later, the
 * one that began last, and it is not taken before a place for long ones is free. */
static void a_long_answer_gives_way_where_all_threads_are_taken(void **state)
{
    static const uint8_t parties[] = {'g', 'a', 'g', 'b'};
    struct tv_answer_queue queue;
    struct tv_answer slow[4];
    struct tv_answer quick;
    (void)state;
    tv_answer_queue_init(&queue, 2);
    for (size_t i = 0; i < TV_COUNT_OF(slow); i++) {
        add(&queue, &slow[i], parties[i]);
        assert_ptr_equal(tv_answer_queue_take(&queue, i * LONG), &slow[i]);
        (void)tv_answer_queue_look(&queue, (i + 1) * LONG);
    }
    const uint64_t now_ns = 5 * LONG;
    (void)tv_answer_queue_look(&queue, now_ns);
    for (size_t i = 0; i < TV_COUNT_OF(slow); i++)
        assert_false(atomic_load(&slow[i].is_unwanted)); /* nobody waits */
    add(&queue, &quick, 'q');
    assert_null(tv_answer_queue_take(&queue, now_ns));
    (void)tv_answer_queue_look(&queue, now_ns);
    (void)tv_answer_queue_look(&queue, now_ns);
    for (size_t i = 0; i < TV_COUNT_OF(slow); i++)
        assert_int_equal(slow[i].cut, i == 2 ? TV_ANSWER_AGAIN : TV_ANSWER_NOT_CUT);
    tv_answer_queue_end(&queue, &slow[2]);
    tv_answer_queue_add(&queue, &slow[2]);
    assert_false(atomic_load(&slow[2].is_unwanted));
    assert_ptr_equal(tv_answer_queue_take(&queue, now_ns), &quick);
    tv_answer_queue_end(&queue, &quick);
    assert_null(tv_answer_queue_take(&queue, now_ns));
    tv_answer_queue_end(&queue, &slow[0]);
    assert_null(tv_answer_queue_take(&queue, now_ns)); /* two long ones are left */
    tv_answer_queue_end(&queue, &slow[1]);
    assert_ptr_equal(tv_answer_queue_take(&queue, now_ns), &slow[2]);
}

/* Two parties have a long answer each: not the one that asks for nothing else gives way, though it
 * began last. */
static void whoever_asks_most_gives_way(void **state)
{
    struct tv_answer_queue queue;
    struct tv_answer greedy[3];
    struct tv_answer modest;
    struct tv_answer quick;
    (void)state;
    tv_answer_queue_init(&queue, 1);
    for (size_t i = 0; i < TV_COUNT_OF(greedy); i++)
        add(&queue, &greedy[i], 'g');
    assert_ptr_equal(tv_answer_queue_take(&queue, 0), &greedy[0]);
    (void)tv_answer_queue_look(&queue, LONG);
    add(&queue, &modest, 'm');
    assert_ptr_equal(tv_answer_queue_take(&queue, LONG), &modest);
    (void)tv_answer_queue_look(&queue, 2 * LONG);
    add(&queue, &quick, 'q');
    (void)tv_answer_queue_look(&queue, 2 * LONG);
    assert_int_equal(modest.cut, TV_ANSWER_NOT_CUT);
    assert_int_equal(greedy[0].cut, TV_ANSWER_AGAIN);
}

/* What must not be cut would keep all threads, had its party all of them. */
static void no_party_has_all_threads(void **state)
{
    struct tv_answer_queue queue;
    struct tv_answer changes[4];
    struct tv_answer quick;
    (void)state;
    tv_answer_queue_init(&queue, 2);
    for (size_t i = 0; i < TV_COUNT_OF(changes); i++) {
        add(&queue, &changes[i], 'c');
        changes[i].may_be_cut = false;
        assert_ptr_equal(tv_answer_queue_take(&queue, 0), i < 3 ? &changes[i] : NULL);
        (void)tv_answer_queue_look(&queue, LONG);
    }
    add(&queue, &quick, 'q');
    assert_ptr_equal(tv_answer_queue_take(&queue, LONG), &quick);
    (void)tv_answer_queue_look(&queue, 9 * LONG);
    for (size_t i = 0; i < TV_COUNT_OF(changes); i++)
        assert_false(atomic_load(&changes[i].is_unwanted));
}

static void late_answers_are_cut(void **state)
{
    struct tv_answer_queue queue;
    struct tv_answer late;
    struct tv_answer endless;
    (void)state;
    tv_answer_queue_init(&queue, 2);
    add(&queue, &late, 'l');
    add(&queue, &endless, 'e');
    late.deadline_ns = 1000;
    assert_int_equal(tv_answer_queue_oldest_ns(&queue), 1);
    assert_ptr_equal(tv_answer_queue_take(&queue, 0), &late);
    assert_ptr_equal(tv_answer_queue_take(&queue, 0), &endless);
    assert_int_equal(tv_answer_queue_oldest_ns(&queue), 0);
    (void)tv_answer_queue_look(&queue, 999);
    assert_int_equal(late.cut, TV_ANSWER_NOT_CUT);
    (void)tv_answer_queue_look(&queue, 1000);
    assert_int_equal(late.cut, TV_ANSWER_LATE);
    assert_true(atomic_load(&late.is_unwanted));
    assert_int_equal(endless.cut, TV_ANSWER_NOT_CUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parties_take_turns),
        cmocka_unit_test(a_party_has_half_of_the_places_where_others_wait),
        cmocka_unit_test(short_answers_do_not_wait_for_long_ones),
        cmocka_unit_test(a_long_answer_gives_way_where_all_threads_are_taken),
        cmocka_unit_test(whoever_asks_most_gives_way),
        cmocka_unit_test(no_party_has_all_threads),
        cmocka_unit_test(late_answers_are_cut),
    };
    return cmocka_run_group_tests_name("http/answer_queue", tests, NULL, NULL);
}
