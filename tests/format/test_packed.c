/* Blocks as fixed records: which have such, and that they are what batches give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "packet_builder.h"
#include "reading.h"

#include "base/bytes.h"
#include "format/wire.h"

#define OTHER 70000u /* a thread whose id is above 16 bits */
#define LONG_STEP UINT64_C(0x100000000)

static void begin(struct trace_builder *t)
{
    build_packets(t, 5, 0);
    packet_tables(t);
}

static void end(struct trace_builder *t)
{
    packet_summary(t, 5, "clock=dual\nelapsed-time-nsec=1\n");
}

/* Some calls, up to 40, from `ns` on. */
static void add_calls(struct trace_builder *t, uint32_t thread, unsigned calls, uint64_t ns)
{
    struct block_builder block = {.len = 0};
    for (unsigned i = 0; i < calls; i++) {
        add_dual(&block, FOO_ADDRESS, ns + 100 * i, ns / 2 + 50 * i);
        add_dual(&block, FOO_ADDRESS + 1 + (i % 9 == 0), ns + 100 * i + 70, ns / 2 + 50 * i + 9);
    }
    packet_block(t, thread, &block);
}

static void expect_record(const struct reading *r, size_t i, const struct tv_fixed_part *part,
                          const uint8_t *at, const uint8_t *first)
{
    const struct tv_trace *trace = part->trace;
    uint32_t word = tv_load_le32(at + 2);
    assert_int_equal(tv_fixed_thread(trace, tv_load_le16(at)), r->thread[i]);
    assert_int_equal(trace->methods[word / 4].id, tv_trace_id_of_key(&r->trace, r->key_action[i]));
    assert_int_equal(word & 3, r->key_action[i] & 3);
    /* What is above 32 bits is told of the first alone. */
    uint64_t wall = part->time[TV_CLOCK_WALL];
    uint64_t cpu = part->time[TV_CLOCK_CPU];
    assert_int_equal(wall + (tv_load_le32(at + 10) - tv_load_le32(first + 10)), r->wall[i]);
    assert_int_equal(cpu + (tv_load_le32(at + 6) - tv_load_le32(first + 6)), r->cpu[i]);
}

/* The records from `from` on, and each one's place and word alone. */
static void expect_from(const struct reading *r, const struct tv_trace *trace, size_t from)
{
    struct tv_fixed_part part;
    struct tv_fixed_place place = {.run = NULL};
    size_t i = from;
    assert_int_equal(tv_fixed_open(&part, trace, from, r->count, NULL), TV_OK);
    while (part.first < part.end) {
        const uint8_t *stop;
        const uint8_t *first = tv_fixed_take(&part, &stop);
        assert_non_null(first);
        assert_true(part.has_times);
        for (const uint8_t *at = first; at < stop; at += trace->fixed.len, i++) {
            expect_record(r, i, &part, at, first);
            assert_int_equal(tv_fixed_offset(trace, i, &place), r->offset[i]);
        }
    }
    assert_int_equal(i, r->count);
    for (i = from; i < r->count; i += 1 + from)
        assert_int_equal(tv_fixed_word(&part, i) & 3, r->key_action[i] & 3);
    assert_int_equal(tv_fixed_word(&part, from) & 3, r->key_action[from] & 3);
    tv_fixed_close(&part);
}

static void records_are_those_of_batches(void **state)
{
    (void)state;
    static struct reading r;
    struct trace_builder t;
    struct tv_trace trace;
    begin(&t);
    for (unsigned i = 0; i < 50; i++)
        add_calls(&t, i % 3 ? TID : OTHER, 1 + i % 40, i * i * LONG_STEP / 7);
    end(&t);
    read_built(&r, &t.bytes);
    expect_ok(&r);
    tv_trace_init(&trace, tv_alloc_libc());
    assert_int_equal(tv_trace_open(&trace, t.bytes.bytes, t.bytes.len, NULL, NULL), TV_OK);
    assert_int_equal(trace.fixed.count, r.count);
    for (size_t from = 0; from < r.count; from += 11)
        expect_from(&r, &trace, from);
    tv_trace_release(&trace);
    reading_release(&r);
    build_release(&t);
}

