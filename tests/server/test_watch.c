/* server/watch: when a file counts as recorded anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/watch.h"

#define SECOND ((uint64_t)1000000000)

static struct tv_stamp stamp(uint64_t inode, uint64_t len, int64_t changed_ns)
{
    struct tv_stamp made = {.of = {{.inode = 0}}};
    made.of[0].inode = inode;
    made.of[0].len = len;
    made.of[0].changed_ns = changed_ns;
    return made;
}

static void a_file_that_is_written_is_told_once_it_rests_for_a_second(void **state)
{
    const struct tv_stamp old = stamp(1, 100, 5);
    const struct tv_stamp half = stamp(1, 40, 6);
    const struct tv_stamp whole = stamp(1, 90, 7);
    struct tv_watch watch;
    (void)state;
    tv_watch_init(&watch, &old);
    assert_false(tv_watch_look(&watch, &old, SECOND));
    assert_false(tv_watch_look(&watch, &half, 2 * SECOND));
    assert_false(tv_watch_look(&watch, &whole, 4 * SECOND)); /* it moved since */
    assert_false(tv_watch_look(&watch, &whole, 5 * SECOND - 1));
    assert_true(tv_watch_look(&watch, &whole, 5 * SECOND));
    assert_false(tv_watch_look(&watch, &whole, 9 * SECOND)); /* once */
    assert_false(tv_watch_look(&watch, &half, 10 * SECOND));
    assert_true(tv_watch_look(&watch, &half, 12 * SECOND)); /* and again the next time */
}

static void a_file_that_is_gone_is_waited_for(void **state)
{
    const struct tv_stamp old = stamp(1, 100, 5);
    const struct tv_stamp gone = stamp(0, 0, 0);
    const struct tv_stamp other = stamp(2, 100, 5); /* renamed over it */
    struct tv_watch watch;
    (void)state;
    tv_watch_init(&watch, &old);
    assert_false(tv_watch_look(&watch, &gone, SECOND));
    assert_false(tv_watch_look(&watch, &gone, 9 * SECOND));
    assert_false(tv_watch_look(&watch, &other, 10 * SECOND));
    assert_true(tv_watch_look(&watch, &other, 11 * SECOND));
}

static void a_file_that_comes_back_as_it_was_is_no_news(void **state)
{
    const struct tv_stamp old = stamp(1, 100, 5);
    const struct tv_stamp gone = stamp(0, 0, 0);
    struct tv_watch watch;
    (void)state;
    tv_watch_init(&watch, &old);
    assert_false(tv_watch_look(&watch, &gone, SECOND));
    assert_false(tv_watch_look(&watch, &old, 2 * SECOND));
    assert_false(tv_watch_look(&watch, &old, 9 * SECOND));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_is_written_is_told_once_it_rests_for_a_second),
        cmocka_unit_test(a_file_that_is_gone_is_waited_for),
        cmocka_unit_test(a_file_that_comes_back_as_it_was_is_no_news),
    };
    return cmocka_run_group_tests_name("server/watch", tests, NULL, NULL);
}
