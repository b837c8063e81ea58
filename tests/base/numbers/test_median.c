/* Medians of few and of many values, against a sort. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/numbers/median.h"

#define MOST 120u

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Values of few and of many digits, both signs, many of them equal. */
static void medians_are_the_middle_of_the_sorted_values(void **state)
{
    (void)state;
    uint32_t dice = 1;
    for (unsigned turn = 0; turn < 2000; turn++) {
        double values[MOST];
        double room[MOST];
        size_t count = 1 + turn % MOST;
        for (size_t i = 0; i < count; i++) {
            dice = dice * 1664525u + 1013904223u;
            values[i] = ((double)(dice >> 8) - 8388608.0) / (turn % 3 ? 1e6 : 4194304.0);
            if (turn % 3 == 0)
                values[i] = (double)(int)values[i];
        }
        double got = tv_median(values, room, count);
        qsort(values, count, sizeof(values[0]), compare);
        double want =
            count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
        assert_true(got == want);
    }
}

static void nothing_has_the_median_zero(void **state)
{
    (void)state;
    double room[1];
    assert_true(tv_median(NULL, room, 0) == 0);
}

static uint64_t number_of(const void *ctx, size_t place)
{
    return ((const uint64_t *)ctx)[place];
}

static void numbers_are_found_by_how_many_come_before(void **state)
{
    (void)state;
    const uint64_t numbers[] = {7, 3, 7, UINT64_MAX, 0};
    const uint64_t sorted[] = {0, 3, 7, 7, UINT64_MAX};
    for (size_t i = 0; i < 5; i++)
        assert_true(tv_number_after(number_of, numbers, 5, i) == sorted[i]);
    assert_true(tv_number_after(number_of, numbers, 5, 5) == 0);
    assert_true(tv_number_after(number_of, numbers, 0, 0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(medians_are_the_middle_of_the_sorted_values),
        cmocka_unit_test(nothing_has_the_median_zero),
        cmocka_unit_test(numbers_are_found_by_how_many_come_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
