/* os/alloc: small blocks and mappings, and every way from one to the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "os/memory/alloc.h"

#include "base/compiler.h"

static void *resize(void *block, size_t old_len, size_t new_len)
{
    const struct tv_alloc *alloc = tv_os_alloc();
    return alloc->resize(alloc->ctx, block, old_len, new_len);
}

static void check_pattern(const unsigned char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        assert_int_equal(bytes[i], (unsigned char)(i * 7 + 1));
}

static void content_survives_every_resize(void **state)
{
    static const size_t lens[] = {
        1,  100,      TV_OS_MAP_LEN - 1, TV_OS_MAP_LEN,  TV_OS_MAP_LEN + 1, 1u << 20,
        50, 3u << 20, 9u << 20,          (1u << 20) + 5, TV_OS_MAP_LEN,     12};
    unsigned char *block = NULL;
    size_t len = 0;
    (void)state;
    for (size_t step = 0; step < TV_COUNT_OF(lens); step++) {
        block = resize(block, len, lens[step]);
        assert_non_null(block);
        check_pattern(block, len < lens[step] ? len : lens[step]);
        len = lens[step];
        for (size_t i = 0; i < len; i++)
            block[i] = (unsigned char)(i * 7 + 1);
    }
    assert_null(resize(block, len, 0));
}

static void zeroed_block_is_zeros(void **state)
{
    static const size_t lens[] = {1, 100, TV_OS_MAP_LEN - 1, TV_OS_MAP_LEN, (3u << 20) + 5};
    (void)state;
    const struct tv_alloc *alloc = tv_os_alloc();
    for (size_t i = 0; i < TV_COUNT_OF(lens); i++) {
        unsigned char *block = alloc->zeroed(alloc->ctx, lens[i]);
        assert_non_null(block);
        for (size_t at = 0; at < lens[i]; at++)
            assert_int_equal(block[at], 0);
        assert_null(resize(block, lens[i], 0));
    }
}

static void impossible_length_is_refused(void **state)
{
    (void)state;
    assert_null(tv_os_alloc()->zeroed(NULL, SIZE_MAX));
    assert_null(tv_os_alloc()->zeroed(NULL, SIZE_MAX / 4));
    assert_null(resize(NULL, 0, SIZE_MAX));
    assert_null(resize(NULL, 0, SIZE_MAX / 4));
}

static void failed_growth_keeps_the_block(void **state)
{
    unsigned char *block = resize(NULL, 0, 1u << 20);
    (void)state;
    block[12345] = 77;
    assert_null(resize(block, 1u << 20, SIZE_MAX / 4));
    assert_int_equal(block[12345], 77);
    assert_null(resize(block, 1u << 20, 0));
}

static void releasing_nothing_is_fine(void **state)
{
    (void)state;
    assert_null(resize(NULL, 0, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(content_survives_every_resize),
        cmocka_unit_test(zeroed_block_is_zeros),
        cmocka_unit_test(impossible_length_is_refused),
        cmocka_unit_test(failed_growth_keeps_the_block),
        cmocka_unit_test(releasing_nothing_is_fine),
    };
    return cmocka_run_group_tests_name("os/alloc", tests, NULL, NULL);
}
