/* compare/lock_change: what a lock and runs have in common is no difference, all else is one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/memory/buffer.h"
#include "compare/lock_change.h"
#include "support/failing_alloc.h"

static struct tv_lock_line locked_lines[] = {{{"a", sizeof("a") - 1}, 1, 1, false},
                                             {{"b\\x0a", sizeof("b\\x0a") - 1}, 2, 2, false},
                                             {{"c", sizeof("c") - 1}, 3, 7, false},
                                             {{"d", sizeof("d") - 1}, 4, 4, false}};
static struct tv_lock_line run_lines[] = {{{"a", sizeof("a") - 1}, 1, 1, false},
                                          {{"b\\x0a", sizeof("b\\x0a") - 1}, 3, 3, false},
                                          {{"c", sizeof("c") - 1}, 8, 8, false},
                                          {{"e", sizeof("e") - 1}, 5, 5, false}};
static const struct tv_call_lock locked = {.lines = locked_lines, .count = 4, .runs = 3};
static const struct tv_call_lock runs = {.lines = run_lines, .count = 4, .runs = 1};

static void each_kind_of_change_is_found(void **state)
{
    static const enum tv_lock_change expected[] = {TV_LOCK_CHANGED, TV_LOCK_STRAY, TV_LOCK_GONE,
                                                   TV_LOCK_NEW};
    struct tv_lock_changes changes;
    struct tv_buffer name;
    (void)state;
    tv_lock_changes_init(&changes, tv_alloc_libc());
    tv_buffer_init(&name, tv_alloc_libc());
    assert_int_equal(tv_lock_changes_find(&changes, &locked, &runs, NULL), TV_OK);
    assert_int_equal(changes.count, TV_COUNT_OF(expected));
    for (size_t i = 0; i < changes.count; i++)
        assert_int_equal(changes.of[i].change, expected[i]);
    assert_int_equal(changes.broken, 3);
    assert_int_equal(changes.strays, 1);
    assert_null(changes.of[2].run);
    assert_null(changes.of[3].locked);
    assert_int_equal(tv_lock_difference_name(&changes.of[0], &name, NULL), TV_OK);
    assert_true(tv_str_equal(tv_buffer_view(&name), TV_STR("b\n")));
    assert_int_equal(tv_lock_difference_name(&changes.of[3], &name, NULL), TV_OK);
    assert_true(tv_str_equal(tv_buffer_view(&name), TV_STR("e")));
    tv_buffer_release(&name);
    tv_lock_changes_release(&changes);
}

static void the_same_lock_has_none(void **state)
{
    struct tv_lock_changes changes;
    (void)state;
    tv_lock_changes_init(&changes, tv_alloc_libc());
    assert_int_equal(tv_lock_changes_find(&changes, &locked, &locked, NULL), TV_OK);
    assert_int_equal(changes.count + changes.broken + changes.strays, 0);
    tv_lock_changes_release(&changes);
}

/* Of "c" alone both have a line, and the lock a range. As many runs know what differs. */
static void ranges_are_lost_to_fewer_runs(void **state)
{
    struct tv_call_lock of_many = runs;
    (void)state;
    assert_int_equal(tv_lock_lost_ranges(&locked, &runs), 1);
    assert_int_equal(tv_lock_lost_ranges(&runs, &locked), 0);
    assert_int_equal(tv_lock_lost_ranges(&locked, &locked), 0);
    of_many.runs = locked.runs;
    assert_int_equal(tv_lock_lost_ranges(&locked, &of_many), 0);
}

static void failing_memory_is_told(void **state)
{
    struct failing_alloc failing;
    struct tv_lock_changes changes;
    (void)state;
    failing_alloc_init(&failing, 0);
    tv_lock_changes_init(&changes, &failing.alloc);
    assert_int_equal(tv_lock_changes_find(&changes, &locked, &runs, NULL), TV_ERR_MEMORY);
    tv_lock_changes_release(&changes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_change_is_found),
        cmocka_unit_test(the_same_lock_has_none),
        cmocka_unit_test(ranges_are_lost_to_fewer_runs),
        cmocka_unit_test(failing_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
