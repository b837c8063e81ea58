/* The old viewer's dump: hand-worked cases of docs/formats/regression.md, and what may go wrong. */
#include "oldviewer/regression.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/memory/buffer.h"

enum { FOO = 0x4, BAR = 0x8, BAZ = 0xc };
enum { ENTER, EXIT, UNWIND, RESERVED };

/* A v3 dual trace: text, then records. */
struct made {
    struct tv_buffer bytes;
    size_t records_at;
};

static void add_bytes(struct made *made, const void *bytes, size_t len)
{
    assert_int_equal(tv_buffer_append(&made->bytes, bytes, len, NULL), TV_OK);
}

static void add_text(struct made *made, const char *text)
{
    add_bytes(made, text, strlen(text));
}

static void add_header(struct made *made, uint16_t version, uint16_t record_len)
{
    uint8_t header[32] = "SLOW";

    tv_store_le16(header + 4, version);
    tv_store_le16(header + 6, sizeof(header));
    tv_store_le16(header + 16, version == 3 ? record_len : 0);
    add_bytes(made, header, sizeof(header));
    made->records_at = made->bytes.len;
}

/* Up to the data header; `threads` and `methods` are whole lines. */
static void begin(struct made *made, const char *clock, const char *threads, const char *methods)
{
    bool is_dual = strcmp(clock, "dual") == 0;

    tv_buffer_init(&made->bytes, tv_alloc_libc());
    add_text(made, is_dual ? "*version\n3\nclock=" : "*version\n2\nclock=");
    add_text(made, clock);
    add_text(made, "\n*threads\n");
    add_text(made, threads);
    add_text(made, "*methods\n");
    add_text(made, methods);
    add_text(made, "*end\n");
    add_header(made, is_dual ? 3 : 2, 14);
}

static void record(struct made *made, unsigned thread, unsigned method, unsigned action,
                   uint32_t cpu, uint32_t wall)
{
    uint8_t bytes[14];

    tv_store_le16(bytes, (uint16_t)thread);
    tv_store_le32(bytes + 2, method | action);
    tv_store_le32(bytes + 6, cpu);
    tv_store_le32(bytes + 10, wall);
    add_bytes(made, bytes, sizeof(bytes));
}

/* A record with one time, for version 2. */
static void record_one(struct made *made, unsigned thread, unsigned method, unsigned action,
                       uint32_t time)
{
    record(made, thread, method, action, time, 0);
    made->bytes.len -= 4;
}

static enum tv_code dump(const struct made *made, const struct tv_alloc *alloc,
                         struct tv_buffer *out, struct tv_regression_result *result,
                         struct tv_error *err)
{
    struct tv_trace trace;
    struct tv_sink sink = tv_buffer_sink(out);
    enum tv_code code;

    tv_trace_init(&trace, alloc);
    code =
        tv_trace_open(&trace, made->bytes.bytes, made->bytes.len, &(struct tv_read_opts){0}, err);
    if (code == TV_OK)
        code = tv_regression_dump(&trace, &sink, UINT64_MAX, result, err);
    tv_trace_release(&trace);
    return code;
}

/* The dump as text, in a buffer that is released by the caller. */
static const char *dump_text(const struct made *made, struct tv_buffer *out,
                             struct tv_regression_result *result)
{
    struct tv_error err = {0};

    tv_buffer_init(out, tv_alloc_libc());
    assert_int_equal(dump(made, tv_alloc_libc(), out, result, &err), TV_OK);
    assert_int_equal(tv_buffer_append(out, "", 1, NULL), TV_OK);
    return (const char *)out->bytes;
}

static void expect_dump(struct made *made, const char *expected, uint64_t refused)
{
    struct tv_buffer out;
    struct tv_regression_result result;

    assert_string_equal(dump_text(made, &out, &result), expected);
    assert_int_equal(result.refused, refused);
    tv_buffer_release(&out);
    tv_buffer_release(&made->bytes);
}

static void expect_line(struct made *made, const char *line, uint64_t refused)
{
    struct tv_buffer out;
    struct tv_regression_result result;
    const char *text = dump_text(made, &out, &result);

    if (!strstr(text, line))
        fail_msg("no line:\n%s\nin:\n%s", line, text);
    assert_int_equal(result.refused, refused);
    tv_buffer_release(&out);
    tv_buffer_release(&made->bytes);
}

