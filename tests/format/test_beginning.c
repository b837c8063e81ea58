/* Beginnings of traces of every kind: the first records of the whole, told as the whole tells them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "packet_builder.h"
#include "reading.h"

#include "format/beginning.h"

#define NO_MORE TV_FINDING_KIND_COUNT

static void expect_beginning(const struct reading *whole, const struct tv_trace *trace, size_t len)
{
    static struct reading first;
    struct tv_trace beginning;
    assert_int_equal(tv_beginning_open(&beginning, trace, len, NULL), TV_OK);
    read_bytes(&first, trace->bytes, len, &beginning.opts);
    expect_ok(&first);
    expect_only(&first, NO_MORE);
    assert_in_range(first.count, 1, whole->count - 1);
    assert_true(whole->offset[first.count] >= len);
    assert_int_equal(beginning.unit_ns, trace->unit_ns);
    assert_int_equal(beginning.fixed.count, first.count);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        assert_int_equal(beginning.has_clock[clock], trace->has_clock[clock]);
    for (size_t i = 0; i < first.count; i++) {
        assert_int_equal(first.thread[i], whole->thread[i]);
        assert_int_equal(tv_trace_id_of_key(&first.trace, first.key_action[i]),
                         tv_trace_id_of_key(&whole->trace, whole->key_action[i]));
        assert_int_equal(first.key_action[i] & 3, whole->key_action[i] & 3);
        assert_int_equal(first.wall[i], whole->wall[i]);
        assert_int_equal(first.cpu[i], whole->cpu[i]);
    }
    reading_release(&first);
    tv_trace_release(&beginning);
}

/* At every length; returns how many different beginnings there are. Releases what was built. */
static unsigned expect_beginnings(struct trace_builder *t)
{
    static struct reading whole;
    struct tv_trace trace;
    unsigned count = 0;
    size_t before = 0;
    read_built(&whole, &t->bytes);
    expect_ok(&whole);
    tv_trace_init(&trace, tv_alloc_libc());
    assert_int_equal(tv_trace_open(&trace, t->bytes.bytes, t->bytes.len, NULL, NULL), TV_OK);
    for (size_t most = 0; most <= t->bytes.len; most++) {
        size_t len = tv_beginning_len(&trace, most);
        assert_true(len <= most);
        if (len && len != before) {
            assert_true(len > before);
            expect_beginning(&whole, &trace, len);
            count++;
        }
        before = len;
    }
    assert_int_equal(before, 0); /* all of it is no beginning */
    tv_trace_release(&trace);
    reading_release(&whole);
    build_release(t);
    return count;
}

static void of_text_they_end_behind_any_record(void **state)
{
    (void)state;
    struct trace_builder t;
    build_text(&t, (struct build_opts){.version = 2, .clock = "thread-cpu"});
    for (unsigned i = 0; i < 5; i++)
        enter(&t, i % 2 ? MAIN : WORKER, FOO, i);
    assert_int_equal(expect_beginnings(&t), 4);
}

/* Of one clock, which the end alone names. */
static void of_a_stream_too(void **state)
{
    (void)state;
    struct trace_builder t;
    build_stream(&t, (struct build_opts){.version = 2, .clock = "thread-cpu"});
    tell_method(&t, "0x4\ta.B\tfoo\t()V\tB.java\n");
    tell_thread(&t, MAIN, "main");
    for (unsigned i = 0; i < 3; i++)
        enter(&t, MAIN, FOO, i);
    tell_thread(&t, WORKER, "worker");
    for (unsigned i = 3; i < 6; i++)
        enter(&t, WORKER, FOO, i);
    tell_summary(&t);
    assert_int_equal(expect_beginnings(&t), 5);
}

static void of_packets_behind_any_block(void **state)
{
    (void)state;
    struct trace_builder t;
    build_packets(&t, 4, 0);
    packet_tables(&t);
    for (unsigned i = 0; i < 4; i++) {
        struct block_builder block = {.len = 0};
        add_single(&block, FOO_ADDRESS, 100 * i);
        add_single(&block, FOO_ADDRESS + 1, 100 * i + 10);
        packet_block(&t, TID, &block);
    }
    packet_summary(&t, 4, "clock=thread-cpu\nelapsed-time-nsec=1\n");
    assert_int_equal(expect_beginnings(&t), 3);
}

static void without_its_end_a_stream_has_none(void **state)
{
    (void)state;
    struct trace_builder t;
    build_stream(&t, (struct build_opts){.version = 2});
    tell_method(&t, "0x4\ta.B\tfoo\t()V\tB.java\n");
    tell_thread(&t, MAIN, "main");
    for (unsigned i = 0; i < 3; i++)
        enter(&t, MAIN, FOO, i);
    assert_int_equal(expect_beginnings(&t), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_text_they_end_behind_any_record),
        cmocka_unit_test(of_a_stream_too),
        cmocka_unit_test(of_packets_behind_any_block),
        cmocka_unit_test(without_its_end_a_stream_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
