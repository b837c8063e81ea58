/* Packet files: layouts told by content, blocks that go on, times that go back, any cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/packet_builder.h"
#include "format/reading.h"
#include "format/wire.h"

#define NO_MORE TV_FINDING_KIND_COUNT
#define DUAL_NS "clock=dual\nelapsed-time-nsec=6000\n"

static uint64_t id_at(const struct reading *reading, size_t i)
{
    return tv_trace_id_of_key(&reading->trace, reading->key_action[i]);
}

static unsigned action_at(const struct reading *reading, size_t i)
{
    return reading->key_action[i] & 3;
}

/* foo calls bar, which is unwound. */
static struct block_builder small_block(void)
{
    struct block_builder block = {.len = 0};
    add_dual(&block, FOO_ADDRESS, 1000, 400);
    add_dual(&block, BAR_ADDRESS, 3000, 900);
    add_dual(&block, BAR_ADDRESS | UNWIND, 3500, 1300);
    add_dual(&block, FOO_ADDRESS | LEAVE, 5000, 1500);
    return block;
}

static void build_small(struct trace_builder *t, unsigned version)
{
    struct block_builder block = small_block();
    build_packets(t, version, 0);
    packet_tables(t);
    packet_block(t, TID, &block);
}

static void expect_small(const struct reading *reading)
{
    static const uint64_t walls[] = {1000, 3000, 3500, 5000};
    static const uint64_t cpus[] = {400, 900, 1300, 1500};
    expect_ok(reading);
    assert_int_equal(reading->count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(reading->thread[i], TID);
        assert_int_equal(id_at(reading, i), i % 3 ? BAR_ADDRESS : FOO_ADDRESS);
        assert_int_equal(reading->wall[i], walls[i]);
        assert_int_equal(reading->cpu[i], cpus[i]);
    }
    assert_int_equal(action_at(reading, 2), UNWIND);
}

static void layout_d_has_wall_then_cpu_in_nanoseconds(void **state)
{
    (void)state;
    static const unsigned versions[] = {5, 0xf5};
    for (size_t i = 0; i < 2; i++) {
        struct trace_builder t;
        struct reading reading;
        build_small(&t, versions[i]);
        packet_summary(&t, 5, DUAL_NS);
        read_built(&reading, &t.bytes);
        expect_small(&reading);
        assert_string_equal(reading.trace.format_name, "packets5");
        assert_int_equal(reading.trace.is_streaming, versions[i] == 0xf5);
        assert_int_equal(reading.trace.unit_ns, 1);
        assert_int_equal(reading.trace.start_time_ns, 5000000000);
        assert_int_equal(reading.trace.expected_records, 4);
        expect_only(&reading, NO_MORE);
        reading_release(&reading);
        build_release(&t);
    }
}

static void microseconds_in_the_summary_make_it_layout_c(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_small(&t, 5);
    packet_summary(&t, 5, "clock=dual\nelapsed-time-usec=6\n");
    read_built(&reading, &t.bytes);
    expect_small(&reading);
    assert_int_equal(reading.trace.unit_ns, 1000);
    assert_int_equal(reading.trace.clock_bits, 32);
    assert_int_equal(reading.trace.start_time_ns, 5000000000000);
    reading_release(&reading);
    build_release(&t);
}

static void version_4_has_the_clock_that_its_summary_names(void **state)
{
    (void)state;
    static const char *const options[] = {"clock=wall\n", "clock=thread-cpu\n", "clock=dual\n", ""};
    for (size_t i = 0; i < 4; i++) {
        struct trace_builder t;
        struct reading reading;
        struct block_builder block = {.len = 0};
        build_packets(&t, 4, 0);
        packet_tables(&t);
        add_single(&block, FOO_ADDRESS, 1000);
        packet_block(&t, TID, &block);
        packet_summary(&t, 4, options[i]);
        read_built(&reading, &t.bytes);
        expect_ok(&reading);
        assert_int_equal(reading.wall[0], i == 1 ? 0 : 1000);
        assert_int_equal(reading.cpu[0], i == 1 ? 1000 : 0);
        assert_int_equal(reading.trace.has_clock[TV_CLOCK_WALL], i != 1);
        reading_release(&reading);
        build_release(&t);
    }
}