#define THREADS "1\tmain\n2\tworker\n"
#define METHODS                                                                                    \
    "0x4\ta.B\tfoo\t()V\tB.java\n0x8\ta.B\tbar\t()V\tB.java\n0xc\ta.C\tbaz\t()V\tC.java\n"

static void make_worked_example(struct made *made)
{
    begin(made, "dual", THREADS, METHODS);
    record(made, 1, BAZ, EXIT, 0, 10); /* began before tracing did: ignored */
    record(made, 1, FOO, ENTER, 20, 30);
    record(made, 1, BAR, ENTER, 30, 40);
    record(made, 2, BAR, ENTER, 0, 60);
    record(made, 1, BAR, EXIT, 50, 560); /* slept 500 of 520 */
    record(made, 1, FOO, ENTER, 60, 570);
    record(made, 1, FOO, EXIT, 70, 580);
    record(made, 1, FOO, EXIT, 90, 600);
    record(made, 2, BAZ, ENTER, 40, 110); /* bar and baz stay open */
}

static void worked_example_prints_every_section(void **state)
{
    struct made made;

    (void)state;
    make_worked_example(&made);
    expect_dump(&made,
                "totalCpuTime 130us\n"
                "totalRealTime 620us\n"
                "\n"
                "Thread Times\n"
                "id  t-start    t-end  g-start    g-end     name\n"
                " 1        0       90       10      600  [1] main\n"
                " 2        0       40       60      110  [2] worker\n"
                "\n"
                "Call Times\n"
                "id  t-start    t-end  g-start    g-end    excl.    incl.  method\n"
                " 1       20       90       30      600       40       70  a.B.foo ()V\n"
                " 1       30       50       40      560       20       20  a.B.bar ()V\n"
                " 2        0       40       60      110       40       40  a.B.bar ()V\n"
                " 1       40       40       50      550        0        0  (context switch)\n"
                " 1       60       70      570      580       10       10  a.B.foo ()V\n"
                " 2       40       40      110      110        0        0  a.C.baz ()V\n"
                "\n"
                "Method Stats\n"
                "Excl Cpu  Incl Cpu  Excl Real Incl Real    Calls  Method\n"
                "       20       130         0       620       2+0  0 (toplevel)\n"
                "       50        70        50       570       1+1  1 a.B.foo ()V\n"
                "       60        60        70       570       2+0  2 a.B.bar ()V\n"
                "\n"
                "Time Records\n"
                "id  t-start    t-end  g-start    g-end  method\n"
                " 1        0       90       10      600  (toplevel)\n"
                " 2        0       40       60      110  (toplevel)\n"
                " 1       20       90       30      600  a.B.foo ()V\n"
                " 1       30       50       40      560  a.B.bar ()V\n"
                " 2        0       40       60      110  a.B.bar ()V\n"
                " 1       40       40       50      550  (context switch)\n"
                " 1       60       70      570      580  a.B.foo ()V\n"
                " 2       40       40      110      110  a.C.baz ()V\n",
                0);
}

static void a_wait_of_exactly_100_us_is_no_context_switch(void **state)
{
    struct made made;

    (void)state;
    begin(&made, "dual", THREADS, METHODS);
    record(&made, 1, FOO, ENTER, 0, 0);
    record(&made, 1, BAR, ENTER, 10, 110);
    record(&made, 1, BAR, EXIT, 20, 221);
    expect_line(&made,
                "Call Times\n"
                "id  t-start    t-end  g-start    g-end    excl.    incl.  method\n"
                " 1        0       20        0      221       10       20  a.B.foo ()V\n"
                " 1       10       20      110      221       10       10  a.B.bar ()V\n"
                " 1       15       15      115      216        0        0  (context switch)\n\n",
                0);
}

/* The worker's 7 us fall in the middle of the 2 us that main needs up to its next record. */
static void thread_cpu_rebuilds_one_time_line(void **state)
{
    struct made made;

    (void)state;
    begin(&made, "thread-cpu", THREADS, METHODS);
    record_one(&made, 1, FOO, ENTER, 0);
    record_one(&made, 1, BAR, ENTER, 10);
    record_one(&made, 2, BAZ, ENTER, 0);
    record_one(&made, 2, BAZ, EXIT, 7);
    record_one(&made, 1, BAR, EXIT, 12);
    record_one(&made, 1, FOO, EXIT, 15);
    expect_line(&made,
                "id  t-start    t-end  g-start    g-end    excl.    incl.  method\n"
                " 1        0       15        0       22       13       15  a.B.foo ()V\n"
                " 1       10       12       10       19        2        2  a.B.bar ()V\n"
                " 1       11       11       11       18        0        0  (context switch)\n"
                " 2        0        7       11       18        7        7  a.C.baz ()V\n"
                " 2        7        7       18        0        0        0  (context switch)\n\n",
                0);
}

