/* Numbers of any length in event blocks, far from the end of the block and at it. */
#include "format/event_block.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/encode.h"

#define VALUE_COUNT 128

/* 1 << k, and one less, and their negatives, as words and as times. */
static uint64_t value_at(size_t i)
{
    uint64_t power = UINT64_C(1) << (i / 2);
    return i % 2 ? power - 1 : power;
}

static size_t encode_all(uint8_t *bytes)
{
    size_t len = 0;
    uint64_t word = 0;
    uint64_t wall = 0;
    for (size_t i = 0; i < VALUE_COUNT; i++) {
        len += tv_encode_sleb(bytes + len, value_at(i) - word);
        len += tv_store_uleb(bytes + len, value_at(VALUE_COUNT - 1 - i) - wall);
        word = value_at(i);
        wall = value_at(VALUE_COUNT - 1 - i);
    }
    return len;
}

static void numbers_of_every_length_are_summed_up(void **state)
{
    (void)state;
    uint8_t bytes[VALUE_COUNT * 2 * TV_LEB_MOST];
    size_t len = encode_all(bytes);
    static const size_t caps[] = {TV_RAW_CAP, 1, 7};
    for (size_t c = 0; c < 3; c++) {
        struct tv_event_block block;
        struct tv_raw raw;
        size_t at = 0;
        tv_block_start(&block, TV_BLOCK_WALL, bytes, 0, len);
        do {
            tv_block_decode(&block, &raw, caps[c]);
            for (size_t i = 0; i < raw.count; i++, at++) {
                assert_true((raw.method_id[i] | raw.action[i]) == value_at(at));
                assert_true(raw.time[TV_CLOCK_WALL][i] == value_at(VALUE_COUNT - 1 - at));
            }
        } while (raw.count);
        assert_int_equal(at, VALUE_COUNT);
        assert_false(block.is_broken);
    }
}

static void a_number_without_an_end_breaks_the_block(void **state)
{
    (void)state;
    static const uint8_t endless[24] = {1,    2,    0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    for (size_t len = 3; len <= sizeof(endless); len++) {
        struct tv_event_block block;
        struct tv_raw raw;
        tv_block_start(&block, TV_BLOCK_WALL, endless, 0, len);
        tv_block_decode(&block, &raw, TV_RAW_CAP);
        assert_int_equal(raw.count, 1);
        assert_true(block.is_broken);
        assert_int_equal(block.cursor.pos, 2);
        tv_block_decode(&block, &raw, TV_RAW_CAP);
        assert_int_equal(raw.count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_every_length_are_summed_up),
        cmocka_unit_test(a_number_without_an_end_breaks_the_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