static void a_block_may_go_on_with_the_sums_before_it(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    struct block_builder first = {.len = 0};
    build_packets(&t, 5, 0);
    packet_tables(&t);
    add_dual(&first, FOO_ADDRESS, 1000, 400);
    add_dual(&first, BAR_ADDRESS, 3000, 900);
    packet_block(&t, TID, &first);
    struct block_builder second = {.word = first.word, .wall = first.wall, .cpu = first.cpu};
    add_dual(&second, BAR_ADDRESS | UNWIND, 3500, 1300);
    add_dual(&second, FOO_ADDRESS | LEAVE, 5000, 1500);
    packet_block(&t, TID, &second);
    packet_summary(&t, 5, DUAL_NS);
    read_built(&reading, &t.bytes);
    expect_small(&reading);
    expect_only(&reading, NO_MORE);
    reading_release(&reading);
    build_release(&t);
}

/* They may lie before the start: the index raises them, and says so. */
static void times_that_go_back_are_read_as_they_are(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    struct block_builder block = {.len = 0};
    build_packets(&t, 5, 0);
    packet_tables(&t);
    add_dual(&block, FOO_ADDRESS, 1000, 400);
    add_dual(&block, FOO_ADDRESS | LEAVE, 900, 500);
    add_dual(&block, FOO_ADDRESS, UINT64_MAX, 600); /* before the start */
    packet_block(&t, TID, &block);
    packet_summary(&t, 5, DUAL_NS);
    read_built(&reading, &t.bytes);
    expect_ok(&reading);
    assert_int_equal(reading.wall[1], 900);
    assert_true(reading.wall[2] == UINT64_MAX);
    assert_int_equal(reading.cpu[2], 600);
    reading_release(&reading);
    build_release(&t);
}

static void exits_of_layout_e_take_the_top_of_the_stack(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    struct block_builder block = {.len = 0};
    build_packets(&t, 4, 10000000);
    packet_tables(&t);
    add_ticks(&block, 10, ENTER, FOO_ADDRESS);
    add_ticks(&block, 20, ENTER, BAR_ADDRESS);
    packet_block(&t, TID, &block);
    block = (struct block_builder){.len = 0};
    add_ticks(&block, 30, LEAVE, 0);
    add_ticks(&block, 40, UNWIND, 0);
    add_ticks(&block, 50, LEAVE, 0);
    packet_block(&t, TID, &block);
    packet_summary(&t, 4, "clock=wall\n");
    read_built(&reading, &t.bytes);
    expect_ok(&reading);
    assert_int_equal(reading.count, 5);
    assert_int_equal(id_at(&reading, 2), BAR_ADDRESS);
    assert_int_equal(id_at(&reading, 3), FOO_ADDRESS);
    assert_int_equal(action_at(&reading, 3), UNWIND);
    assert_true(id_at(&reading, 4) == TV_METHOD_ID_UNKNOWN);
    assert_int_equal(reading.wall[4], 5000); /* 50 ticks of 100 ns */
    assert_false(reading.trace.has_clock[TV_CLOCK_CPU]);
    reading_release(&reading);
    build_release(&t);
}

/* 100 ns each; a sum below zero, and one that no 63 bits of nanoseconds can hold. */
/* Version 5: the second number of a record moves the thread's CPU time on, in nanoseconds whatever
 * a tick is. The numbers are spelled out, since ours is the only writer to compare with. */
static void the_second_number_of_layout_e_is_cpu_time(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    struct block_builder block = {.len = 0};
    build_packets(&t, 5, 10000000);
    packet_tables(&t);
    add_sleb(&block, 10 << 2 | ENTER);
    add_sleb(&block, 100); /* takes two bytes, of which the second is 0 */
    add_sleb(&block, FOO_ADDRESS);
    add_sleb(&block, (30 << 2 | LEAVE) - (10 << 2 | ENTER));
    block.bytes[block.len++] = 0x64; /* 100 again, as unsigned: one byte */
    block.count = 2;
    packet_block(&t, TID, &block);
    read_built(&reading, &t.bytes);
    expect_ok(&reading);
    assert_int_equal(reading.count, 2);
    assert_true(reading.trace.has_clock[TV_CLOCK_WALL] && reading.trace.has_clock[TV_CLOCK_CPU]);
    assert_int_equal(reading.wall[0], 1000);
    assert_int_equal(reading.wall[1], 3000);
    assert_int_equal(reading.cpu[0], 100);
    assert_int_equal(reading.cpu[1], 200);
    reading_release(&reading);
    build_release(&t);
}

/* Version 4 has one time, of the clock that the summary names, in layout E as in D. */
static void the_one_time_of_layout_e_may_be_cpu(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    struct block_builder block = {.len = 0};
    build_packets(&t, 4, 1000000);
    packet_tables(&t);
    add_ticks(&block, 10, ENTER, FOO_ADDRESS);
    add_ticks(&block, 20, LEAVE, 0);
    packet_block(&t, TID, &block);
    packet_summary(&t, 4, "clock=thread-cpu\n");
    read_built(&reading, &t.bytes);
    expect_ok(&reading);
    assert_false(reading.trace.has_clock[TV_CLOCK_WALL]);
    assert_int_equal(reading.cpu[1], 20000);
    reading_release(&reading);
    build_release(&t);
}