static void times_are_signed_32_bit(void **state)
{
    struct made made;

    (void)state;
    begin(&made, "wall", THREADS, METHODS);
    record_one(&made, 1, FOO, ENTER, 0x7ffffff0);
    record_one(&made, 1, FOO, EXIT, 0x80000010);
    expect_line(&made,
                " 1        0        0 2147483632 -2147483632        0        0  a.B.foo ()V\n", 0);
}

static void thread_ids_are_signed_16_bit(void **state)
{
    struct made made;

    (void)state;
    begin(&made, "dual", "40000\tmain\n", METHODS);
    record(&made, 40000, FOO, ENTER, 1, 1);
    expect_line(&made, "-25536        1        1        1        1  [-25536] [-25536]\n", 0);
}

static void threads_stand_in_the_order_of_the_hash_map(void **state)
{
    struct made made;

    (void)state;
    begin(&made, "dual", "17\ta\n2\tb\n1\tc\n70000\td\n", METHODS);
    expect_line(&made,
                "17        0        0        0        0  [17] a\n"
                " 1        0        0        0        0  [1] c\n"
                "70000        0        0        0        0  [70000] d\n"
                " 2        0        0        0        0  [2] b\n",
                0);
}

static void a_method_with_id_0_takes_the_place_of_toplevel(void **state)
{
    struct made made;

    (void)state;
    begin(&made, "dual", THREADS, "0\ta.B\tfoo\t()V\tB.java\n");
    record(&made, 1, 0, ENTER, 0, 0);
    record(&made, 1, 0, EXIT, 5, 6);
    expect_line(&made,
                "Excl Cpu  Incl Cpu  Excl Real Incl Real    Calls  Method\n"
                "        5         5         6         6       1+0  0 a.B.foo ()V\n\n",
                0);
}

static void unknown_method_is_named_by_its_id(void **state)
{
    struct made made;

    (void)state;
    begin(&made, "dual", THREADS, METHODS);
    record(&made, 1, 0xb6d06010, ENTER, 0, 0);
    expect_line(&made, " 1        0        0        0        0  (0xb6d06010)\n", 0);
}

static void names_are_read_as_ascii_and_cannot_reach_a_terminal(void **state)
{
    struct made made;

    (void)state;
    begin(&made, "dual", "1\tm\xc3\xa4\tin\x1b[31m\nsecond line\n", METHODS);
    record(&made, 1, FOO, ENTER, 0, 0);
    expect_line(&made, "  [1] m\xef\xbf\xbd\xef\xbf\xbd\tin\\x1b[31m\n", 0);
}

static void exit_deeper_in_stack_closes_calls_above(void **state)
{
    struct made made;

    (void)state;
    begin(&made, "dual", THREADS, METHODS);
    record(&made, 1, FOO, ENTER, 0, 0);
    record(&made, 1, BAR, ENTER, 10, 10);
    record(&made, 1, BAZ, ENTER, 20, 20);
    record(&made, 1, FOO, EXIT, 30, 30); /* bar and baz lost their exits */
    expect_line(&made,
                " 1        0       30        0       30       10       30  a.B.foo ()V\n"
                " 1       10       30       10       30       10       20  a.B.bar ()V\n"
                " 1       20       30       20       30       10       10  a.C.baz ()V\n",
                1);
}

static void exit_nowhere_on_the_stack_is_left_out(void **state)
{
    struct made made;
    struct tv_buffer out;
    struct tv_regression_result result;

    (void)state;
    begin(&made, "dual", THREADS, METHODS);
    record(&made, 1, FOO, ENTER, 0, 0);
    record(&made, 1, BAZ, UNWIND, 10, 10);
    record(&made, 1, FOO, EXIT, 30, 30);
    assert_non_null(
        strstr(dump_text(&made, &out, &result),
               " 1        0       30        0       30       30       30  a.B.foo ()V\n"));
    assert_int_equal(result.refused, 1);
    assert_int_equal(result.refused_offset, made.records_at + 14);
    tv_buffer_release(&out);
    tv_buffer_release(&made.bytes);
}

