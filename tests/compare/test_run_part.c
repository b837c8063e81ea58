/* Which part of a run is compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compare/made.h"
#include "compare/run_part.h"
#include "support/failing_alloc.h"

/*
 * main:   0 foo 100                      worker:  0 baz 30
 *           10 bar 60   70 baz 80
 *             20 foo 50
 *               30 bar 40
 *         100 baz 120   120 bar 120
 */
static void make(struct made *made)
{
    made_begin(made, NULL);
    enter(&made->t, MAIN, FOO, 0);
    enter(&made->t, WORKER, BAZ, 0);
    enter(&made->t, MAIN, BAR, 10);
    enter(&made->t, MAIN, FOO, 20);
    enter(&made->t, MAIN, BAR, 30);
    leave(&made->t, WORKER, BAZ, 30);
    leave(&made->t, MAIN, BAR, 40);
    leave(&made->t, MAIN, FOO, 50);
    leave(&made->t, MAIN, BAR, 60);
    enter(&made->t, MAIN, BAZ, 70);
    leave(&made->t, MAIN, BAZ, 80);
    leave(&made->t, MAIN, FOO, 100);
    enter(&made->t, MAIN, BAZ, 100);
    leave(&made->t, MAIN, BAZ, 120);
    enter(&made->t, MAIN, BAR, 120);
    leave(&made->t, MAIN, BAR, 120);
    made_end(made);
}

static uint32_t method(const struct made *made, uint32_t id)
{
    for (uint32_t i = 0; i < made->index.method_count; i++) {
        if (made->index.methods[i].id == id)
            return i;
    }
    fail_msg("no method has the id %u", (unsigned)id);
    return 0;
}

static const struct tv_method_row *row(const struct made *made, const struct tv_profile *profile,
                                       uint32_t id)
{
    return &profile->rows[method(made, id)];
}

/* The row of a method: calls, recursive calls, inclusive and exclusive wall time in microseconds.
 */
static void expect_row(const struct made *made, const struct tv_profile *profile, uint32_t id,
                       uint64_t calls, uint64_t recursive, uint64_t inclusive, uint64_t exclusive)
{
    const struct tv_method_row *got = row(made, profile, id);
    assert_int_equal(got->numbers.calls, calls);
    assert_int_equal(got->recursive_calls, recursive);
    assert_int_equal(got->numbers.inclusive_ns[TV_CLOCK_WALL], inclusive * 1000);
    assert_int_equal(got->numbers.exclusive_ns[TV_CLOCK_WALL], exclusive * 1000);
}

/* The profile alone; the other numbers are let go. */
static enum tv_code part_profile(const struct tv_run_part *part, const struct tv_index *index,
                                 struct tv_profile *profile, struct tv_error *err)
{
    struct tv_run_numbers numbers;
    tv_run_numbers_init(&numbers, profile->alloc);
    enum tv_code code = tv_run_part_take(part, index, NULL, &numbers, err);
    *profile = numbers.profile;
    tv_profile_init(&numbers.profile, profile->alloc);
    tv_run_numbers_release(&numbers);
    return code;
}

static enum tv_code call_part_profile(struct tv_call_ref call, const struct tv_index *index,
                                      struct tv_profile *profile, struct tv_error *err)
{
    struct tv_run_numbers numbers;
    tv_run_numbers_init(&numbers, profile->alloc);
    enum tv_code code = tv_call_part_take(call, index, NULL, &numbers, err);
    *profile = numbers.profile;
    tv_profile_init(&numbers.profile, profile->alloc);
    tv_run_numbers_release(&numbers);
    return code;
}

static void profile_of(const struct made *made, const struct tv_run_part *part,
                       struct tv_profile *profile)
{
    struct tv_error err = {.code = TV_OK};
    tv_profile_init(profile, tv_alloc_libc());
    if (part_profile(part, &made->index, profile, &err) != TV_OK)
        fail_msg("%s", err.text);
}

static void all_of_it_is_the_profile(void **state)
{
    (void)state;
    struct made made;
    struct tv_profile profile;
    const struct tv_run_part part = tv_run_part_all();
    make(&made);
    profile_of(&made, &part, &profile);
    assert_memory_equal(profile.rows, made.profile.rows,
                        made.index.method_count * sizeof(*profile.rows));
    tv_profile_release(&profile);
    made_release(&made);
}

