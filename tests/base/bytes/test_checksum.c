/* base/checksum: what is damaged shows. */
#include "base/bytes/checksum.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void make(uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)(i * 31 + (i >> 5));
}

static void every_flipped_bit_shows(void **state)
{
    static const size_t lens[] = {1, 7, 8, 63, 64, 65, 200};
    uint8_t bytes[200];
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(lens); i++) {
        make(bytes, lens[i]);
        uint64_t whole = tv_checksum(bytes, lens[i]);
        for (size_t bit = 0; bit < lens[i] * 8; bit++) {
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            assert_false(tv_checksum(bytes, lens[i]) == whole);
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        assert_true(tv_checksum(bytes, lens[i]) == whole);
    }
}

/* The highest bits of words of one lane: a plain product would lose them together. */
static void two_flips_in_a_lane_show(void **state)
{
    uint8_t bytes[256];
    (void)state;
    make(bytes, sizeof(bytes));
    uint64_t whole = tv_checksum(bytes, sizeof(bytes));
    for (unsigned mask = 1; mask < 256; mask <<= 1) {
        bytes[7] ^= (uint8_t)mask;
        bytes[71] ^= (uint8_t)mask;
        assert_false(tv_checksum(bytes, sizeof(bytes)) == whole);
        bytes[7] ^= (uint8_t)mask;
        bytes[71] ^= (uint8_t)mask;
    }
}

static void length_and_order_count(void **state)
{
    uint8_t zeros[192] = {0};
    uint8_t a[128];
    uint8_t b[128];
    (void)state;
    for (size_t len = 0; len < sizeof(zeros); len++)
        assert_false(tv_checksum(zeros, len) == tv_checksum(zeros, len + 1));
    make(a, sizeof(a));
    memcpy(b, a + 64, 64);
    memcpy(b + 64, a, 64);
    assert_false(tv_checksum(a, sizeof(a)) == tv_checksum(b, sizeof(b)));
    memcpy(b, a, sizeof(a));
    memcpy(b + 8, a + 16, 8);
    memcpy(b + 16, a + 8, 8);
    assert_false(tv_checksum(a, sizeof(a)) == tv_checksum(b, sizeof(b)));
}

static void alignment_does_not_count(void **state)
{
    uint8_t bytes[150];
    uint8_t moved[160];
    (void)state;
    make(bytes, sizeof(bytes));
    uint64_t whole = tv_checksum(bytes, sizeof(bytes));
    for (size_t i = 0; i < 8; i++) {
        memcpy(moved + i, bytes, sizeof(bytes));
        assert_true(tv_checksum(moved + i, sizeof(bytes)) == whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_flipped_bit_shows),
        cmocka_unit_test(two_flips_in_a_lane_show),
        cmocka_unit_test(length_and_order_count),
        cmocka_unit_test(alignment_does_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
