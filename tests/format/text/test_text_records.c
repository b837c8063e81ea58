/* Fixed records into columns: every layout at every distance, and nothing beside them touched. */
#include "format/text/text_records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/encode.h"

#define COUNT 5u
#define ALREADY 3u /* records in the batch before */
#define UNTOUCHED UINT64_C(0x5a5a5a5a5a5a5a5a)

static uint32_t word_of(uint32_t i)
{
    return 0xb6d06010u + 0x11111111u * i;
}

static uint32_t time_of(uint32_t i, unsigned clock)
{
    return UINT32_MAX - 7 * i - clock;
}

static void encode(const struct tv_record_shape *shape, uint8_t *at)
{
    for (uint32_t i = 0; i < COUNT; i++, at += shape->len) {
        uint32_t one = time_of(i, shape->clock);
        memset(at, 0xcc, shape->len); /* what stands behind the fields must not show */
        switch (shape->layout) {
        case TV_RECORD_V1:
            (void)tv_encode_v1_record(at, (uint8_t)(250 + i), word_of(i), one);
            break;
        case TV_RECORD_ONE_TIME:
            (void)tv_encode_one_time_record(at, (uint16_t)(65530 + i), word_of(i), one);
            break;
        case TV_RECORD_TWO_TIMES:
            (void)tv_encode_two_times_record(at, (uint16_t)(65530 + i), word_of(i),
                                             time_of(i, TV_CLOCK_CPU), time_of(i, TV_CLOCK_WALL));
            break;
        }
    }
}

static void expect_time(const struct tv_batch *batch, unsigned clock, size_t at, bool has)
{
    uint64_t expected = has ? time_of((uint32_t)(at - ALREADY), clock) : UNTOUCHED;
    assert_true(batch->time[clock][at] == expected);
}

static void expect_decoded(const struct tv_record_shape *shape, const struct tv_batch *batch)
{
    bool has_two = shape->layout == TV_RECORD_TWO_TIMES;
    uint32_t first_thread = shape->layout == TV_RECORD_V1 ? 250 : 65530;
    assert_int_equal(batch->count, ALREADY + COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(batch->thread_id[ALREADY + i], first_thread + i);
        assert_int_equal(batch->key_action[ALREADY + i], word_of(i));
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
            expect_time(batch, clock, ALREADY + i, has_two || shape->clock == clock);
    }
    assert_true(batch->time[TV_CLOCK_WALL][ALREADY - 1] == UNTOUCHED);
    assert_true(batch->time[TV_CLOCK_CPU][ALREADY + COUNT] == UNTOUCHED);
}

static void decode_and_expect(const struct tv_record_shape *shape)
{
    static struct tv_batch batch;
    size_t len = COUNT * shape->len;
    uint8_t *bytes = malloc(len); /* exactly, so that a sanitizer sees a read past the end */
    assert_non_null(bytes);
    memset(&batch, 0x5a, sizeof(batch));
    batch.count = ALREADY;
    encode(shape, bytes);
    tv_records_decode(shape, bytes, COUNT, &batch);
    expect_decoded(shape, &batch);
    free(bytes);
}

static void every_layout_is_decoded_at_every_distance(void **state)
{
    (void)state;
    static const enum tv_record_layout layouts[] = {TV_RECORD_ONE_TIME, TV_RECORD_TWO_TIMES};
    static const enum tv_clock clocks[] = {TV_CLOCK_WALL, TV_CLOCK_CPU};
    for (size_t c = 0; c < 2; c++) {
        decode_and_expect(&(struct tv_record_shape){TV_RECORD_V1, clocks[c], TV_WIRE_V1_RECORD});
        for (size_t l = 0; l < 2; l++) {
            size_t least = tv_record_least_len(layouts[l]);
            for (size_t len = least; len < least + 20; len++)
                decode_and_expect(&(struct tv_record_shape){layouts[l], clocks[c], len});
        }
    }
}

static void the_least_length_holds_the_fields(void **state)
{
    (void)state;
    assert_int_equal(tv_record_least_len(TV_RECORD_V1), 9);
    assert_int_equal(tv_record_least_len(TV_RECORD_ONE_TIME), 10);
    assert_int_equal(tv_record_least_len(TV_RECORD_TWO_TIMES), 14);
}

static void no_records_change_nothing(void **state)
{
    (void)state;
    static struct tv_batch batch;
    struct tv_record_shape shape = {TV_RECORD_TWO_TIMES, TV_CLOCK_WALL, 14};
    batch.count = ALREADY;
    tv_records_decode(&shape, (const uint8_t *)"", 0, &batch);
    assert_int_equal(batch.count, ALREADY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layout_is_decoded_at_every_distance),
        cmocka_unit_test(the_least_length_holds_the_fields),
        cmocka_unit_test(no_records_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