/* Nobody describes the methods, so nothing but the counter in the header tells the layout. */
static void a_counter_in_the_header_tells_of_layout_e(void **state)
{
    (void)state;
    for (unsigned counter = 0; counter < 2; counter++) {
        struct trace_builder t;
        struct reading reading;
        struct block_builder block = {.len = 0};
        build_packets(&t, 4, 0);
        t.bytes.bytes[TV_WIRE_PACKETS_COUNTER_AT] = (uint8_t)counter;
        add_ticks(&block, 16, ENTER, FOO_ADDRESS);
        add_ticks(&block, 32, ENTER, BAR_ADDRESS);
        packet_block(&t, TID, &block);
        read_built(&reading, &t.bytes);
        assert_int_equal(reading.code, TV_OK);
        assert_int_equal(reading.count, 2);
        assert_int_equal(reading.wall[0], counter ? 16 : FOO_ADDRESS);
        reading_release(&reading);
        build_release(&t);
    }
}

/* Times that are multiples of four are good actions, too, when words are read as ticks: the ids of
 * methods then tell that they are none. */
static void words_stay_words_whatever_the_header_says(void **state)
{
    (void)state;
    static const uint64_t words[] = {FOO_ADDRESS | ENTER, BAR_ADDRESS | ENTER, BAR_ADDRESS | LEAVE,
                                     FOO_ADDRESS | LEAVE};
    static const uint64_t frequencies[] = {0, 24576000};
    for (size_t i = 0; i < TV_COUNT_OF(frequencies); i++) {
        struct trace_builder t;
        struct reading reading;
        struct block_builder block = {.len = 0};
        build_packets(&t, 4, frequencies[i]);
        t.bytes.bytes[TV_WIRE_PACKETS_COUNTER_AT] = 5;
        packet_tables(&t);
        for (size_t k = 0; k < TV_COUNT_OF(words); k++)
            add_single(&block, words[k], 8 * (k + 1));
        packet_block(&t, TID, &block);
        packet_summary(&t, 4, "clock=wall\nelapsed-time-nsec=100\n");
        read_built(&reading, &t.bytes);
        expect_ok(&reading);
        assert_int_equal(reading.count, TV_COUNT_OF(words));
        assert_int_equal(reading.wall[3], 32);
        reading_release(&reading);
        build_release(&t);
    }
}

static void ticks_are_signed_and_saturate(void **state)
{
    (void)state;
    static const uint64_t ticks[] = {0 - UINT64_C(7), UINT64_MAX >> 3, 3};
    static const uint64_t walls[] = {0 - UINT64_C(7 * 100), INT64_MAX, 300};
    static const uint64_t frequencies[] = {10000000, 1, 10000000};
    for (size_t i = 0; i < 3; i++) {
        struct trace_builder t;
        struct reading reading;
        struct block_builder block = {.len = 0};
        build_packets(&t, 4, frequencies[i]);
        packet_tables(&t);
        add_ticks(&block, ticks[i], ENTER, FOO_ADDRESS);
        packet_block(&t, TID, &block);
        packet_summary(&t, 4, "clock=wall\n");
        read_built(&reading, &t.bytes);
        expect_ok(&reading);
        assert_true(reading.wall[0] == walls[i]);
        reading_release(&reading);
        build_release(&t);
    }
}

static void a_cut_block_keeps_its_whole_records(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_small(&t, 5);
    build_cut(&t, 1);
    read_built(&reading, &t.bytes);
    expect_ok(&reading);
    assert_int_equal(reading.count, 3);
    expect_finding(&reading, TV_FINDING_TRUNCATED_RECORD, 1, t.last_off);
    expect_only(&reading, TV_FINDING_TRUNCATED_RECORD, TV_FINDING_NO_SUMMARY, NO_MORE);
    reading_release(&reading);
    build_release(&t);
}

static void a_block_that_does_not_end_with_a_record_is_told(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    struct block_builder block = small_block();
    block.len--;
    build_packets(&t, 5, 0);
    packet_tables(&t);
    packet_block(&t, TID, &block);
    size_t off = t.last_off;
    block = small_block();
    packet_block(&t, TID, &block);
    packet_summary(&t, 5, DUAL_NS);
    read_built(&reading, &t.bytes);
    expect_ok(&reading);
    assert_int_equal(reading.count, 7);
    expect_finding(&reading, TV_FINDING_TRUNCATED_RECORD, 1, off + 12 + 9 + 5 + 5);
    reading_release(&reading);
    build_release(&t);
}

