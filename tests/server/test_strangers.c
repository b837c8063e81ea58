/* server/strangers: who gives way, and when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/guard.h"
#include "server/strangers.h"

#define COUNT (TV_LIMIT_STRANGERS + 3)
#define S UINT64_C(1000000000)

static struct tv_stranger strangers[COUNT];
static int ends[COUNT][2]; /* ours, and the stranger's */

static int open_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i]) != 0)
            return -1;
    }
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        (void)close(ends[i][0]);
        (void)close(ends[i][1]);
    }
    return 0;
}

/* Whether the stranger has been hung up on. */
static bool is_gone(size_t i)
{
    char byte;
    return recv(ends[i][1], &byte, 1, MSG_DONTWAIT) == 0;
}

static void add(struct tv_strangers *list, size_t i, uint64_t now_ns)
{
    tv_strangers_add(list, &strangers[i], ends[i][0], now_ns);
}

static void one_too_many_makes_the_oldest_give_way(void **state)
{
    struct tv_strangers list = {.count = 0};
    (void)state;
    for (size_t i = 0; i < TV_LIMIT_STRANGERS; i++)
        add(&list, i, i);
    for (size_t i = 0; i < TV_LIMIT_STRANGERS; i++)
        assert_false(is_gone(i));
    add(&list, TV_LIMIT_STRANGERS, 100);
    assert_true(is_gone(0));
    assert_false(is_gone(1));
    assert_int_equal(list.count, TV_LIMIT_STRANGERS);
    tv_strangers_remove(&list, &strangers[0]); /* its server notices later that it was closed */
    assert_int_equal(list.count, TV_LIMIT_STRANGERS);
}

static void who_has_shown_the_token_stays(void **state)
{
    struct tv_strangers list = {.count = 0};
    (void)state;
    for (size_t i = 0; i < TV_LIMIT_STRANGERS; i++)
        add(&list, i, i);
    tv_strangers_remove(&list, &strangers[0]);
    tv_strangers_remove(&list, &strangers[2]);
    tv_strangers_remove(&list, &strangers[TV_LIMIT_STRANGERS - 1]);
    for (size_t i = TV_LIMIT_STRANGERS; i < COUNT; i++)
        add(&list, i, i);
    for (size_t i = 0; i < COUNT; i++)
        assert_false(is_gone(i));
    tv_strangers_end_late(&list, 100 * S);
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(is_gone(i), i != 0 && i != 2 && i != TV_LIMIT_STRANGERS - 1);
    assert_int_equal(list.count, 0);
    assert_null(list.oldest);
    assert_null(list.newest);
}

static void time_is_counted_from_the_beginning(void **state)
{
    struct tv_strangers list = {.count = 0};
    (void)state;
    add(&list, 0, 5 * S);
    add(&list, 1, 6 * S);
    tv_strangers_end_late(&list, (5 + TV_LIMIT_STRANGER_S) * S);
    assert_false(is_gone(0));
    tv_strangers_end_late(&list, (5 + TV_LIMIT_STRANGER_S) * S + 1);
    assert_true(is_gone(0));
    assert_false(is_gone(1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_too_many_makes_the_oldest_give_way, open_all,
                                        close_all),
        cmocka_unit_test_setup_teardown(who_has_shown_the_token_stays, open_all, close_all),
        cmocka_unit_test_setup_teardown(time_is_counted_from_the_beginning, open_all, close_all),
    };
    return cmocka_run_group_tests_name("server/strangers", tests, NULL, NULL);
}
