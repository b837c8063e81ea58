/* The hash map: growth, failure, and keys chosen to hurt. */
#include "base/map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "support/failing_alloc.h"

static void put(struct tv_map *map, uint64_t key, uint32_t value)
{
    assert_int_equal(tv_map_put(map, key, value, NULL), TV_OK);
}

static void empty_map_has_nothing(void **state)
{
    (void)state;
    struct tv_map map;
    tv_map_init(&map, tv_alloc_libc());
    assert_int_equal(tv_map_get(&map, 0), TV_MAP_NONE);
    assert_int_equal(tv_map_get(&map, UINT64_MAX), TV_MAP_NONE);
    tv_map_release(&map);
}

static void put_replaces(void **state)
{
    (void)state;
    struct tv_map map;
    tv_map_init(&map, tv_alloc_libc());
    put(&map, 0, 1);
    put(&map, UINT64_MAX, 2);
    put(&map, 0, 3);
    assert_int_equal(tv_map_get(&map, 0), 3);
    assert_int_equal(tv_map_get(&map, UINT64_MAX), 2);
    assert_int_equal(tv_map_get(&map, 1), TV_MAP_NONE);
    assert_int_equal(map.count, 2);
    tv_map_release(&map);
    assert_int_equal(tv_map_get(&map, 0), TV_MAP_NONE);
}

static void slot_is_inserted_once(void **state)
{
    (void)state;
    struct tv_map map;
    uint32_t *slot;
    tv_map_init(&map, tv_alloc_libc());
    assert_int_equal(tv_map_slot(&map, 7, 40, &slot, NULL), TV_OK);
    assert_int_equal(*slot, 40);
    *slot = 41;
    assert_int_equal(tv_map_slot(&map, 7, 50, &slot, NULL), TV_OK);
    assert_int_equal(*slot, 41);
    assert_int_equal(map.count, 1);
    tv_map_release(&map);
}

/* Rows of keys that a weak mixer piles up: found again, and in time. */
static void chosen_keys_do_not_pile_up(void **state)
{
    (void)state;
    clock_t begin = clock();
    for (unsigned shift = 0; shift < 48; shift += 6) {
        struct tv_map map;
        tv_map_init(&map, tv_alloc_libc());
        for (uint64_t i = 0; i < 20000; i++)
            put(&map, i << shift, (uint32_t)i);
        for (uint64_t i = 0; i < 20000; i++)
            assert_int_equal(tv_map_get(&map, i << shift), i);
        assert_int_equal(tv_map_get(&map, (uint64_t)20000 << shift), TV_MAP_NONE);
        assert_int_equal(map.count, 20000);
        tv_map_release(&map);
    }
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (seconds > 3)
        fail_msg("320,000 steps took %.1f s", seconds);
}

static void growth_keeps_every_key(void **state)
{
    (void)state;
    struct failing_alloc failing;
    struct tv_map map;
    failing_alloc_init(&failing, NEVER_FAIL);
    tv_map_init(&map, &failing.alloc);
    for (uint32_t i = 0; i < 1000; i++) {
        put(&map, i * 0x100000001u, i);
        for (uint32_t k = 0; k <= i; k += 97)
            assert_int_equal(tv_map_get(&map, k * 0x100000001u), k);
        assert_true(map.count <= map.cap / 2);
    }
    tv_map_release(&map);
    assert_int_equal(failing.live, 0);
    assert_false(failing.was_lied_to);
}

static void failed_growth_keeps_the_map(void **state)
{
    (void)state;
    for (uint64_t fail_at = 0; fail_at < 8; fail_at++) {
        struct failing_alloc failing;
        struct tv_map map;
        uint32_t count = 0;
        failing_alloc_init(&failing, fail_at);
        tv_map_init(&map, &failing.alloc);
        while (tv_map_put(&map, count, count, NULL) == TV_OK)
            count++;
        assert_int_equal(map.count, count);
        for (uint32_t i = 0; i < count; i++)
            assert_int_equal(tv_map_get(&map, i), i);
        assert_int_equal(tv_map_get(&map, count), TV_MAP_NONE);
        put(&map, count, count); /* memory is back */
        assert_int_equal(tv_map_get(&map, count), count);
        tv_map_release(&map);
        assert_int_equal(failing.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_map_has_nothing),  cmocka_unit_test(put_replaces),
        cmocka_unit_test(slot_is_inserted_once),  cmocka_unit_test(chosen_keys_do_not_pile_up),
        cmocka_unit_test(growth_keeps_every_key), cmocka_unit_test(failed_growth_keeps_the_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
