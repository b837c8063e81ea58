/* http/connection_table: who gives way, and when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "http/connection_table.h"

#define CROWD 16u
#define COUNT (CROWD + 3)
#define S UINT64_C(1000000000)

static const struct tv_connection_entry_limits limits = {.crowd = CROWD,
                                                         .header_ns = 3 * S,
                                                         .idle_ns = 60 * S,
                                                         .request_ns = 100 * S,
                                                         .least_rate = 1000,
                                                         .rate_ns = 10 * S};

static struct tv_connection_table connections;
static struct tv_connection_entry of[COUNT];
static int ends[COUNT][2]; /* ours, and the client's */
static uint64_t moved[COUNT];

static bool look_up(int connection, uint64_t *bytes)
{
    for (size_t i = 0; i < COUNT; i++) {
        if (ends[i][0] == connection)
            *bytes = moved[i];
    }
    return true;
}

static int open_all(void **state)
{
    (void)state;
    memset(moved, 0, sizeof(moved));
    tv_connection_table_init(&connections, &limits);
    connections.moved = look_up;
    for (size_t i = 0; i < COUNT; i++) {
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i]) != 0)
            return -1;
    }
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    tv_connection_table_release(&connections);
    for (size_t i = 0; i < COUNT; i++) {
        (void)close(ends[i][0]);
        (void)close(ends[i][1]);
    }
    return 0;
}

/* Whether the client has been hung up on. */
static bool is_gone(size_t i)
{
    char byte;
    return recv(ends[i][1], &byte, 1, MSG_DONTWAIT) == 0;
}

static void add_from(size_t i, const char *address, uint64_t now_ns)
{
    struct sockaddr_storage peer = {.ss_family = AF_INET};
    struct sockaddr_in four = {.sin_family = AF_INET};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6};
    if (inet_pton(AF_INET, address, &four.sin_addr) == 1) {
        memcpy(&peer, &four, sizeof(four));
    } else {
        assert_int_equal(inet_pton(AF_INET6, address, &six.sin6_addr), 1);
        memcpy(&peer, &six, sizeof(six));
    }
    tv_connection_entry_init(&of[i], ends[i][0], (const struct sockaddr *)&peer);
    tv_connection_table_add(&connections, &of[i], now_ns);
}

static void add(size_t i, uint64_t now_ns)
{
    add_from(i, "127.0.0.1", now_ns);
}

static void one_too_many_makes_the_oldest_give_way(void **state)
{
    (void)state;
    for (size_t i = 0; i < CROWD; i++)
        add(i, i);
    for (size_t i = 0; i < CROWD; i++)
        assert_false(is_gone(i));
    add(CROWD, 100);
    assert_true(is_gone(0));
    assert_false(is_gone(1));
    assert_int_equal(connections.unknown_count, CROWD);
    tv_connection_table_remove(&connections,
                               &of[0]); /* its server notices later that it was closed */
    assert_int_equal(connections.unknown_count, CROWD);
    assert_int_equal(connections.count, CROWD);
    assert_int_equal(connections.sent_away, 1);
}

static void who_is_known_stays(void **state)
{
    (void)state;
    for (size_t i = 0; i < CROWD; i++)
        add(i, i);
    tv_connection_table_know(&connections, &of[0]);
    tv_connection_table_know(&connections, &of[2]);
    tv_connection_table_know(&connections, &of[CROWD - 1]);
    for (size_t i = CROWD; i < COUNT; i++)
        add(i, i);
    for (size_t i = 0; i < COUNT; i++)
        assert_false(is_gone(i));
    tv_connection_table_end_late(&connections, 100 * S);
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(is_gone(i), i != 0 && i != 2 && i != CROWD - 1);
    for (size_t i = 0; i < COUNT; i++)
        tv_connection_table_remove(&connections, &of[i]);
    assert_int_equal(connections.count, 0);
    assert_int_equal(connections.unknown_count, 0);
    assert_null(connections.oldest);
    assert_null(connections.newest);
}

static void time_is_counted_from_the_beginning(void **state)
{
    (void)state;
    add(0, 5 * S);
    add(1, 6 * S);
    tv_connection_table_end_late(&connections, 8 * S);
    assert_false(is_gone(0));
    tv_connection_table_end_late(&connections, 8 * S + 1);
    assert_true(is_gone(0));
    assert_false(is_gone(1));
}

/* Whoever looks for the late ones reads the clock first, and meanwhile somebody comes. */
static void who_came_after_the_clock_was_read_is_not_late(void **state)
{
    (void)state;
    add(0, 1000 * S);
    tv_connection_table_end_late(&connections, 1000 * S - 1);
    assert_false(is_gone(0));
    tv_connection_table_enter(&connections, &of[0], TV_CONNECTION_COMING, 1001 * S);
    tv_connection_table_end_late(&connections, 1001 * S - 1);
    assert_false(is_gone(0));
    for (size_t i = 1; i < CROWD; i++)
        add(i, 1002 * S);
    moved[0] += 100000;
    add(CROWD, 1001 * S - 1);
    assert_false(is_gone(0));
}

static void after_a_request_there_is_more_time(void **state)
{
    (void)state;
    add(0, 0);
    tv_connection_table_enter(&connections, &of[0], TV_CONNECTION_WORKING, S);
    tv_connection_table_end_late(&connections, 1000 * S); /* the server takes its time */
    assert_false(is_gone(0));
    tv_connection_table_enter(&connections, &of[0], TV_CONNECTION_WAITING, 1000 * S);
    tv_connection_table_end_late(&connections, 1060 * S);
    assert_false(is_gone(0));
    tv_connection_table_end_late(&connections, 1061 * S);
    assert_true(is_gone(0));
}

