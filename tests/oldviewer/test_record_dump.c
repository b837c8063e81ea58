/* Records as lines: by hand, with what a line may have to say. */
#include "oldviewer/record_dump.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory/buffer.h"
#include "support/trace_builder.h"

/* Dumps a trace and releases its bytes. */
static void expect_dump(struct trace_builder *t, enum tv_clock clock, const char *wanted)
{
    struct tv_trace trace;
    struct tv_buffer out;
    tv_buffer_init(&out, tv_alloc_libc());
    tv_trace_init(&trace, tv_alloc_libc());
    assert_int_equal(tv_trace_open(&trace, t->bytes.bytes, t->bytes.len,
                                   &(struct tv_read_opts){.batch_len = 0}, NULL),
                     TV_OK);
    assert_int_equal(tv_record_dump(&trace, clock, tv_buffer_sink(&out), NULL), TV_OK);
    assert_int_equal(tv_buffer_append(&out, "", 1, NULL), TV_OK);
    assert_string_equal((const char *)out.bytes, wanted);
    tv_trace_release(&trace);
    tv_buffer_release(&out);
    build_release(t);
}

static void each_record_is_a_line_with_the_depth_of_its_thread(void **state)
{
    struct trace_builder t;
    (void)state;
    build_text(&t, (struct build_opts){.version = 3,
                                       .clock = "dual",
                                       .threads = "12\tlate\n1\tmain\x1b\n",
                                       .methods = "0x4\tA\tfoo\t()V\n0x8\tB\n"});
    build_record(&t, (struct build_record){1, 0x4, ENTER, 10, 100});
    build_record(&t, (struct build_record){12, 0x8, ENTER, 5, 101});
    build_record(&t, (struct build_record){1, 0x8, LEAVE, 11, 102}); /* of another method */
    build_record(&t, (struct build_record){1, 0x4, UNWIND, 12, 103});
    build_record(&t, (struct build_record){12, 0x40, RESERVED, 123456789, 104});
    build_record(&t, (struct build_record){1, 0x4, LEAVE, 13, 105});
    build_record(&t, (struct build_record){1, 0x4, LEAVE, 14, 106});
    expect_dump(&t, TV_CLOCK_CPU,
                "VERSION: 3\nThreads (2):\n 1 main\\x1b\n12 late\n"
                "Trace (threadID action usecs class.method signature):\n"
                " 1 ent        10 ...A.foo ()V\n"
                "12 ent         5 ...B\n"
                " 1 xit!       11 ...B\n"
                " 1 unr        12 ..A.foo ()V\n"
                "12 ??\?! 123456789 ...???.??? methodId: 0x40\n"
                " 1 xit        13 .A.foo ()V\n"
                " 1 xit        14 A.foo ()V\n");
}

/* Names of a stream stand among its records, and the list of threads before them. */
static void a_stream_is_read_twice(void **state)
{
    struct trace_builder t;
    (void)state;
    build_stream(&t, (struct build_opts){.version = 3, .clock = "dual"});
    tell_method(&t, "0x4\tA\tfoo\t()V\tA.java\n");
    tell_thread(&t, 1, "main");
    build_record(&t, (struct build_record){1, 0x4, ENTER, 10, 100});
    tell_thread(&t, 2, "second");
    build_record(&t, (struct build_record){2, 0x4, ENTER, 11, 101});
    expect_dump(&t, TV_CLOCK_WALL,
                "VERSION: 3\nThreads (2):\n 1 main\n 2 second\n"
                "Trace (threadID action usecs class.method signature):\n"
                " 1 ent       100 ...A.foo ()V\n"
                " 2 ent       101 ...A.foo ()V\n");
}

static void a_deep_call_has_a_plus(void **state)
{
    struct trace_builder t;
    struct tv_trace trace;
    struct tv_buffer out;
    (void)state;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    for (unsigned i = 0; i < 2 * TV_RECORD_DUMP_DEPTH; i++)
        enter(&t, MAIN, FOO, i);
    tv_buffer_init(&out, tv_alloc_libc());
    tv_trace_init(&trace, tv_alloc_libc());
    assert_int_equal(tv_trace_open(&trace, t.bytes.bytes, t.bytes.len,
                                   &(struct tv_read_opts){.batch_len = 0}, NULL),
                     TV_OK);
    assert_int_equal(tv_record_dump(&trace, TV_CLOCK_CPU, tv_buffer_sink(&out), NULL), TV_OK);
    assert_true(out.len < (size_t)2 * TV_RECORD_DUMP_DEPTH * (TV_RECORD_DUMP_DEPTH + 100));
    assert_int_equal(tv_buffer_append(&out, "", 1, NULL), TV_OK);
    assert_non_null(strstr((const char *)out.bytes, " 1 ent       997 ...."));
    assert_non_null(strstr((const char *)out.bytes, " 1 ent       998+...."));
    tv_trace_release(&trace);
    tv_buffer_release(&out);
    build_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_record_is_a_line_with_the_depth_of_its_thread),
        cmocka_unit_test(a_stream_is_read_twice),
        cmocka_unit_test(a_deep_call_has_a_plus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
