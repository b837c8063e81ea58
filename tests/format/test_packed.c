/* Blocks as fixed records: which have such, and that they are what batches give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "packet_builder.h"
#include "reading.h"

#include "base/bytes.h"
#include "format/encode.h"
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
    const uint64_t id = tv_trace_id_of_key(&r->trace, r->key_action[i]);
    /* The key of an exit that names no method says nothing. */
    if (trace->fixed.has_bare_exits && (word & 3) != TV_ACTION_ENTER)
        assert_int_equal(word / 4, 0);
    else
        assert_int_equal(trace->methods[word / 4].id, id);
    assert_int_equal(word & 3, r->key_action[i] & 3);
    /* What is above 32 bits is told of the first alone. */
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        uint32_t time_at = trace->fixed.time_at[clock];
        uint64_t time = part->time[clock];
        if (time_at)
            time += tv_load_le32(at + time_at) - tv_load_le32(first + time_at);
        assert_int_equal(time, clock == TV_CLOCK_WALL ? r->wall[i] : r->cpu[i]);
    }
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
static void begin_ticks(struct trace_builder *t, unsigned version, uint64_t frequency)
{
    build_packets(t, version, frequency);
    t->bytes.bytes[TV_WIRE_PACKETS_COUNTER_AT] = 1;
    packet_tables(t);
}

/* The second of the block's records has the action, and is the last one or far from it. */
static uint64_t count_fixed_ticks(uint64_t frequency, unsigned action, unsigned more)
{
    struct trace_builder t;
    struct block_builder block = {.len = 0};
    begin_ticks(&t, 4, frequency);
    add_ticks(&block, 5, TV_ACTION_ENTER, FOO_ADDRESS);
    add_ticks(&block, 9, action, 0);
    for (unsigned i = 0; i < more; i++)
        add_ticks(&block, 10, TV_ACTION_EXIT, 0);
    packet_block(&t, TID, &block);
    return count_fixed(&t);
}

static void ticks_are_fixed_in_nanoseconds_and_without_action_3(void **state)
{
    (void)state;
    for (unsigned more = 0; more <= 16; more++) {
        assert_int_equal(count_fixed_ticks(0, TV_ACTION_EXIT, more), 2 + more);
        assert_int_equal(count_fixed_ticks(0, TV_ACTION_UNWIND, more), 2 + more);
        assert_int_equal(count_fixed_ticks(0, TV_ACTION_RESERVED, more), 0);
        assert_int_equal(count_fixed_ticks(1000, TV_ACTION_EXIT, more), 0);
    }
}

/* A signed number in `len` bytes, of which the last ones may say nothing more. */
static void add_number(struct block_builder *block, uint64_t value, unsigned len)
{
    for (unsigned i = 0; i < len; i++) {
        block->bytes[block->len++] = (uint8_t)((value & 0x7f) | (i + 1 < len ? 0x80 : 0));
        value = value >> 7 | (value >> 63 ? ~(UINT64_MAX >> 7) : 0);
    }
}

/* The bytes of each number of a record; cpu: 0 with one clock. */
struct lens {
    unsigned time, cpu, method;
};

/* The next record of layout E, some ticks after the one before. */
static void add_lens(struct block_builder *block, struct lens lens, unsigned action, uint64_t id)
{
    uint64_t most = UINT64_C(1) << (lens.time < 6 ? 7 * lens.time - 1 : 36);
    uint64_t ticks = (block->wall + most / 2) / 4 * 4 + action;
    add_number(block, ticks - block->wall, lens.time);
    add_number(block, lens.cpu, lens.cpu);
    if (action == TV_ACTION_ENTER)
        add_number(block, id - block->word, lens.method);
    block->word = action == TV_ACTION_ENTER ? id : block->word;
    block->wall = ticks;
    block->count++;
}

