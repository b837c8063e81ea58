/* Which threads are left out of answers about waiting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/question/idle_threads.h"
#include "analysis/world.h"

enum { BINDER = 3 };
enum { RUN, LOAD, GET };

static struct world w;
static struct tv_arena arena;

/* main waits all the time, worker works for a fifth of it, Binder waits from 1 ms to 11 ms but for
 * half a ms of work. */
static void begin(void)
{
    world_begin(&w);
    world_enter(&w, MAIN, RUN, 0, 0);
    world_enter(&w, WORKER, LOAD, 0, 0);
    world_enter(&w, BINDER, GET, 1000, 0);
    world_leave(&w, WORKER, LOAD, 10000, 2000);
    world_leave(&w, BINDER, GET, 11000, 500);
    world_leave(&w, MAIN, RUN, 20000, 0);
    world_end(&w);
    tv_arena_init(&arena, tv_alloc_libc());
}

static void end(void)
{
    tv_arena_release(&arena);
    world_release(&w);
}

static struct tv_scope scope_of(enum tv_measure measure)
{
    struct tv_scope scope;
    tv_scope_init(&scope, &w.index);
    scope.measure = measure;
    return scope;
}

static void leave_idle(struct tv_scope *scope)
{
    assert_int_equal(tv_scope_leave_idle(scope, &w.index, &arena, NULL), TV_OK);
}

static void a_thread_that_waited_nine_tenths_is_idle_but_not_main(void **state)
{
    (void)state;
    begin();
    struct tv_scope scope = scope_of(TV_MEASURE_WAIT);
    leave_idle(&scope);
    assert_int_equal(scope.idle_count, 1);
    assert_int_equal(scope.idle[0].thread_ix, world_thread_ix(&w, BINDER));
    assert_int_equal(scope.idle[0].wait_ns, 9500000);
    assert_non_null(scope.selection.threads);
    for (uint32_t i = 0; i < scope.selection.thread_count; i++)
        assert_int_not_equal(scope.selection.threads[i], world_thread_ix(&w, BINDER));
    end();
}

/* Of the last millisecond of Binder's call, 5 % are CPU time by interpolation. */
static void a_range_tells_by_what_lies_in_it(void **state)
{
    (void)state;
    begin();
    struct tv_scope scope = scope_of(TV_MEASURE_WAIT);
    scope.selection.has_range = true;
    scope.selection.from_ns = 10000000;
    scope.selection.to_ns = 12000000;
    leave_idle(&scope);
    assert_int_equal(scope.idle_count, 1);
    assert_int_equal(scope.idle[0].wait_ns, 950000);
    end();
}

static void other_measures_and_chosen_threads_stay(void **state)
{
    (void)state;
    begin();
    struct tv_scope wall = scope_of(TV_MEASURE_WALL);
    struct tv_scope chosen = scope_of(TV_MEASURE_WAIT);
    const uint32_t binder = world_thread_ix(&w, BINDER);
    chosen.selection.threads = &binder;
    chosen.selection.thread_count = 1;
    leave_idle(&wall);
    leave_idle(&chosen);
    assert_null(wall.selection.threads);
    assert_int_equal(wall.idle_count + chosen.idle_count, 0);
    assert_ptr_equal(chosen.selection.threads, &binder);
    end();
}

/* Where all threads are idle, their waits are all that there is to see. */
static void nobody_is_left_out_where_nobody_works(void **state)
{
    (void)state;
    world_begin(&w);
    world_enter(&w, WORKER, LOAD, 0, 0);
    world_leave(&w, WORKER, LOAD, 10000, 0);
    world_end(&w);
    tv_arena_init(&arena, tv_alloc_libc());
    struct tv_scope scope = scope_of(TV_MEASURE_WAIT);
    leave_idle(&scope);
    assert_int_equal(scope.idle_count, 0);
    assert_null(scope.selection.threads);
    end();
}

/* Binder works all of the time until its last record, and nothing tells what it did then. */
static void what_is_not_recorded_of_an_idle_thread_is_told(void **state)
{
    (void)state;
    world_begin(&w);
    world_enter(&w, MAIN, RUN, 0, 0);
    world_enter(&w, BINDER, GET, 1000, 0);
    world_enter(&w, BINDER, LOAD, 1500, 500);
    world_leave(&w, MAIN, RUN, 20000, 0);
    world_end(&w);
    tv_arena_init(&arena, tv_alloc_libc());
    struct tv_scope scope = scope_of(TV_MEASURE_WAIT);
    leave_idle(&scope);
    assert_int_equal(scope.idle_count, 1);
    assert_int_equal(scope.idle[0].wait_ns, 18500000);
    assert_int_equal(scope.idle[0].unrecorded_ns, 18500000);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_that_waited_nine_tenths_is_idle_but_not_main),
        cmocka_unit_test(a_range_tells_by_what_lies_in_it),
        cmocka_unit_test(other_measures_and_chosen_threads_stay),
        cmocka_unit_test(what_is_not_recorded_of_an_idle_thread_is_told),
        cmocka_unit_test(nobody_is_left_out_where_nobody_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
