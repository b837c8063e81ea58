/* Bits under a mask, gathered as bit by bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bytes/gather.h"

static uint64_t gather_bit_by_bit(uint64_t bits, uint64_t mask)
{
    uint64_t gathered = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < 64; i++) {
        if (mask >> i & 1)
            gathered |= (bits >> i & 1) << count++;
    }
    return gathered;
}

static void bits_under_a_mask_come_side_by_side(void **state)
{
    (void)state;
    if (!tv_gather_is_quick())
        skip();
    assert_int_equal(tv_gather_bits(0x8182, 0x7f7f), 0x82);
    assert_int_equal(tv_gather_bits(UINT64_MAX, 0), 0);
    assert_int_equal(tv_gather_bits(UINT64_MAX, UINT64_MAX), UINT64_MAX);
    uint64_t bits = 0x9e3779b97f4a7c15;
    for (unsigned i = 0; i < 1000; i++) {
        bits = bits * 0xd1342543de82ef95 + 1;
        uint64_t mask = (bits >> 7 | bits << 57) * 0x9e3779b97f4a7c15;
        assert_int_equal(tv_gather_bits(bits, mask), gather_bit_by_bit(bits, mask));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_under_a_mask_come_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