/* Releases what was built. */
static uint64_t count_fixed(struct trace_builder *t)
{
    struct tv_trace trace;
    tv_trace_init(&trace, tv_alloc_libc());
    end(t);
    assert_int_equal(tv_trace_open(&trace, t->bytes.bytes, t->bytes.len, NULL, NULL), TV_OK);
    uint64_t count = trace.fixed.count;
    tv_trace_release(&trace);
    build_release(t);
    return count;
}

static void what_is_odd_has_none(void **state)
{
    (void)state;
    struct trace_builder t;
    struct block_builder block = {.len = 0};
    begin(&t);
    add_calls(&t, TID, 2, 0);
    assert_int_equal(count_fixed(&t), 4);
    begin(&t);
    add_calls(&t, 0, 2, 0);
    assert_int_equal(count_fixed(&t), 0);
    begin(&t);
    add_dual(&block, FOO_ADDRESS + 4, 1, 1); /* no method that is described */
    packet_block(&t, TID, &block);
    assert_int_equal(count_fixed(&t), 0);
    begin(&t);
    block = (struct block_builder){.len = 0};
    add_dual(&block, FOO_ADDRESS, 1, 1);
    block.len--; /* no whole record */
    packet_block(&t, TID, &block);
    assert_int_equal(count_fixed(&t), 0);
    begin(&t);
    block = (struct block_builder){.len = 0};
    add_ticks(&block, 5, 0, FOO_ADDRESS);
    packet_block(&t, TID, &block);
    assert_int_equal(count_fixed(&t), 0);
}

/* Packets in layout E: the header tells of a counter, which stood at 1. */
static void begin_ticks(struct trace_builder *t, uint64_t frequency)
{
    build_packets(t, 4, frequency);
    t->bytes.bytes[TV_WIRE_PACKETS_COUNTER_AT] = 1;
    packet_tables(t);
}

static uint64_t count_fixed_ticks(uint64_t frequency, unsigned action)
{
    struct trace_builder t;
    struct block_builder block = {.len = 0};
    begin_ticks(&t, frequency);
    add_ticks(&block, 5, TV_ACTION_ENTER, FOO_ADDRESS);
    add_ticks(&block, 9, action, 0);
    packet_block(&t, TID, &block);
    return count_fixed(&t);
}

static void ticks_are_fixed_in_nanoseconds_and_without_action_3(void **state)
{
    (void)state;
    assert_int_equal(count_fixed_ticks(0, TV_ACTION_EXIT), 2);
    assert_int_equal(count_fixed_ticks(0, TV_ACTION_RESERVED), 0);
    assert_int_equal(count_fixed_ticks(1000, TV_ACTION_EXIT), 0);
}

/* The keys of the fixed records from `from` on, with their actions. */
static void expect_words(const struct tv_trace *trace, uint64_t from, const uint32_t *words,
                         size_t count)
{
    struct tv_fixed_part part;
    size_t i = 0;
    assert_int_equal(tv_fixed_open(&part, trace, from, from + count, NULL), TV_OK);
    while (part.first < part.end) {
        const uint8_t *stop;
        const uint8_t *at = tv_fixed_take(&part, &stop);
        assert_non_null(at);
        for (; at < stop; at += trace->fixed.len)
            assert_int_equal(tv_load_le32(at + 2), words[i++]);
    }
    assert_int_equal(i, count);
    tv_fixed_close(&part);
}

/* An exit has the key of the call that it ends, over the blocks of its thread; that of a call from
 * before the block in which the part begins has none. */