/* A block in which records with numbers of these lengths stand `left` bytes before the end. */
static void add_lens_block(struct trace_builder *t, struct lens lens, unsigned left)
{
    const struct lens least = {1, lens.cpu ? 1 : 0, 1};
    const struct lens first = {3, lens.cpu ? 2 : 0, 5};
    struct block_builder block = {.len = 0};
    add_lens(&block, first, TV_ACTION_ENTER, FOO_ADDRESS);
    add_lens(&block, lens, TV_ACTION_ENTER, BAR_ADDRESS);
    add_lens(&block, lens, TV_ACTION_EXIT, 0);
    add_lens(&block, lens, TV_ACTION_ENTER, FOO_ADDRESS);
    add_lens(&block, lens, TV_ACTION_UNWIND, 0);
    const unsigned exit_len = least.time + least.cpu;
    for (; left >= exit_len && left % exit_len == 0; left -= exit_len)
        add_lens(&block, least, TV_ACTION_EXIT, 0);
    for (; left >= exit_len + 1; left -= exit_len + 1)
        add_lens(&block, least, TV_ACTION_ENTER, FOO_ADDRESS);
    packet_block(t, TID, &block);
}

/* Opens what was built as fixed records, and compares these with batches. Releases it. */
static void expect_fixed(struct trace_builder *t)
{
    static struct reading r;
    struct tv_trace trace;
    read_built(&r, &t->bytes);
    expect_ok(&r);
    tv_trace_init(&trace, tv_alloc_libc());
    assert_int_equal(tv_trace_open(&trace, t->bytes.bytes, t->bytes.len, NULL, NULL), TV_OK);
    assert_int_equal(trace.fixed.count, r.count);
    if (r.count)
        expect_from(&r, &trace, 0);
    tv_trace_release(&trace);
    reading_release(&r);
    build_release(t);
}

static void numbers_of_each_length_are_taken(void **state)
{
    (void)state;
    for (unsigned time = 1; time <= 10; time++) {
        for (unsigned cpu = 0; cpu <= 10; cpu++) {
            struct trace_builder t;
            begin_ticks(&t, cpu ? 5 : 4, 0);
            for (unsigned method = 1; method <= 10; method++) {
                for (unsigned left = 0; left <= 16; left++)
                    add_lens_block(&t, (struct lens){time, cpu, method}, left);
            }
            packet_summary(&t, cpu ? 5 : 4, cpu ? "clock=dual\n" : "clock=wall\n");
            expect_fixed(&t);
        }
    }
}

/* The last block is cut at each of its bytes, in a number too. */
static void cut_packets_have_the_records_before_the_cut(void **state)
{
    (void)state;
    for (unsigned version = 4; version <= 5; version++) {
        const struct lens lens = {4, version == 5 ? 3 : 0, 2};
        for (size_t cut = 1;; cut++) {
            struct trace_builder t;
            begin_ticks(&t, version, 0);
            add_lens_block(&t, lens, 0);
            add_lens_block(&t, lens, 16);
            if (cut > t.bytes.len - t.last_off - TV_PACKET_BLOCK_HEAD) {
                build_release(&t);
                break;
            }
            t.bytes.len -= cut;
            expect_fixed(&t);
        }
    }
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

/* An exit that names no method has its action alone, also where its enter is in the same block. */
static void a_bare_exit_has_no_key(void **state)
{
    (void)state;
    static const uint32_t words[] = {0 | TV_ACTION_ENTER, 4 | TV_ACTION_ENTER, 0 | TV_ACTION_ENTER,
                                     TV_ACTION_EXIT,      TV_ACTION_EXIT,      TV_ACTION_EXIT};
    static const uint32_t late[] = {TV_ACTION_EXIT, TV_ACTION_EXIT};
    struct trace_builder t;
    struct tv_trace trace;
    begin_ticks(&t, 4, 0);
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
        cmocka_unit_test(numbers_of_each_length_are_taken),
        cmocka_unit_test(cut_packets_have_the_records_before_the_cut),
        cmocka_unit_test(a_bare_exit_has_no_key),
        cmocka_unit_test(too_long_a_number_ends_what_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