static void reserved_action_is_left_out(void **state)
{
    struct made made;

    (void)state;
    begin(&made, "dual", THREADS, METHODS);
    record(&made, 1, FOO, ENTER, 0, 0);
    record(&made, 1, FOO, RESERVED, 10, 10);
    record(&made, 1, FOO, EXIT, 30, 30);
    expect_line(&made, " 1        0       30        0       30       30       30  a.B.foo ()V\n",
                1);
}

static void a_deep_stack_costs_no_more_than_a_flat_one(void **state)
{
    const unsigned depth = 1000000;
    struct made made;

    (void)state;
    begin(&made, "dual", THREADS, METHODS);
    for (unsigned i = 0; i < depth; i++)
        record(&made, 1, FOO, ENTER, i, i);
    record(&made, 1, BAZ, EXIT, depth, depth); /* nowhere: must not be looked for call by call */
    for (unsigned i = 0; i < depth; i++)
        record(&made, 1, FOO, EXIT, depth + i, depth + i);
    expect_line(&made, "  1999999   1999999   1999999   1999999  1+999999  1 a.B.foo ()V\n", 1);
}

struct failing_alloc {
    struct tv_alloc alloc;
    size_t left; /* allocations that still work */
};

static void *resize_or_fail(void *ctx, void *block, size_t old_len, size_t new_len)
{
    struct failing_alloc *failing = ctx;
    const struct tv_alloc *libc = tv_alloc_libc();

    if (new_len > old_len && failing->left-- == 0) {
        failing->left = 0;
        return NULL;
    }
    return libc->resize(libc->ctx, block, old_len, new_len);
}

static void every_failed_allocation_is_an_error(void **state)
{
    struct made made;
    enum tv_code code = TV_ERR_MEMORY;

    (void)state;
    make_worked_example(&made);
    for (size_t n = 0; code != TV_OK; n++) {
        struct failing_alloc failing = {.left = n};
        struct tv_buffer out;
        struct tv_regression_result result;
        struct tv_error err = {0};

        failing.alloc = (struct tv_alloc){.resize = resize_or_fail, .ctx = &failing};
        tv_buffer_init(&out, tv_alloc_libc());
        code = dump(&made, &failing.alloc, &out, &result, &err);
        if (code != TV_OK)
            assert_int_equal(code, TV_ERR_MEMORY);
        assert_int_equal(err.code, code);
        tv_buffer_release(&out);
        assert_in_range(n, 0, 1000);
    }
    tv_buffer_release(&made.bytes);
}

static enum tv_code refuse_bytes(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    (void)ctx;
    (void)bytes;
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "no room for %zu bytes", len);
}

static void a_full_disk_is_passed_up(void **state)
{
    struct made made;
    struct tv_trace trace;
    struct tv_sink sink = {refuse_bytes, NULL};
    struct tv_regression_result result;
    struct tv_error err = {0};

    (void)state;
    make_worked_example(&made);
    tv_trace_init(&trace, tv_alloc_libc());
    assert_int_equal(
        tv_trace_open(&trace, made.bytes.bytes, made.bytes.len, &(struct tv_read_opts){0}, &err),
        TV_OK);
    assert_int_equal(tv_regression_dump(&trace, &sink, UINT64_MAX, &result, &err), TV_ERR_SYSTEM);
    tv_trace_release(&trace);
    tv_buffer_release(&made.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_example_prints_every_section),
        cmocka_unit_test(a_wait_of_exactly_100_us_is_no_context_switch),
        cmocka_unit_test(thread_cpu_rebuilds_one_time_line),
        cmocka_unit_test(times_are_signed_32_bit),
        cmocka_unit_test(thread_ids_are_signed_16_bit),
        cmocka_unit_test(threads_stand_in_the_order_of_the_hash_map),
        cmocka_unit_test(a_method_with_id_0_takes_the_place_of_toplevel),
        cmocka_unit_test(unknown_method_is_named_by_its_id),
        cmocka_unit_test(names_are_read_as_ascii_and_cannot_reach_a_terminal),
        cmocka_unit_test(exit_deeper_in_stack_closes_calls_above),
        cmocka_unit_test(exit_nowhere_on_the_stack_is_left_out),
        cmocka_unit_test(reserved_action_is_left_out),
        cmocka_unit_test(a_deep_stack_costs_no_more_than_a_flat_one),
        cmocka_unit_test(every_failed_allocation_is_an_error),
        cmocka_unit_test(a_full_disk_is_passed_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
