/* Low-overhead dumps as they were in 2024: blocks behind a magic, lines of text, lists at the end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "format/packet_builder.h"
#include "format/reading.h"

#define NO_MORE TV_FINDING_KIND_COUNT

static const char lists[] =
    "\n*threads\n4242\tmain\n7\tworker\n*methods\n"
    "1879052288\ta.B\tfoo\t()V\tB.java\n0x70001028\ta.B\tbar\t()V\tB.java\n*end";

static const char lines[] = "Thread:4242\n->0x70001000 5000\n->0x70001028 7000\nThread:7\n<-8000\n"
                            "Thread:4242\n<-9500\n<-11000\n";

static void begin(struct trace_builder *t)
{
    *t = (struct trace_builder){.header_off = 0};
    tv_buffer_init(&t->bytes, tv_alloc_libc());
}

static uint64_t id_at(const struct reading *reading, size_t i)
{
    return tv_trace_id_of_key(&reading->trace, reading->key_action[i]);
}

/* 02, thread, three bytes of count; then one number a record. */
static void build_block(struct trace_builder *t, uint32_t thread, const struct block_builder *block)
{
    uint8_t head[8] = {2};
    tv_store_le32(head + 1, thread);
    head[5] = (uint8_t)block->count;
    build_bytes(t, head, sizeof(head));
    build_bytes(t, block->bytes, block->len);
}

/* enter foo, enter bar, leave, leave; then an empty block, and one that only leaves. */
static void build_blocks(struct trace_builder *t)
{
    struct block_builder block = {.len = 0};
    struct block_builder other = {.len = 0};
    begin(t);
    build_bytes(t, "TMOL\1", 6);
    add_sleb(&block, FOO_ADDRESS);
    add_sleb(&block, BAR_ADDRESS - FOO_ADDRESS);
    add_sleb(&block, 1);
    add_sleb(&block, 0);
    block.count = 4;
    build_block(t, TID, &block);
    build_block(t, 9, &other);
    add_sleb(&other, 1);
    other.count = 1;
    build_block(t, 7, &other);
}

static void expect_blocks(const struct reading *reading)
{
    static const unsigned actions[] = {ENTER, ENTER, LEAVE, LEAVE, LEAVE};
    expect_ok(reading);
    assert_string_equal(reading->trace.format_name, "low-overhead");
    assert_int_equal(reading->count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(reading->key_action[i] & 3, actions[i]);
        assert_int_equal(reading->thread[i], i < 4 ? TID : 7);
    }
    assert_int_equal(id_at(reading, 2), BAR_ADDRESS);
    assert_int_equal(id_at(reading, 3), FOO_ADDRESS);
    assert_true(id_at(reading, 4) == TV_METHOD_ID_UNKNOWN);
    assert_false(reading->trace.has_clock[TV_CLOCK_WALL] || reading->trace.has_clock[TV_CLOCK_CPU]);
}

static void blocks_with_short_headers_are_read(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_blocks(&t);
    build_str(&t, lists);
    read_built(&reading, &t.bytes);
    expect_blocks(&reading);
    expect_only(&reading, NO_MORE);
    assert_int_equal(reading.trace.expected_records, 5);
    expect_str(reading.trace.methods[0].name, "foo");
    expect_str(reading.trace.threads[1].name, "worker");
    reading_release(&reading);
    build_release(&t);
}

static void blocks_that_are_cut_keep_their_whole_records(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    size_t before = 0;
    build_blocks(&t);
    size_t blocks_end = t.bytes.len;
    build_str(&t, lists);
    for (size_t len = 6; len < t.bytes.len; len++) {
        read_bytes(&reading, t.bytes.bytes, len, NULL);
        expect_ok(&reading);
        assert_true(reading.count == before || reading.count == before + 1);
        assert_int_equal(reading.trace.findings.of[TV_FINDING_TRUNCATED_RECORD].count, 1);
        before = reading.count;
        if (len == blocks_end)
            expect_finding(&reading, TV_FINDING_TRUNCATED_RECORD, 1, blocks_end);
        reading_release(&reading);
    }
    assert_int_equal(before, 5);
    build_release(&t);
}

