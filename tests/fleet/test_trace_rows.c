/* fleet/trace_rows: rows of a trace by hand: recursion, kinds of threads, the longest call,
 * contexts, and names that differ from run to run. */
#include "fleet/trace_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "base/units.h"
#include "format/trace.h"
#include "index/build/build.h"
#include "support/failing_alloc.h"
#include "support/trace_builder.h"

#define METHODS                                                                                    \
    "0x4\tshop.Cart\tpay\t()V\tA.java\t1\n"                                                        \
    "0x8\tshop.Cart$$Lambda$7/0x1f\trun\t()V\tA.java\t1\n"                                         \
    "0xc\tshop.Cart$$Lambda$9/0x2f\trun\t()V\tA.java\t1\n"
#define THREADS "1\tmain\n2\tpool-3-thread-1\n"

struct built {
    struct trace_builder t;
    struct tv_trace trace;
    struct tv_index index;
};

static void begin(struct built *built)
{
    *built = (struct built){.t = {.record_len = 0}};
    tv_trace_init(&built->trace, tv_alloc_libc());
    tv_index_init(&built->index);
    build_text(
        &built->t,
        (struct build_opts){.version = 3, .clock = "dual", .methods = METHODS, .threads = THREADS});
}

static void end(struct built *built)
{
    assert_int_equal(tv_trace_open(&built->trace, built->t.bytes.bytes, built->t.bytes.len,
                                   &(struct tv_read_opts){.batch_len = 0}, NULL),
                     TV_OK);
    assert_int_equal(
        tv_index_build(&built->index, &built->trace, &(struct tv_build_opts){.pool = NULL}, NULL),
        TV_OK);
}

static void release(struct built *built)
{
    tv_index_release(&built->index);
    tv_trace_release(&built->trace);
    build_release(&built->t);
}

/* pay calls itself on the main thread, and two lambdas; one of these runs in a pool, too. */
static void build(struct built *built)
{
    begin(built);
    enter(&built->t, MAIN, FOO, 100);
    enter(&built->t, MAIN, FOO, 200);
    leave(&built->t, MAIN, FOO, 300);
    enter(&built->t, MAIN, BAR, 400);
    leave(&built->t, MAIN, BAR, 500);
    enter(&built->t, MAIN, BAZ, 500);
    leave(&built->t, MAIN, BAZ, 800);
    leave(&built->t, MAIN, FOO, 1000);
    enter(&built->t, WORKER, BAZ, 100);
    leave(&built->t, WORKER, BAZ, 150);
    end(built);
}

static const struct tv_fleet_row *row_of(const struct tv_trace_rows *rows, const char *name,
                                         enum tv_thread_kind kind)
{
    for (size_t i = 0; i < rows->row_count; i++) {
        const struct tv_fleet_row *row = &rows->rows[i];
        if (row->kind == kind && tv_str_equal(rows->methods[row->method].name, tv_str_from(name)))
            return row;
    }
    fail_msg("there is no row of %s", name);
    return NULL;
}

static void rows_have_what_calls_add_up_to(void **state)
{
    struct built built;
    struct tv_trace_rows rows;
    (void)state;
    build(&built);
    tv_trace_rows_init(&rows, tv_alloc_libc());
    assert_int_equal(tv_trace_rows_make(&rows, &built.index, NULL), TV_OK);
    assert_int_equal(rows.method_count, 2);
    assert_int_equal(rows.row_count, 3);
    assert_int_equal(rows.calls, 5);
    assert_int_equal(rows.cut_calls, 0);
    assert_int_equal(rows.no_counts.code, TV_OK);
    const struct tv_fleet_row *pay = row_of(&rows, "pay", TV_THREAD_MAIN);
    assert_int_equal(pay->numbers.numbers.calls, 1);
    assert_int_equal(pay->numbers.recursive_calls, 1);
    assert_int_equal(pay->numbers.numbers.inclusive_ns[TV_CLOCK_WALL], 900 * TV_NS_PER_US);
    assert_int_equal(pay->numbers.numbers.exclusive_ns[TV_CLOCK_WALL], 500 * TV_NS_PER_US);
    assert_int_equal(pay->slowest_ns, 900 * TV_NS_PER_US);
    assert_int_equal(pay->slowest_at_ns, 100 * TV_NS_PER_US);
    const struct tv_fleet_row *lambda = row_of(&rows, "run", TV_THREAD_MAIN);
    assert_true(
        tv_str_equal(rows.methods[lambda->method].class_name, TV_STR("shop.Cart$$Lambda*")) ||
        tv_str_ends_with(rows.methods[lambda->method].class_name, TV_STR("*")));
    assert_int_equal(lambda->numbers.numbers.calls, 2);
    assert_int_equal(lambda->slowest_ns, 300 * TV_NS_PER_US);
    assert_int_equal(lambda->slowest_at_ns, 500 * TV_NS_PER_US);
    assert_int_equal(row_of(&rows, "run", TV_THREAD_POOL)->numbers.numbers.calls, 1);
    tv_trace_rows_release(&rows);
    release(&built);
}

