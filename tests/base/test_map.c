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

/* The product of an odd number with its inverse is 1. */
static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd;
    for (int i = 0; i < 6; i++)
        x *= 2 - odd * x;
    return x;
}

static uint64_t undo_xor_shift(uint64_t mixed, unsigned shift)
{
    uint64_t key = mixed;
    for (unsigned done = shift; done < 64; done += shift)
        key = mixed ^ key >> shift;
    return key;
}

/* The key that SplitMix64's finaliser mixes to this: it is no secret, and has an inverse. */
static uint64_t unmix(uint64_t mixed)
{
    uint64_t key = undo_xor_shift(mixed, 31) * inverse(0x94d049bb133111ebu);
    key = undo_xor_shift(key, 27) * inverse(0xbf58476d1ce4e5b9u);
    return undo_xor_shift(key, 30);
}

static void keys_that_undo_the_mixing_do_not_pile_up(void **state)
{
    (void)state;
    struct tv_map map;
    clock_t begin = clock();
    tv_map_init(&map, tv_alloc_libc());
    for (uint32_t i = 0; i < 100000; i++) {
        put(&map, unmix((uint64_t)i << 32), i);
        double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        if (seconds > 2)
            fail_msg("%u keys took %.1f s", i, seconds);
    }
    for (uint32_t i = 0; i < 100000; i += 997)
        assert_int_equal(tv_map_get(&map, unmix((uint64_t)i << 32)), i);
    tv_map_release(&map);
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

/* Looking at a key that is there asks for no memory, however full the map. */
static void slot_of_a_known_key_needs_no_memory(void **state)
{
    (void)state;
    struct failing_alloc failing;
    struct tv_map map;
    failing_alloc_init(&failing, NEVER_FAIL);
    tv_map_init(&map, &failing.alloc);
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t *slot;
        put(&map, i, i);
        uint64_t before = failing.requests;
        assert_int_equal(tv_map_slot(&map, i / 2, 7, &slot, NULL), TV_OK);
        assert_int_equal(*slot, i / 2);
        assert_int_equal(failing.requests, before);
    }
    tv_map_release(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_map_has_nothing),
        cmocka_unit_test(put_replaces),
        cmocka_unit_test(slot_is_inserted_once),
        cmocka_unit_test(chosen_keys_do_not_pile_up),
        cmocka_unit_test(keys_that_undo_the_mixing_do_not_pile_up),
        cmocka_unit_test(growth_keeps_every_key),
        cmocka_unit_test(failed_growth_keeps_the_map),
        cmocka_unit_test(slot_of_a_known_key_needs_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
