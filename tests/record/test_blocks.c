/* record/blocks: what becomes of the slots of a block in a plain file. What readers make of whole
 * files is tested by tests/record/recorded.py. */
#include "record/blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "format/wire.h"

#define SLOTS 4u
#define CALL 4u /* the enter of method 1 */
#define NS_OF_48_BITS (UINT64_C(1) << TV_SLOT_TIME_BITS)

/* Times of a record: in ticks, which are nanoseconds here, and in the file's microseconds. */
struct times {
    uint64_t wall_ns, cpu_ns;
    uint32_t wall_us, cpu_us;
};

static struct tv_block *block_of(const struct times *times, uint32_t count)
{
    struct tv_block *block = calloc(1, sizeof(*block) + SLOTS * sizeof(block->slots[0]));
    assert_non_null(block);
    block->cap = block->used = count;
    for (uint32_t i = 0; i < count; i++)
        block->slots[i] = (struct tv_slot){
            .wall_and_low = times[i].wall_ns % NS_OF_48_BITS << TV_SLOT_WORD_BITS | CALL,
            .cpu_and_high = times[i].cpu_ns % NS_OF_48_BITS << TV_SLOT_WORD_BITS,
        };
    return block;
}

/* Mends the blocks of a thread, writes them, and compares what is written. */
static void expect_times(const struct times *times, uint32_t count, uint32_t in_first_block)
{
    struct tv_recording *recording = calloc(1, sizeof(*recording));
    struct tv_row row = {.id = 1};
    assert_non_null(recording);
    recording->has_wall = recording->has_cpu = true;
    recording->rate.ns_per_tick = UINT64_C(1) << 32;
    row.first = block_of(times, in_first_block);
    row.first->next = block_of(times + in_first_block, count - in_first_block);
    tv_blocks_mend(&row);
    for (struct tv_block *block = row.first, *next; block; block = next) {
        next = block->next;
        tv_blocks_put(recording, &row, block);
        free(block);
    }
    assert_int_equal(recording->output.len, count * TV_WIRE_TWO_TIMES_RECORD);
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *record = recording->output.bytes + (size_t)i * TV_WIRE_TWO_TIMES_RECORD;
        assert_int_equal(tv_load_le16(record), 1);
        assert_int_equal(tv_load_le32(record + 2), CALL);
        assert_int_equal(tv_load_le32(record + 6), times[i].cpu_us);
        assert_int_equal(tv_load_le32(record + 10), times[i].wall_us);
    }
    free(recording);
}

static void times_are_those_of_the_slots(void **state)
{
    static const struct times times[] = {
        {10000, 7000, 10, 0}, {12999, 9000, 12, 2}, {1015000, 509000, 1015, 502}};
    (void)state;
    expect_times(times, 3, 3);
    expect_times(times, 3, 1);
}

/* Rounded alone, the CPU time of the second record would be 2 us after 1 us of wall time. */
static void cpu_time_never_grows_by_more_than_wall_time(void **state)
{
    static const struct times rounded[] = {
        {10900, 5000, 10, 0}, {12800, 7000, 12, 2}, {13700, 8000, 13, 3}, {15600, 10100, 15, 5}};
    static const struct times cut[] = {
        {10000, 5000, 10, 0}, {11900, 7000, 11, 1}, {13000, 8000, 13, 3}, {20000, 9000, 20, 4}};
    (void)state;
    expect_times(rounded, 4, 4);
    expect_times(cut, 4, 4);
    expect_times(cut, 4, 2);
}

/* The earlier record gives way to the one behind it. */
static void times_go_forward(void **state)
{
    static const struct times late[] = {
        {9000, 9000, 9, 0}, {12000, 12000, 11, 2}, {11000, 11000, 11, 2}, {20000, 20000, 20, 11}};
    (void)state;
    expect_times(late, 4, 4);
    expect_times(late, 4, 2);
    expect_times(late, 4, 1);
}

static void slots_that_were_not_filled_are_no_records(void **state)
{
    static const struct times times[] = {{9000, 0, 9, 0}, {0, 0, 0, 0}, {11000, 2000, 11, 2}};
    struct tv_row row = {.id = 1, .first = block_of(times, 3)};
    (void)state;
    row.first->slots[1].wall_and_low = 0;
    tv_blocks_mend(&row);
    assert_int_equal(row.first->used, 2);
    assert_int_equal(row.first->slots[1].wall_and_low >> TV_SLOT_WORD_BITS, 11000);
    assert_int_equal(row.first->slots[2].wall_and_low | row.first->slots[2].cpu_and_high, 0);
    free(row.first);
}

/* Slots have 48 bits of a time; a thread that records again before they pass loses nothing. */
static void a_clock_of_48_bits_passes(void **state)
{
    static const uint64_t half = NS_OF_48_BITS / 2;
    const struct times times[] = {
        {half, half, (uint32_t)(half / 1000), 0},
        {2 * half + 9000, 2 * half - 4000, (uint32_t)((2 * half + 9000) / 1000),
         (uint32_t)((half - 4000) / 1000)},
        {2 * half + 19000, 2 * half + 1000, (uint32_t)((2 * half + 19000) / 1000),
         (uint32_t)((half + 1000) / 1000)}};
    (void)state;
    expect_times(times, 3, 3);
    expect_times(times, 3, 1);
}

/* A CPU time of 0 says that it is not known, which one that is less than a microsecond does not. */
static void cpu_time_that_could_not_be_read_is_not_known(void **state)
{
    static const struct times times[] = {{10000, 7000, 10, 0}, {20000, 12000, 20, 5}};
    static const struct {
        uint32_t records;
        uint64_t seen_cpu, cpu_ns;
    } cases[] = {{2, 0, 0}, {2, 13000, 6000}, {2, 12000, 5000}, {1, 7100, 1000}, {1, 0, 0}};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct tv_recording *recording = calloc(1, sizeof(*recording));
        struct tv_row row = {.id = 1, .seen_wall = 90000, .seen_cpu = cases[i].seen_cpu};
        uint64_t wall_ns = 0, cpu_ns = 1;
        assert_non_null(recording);
        recording->has_wall = recording->has_cpu = true;
        recording->rate.ns_per_tick = UINT64_C(1) << 32;
        row.first = block_of(times, cases[i].records);
        assert_true(tv_blocks_last_seen(recording, &row, &wall_ns, &cpu_ns));
        assert_int_equal(wall_ns, 90000);
        assert_int_equal(cpu_ns, cases[i].cpu_ns);
        free(row.first);
        free(recording);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_those_of_the_slots),
        cmocka_unit_test(cpu_time_never_grows_by_more_than_wall_time),
        cmocka_unit_test(times_go_forward),
        cmocka_unit_test(slots_that_were_not_filled_are_no_records),
        cmocka_unit_test(a_clock_of_48_bits_passes),
        cmocka_unit_test(cpu_time_that_could_not_be_read_is_not_known),
    };
    return cmocka_run_group_tests_name("record/blocks", tests, NULL, NULL);
}
