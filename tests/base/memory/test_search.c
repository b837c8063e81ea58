/* Searches in ascending numbers and in an ascending field of structs. */
#include "base/memory/search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct entry {
    uint16_t kind; /* so that the field does not stand at the start */
    uint64_t wide;
    uint32_t narrow;
};

static const uint32_t numbers[] = {2, 2, 5, 9, UINT32_MAX};
static const struct entry entries[] = {
    {9, 2, 2}, {7, 2, 2}, {5, 5, 5}, {3, 9, 9}, {1, UINT64_MAX, UINT32_MAX}};

static void first_that_is_not_below_is_found(void **state)
{
    static const struct {
        uint32_t number;
        size_t place;
    } cases[] = {{0, 0}, {2, 0}, {3, 2}, {5, 2}, {6, 3}, {10, 4}, {UINT32_MAX, 4}};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        const uint32_t number = cases[i].number;
        assert_int_equal(tv_search_from(TV_ASCENDING(numbers, 5), number), cases[i].place);
        assert_int_equal(tv_search_from(TV_ASCENDING_FIELD(entries, 5, struct entry, wide), number),
                         cases[i].place);
        assert_int_equal(
            tv_search_from(TV_ASCENDING_FIELD(entries, 5, struct entry, narrow), number),
            cases[i].place);
    }
    assert_int_equal(tv_search_from(TV_ASCENDING(numbers, 3), 6), 3);
    assert_int_equal(tv_search_from(TV_ASCENDING((const uint64_t *)NULL, 0), 6), 0);
}

static void last_that_is_not_above_is_found(void **state)
{
    static const struct {
        uint32_t number;
        size_t place;
    } cases[] = {{0, 0}, {2, 1}, {3, 1}, {5, 2}, {6, 2}, {10, 3}, {UINT32_MAX, 4}};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        const uint32_t number = cases[i].number;
        assert_int_equal(tv_search_containing(TV_ASCENDING(numbers, 5), number), cases[i].place);
        assert_int_equal(
            tv_search_containing(TV_ASCENDING_FIELD(entries, 5, struct entry, narrow), number),
            cases[i].place);
    }
    assert_int_equal(tv_search_containing(TV_ASCENDING(numbers, 1), 1), 0);
    assert_int_equal(tv_search_containing(TV_ASCENDING((const uint64_t *)NULL, 0), 6), 0);
}

/* Numbers above 2^32 are compared in full, and those of 32 bits are not cut to fit. */
static void numbers_above_32_bits_are_told_apart(void **state)
{
    static const uint64_t wide[] = {1, (uint64_t)1 << 32, ((uint64_t)1 << 32) + 1};
    const uint64_t number = ((uint64_t)1 << 32) + 1;
    (void)state;
    assert_int_equal(tv_search_from(TV_ASCENDING(wide, 3), number), 2);
    assert_int_equal(tv_search_containing(TV_ASCENDING(wide, 3), number - 1), 1);
    assert_int_equal(tv_search_from(TV_ASCENDING(numbers, 5), number), 5);
    assert_int_equal(tv_search_from(TV_ASCENDING_FIELD(entries, 5, struct entry, wide), UINT64_MAX),
                     4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_that_is_not_below_is_found),
        cmocka_unit_test(last_that_is_not_above_is_found),
        cmocka_unit_test(numbers_above_32_bits_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
