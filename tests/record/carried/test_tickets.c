/* Entries of carried threads, and their tickets. */
#include "record/carried/tickets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void entries_of_many_chunks_begin_zeroed_and_stay_where_they_are(void **state)
{
    (void)state;
    static struct tv_tickets tickets = {.entry_len = sizeof(uint64_t)};
    const uint64_t *first = NULL;
    tv_tickets_begin(&tickets, 7);
    for (uint32_t i = 1; i <= 3 * TV_TICKETS_CHUNK + 1; i++) {
        assert_int_equal(tv_tickets_take(&tickets), i);
        uint64_t *entry = tv_tickets_at(&tickets, i);
        assert_int_equal(*entry, 0);
        *entry = i;
        first = first ? first : entry;
    }
    for (uint32_t i = 1; i <= 3 * TV_TICKETS_CHUNK + 1; i++)
        assert_int_equal(*(uint64_t *)tv_tickets_at(&tickets, i), i);
    assert_ptr_equal(tv_tickets_at(&tickets, 1), first);
    tv_tickets_begin(&tickets, 0);
}

static void what_came_back_last_is_taken_first_and_as_it_was(void **state)
{
    (void)state;
    static struct tv_tickets tickets = {.entry_len = sizeof(uint64_t)};
    tv_tickets_begin(&tickets, 7);
    for (uint32_t i = 1; i <= 3; i++) {
        assert_int_equal(tv_tickets_take(&tickets), i);
        *(uint64_t *)tv_tickets_at(&tickets, i) = 10 * i;
    }
    tv_tickets_give(&tickets, 3);
    tv_tickets_give(&tickets, 1);
    assert_int_equal(tv_tickets_take(&tickets), 1);
    assert_int_equal(*(uint64_t *)tv_tickets_at(&tickets, 1), 10);
    assert_int_equal(tv_tickets_take(&tickets), 3);
    assert_int_equal(*(uint64_t *)tv_tickets_at(&tickets, 3), 30);
    assert_int_equal(tv_tickets_take(&tickets), 4);
    tv_tickets_begin(&tickets, 0);
}

static void a_ticket_of_another_recording_is_none(void **state)
{
    (void)state;
    static struct tv_tickets tickets = {.entry_len = sizeof(uint64_t)};
    tv_tickets_begin(&tickets, 7);
    const uint64_t ticket = tv_tickets_of(&tickets, tv_tickets_take(&tickets));
    assert_int_equal(tv_tickets_slot(&tickets, ticket), 1);
    assert_int_equal(tv_tickets_slot(&tickets, ticket + 1), 0); /* never given */
    assert_int_equal(tv_tickets_slot(&tickets, 0), 0);
    assert_int_equal(tv_tickets_of(&tickets, 0), 0);
    tv_tickets_begin(&tickets, 8);
    assert_int_equal(tv_tickets_take(&tickets), 1);
    assert_int_equal(tv_tickets_slot(&tickets, ticket), 0);
    tv_tickets_begin(&tickets, 0);
}

static void more_threads_than_there_are_slots_for_get_none(void **state)
{
    (void)state;
    static struct tv_tickets tickets = {.entry_len = 1};
    uint32_t count = 0;
    tv_tickets_begin(&tickets, 7);
    while (tv_tickets_take(&tickets))
        count++;
    assert_int_equal(count, TV_TICKETS_CHUNK * TV_TICKETS_CHUNKS_MOST);
    tv_tickets_give(&tickets, 5);
    assert_int_equal(tv_tickets_take(&tickets), 5);
    tv_tickets_begin(&tickets, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_of_many_chunks_begin_zeroed_and_stay_where_they_are),
        cmocka_unit_test(what_came_back_last_is_taken_first_and_as_it_was),
        cmocka_unit_test(a_ticket_of_another_recording_is_none),
        cmocka_unit_test(more_threads_than_there_are_slots_for_get_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
