/* The stable merge sort. */
#include "base/memory/sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/failing_alloc.h"
#include "support/random_trace.h"

#define MOST 2000

static int by_value(const void *ctx, uint32_t a, uint32_t b)
{
    const uint32_t *values = ctx;
    return (values[a] > values[b]) - (values[a] < values[b]);
}

static void fill(uint32_t *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        items[i] = (uint32_t)i;
}

/* Sorted, and equals in the order in which they stood. */
static void expect_stable(const uint32_t *items, const uint32_t *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint32_t a = items[i - 1];
        uint32_t b = items[i];
        if (values[a] > values[b] || (values[a] == values[b] && a >= b))
            fail_msg("of %zu: item %u (%u) stands before %u (%u)", count, a, values[a], b,
                     values[b]);
    }
}

static void every_length_is_sorted_stably(void **state)
{
    (void)state;
    uint32_t items[MOST];
    uint32_t values[MOST];
    uint64_t seed = 1;
    for (size_t count = 0; count <= 200; count++) {
        for (unsigned kinds = 1; kinds < 1000; kinds *= 9) {
            for (size_t i = 0; i < count; i++)
                values[i] = random_below(&seed, kinds);
            fill(items, count);
            assert_int_equal(tv_sort(tv_alloc_libc(), items, count, by_value, values, NULL), TV_OK);
            expect_stable(items, values, count);
        }
    }
}

static void orders_that_hurt_other_sorts(void **state)
{
    (void)state;
    static uint32_t items[MOST];
    static uint32_t values[MOST];
    for (unsigned shape = 0; shape < 4; shape++) {
        for (uint32_t i = 0; i < MOST; i++) {
            uint32_t pipe = i < MOST / 2 ? i : MOST - i;
            values[i] = shape == 0 ? i : shape == 1 ? MOST - i : shape == 2 ? pipe : i % 2;
        }
        fill(items, MOST);
        assert_int_equal(tv_sort(tv_alloc_libc(), items, MOST, by_value, values, NULL), TV_OK);
        expect_stable(items, values, MOST);
    }
}

static int count_compares(const void *ctx, uint32_t a, uint32_t b)
{
    unsigned *compares;
    memcpy(&compares, ctx, sizeof(compares));
    ++*compares;
    return (a < b) - (a > b);
}

static void backward_input_costs_n_log_n(void **state)
{
    (void)state;
    static uint32_t items[65536];
    unsigned compares = 0;
    unsigned *ctx = &compares;
    fill(items, 65536);
    assert_int_equal(tv_sort(tv_alloc_libc(), items, 65536, count_compares, &ctx, NULL), TV_OK);
    assert_int_equal(items[0], 65535);
    if (compares > 65536 * 24)
        fail_msg("%u comparisons", compares);
}

static void no_memory_is_told_and_nothing_lost(void **state)
{
    (void)state;
    struct failing_alloc failing;
    uint32_t items[100];
    uint32_t values[100] = {0};
    uint32_t sum = 0;
    failing_alloc_init(&failing, 0);
    fill(items, 100);
    assert_int_equal(tv_sort(&failing.alloc, items, 100, by_value, values, NULL), TV_ERR_MEMORY);
    for (size_t i = 0; i < 100; i++)
        sum += items[i];
    assert_int_equal(sum, 4950);
    assert_int_equal(failing.live, 0);
}

static void short_input_needs_no_memory(void **state)
{
    (void)state;
    struct failing_alloc failing;
    uint32_t items[16];
    uint32_t values[16];
    failing_alloc_init(&failing, 0);
    fill(items, 16);
    for (uint32_t i = 0; i < 16; i++)
        values[i] = 16 - i;
    assert_int_equal(tv_sort(&failing.alloc, items, 16, by_value, values, NULL), TV_OK);
    expect_stable(items, values, 16);
    assert_int_equal(failing.requests, 0);
}

/* Rows of an odd length whose first byte is the key. */
struct odd_row {
    uint8_t key;
    uint8_t place;
    uint8_t more;
};

static int by_key(const void *ctx, uint32_t a, uint32_t b)
{
    const struct odd_row *rows = ctx;
    return rows[a].key - rows[b].key;
}

static void rows_follow_their_order(void **state)
{
    (void)state;
    struct odd_row rows[200];
    for (size_t count = 0; count <= 200; count += 40) {
        for (size_t i = 0; i < count; i++)
            rows[i] = (struct odd_row){(uint8_t)(i * 7 % 13), (uint8_t)i, (uint8_t)(i * 3)};
        assert_int_equal(
            tv_sort_rows(tv_alloc_libc(), rows, count, sizeof(rows[0]), by_key, rows, NULL), TV_OK);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(rows[i].key, rows[i].place * 7 % 13);
            assert_int_equal(rows[i].more, (uint8_t)(rows[i].place * 3));
            if (i && rows[i - 1].key == rows[i].key)
                assert_true(rows[i - 1].place < rows[i].place);
            else if (i)
                assert_true(rows[i - 1].key < rows[i].key);
        }
    }
}

static void rows_stay_when_memory_runs_out(void **state)
{
    (void)state;
    for (unsigned allowed = 0; allowed < 3; allowed++) {
        struct failing_alloc failing;
        struct odd_row rows[100];
        failing_alloc_init(&failing, allowed);
        for (size_t i = 0; i < 100; i++)
            rows[i] = (struct odd_row){(uint8_t)(100 - i), (uint8_t)i, 0};
        assert_int_equal(
            tv_sort_rows(&failing.alloc, rows, 100, sizeof(rows[0]), by_key, rows, NULL),
            TV_ERR_MEMORY);
        for (size_t i = 0; i < 100; i++)
            assert_int_equal(rows[i].place, i);
        assert_int_equal(failing.live, 0);
    }
}

static void numbers_ascend(void **state)
{
    (void)state;
    uint64_t numbers[100];
    struct failing_alloc failing;
    for (size_t i = 0; i < 100; i++)
        numbers[i] = UINT64_MAX - i * 37 % 100 / 2; /* some twice, and none fits in 63 bits */
    failing_alloc_init(&failing, 0);
    assert_int_equal(tv_sort_u64(&failing.alloc, numbers, 100, NULL), TV_ERR_MEMORY);
    assert_int_equal(tv_sort_u64(tv_alloc_libc(), numbers, 100, NULL), TV_OK);
    for (size_t i = 0; i < 100; i++)
        assert_true(numbers[i] == UINT64_MAX - (99 - i) / 2);
    assert_int_equal(tv_sort_u64(tv_alloc_libc(), NULL, 0, NULL), TV_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length_is_sorted_stably),
        cmocka_unit_test(orders_that_hurt_other_sorts),
        cmocka_unit_test(backward_input_costs_n_log_n),
        cmocka_unit_test(no_memory_is_told_and_nothing_lost),
        cmocka_unit_test(short_input_needs_no_memory),
        cmocka_unit_test(rows_follow_their_order),
        cmocka_unit_test(rows_stay_when_memory_runs_out),
        cmocka_unit_test(numbers_ascend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