/* bar lies in foo, and foo in it: below bar, the inner foo is the outermost one. */
static void below_a_method_outermost_calls_are_those_of_that_part(void **state)
{
    (void)state;
    struct made made;
    struct tv_profile profile;
    struct tv_run_part part = tv_run_part_all();
    make(&made);
    part.root = method(&made, BAR);
    profile_of(&made, &part, &profile);
    expect_row(&made, &profile, BAR, 2, 1, 50, 30);
    expect_row(&made, &profile, FOO, 1, 0, 30, 20);
    expect_row(&made, &profile, BAZ, 0, 0, 0, 0);
    assert_int_equal(profile.total_ns[TV_CLOCK_WALL], 50000);
    tv_profile_release(&profile);
    part.root = method(&made, FOO);
    profile_of(&made, &part, &profile);
    expect_row(&made, &profile, FOO, 1, 1, 100, 60);
    expect_row(&made, &profile, BAR, 1, 1, 50, 30);
    expect_row(&made, &profile, BAZ, 1, 0, 10, 10);
    tv_profile_release(&profile);
    made_release(&made);
}

/* The place of the main thread's call with an ordinal in its row. */
static struct tv_call_ref call_of_main(const struct made *made, uint32_t depth, uint64_t ordinal)
{
    for (uint32_t i = 0; i < made->index.thread_count; i++) {
        if (made->index.threads[i].id == MAIN)
            return tv_call_at(&made->index, i, depth, ordinal);
    }
    return TV_NO_CALL;
}

static void call_profile(const struct made *made, struct tv_call_ref call,
                         struct tv_profile *profile)
{
    struct tv_error err = {.code = TV_OK};
    tv_profile_init(profile, tv_alloc_libc());
    if (call_part_profile(call, &made->index, profile, &err) != TV_OK)
        fail_msg("%s", err.text);
}

/* What called the call, and other calls of its method, do not count. */
static void below_one_call_is_what_it_called(void **state)
{
    (void)state;
    struct made made;
    struct tv_profile profile;
    make(&made);
    call_profile(&made, call_of_main(&made, 1, 0), &profile);
    expect_row(&made, &profile, BAR, 1, 1, 50, 30);
    expect_row(&made, &profile, FOO, 1, 0, 30, 20);
    expect_row(&made, &profile, BAZ, 0, 0, 0, 0);
    assert_int_equal(profile.total_ns[TV_CLOCK_WALL], 50000);
    tv_profile_release(&profile);
    call_profile(&made, call_of_main(&made, 2, 0), &profile);
    expect_row(&made, &profile, FOO, 1, 0, 30, 20);
    expect_row(&made, &profile, BAR, 1, 0, 10, 10);
    tv_profile_release(&profile);
    call_profile(&made, call_of_main(&made, 0, 1), &profile);
    expect_row(&made, &profile, BAZ, 1, 0, 20, 20);
    expect_row(&made, &profile, BAR, 0, 0, 0, 0);
    tv_profile_release(&profile);
    made_release(&made);
}

static void a_call_without_time_is_refused(void **state)
{
    (void)state;
    struct made made;
    struct tv_profile profile;
    make(&made);
    tv_profile_init(&profile, tv_alloc_libc());
    assert_int_equal(call_part_profile(call_of_main(&made, 0, 2), &made.index, &profile, NULL),
                     TV_ERR_UNSUPPORTED);
    tv_profile_release(&profile);
    made_release(&made);
}

static enum tv_code profile_call_with(const struct tv_alloc *alloc, void *ctx)
{
    const struct made *made = ctx;
    struct tv_profile profile;
    tv_profile_init(&profile, alloc);
    enum tv_code code = call_part_profile(call_of_main(made, 1, 0), &made->index, &profile, NULL);
    tv_profile_release(&profile);
    return code;
}

static void memory_for_one_call_that_is_refused_is_told(void **state)
{
    (void)state;
    struct made made;
    make(&made);
    assert_true(failing_alloc_each(profile_call_with, &made) > 0);
    made_release(&made);
}

