/* fleet/fleet_trace: the builds of an app, and their order. */
#include "fleet/fleet_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"

static void numbers_are_told(void **state)
{
    static const char *const numbers[] = {"417", "2.10.3", "v5", "0", "007"};
    static const char *const others[] = {"", "v", "1.", ".1", "1..2", "main-7", "1a", "-1", "vv1"};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(numbers); i++)
        assert_true(tv_build_is_number(tv_str_from(numbers[i])));
    for (size_t i = 0; i < TV_COUNT_OF(others); i++)
        assert_false(tv_build_is_number(tv_str_from(others[i])));
}

static void numbers_are_compared_part_by_part(void **state)
{
    static const char *const ascending[] = {
        "0", "9", "9.5", "10", "v10.1", "10.1.1", "99", "100", "123456789012345678901234567890"};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(ascending); i++) {
        for (size_t j = 0; j < TV_COUNT_OF(ascending); j++) {
            const int order =
                tv_build_compare_numbers(tv_str_from(ascending[i]), tv_str_from(ascending[j]));
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
    }
}

static struct tv_fleet_trace trace(const char *app, const char *build, int64_t created)
{
    return (struct tv_fleet_trace){
        .app = tv_str_from(app), .build = tv_str_from(build), .created = created};
}

/* The names of the builds in their order, with how many traces each has. */
static void check_builds(const struct tv_fleet_trace *traces, size_t count, bool is_by_number,
                         const char *const *names, const size_t *counts, size_t name_count)
{
    struct tv_arena arena;
    struct tv_fleet_builds builds;
    tv_arena_init(&arena, tv_alloc_libc());
    assert_int_equal(tv_fleet_builds_find(&builds, traces, count, TV_STR("shop"), &arena, NULL),
                     TV_OK);
    assert_int_equal(builds.count, name_count);
    if (name_count)
        assert_int_equal(builds.is_by_number, is_by_number);
    for (size_t i = 0; i < name_count; i++) {
        assert_true(tv_str_equal(builds.of[i].name, tv_str_from(names[i])));
        assert_int_equal(builds.of[i].count, counts[i]);
        for (size_t t = 1; t < builds.of[i].count; t++)
            assert_true(builds.of[i].traces[t - 1]->created >= builds.of[i].traces[t]->created);
    }
    tv_arena_release(&arena);
}

static void builds_stand_by_number_or_by_first_upload(void **state)
{
    const struct tv_fleet_trace numbers[] = {trace("shop", "9", 50), trace("shop", "10", 40),
                                             trace("other", "1", 30), trace("shop", "9", 20),
                                             trace("shop", "", 10)};
    const struct tv_fleet_trace names[] = {trace("shop", "9", 50), trace("shop", "main", 40),
                                           trace("shop", "9", 20)};
    (void)state;
    check_builds(numbers, 5, true, (const char *[]){"9", "10"}, (const size_t[]){2, 1}, 2);
    check_builds(names, 3, false, (const char *[]){"9", "main"}, (const size_t[]){2, 1}, 2);
    /* Of one second: the list has the newest first. */
    const struct tv_fleet_trace at_once[] = {trace("shop", "a", 50), trace("shop", "c", 50),
                                             trace("shop", "a", 50), trace("shop", "b", 50)};
    check_builds(at_once, 4, false, (const char *[]){"b", "a", "c"}, (const size_t[]){1, 2, 1}, 3);
    check_builds(NULL, 0, false, NULL, NULL, 0);
    check_builds(numbers + 2, 1, false, NULL, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_told),
        cmocka_unit_test(numbers_are_compared_part_by_part),
        cmocka_unit_test(builds_stand_by_number_or_by_first_upload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