static void an_unknown_packet_ends_the_file(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_small(&t, 5);
    build_str(&t, "\11nonsense");
    read_built(&reading, &t.bytes);
    expect_small(&reading);
    expect_finding(&reading, TV_FINDING_TRUNCATED_RECORD, 1, t.last_off);
    expect_finding(&reading, TV_FINDING_NO_SUMMARY, 1, t.last_off);
    reading_release(&reading);
    build_release(&t);
}

static void bytes_after_the_summary_are_trailing(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_small(&t, 5);
    packet_summary(&t, 4, DUAL_NS); /* and of another version than the header */
    size_t off = t.last_off;
    build_str(&t, "x");
    read_built(&reading, &t.bytes);
    expect_small(&reading);
    expect_finding(&reading, TV_FINDING_TRAILING_BYTES, 1, t.last_off);
    expect_finding(&reading, TV_FINDING_VERSION_MISMATCH, 1, off + 3 + strlen("*version\n"));
    reading_release(&reading);
    t.bytes.len--;
    build_str(&t, "SLOW");
    read_built(&reading, &t.bytes);
    expect_small(&reading);
    expect_finding(&reading, TV_FINDING_ANOTHER_TRACE, 1, t.last_off);
    reading_release(&reading);
    build_release(&t);
}

static void the_layouts_of_early_2024_are_refused_by_name(void **state)
{
    (void)state;
    static const char a_method[] = "\1\3\0\0\0\4\0a\tb\n";
    static const char a_block[] = "\2\1\0\0\0\14\0\0\0\1\0\0\0\1\0\0\0\1\0\3\0\1\1\1";
    static const char b_method[] = "\1\14\0\0\0\0\0\0\0\4\0a\tb\n";
    static const char b_block[] = "\2\1\0\0\0\14\0\0\0\0\0\0\0\1\0\0\0\1\0\2\0\1\1";
    struct trace_builder t;
    struct reading reading;
    build_packets(&t, 5, 0);
    build_bytes(&t, a_method, sizeof(a_method) - 1);
    build_bytes(&t, a_block, sizeof(a_block) - 1);
    packet_summary(&t, 5, "clock=dual\n");
    read_built(&reading, &t.bytes);
    expect_error(&reading, TV_ERR_UNSUPPORTED, 32, "layout A");
    reading_release(&reading);
    build_release(&t);
    build_packets(&t, 4, 0);
    build_bytes(&t, b_method, sizeof(b_method) - 1);
    build_bytes(&t, b_block, sizeof(b_block) - 1);
    packet_summary(&t, 4, "clock=wall\n");
    read_built(&reading, &t.bytes);
    expect_error(&reading, TV_ERR_UNSUPPORTED, 32, "layout B");
    reading_release(&reading);
    build_release(&t);
}

static void any_prefix_opens(void **state)
{
    (void)state;
    struct trace_builder t;
    size_t before = 0;
    build_small(&t, 5);
    packet_summary(&t, 5, DUAL_NS);
    for (size_t len = 6; len <= t.bytes.len; len++) {
        struct reading reading;
        read_bytes(&reading, t.bytes.bytes, len, NULL);
        expect_ok(&reading);
        assert_true(reading.count == before || reading.count == before + 1);
        before = reading.count;
        reading_release(&reading);
    }
    assert_int_equal(before, 4);
    build_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout_d_has_wall_then_cpu_in_nanoseconds),
        cmocka_unit_test(microseconds_in_the_summary_make_it_layout_c),
        cmocka_unit_test(version_4_has_the_clock_that_its_summary_names),
        cmocka_unit_test(a_block_may_go_on_with_the_sums_before_it),
        cmocka_unit_test(times_that_go_back_are_read_as_they_are),
        cmocka_unit_test(exits_of_layout_e_take_the_top_of_the_stack),
        cmocka_unit_test(the_second_number_of_layout_e_is_cpu_time),
        cmocka_unit_test(the_one_time_of_layout_e_may_be_cpu),
        cmocka_unit_test(a_counter_in_the_header_tells_of_layout_e),
        cmocka_unit_test(words_stay_words_whatever_the_header_says),
        cmocka_unit_test(ticks_are_signed_and_saturate),
        cmocka_unit_test(a_cut_block_keeps_its_whole_records),
        cmocka_unit_test(a_block_that_does_not_end_with_a_record_is_told),
        cmocka_unit_test(an_unknown_packet_ends_the_file),
        cmocka_unit_test(bytes_after_the_summary_are_trailing),
        cmocka_unit_test(the_layouts_of_early_2024_are_refused_by_name),
        cmocka_unit_test(any_prefix_opens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