static void a_bare_exit_gets_the_key_of_its_call(void **state)
{
    (void)state;
    static const uint32_t words[] = {0 | TV_ACTION_ENTER, 4 | TV_ACTION_ENTER, 0 | TV_ACTION_ENTER,
                                     0 | TV_ACTION_EXIT,  4 | TV_ACTION_EXIT,  0 | TV_ACTION_EXIT};
    static const uint32_t late[] = {TV_FIXED_BARE_KEY | TV_ACTION_EXIT,
                                    TV_FIXED_BARE_KEY | TV_ACTION_EXIT};
    struct trace_builder t;
    struct tv_trace trace;
    begin_ticks(&t, 0);
    struct block_builder block = {.len = 0};
    add_ticks(&block, 5, TV_ACTION_ENTER, FOO_ADDRESS);
    add_ticks(&block, 6, TV_ACTION_ENTER, BAR_ADDRESS);
    packet_block(&t, TID, &block);
    block = (struct block_builder){.len = 0};
    add_ticks(&block, 7, TV_ACTION_ENTER, FOO_ADDRESS);
    add_ticks(&block, 8, TV_ACTION_EXIT, 0);
    add_ticks(&block, 9, TV_ACTION_EXIT, 0);
    add_ticks(&block, 10, TV_ACTION_EXIT, 0);
    packet_block(&t, TID, &block);
    packet_summary(&t, 4, "clock=wall\nelapsed-time-nsec=1\n");
    tv_trace_init(&trace, tv_alloc_libc());
    assert_int_equal(tv_trace_open(&trace, t.bytes.bytes, t.bytes.len, NULL, NULL), TV_OK);
    assert_int_equal(trace.fixed.count, 6);
    expect_words(&trace, 0, words, 6);
    expect_words(&trace, 4, late, 2);
    tv_trace_release(&trace);
    build_release(&t);
}

/* An open trace says nothing of a number that goes on for too long; taking it does. */
static void too_long_a_number_ends_what_is_taken(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_trace trace;
    struct tv_fixed_part part;
    const uint8_t *stop;
    struct block_builder block = {.len = 0};
    begin(&t);
    add_calls(&t, TID, 40, 0);
    add_dual(&block, FOO_ADDRESS, 1, 1);
    for (unsigned i = 0; i < 11; i++)
        block.bytes[block.len++] = 0x80;
    for (unsigned i = 0; i < 3; i++)
        block.bytes[block.len++] = 0;
    for (unsigned i = 0; i < 65536 / 80; i++)
        add_calls(&t, TID, 40, 0);
    packet_block(&t, TID, &block);
    end(&t);
    tv_trace_init(&trace, tv_alloc_libc());
    assert_int_equal(tv_trace_open(&trace, t.bytes.bytes, t.bytes.len, NULL, NULL), TV_OK);
    uint64_t count = trace.fixed.count;
    assert_int_not_equal(count, 0);
    assert_int_equal(tv_fixed_open(&part, &trace, count - 2, count, NULL), TV_OK);
    assert_non_null(tv_fixed_take(&part, &stop));
    assert_int_equal(part.first, count - 1);
    assert_null(tv_fixed_take(&part, &stop));
    tv_fixed_close(&part);
    struct tv_batch *batch = test_malloc(sizeof(*batch));
    do {
        assert_int_equal(tv_trace_next(&trace, batch, NULL), TV_OK);
    } while (batch->count);
    assert_int_equal(tv_trace_next(&trace, batch, NULL), TV_OK);
    assert_int_equal(trace.findings.of[TV_FINDING_TRUNCATED_RECORD].count, 1);
    test_free(batch);
    tv_trace_release(&trace);
    build_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_those_of_batches),
        cmocka_unit_test(what_is_odd_has_none),
        cmocka_unit_test(ticks_are_fixed_in_nanoseconds_and_without_action_3),
        cmocka_unit_test(a_bare_exit_gets_the_key_of_its_call),
        cmocka_unit_test(too_long_a_number_ends_what_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
