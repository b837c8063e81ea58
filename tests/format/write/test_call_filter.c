/* Calls that are left out when a trace is written anew: which, and what is read back. */
#include "format/write/call_filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "format/reading.h"
#include "format/write/write.h"
#include "support/failing_alloc.h"
#include "support/trace_builder.h"

/* Leaves out the method with the id that ctx points to. */
static enum tv_code is_method(void *ctx, const struct tv_trace_method *method, bool *is_out,
                              struct tv_error *err)
{
    (void)err;
    *is_out = method->id == *(const uint64_t *)ctx;
    return TV_OK;
}

/* The records that are left, as "thread(method" and "thread)method". */
static void expect_left(const struct trace_builder *t,
                        const struct tv_call_filter_question *question, uint64_t calls,
                        const char *expected)
{
    struct tv_call_filter out;
    struct tv_buffer output;
    struct tv_write_result result;
    struct reading reading;
    char got[256] = "";
    tv_call_filter_init(&out, tv_alloc_libc());
    assert_int_equal(tv_call_filter_find(&out, t->bytes.bytes, t->bytes.len,
                                         &(struct tv_read_opts){.batch_len = 3}, question, NULL),
                     TV_OK);
    assert_int_equal(out.calls, calls);
    tv_buffer_init(&output, tv_alloc_libc());
    const struct tv_write_opts opts = {.as = TV_STR("v3"), .left_out = &out, .result = &result};
    assert_int_equal(tv_write_trace(tv_alloc_libc(), t->bytes.bytes, t->bytes.len, &opts,
                                    tv_buffer_sink(&output), NULL),
                     TV_OK);
    read_built(&reading, &output);
    expect_ok(&reading);
    assert_int_equal(reading.count, result.records);
    for (size_t i = 0; i < reading.count; i++) {
        size_t len = strlen(got);
        (void)snprintf(got + len, sizeof(got) - len, "%s%u%c%x", i ? " " : "",
                       (unsigned)reading.thread[i], "()x?"[reading.key_action[i] & 3],
                       (unsigned)(reading.key_action[i] & ~3u));
    }
    assert_string_equal(got, expected);
    /* BAR's two calls are left out by name where a question asks for both. */
    const uint64_t short_calls = !question->least_ns ? 0 : question->is_out ? calls - 2 : calls;
    const struct tv_str written = {(const char *)output.bytes, output.len};
    (void)snprintf(got, sizeof(got), "\ncalls-left-out=%u\n", (unsigned)calls);
    assert_true(tv_str_find(written, tv_str_from(got), TV_CASE_EXACT) != SIZE_MAX);
    (void)snprintf(got, sizeof(got), "\nshort-calls-left-out=%u\n", (unsigned)short_calls);
    assert_true((tv_str_find(written, tv_str_from(got), TV_CASE_EXACT) != SIZE_MAX) ==
                (short_calls > 0));
    reading_release(&reading);
    tv_buffer_release(&output);
    tv_call_filter_release(&out);
}

/* Two threads; FOO calls BAR, which calls BAZ; the worker's BAR is left by an exception. */
static void build(struct trace_builder *t)
{
    build_text(t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(t, MAIN, FOO, 0);
    enter(t, MAIN, BAR, 10);
    enter(t, WORKER, BAR, 15);
    enter(t, MAIN, BAZ, 20);
    leave(t, MAIN, BAZ, 30);
    leave(t, MAIN, BAR, 60);
    enter(t, MAIN, BAZ, 70);
    unwind(t, WORKER, BAR, 75);
    leave(t, MAIN, BAZ, 71 + 9);
    leave(t, MAIN, FOO, 100);
    enter(t, MAIN, BAZ, 110);
}

static void calls_of_methods_are_left_out_whole(void **state)
{
    struct trace_builder t;
    uint64_t id = BAR;
    (void)state;
    build(&t);
    expect_left(&t, &(struct tv_call_filter_question){.is_out = is_method, .ctx = &id}, 2,
                "1(4 1(c 1)c 1(c 1)c 1)4 1(c");
    id = BAZ;
    expect_left(&t, &(struct tv_call_filter_question){.is_out = is_method, .ctx = &id}, 3,
                "1(4 1(8 2(8 1)8 2x8 1)4");
    id = 0x40;
    expect_left(&t, &(struct tv_call_filter_question){.is_out = is_method, .ctx = &id}, 0,
                "1(4 1(8 2(8 1(c 1)c 1)8 1(c 2x8 1)c 1)4 1(c");
    build_release(&t);
}

static void short_calls_are_left_out_whole(void **state)
{
    struct trace_builder t;
    uint64_t id = BAR;
    (void)state;
    build(&t);
    expect_left(&t, &(struct tv_call_filter_question){.least_ns = 10000}, 0,
                "1(4 1(8 2(8 1(c 1)c 1)8 1(c 2x8 1)c 1)4 1(c"); /* 10 us are not shorter */
    expect_left(&t, &(struct tv_call_filter_question){.least_ns = 10001}, 2,
                "1(4 1(8 2(8 1)8 2x8 1)4 1(c");
    expect_left(&t, &(struct tv_call_filter_question){.least_ns = 60000}, 3, "1(4 2(8 2x8 1)4 1(c");
    expect_left(&t, &(struct tv_call_filter_question){.least_ns = 1000000}, 5, "1(c");
    expect_left(
        &t, &(struct tv_call_filter_question){.is_out = is_method, .ctx = &id, .least_ns = 10001},
        4, "1(4 1)4 1(c");
    build_release(&t);
}

/* An exit that closes calls above its own, a call that began before, and a clock that passes 2^32.
 */
static void odd_records_leave_a_readable_trace(void **state)
{
    struct trace_builder t;
    (void)state;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    leave(&t, MAIN, BAZ, 0xfffffff0u);
    enter(&t, MAIN, FOO, 0xfffffff1u);
    enter(&t, MAIN, BAR, 0xfffffff2u);
    leave(&t, MAIN, FOO, 20);
    enter(&t, MAIN, FOO, 30);
    leave(&t, MAIN, BAZ, 31); /* it is not on the stack */
    leave(&t, MAIN, FOO, 32);
    expect_left(&t, &(struct tv_call_filter_question){.least_ns = 35000}, 2, "1)c 1(4 1)4 1)c");
    expect_left(&t, &(struct tv_call_filter_question){.least_ns = 34000}, 1, "1)c 1(4 1(8 1)4 1)c");
    build_release(&t);
}

static enum tv_code leave_out_bar(const struct tv_alloc *alloc, void *ctx)
{
    const struct trace_builder *t = ctx;
    uint64_t id = BAR;
    const struct tv_call_filter_question question = {
        .is_out = is_method, .ctx = &id, .least_ns = 1000};
    struct tv_call_filter out;
    tv_call_filter_init(&out, alloc);
    enum tv_code code = tv_call_filter_find(&out, t->bytes.bytes, t->bytes.len,
                                            &(struct tv_read_opts){0}, &question, NULL);
    tv_call_filter_release(&out);
    return code;
}

static void memory_that_runs_out_is_told(void **state)
{
    struct trace_builder t;
    (void)state;
    build(&t);
    (void)failing_alloc_each(leave_out_bar, &t);
    build_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_of_methods_are_left_out_whole),
        cmocka_unit_test(short_calls_are_left_out_whole),
        cmocka_unit_test(odd_records_leave_a_readable_trace),
        cmocka_unit_test(memory_that_runs_out_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