static void threads_are_named_by_pattern_or_id(void **state)
{
    (void)state;
    struct made made;
    struct tv_profile profile;
    struct tv_str threads[] = {TV_STR("wor*")};
    struct tv_run_part part = tv_run_part_all();
    struct tv_error err = {.code = TV_OK};
    make(&made);
    part.threads = threads;
    part.thread_count = 1;
    profile_of(&made, &part, &profile);
    expect_row(&made, &profile, BAZ, 1, 0, 30, 30);
    expect_row(&made, &profile, FOO, 0, 0, 0, 0);
    tv_profile_release(&profile);
    threads[0] = TV_STR("1");
    profile_of(&made, &part, &profile);
    expect_row(&made, &profile, BAZ, 2, 0, 30, 30);
    tv_profile_release(&profile);
    threads[0] = TV_STR("nobody");
    tv_profile_init(&profile, tv_alloc_libc());
    assert_int_equal(part_profile(&part, &made.index, &profile, &err), TV_ERR_NOT_FOUND);
    assert_string_equal(err.text, "no thread has the id or name 'nobody'");
    /* A root that these threads never call. */
    threads[0] = TV_STR("worker");
    part.root = method(&made, FOO);
    assert_int_equal(part_profile(&part, &made.index, &profile, &err), TV_ERR_NOT_FOUND);
    tv_profile_release(&profile);
    made_release(&made);
}

static void a_range_is_that_of_the_axis(void **state)
{
    (void)state;
    struct made made;
    struct tv_profile profile;
    struct tv_run_part part = tv_run_part_all();
    struct tv_error err = {.code = TV_OK};
    make(&made);
    part.from_ns = 65000;
    part.to_ns = 110000;
    profile_of(&made, &part, &profile);
    expect_row(&made, &profile, BAZ, 2, 0, 20, 20);
    expect_row(&made, &profile, BAR, 0, 0, 0, 0);
    tv_profile_release(&profile);
    part.to_ns = 65000;
    tv_profile_init(&profile, tv_alloc_libc());
    assert_int_equal(part_profile(&part, &made.index, &profile, &err), TV_ERR_ARGUMENT);
    tv_profile_release(&profile);
    made_release(&made);
}

/* What runs already when the first call begins has time between both, but no call. */
static void between_two_methods_only_what_is_called_there_counts(void **state)
{
    (void)state;
    struct made made;
    struct tv_profile profile;
    struct tv_run_part part = tv_run_part_all();
    struct tv_error err = {.code = TV_OK};
    make(&made);
    part.first = method(&made, BAR);
    part.until = method(&made, BAZ);
    profile_of(&made, &part, &profile);
    expect_row(&made, &profile, BAR, 2, 0, 50, 30);
    assert_int_equal(row(&made, &profile, FOO)->numbers.calls, 1); /* the inner one */
    expect_row(&made, &profile, BAZ, 0, 0, 0, 0);
    tv_profile_release(&profile);
    /* Both at one moment, at the end of the trace: calls count, and there is no time. */
    part.first = method(&made, BAZ);
    part.until = method(&made, FOO);
    tv_profile_init(&profile, tv_alloc_libc());
    assert_int_equal(part_profile(&part, &made.index, &profile, &err), TV_ERR_NOT_FOUND);
    tv_profile_release(&profile);
    made_release(&made);
}

static void calls_of_one_moment_count_without_time(void **state)
{
    (void)state;
    struct made made;
    struct tv_profile profile;
    struct tv_run_part part = tv_run_part_all();
    made_begin(&made, NULL);
    made_call(&made, FOO, 10, 10);
    made_call(&made, BAR, 10, 10);
    made_call(&made, BAZ, 10, 20);
    made_end(&made);
    part.first = method(&made, FOO);
    part.until = method(&made, BAZ);
    profile_of(&made, &part, &profile);
    expect_row(&made, &profile, FOO, 1, 0, 0, 0);
    expect_row(&made, &profile, BAR, 1, 0, 0, 0);
    expect_row(&made, &profile, BAZ, 0, 0, 0, 0);
    tv_profile_release(&profile);
    made_release(&made);
}

