/* Numbers by method at a place of the calling context tree, top-down and inverted. */
#include "compare/place_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/question/scope.h"
#include "compare/made.h"
#include "support/failing_alloc.h"

static struct made made;

/*
 * main:   0 foo 100                      worker:  0 baz 30
 *           10 bar 60   70 baz 80
 *             20 foo 50
 *         100 baz 120
 */
static int begin(void **state)
{
    (void)state;
    made_begin(&made, NULL);
    enter(&made.t, MAIN, FOO, 0);
    enter(&made.t, WORKER, BAZ, 0);
    enter(&made.t, MAIN, BAR, 10);
    enter(&made.t, MAIN, FOO, 20);
    leave(&made.t, WORKER, BAZ, 30);
    leave(&made.t, MAIN, FOO, 50);
    leave(&made.t, MAIN, BAR, 60);
    enter(&made.t, MAIN, BAZ, 70);
    leave(&made.t, MAIN, BAZ, 80);
    leave(&made.t, MAIN, FOO, 100);
    enter(&made.t, MAIN, BAZ, 100);
    leave(&made.t, MAIN, BAZ, 120);
    made_end(&made);
    return 0;
}

static int end(void **state)
{
    (void)state;
    made_release(&made);
    return 0;
}

static uint32_t method(uint32_t id)
{
    for (uint32_t i = 0; i < made.index.method_count; i++) {
        if (made.index.methods[i].id == id)
            return i;
    }
    fail_msg("no method has the id %u", (unsigned)id);
    return 0;
}

static enum tv_code place_rows(const struct tv_alloc *alloc, enum tv_call_tree_direction direction,
                               const uint32_t *path, size_t len, struct tv_method_row *rows)
{
    uint32_t step_of[16];
    struct tv_scope scope;
    struct tv_stacks stacks;
    assert_true(made.index.method_count <= 16);
    for (uint32_t i = 0; i < made.index.method_count; i++)
        step_of[i] = i;
    const struct tv_tree_place place = {
        .direction = direction, .steps = path, .len = len, .step_of = step_of};
    memset(rows, 0, 16 * sizeof(*rows));
    tv_scope_init(&scope, &made.index);
    tv_stacks_init(&stacks, alloc);
    enum tv_code code = tv_stacks_compute(&stacks, &made.index, &scope, NULL, NULL);
    if (code == TV_OK)
        code = tv_place_rows(&place, &stacks.sums, rows, NULL);
    tv_stacks_release(&stacks);
    return code;
}

static void expect_row(const struct tv_method_row *rows, uint32_t id, uint64_t calls,
                       uint64_t inclusive_us, uint64_t exclusive_us)
{
    const struct tv_numbers *numbers = &rows[method(id)].numbers;
    assert_int_equal(numbers->calls, calls);
    assert_int_equal(numbers->inclusive_ns[TV_CLOCK_WALL], inclusive_us * 1000);
    assert_int_equal(numbers->exclusive_ns[TV_CLOCK_WALL], exclusive_us * 1000);
}

static void top_down_they_are_the_callees_of_a_path(void **state)
{
    struct tv_method_row rows[16];
    const uint32_t path[] = {method(FOO), method(BAR)};
    (void)state;
    assert_int_equal(place_rows(tv_alloc_libc(), TV_TOP_DOWN, path, 0, rows), TV_OK);
    expect_row(rows, FOO, 1, 100, 40);
    expect_row(rows, BAZ, 2, 50, 50); /* of both threads */
    expect_row(rows, BAR, 0, 0, 0);
    assert_int_equal(place_rows(tv_alloc_libc(), TV_TOP_DOWN, path, 1, rows), TV_OK);
    expect_row(rows, BAR, 1, 50, 20);
    expect_row(rows, BAZ, 1, 10, 10);
    expect_row(rows, FOO, 0, 0, 0); /* the inner one is deeper */
    assert_int_equal(place_rows(tv_alloc_libc(), TV_TOP_DOWN, path, 2, rows), TV_OK);
    expect_row(rows, FOO, 1, 30, 30);
}

static void inverted_they_are_the_callers_behind_a_path(void **state)
{
    struct tv_method_row rows[16];
    const uint32_t path[] = {method(FOO), method(BAR)};
    const uint32_t leaf[] = {method(BAZ)};
    (void)state;
    assert_int_equal(place_rows(tv_alloc_libc(), TV_INVERTED, path, 0, rows), TV_OK);
    expect_row(rows, FOO, 2, 70, 40); /* 40 of it without a caller */
    expect_row(rows, BAZ, 3, 60, 50);
    assert_int_equal(place_rows(tv_alloc_libc(), TV_INVERTED, path, 1, rows), TV_OK);
    expect_row(rows, BAR, 1, 30, 0);
    assert_int_equal(place_rows(tv_alloc_libc(), TV_INVERTED, path, 2, rows), TV_OK);
    expect_row(rows, FOO, 1, 30, 30);
    assert_int_equal(place_rows(tv_alloc_libc(), TV_INVERTED, leaf, 1, rows), TV_OK);
    expect_row(rows, FOO, 1, 10, 10);
}

static void a_path_that_is_not_there_has_no_rows(void **state)
{
    struct tv_method_row rows[16];
    const uint32_t path[] = {method(BAR), 99};
    (void)state;
    for (unsigned direction = 0; direction < 2; direction++) {
        assert_int_equal(
            place_rows(tv_alloc_libc(), (enum tv_call_tree_direction)direction, path, 2, rows),
            TV_OK);
        expect_row(rows, FOO, 0, 0, 0);
        expect_row(rows, BAR, 0, 0, 0);
    }
}

static void memory_that_is_refused_is_told(void **state)
{
    struct tv_method_row rows[16];
    const uint32_t path[] = {method(FOO)};
    (void)state;
    bool has_failed = true;
    for (uint64_t fail_at = 0; has_failed; fail_at++) {
        struct failing_alloc failing;
        failing_alloc_init(&failing, fail_at);
        enum tv_code code = place_rows(&failing.alloc, TV_TOP_DOWN, path, 1, rows);
        has_failed = failing.has_failed;
        assert_int_equal(code, has_failed ? TV_ERR_MEMORY : TV_OK);
        assert_int_equal(failing.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(top_down_they_are_the_callees_of_a_path),
        cmocka_unit_test(inverted_they_are_the_callers_behind_a_path),
        cmocka_unit_test(a_path_that_is_not_there_has_no_rows),
        cmocka_unit_test(memory_that_is_refused_is_told),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