static void expect_lines(const struct reading *reading)
{
    static const uint64_t walls[] = {0, 2000, 3000, 4500, 6000};
    expect_ok(reading);
    assert_int_equal(reading->count, 5);
    assert_int_equal(reading->trace.unit_ns, 1000);
    assert_int_equal(reading->trace.start_time_ns, 5000000);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(reading->wall[i], walls[i]);
        assert_int_equal(reading->thread[i], i == 2 ? 7 : TID);
    }
    assert_int_equal(reading->offset[1], strlen("Thread:4242\n->0x70001000 5000\n"));
    assert_int_equal(id_at(reading, 0), FOO_ADDRESS);
    assert_true(id_at(reading, 2) == TV_METHOD_ID_UNKNOWN);
    assert_int_equal(id_at(reading, 3), BAR_ADDRESS);
    assert_int_equal(id_at(reading, 4), FOO_ADDRESS);
}

static void lines_of_long_running_methods_are_read(void **state)
{
    (void)state;
    static const size_t batches[] = {0, 1, 2};
    for (size_t i = 0; i < 3; i++) {
        struct trace_builder t;
        struct reading reading;
        begin(&t);
        build_str(&t, lines);
        build_str(&t, lists);
        read_bytes(&reading, t.bytes.bytes, t.bytes.len,
                   &(struct tv_read_opts){.batch_len = batches[i]});
        expect_lines(&reading);
        expect_only(&reading, NO_MORE);
        reading_release(&reading);
        build_release(&t);
    }
}

static void lines_without_lists_or_with_a_cut_one_are_told(void **state)
{
    (void)state;
    struct reading reading;
    read_bytes(&reading, lines, sizeof(lines) - 1, NULL);
    expect_lines(&reading);
    expect_finding(&reading, TV_FINDING_TRUNCATED_RECORD, 1, sizeof(lines) - 1);
    reading_release(&reading);
    read_bytes(&reading, lines, sizeof(lines) - 2, NULL); /* the last number may go on */
    expect_ok(&reading);
    assert_int_equal(reading.count, 4);
    expect_finding(&reading, TV_FINDING_TRUNCATED_RECORD, 1,
                   sizeof(lines) - 1 - strlen("<-11000\n"));
    reading_release(&reading);
}

static void lines_that_are_no_records_are_counted(void **state)
{
    (void)state;
    static const char *const odd[] = {"->0x7 \n",
                                      "->7 5\n",
                                      "<-\n",
                                      "<-9223372036854776\n", /* more than 63 bits of nanoseconds */
                                      "Thread:4294967296\n",
                                      "nonsense\n"};
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        struct trace_builder t;
        struct reading reading;
        begin(&t);
        build_str(&t, "Thread:1\n");
        build_str(&t, odd[i]);
        build_str(&t, "<-9\n");
        build_str(&t, lists);
        build_str(&t, "\n*end"); /* and something behind the end */
        read_built(&reading, &t.bytes);
        expect_ok(&reading);
        assert_int_equal(reading.count, 1);
        expect_finding(&reading, TV_FINDING_BAD_LINE, 1, 9);
        expect_only(&reading, TV_FINDING_BAD_LINE, TV_FINDING_TRAILING_BYTES, NO_MORE);
        reading_release(&reading);
        build_release(&t);
    }
}

static void other_text_is_no_dump(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "Thread:", "Thread:x\n", "Thread:1 is\n", "Thread:12345678901\n", "Threads:1\n", "TMOL\2"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct reading reading;
        read_bytes(&reading, texts[i], strlen(texts[i]) + (texts[i][0] == 'T' && i == 5), NULL);
        expect_error(&reading, TV_ERR_FORMAT, 0, "not a method trace");
        reading_release(&reading);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_with_short_headers_are_read),
        cmocka_unit_test(blocks_that_are_cut_keep_their_whole_records),
        cmocka_unit_test(lines_of_long_running_methods_are_read),
        cmocka_unit_test(lines_without_lists_or_with_a_cut_one_are_told),
        cmocka_unit_test(lines_that_are_no_records_are_counted),
        cmocka_unit_test(other_text_is_no_dump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