/* The pool is in pay, and main in it twice and in a lambda; the trace ends 700 us after main's
 * last record. In others a clock goes backwards, which only of the CPU clock makes CPU times too
 * short. */
static void rows_have_what_is_not_recorded(void **state)
{
    struct built built;
    struct tv_trace_rows rows;
    (void)state;
    begin(&built);
    enter(&built.t, MAIN, FOO, 100);
    enter(&built.t, MAIN, FOO, 200);
    enter(&built.t, MAIN, BAR, 300);
    enter(&built.t, WORKER, FOO, 1000);
    end(&built);
    tv_trace_rows_init(&rows, tv_alloc_libc());
    assert_int_equal(tv_trace_rows_make(&rows, &built.index, NULL), TV_OK);
    assert_false(rows.fell_back || rows.odd_wall);
    const struct tv_numbers *pay = &row_of(&rows, "pay", TV_THREAD_MAIN)->numbers.numbers;
    const struct tv_numbers *run = &row_of(&rows, "run", TV_THREAD_MAIN)->numbers.numbers;
    const struct tv_numbers *pool = &row_of(&rows, "pay", TV_THREAD_POOL)->numbers.numbers;
    assert_int_equal(pay->unrecorded_ns[0], 700 * TV_NS_PER_US);
    assert_int_equal(pay->unrecorded_ns[1], 0);
    assert_int_equal(run->unrecorded_ns[0], 700 * TV_NS_PER_US);
    assert_int_equal(run->unrecorded_ns[1], 700 * TV_NS_PER_US);
    assert_int_equal(pool->unrecorded_ns[0], 0);
    tv_trace_rows_release(&rows);
    release(&built);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        const bool is_cpu = clock == TV_CLOCK_CPU;
        begin(&built);
        enter(&built.t, MAIN, FOO, 300);
        build_record(&built.t, (struct build_record){MAIN, FOO, LEAVE, is_cpu ? 200 : 400,
                                                     is_cpu ? 400 : 200});
        end(&built);
        tv_trace_rows_init(&rows, tv_alloc_libc());
        assert_int_equal(tv_trace_rows_make(&rows, &built.index, NULL), TV_OK);
        assert_int_equal(rows.fell_back, is_cpu);
        assert_true((rows.odd_wall != NULL) == !is_cpu);
        tv_trace_rows_release(&rows);
        release(&built);
    }
}

/* What one lambda calls another one for is in its time already. */
static void lambdas_that_call_each_other_are_one_call(void **state)
{
    struct built built;
    struct tv_trace_rows rows;
    (void)state;
    begin(&built);
    enter(&built.t, MAIN, BAR, 100);
    enter(&built.t, MAIN, BAZ, 200);
    leave(&built.t, MAIN, BAZ, 300);
    leave(&built.t, MAIN, BAR, 500);
    end(&built);
    tv_trace_rows_init(&rows, tv_alloc_libc());
    assert_int_equal(tv_trace_rows_make(&rows, &built.index, NULL), TV_OK);
    assert_int_equal(rows.row_count, 1);
    assert_int_equal(rows.rows[0].numbers.numbers.calls, 1);
    assert_int_equal(rows.rows[0].numbers.recursive_calls, 1);
    assert_int_equal(rows.rows[0].numbers.numbers.inclusive_ns[TV_CLOCK_WALL], 400 * TV_NS_PER_US);
    assert_int_equal(rows.rows[0].numbers.numbers.exclusive_ns[TV_CLOCK_WALL], 400 * TV_NS_PER_US);
    tv_trace_rows_release(&rows);
    release(&built);
}