static void an_address_makes_its_own_give_way(void **state)
{
    (void)state;
    connections.limits.per_address = 2;
    add_from(0, "10.0.0.1", 0);
    add_from(1, "10.0.0.2", 1);
    add_from(2, "10.0.0.2", 2);
    tv_connection_table_enter(&connections, &of[1], TV_CONNECTION_WORKING, 3);
    add_from(3, "10.0.0.2", 4);
    assert_false(is_gone(0));
    assert_false(is_gone(1)); /* busy */
    assert_true(is_gone(2));
    tv_connection_table_enter(&connections, &of[3], TV_CONNECTION_WORKING, 5);
    add_from(4, "10.0.0.2", 6); /* all others are busy */
    assert_true(is_gone(4));
    assert_false(is_gone(3));
    assert_string_equal(of[3].address, "10.0.0.2");
}

static void half_an_address_of_ipv6_is_one(void **state)
{
    (void)state;
    connections.limits.per_address = 1;
    add_from(0, "2001:db8:0:1::1", 0);
    add_from(1, "2001:db8:0:2::1", 1);
    assert_false(is_gone(0));
    add_from(2, "2001:db8:0:1:ffff::2", 2);
    assert_true(is_gone(0));
    assert_false(is_gone(1));
    assert_string_equal(of[2].address, "2001:db8:0:1:ffff::2");
    add_from(3, "10.0.0.1", 3);
    add_from(4, "::ffff:10.0.0.1", 4); /* the same in the other spelling */
    assert_true(is_gone(3));
    assert_string_equal(of[4].address, "10.0.0.1");
}

static void an_exempt_address_may_have_any_number(void **state)
{
    (void)state;
    connections.limits.per_address = 1;
    for (size_t i = 0; i < 3; i++) {
        tv_connection_entry_init(&of[i], ends[i][0], NULL);
        of[i].is_exempt = true;
        tv_connection_table_add(&connections, &of[i], i);
    }
    for (size_t i = 0; i < 3; i++)
        assert_false(is_gone(i));
}

static void a_body_that_drips_is_cut_and_one_that_flows_is_not(void **state)
{
    (void)state;
    add(0, 0);
    add(1, 0);
    tv_connection_table_enter(&connections, &of[0], TV_CONNECTION_COMING, S);
    tv_connection_table_enter(&connections, &of[1], TV_CONNECTION_COMING, S);
    for (uint64_t s = 1; s < 100; s++) {
        moved[0] += s < 20 ? 2000 : 1; /* a good beginning is no credit */
        moved[1] += 1000;
        tv_connection_table_end_late(&connections, (1 + s) * S);
        assert_false(is_gone(1));
        assert_true(!is_gone(0) || s >= 30);
    }
    assert_true(is_gone(0));
    tv_connection_table_end_late(&connections,
                                 102 * S); /* however it flows, a request has to end */
    assert_true(is_gone(1));
}

static void an_answer_that_nobody_takes_is_cut(void **state)
{
    (void)state;
    add(0, 0);
    tv_connection_table_enter(&connections, &of[0], TV_CONNECTION_GOING, 0);
    moved[0] = 9999;
    tv_connection_table_end_late(&connections, 10 * S);
    assert_true(is_gone(0));
}

static void without_a_number_nobody_is_slow(void **state)
{
    (void)state;
    connections.limits.least_rate = 0;
    add(0, 0);
    tv_connection_table_enter(&connections, &of[0], TV_CONNECTION_GOING, 0);
    tv_connection_table_end_late(&connections, 1000 * S);
    assert_false(is_gone(0));
}

static void in_a_crowd_the_slow_give_way_at_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < CROWD; i++) {
        add(i, i);
        tv_connection_table_enter(&connections, &of[i], TV_CONNECTION_COMING, i);
        moved[i] = 100000;
    }
    moved[5] = 10;
    add(CROWD, 2 * S); /* the others are quick enough */
    for (size_t i = 0; i < CROWD + 1; i++)
        assert_int_equal(is_gone(i), i == 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_too_many_makes_the_oldest_give_way, open_all,
                                        close_all),
        cmocka_unit_test_setup_teardown(who_is_known_stays, open_all, close_all),
        cmocka_unit_test_setup_teardown(time_is_counted_from_the_beginning, open_all, close_all),
        cmocka_unit_test_setup_teardown(who_came_after_the_clock_was_read_is_not_late, open_all,
                                        close_all),
        cmocka_unit_test_setup_teardown(after_a_request_there_is_more_time, open_all, close_all),
        cmocka_unit_test_setup_teardown(an_address_makes_its_own_give_way, open_all, close_all),
        cmocka_unit_test_setup_teardown(half_an_address_of_ipv6_is_one, open_all, close_all),
        cmocka_unit_test_setup_teardown(an_exempt_address_may_have_any_number, open_all, close_all),
        cmocka_unit_test_setup_teardown(a_body_that_drips_is_cut_and_one_that_flows_is_not,
                                        open_all, close_all),
        cmocka_unit_test_setup_teardown(an_answer_that_nobody_takes_is_cut, open_all, close_all),
        cmocka_unit_test_setup_teardown(without_a_number_nobody_is_slow, open_all, close_all),
        cmocka_unit_test_setup_teardown(in_a_crowd_the_slow_give_way_at_once, open_all, close_all),
    };
    return cmocka_run_group_tests_name("http/connection_table", tests, NULL, NULL);
}