/* The walk below a method is a loop: nesting costs no stack. */
static void a_deep_trace_is_walked(void **state)
{
    (void)state;
    struct made made;
    struct tv_profile profile;
    struct tv_run_part part = tv_run_part_all();
    const uint32_t depth = 200000;
    made_begin(&made, NULL);
    enter(&made.t, MAIN, BAR, 0);
    for (uint32_t i = 0; i < depth; i++)
        enter(&made.t, MAIN, i % 2 ? FOO : BAZ, i);
    for (uint32_t i = depth; i-- > 0;)
        leave(&made.t, MAIN, i % 2 ? FOO : BAZ, 2 * depth - i);
    leave(&made.t, MAIN, BAR, 2 * depth);
    made_end(&made);
    part.root = method(&made, FOO);
    profile_of(&made, &part, &profile);
    assert_int_equal(row(&made, &profile, FOO)->numbers.calls, 1);
    assert_int_equal(row(&made, &profile, FOO)->recursive_calls, depth / 2 - 1);
    assert_int_equal(row(&made, &profile, BAR)->numbers.calls, 0);
    tv_profile_release(&profile);
    made_release(&made);
}

static void memory_that_is_refused_is_told(void **state)
{
    (void)state;
    struct made made;
    struct tv_run_part parts[] = {tv_run_part_all(), tv_run_part_all(), tv_run_part_all()};
    struct tv_str thread = TV_STR("main");
    make(&made);
    parts[0].threads = &thread;
    parts[0].thread_count = 1;
    parts[1].root = method(&made, BAR);
    parts[2].first = method(&made, BAR);
    parts[2].until = method(&made, BAZ);
    for (size_t i = 0; i < TV_COUNT_OF(parts); i++) {
        bool has_failed = true;
        for (uint64_t fail_at = 0; has_failed; fail_at++) {
            struct failing_alloc failing;
            struct tv_profile profile;
            failing_alloc_init(&failing, fail_at);
            tv_profile_init(&profile, &failing.alloc);
            enum tv_code code = part_profile(&parts[i], &made.index, &profile, NULL);
            has_failed = failing.has_failed;
            assert_int_equal(code, has_failed ? TV_ERR_MEMORY : TV_OK);
            tv_profile_release(&profile);
            assert_int_equal(failing.live, 0);
        }
    }
    made_release(&made);
}

/* Android calls the main thread by the end of the package's name. */
static void main_is_the_thread_of_the_process_where_none_has_the_name(void **state)
{
    (void)state;
    uint8_t marks[2];
    struct made run = {.t = {.record_len = 0}};
    struct trace_builder *t = &run.t;
    tv_trace_init(&run.trace, tv_alloc_libc());
    tv_index_init(&run.index);
    build_text(t, (struct build_opts){.version = 3,
                                      .clock = "dual",
                                      .options = "pid=2\n",
                                      .threads = "1\tother\n2\tample.recipes\n"});
    made_call(&run, FOO, 10, 20);
    enter(t, WORKER, FOO, 30);
    leave(t, WORKER, FOO, 40);
    made_end(&run);
    assert_int_equal(tv_run_threads(&run.index, TV_STR("main"), marks), 1);
    assert_true(!marks[0] && marks[1]);
    assert_int_equal(tv_run_threads(&run.index, TV_STR("mai?"), marks), 0);
    made_release(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_it_is_the_profile),
        cmocka_unit_test(below_a_method_outermost_calls_are_those_of_that_part),
        cmocka_unit_test(below_one_call_is_what_it_called),
        cmocka_unit_test(a_call_without_time_is_refused),
        cmocka_unit_test(memory_for_one_call_that_is_refused_is_told),
        cmocka_unit_test(threads_are_named_by_pattern_or_id),
        cmocka_unit_test(main_is_the_thread_of_the_process_where_none_has_the_name),
        cmocka_unit_test(a_range_is_that_of_the_axis),
        cmocka_unit_test(between_two_methods_only_what_is_called_there_counts),
        cmocka_unit_test(calls_of_one_moment_count_without_time),
        cmocka_unit_test(a_deep_trace_is_walked),
        cmocka_unit_test(memory_that_is_refused_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