static void contexts_are_paths_by_kind_of_thread(void **state)
{
    struct built built;
    struct tv_trace_rows rows;
    (void)state;
    build(&built);
    tv_trace_rows_init(&rows, tv_alloc_libc());
    assert_int_equal(tv_trace_rows_make(&rows, &built.index, NULL), TV_OK);
    /* pay; pay in pay; both lambdas in pay as one; a lambda in the pool. */
    assert_int_equal(rows.context_count, 4);
    assert_int_equal(rows.contexts[0].depth, 0);
    assert_int_equal(rows.contexts[0].parent, 0);
    assert_int_equal(rows.contexts[1].numbers.numbers.calls, 2);
    assert_int_equal(rows.contexts[1].numbers.numbers.inclusive_ns[TV_CLOCK_WALL],
                     400 * TV_NS_PER_US);
    assert_true(rows.contexts[1].parent == rows.contexts[0].path);
    assert_int_equal(rows.contexts[3].kind, TV_THREAD_POOL);
    for (size_t i = 0; i < rows.context_count; i++)
        for (size_t j = 0; j < i; j++)
            assert_true(rows.contexts[i].path != rows.contexts[j].path);
    tv_trace_rows_release(&rows);
    release(&built);
}

#define MANY 10002u

/* As many methods in both threads, the first of which take longest on the main one. */
static void build_many(struct built *built, struct tv_buffer *methods)
{
    begin(built);
    build_release(&built->t);
    tv_buffer_init(methods, tv_alloc_libc());
    for (unsigned m = 1; m <= MANY; m++) {
        char line[64];
        const int len =
            snprintf(line, sizeof(line), "0x%x\tmany.C\tm%u\t()V\tA.java\t1\n", 4 * m, m);
        assert_int_equal(tv_buffer_append(methods, line, (size_t)len, NULL), TV_OK);
    }
    assert_int_equal(tv_buffer_append(methods, "", 1, NULL), TV_OK);
    build_text(&built->t, (struct build_opts){.version = 3,
                                              .clock = "dual",
                                              .methods = (const char *)methods->bytes,
                                              .threads = THREADS});
    for (unsigned thread = MAIN, now = 0; thread <= WORKER; thread++) {
        for (unsigned m = 1; m <= MANY; m++) {
            enter(&built->t, thread, 4 * m, now);
            now += thread == MAIN && m <= MANY - 2 ? 3 : 1;
            leave(&built->t, thread, 4 * m, now);
        }
    }
    end(built);
}

/* Of a method that has a row all rows are there, and of all others their calls. */
static void of_too_many_methods_those_without_time_are_cut(void **state)
{
    struct built built;
    struct tv_buffer methods;
    struct tv_trace_rows rows;
    (void)state;
    build_many(&built, &methods);
    tv_trace_rows_init(&rows, tv_alloc_libc());
    assert_int_equal(tv_trace_rows_make(&rows, &built.index, NULL), TV_OK);
    assert_int_equal(rows.calls, 2 * MANY);
    assert_int_equal(rows.row_count, TV_FLEET_ROWS_MOST);
    assert_int_equal(rows.cut_calls, 2 * MANY - TV_FLEET_ROWS_MOST);
    for (size_t i = 0; i < rows.row_count; i++) {
        assert_int_equal(rows.rows[i].method, rows.rows[i ^ 1].method);
        assert_int_equal(rows.rows[i].method, i / 2);
    }
    tv_trace_rows_release(&rows);
    tv_buffer_release(&methods);
    release(&built);
}

static enum tv_code make_with(const struct tv_alloc *alloc, void *ctx)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_trace_rows rows;
    const struct built *built = ctx;
    tv_trace_rows_init(&rows, alloc);
    const enum tv_code code = tv_trace_rows_make(&rows, &built->index, &err);
    tv_trace_rows_release(&rows);
    return code;
}

static void every_failed_allocation_is_told(void **state)
{
    struct built built;
    (void)state;
    build(&built);
    assert_true(failing_alloc_each(make_with, &built) > 6);
    release(&built);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_what_calls_add_up_to),
        cmocka_unit_test(rows_have_what_is_not_recorded),
        cmocka_unit_test(lambdas_that_call_each_other_are_one_call),
        cmocka_unit_test(contexts_are_paths_by_kind_of_thread),
        cmocka_unit_test(of_too_many_methods_those_without_time_are_cut),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
