/* The hash map: growth, failure, and keys chosen to hurt. */
#include "base/memory/map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "support/colliding_keys.h"
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

/* Steps from the root of the tree to where the search for a key ends. */
static unsigned tree_steps(const struct tv_map *map, uint64_t key)
{
    unsigned steps = 0;
    uint32_t at = map->root;
    for (uint32_t above = 64; map->tree[at].bit < above; steps++) {
        above = map->tree[at].bit;
        at = map->tree[at].child[key >> above & 1];
    }
    return steps;
}

/* Fails unless the map has these keys, each with its place as its value, in the steps that the
 * header promises. Returns the most steps in the tree. */
static unsigned check_steps(const struct tv_map *map, uint64_t (*key_of)(uint32_t), uint32_t count)
{
    unsigned most = 0;
    assert_int_equal(map->count, count);
    for (size_t slot = 0; slot < map->cap; slot++) {
        size_t bucket = (size_t)colliding_mixed(map->keys[slot]) & (map->cap - 1);
        if (map->values[slot] != TV_MAP_NONE)
            assert_true(((slot - bucket) & (map->cap - 1)) < TV_MAP_LONGEST_PROBE);
    }
    for (size_t i = 0; i < map->tree_count; i++) {
        unsigned steps = tree_steps(map, map->tree[i].key);
        most = steps > most ? steps : most;
    }
    assert_true(most <= 64);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(tv_map_get(map, key_of(i)), i);
    return most;
}

/* The keys of an enemy who knows the hash: all in one bucket, in tables of up to 2^32 slots. */
static void chosen_keys_take_no_more_steps_than_a_key_has_bits(void **state)
{
    (void)state;
    struct tv_map map;
    const uint32_t count = 200000;
    tv_map_init(&map, tv_alloc_libc());
    for (uint32_t i = 0; i < count; i++)
        put(&map, colliding_key(i), i);
    assert_true(map.tree_count > count - 1000);
    (void)check_steps(&map, colliding_key, count);
    /* Keys that are not there, in the same bucket. */
    for (uint32_t i = count; i < count + 1000; i++) {
        assert_int_equal(tv_map_get(&map, colliding_key(i)), TV_MAP_NONE);
        assert_in_range(tree_steps(&map, colliding_key(i)), 1, 64);
    }
    tv_map_release(&map);
}

static uint64_t ordinary_key(uint32_t i)
{
    return 0x70000000u + 40 * (uint64_t)i;
}

static void ordinary_keys_need_no_tree(void **state)
{
    (void)state;
    struct tv_map map;
    const uint32_t count = 1000000;
    tv_map_init(&map, tv_alloc_libc());
    for (uint32_t i = 0; i < count; i++)
        put(&map, ordinary_key(i), i);
    (void)check_steps(&map, ordinary_key, count);
    assert_in_range(map.tree_count, 0, 10);
    tv_map_release(&map);
}

/* Keys of all kinds, most of them in the tree: as many as were put, each once. */
static void every_key_is_met_once(void **state)
{
    (void)state;
    struct tv_map map;
    static bool is_met[3000];
    size_t at = 0;
    uint64_t key;
    uint32_t value;
    uint32_t met = 0;
    tv_map_init(&map, tv_alloc_libc());
    assert_false(tv_map_next(&map, &at, &key, &value));
    for (uint32_t i = 0; i < 3000; i++)
        put(&map, i % 3 ? colliding_key(i) : ordinary_key(i), i);
    for (; tv_map_next(&map, &at, &key, &value); met++) {
        assert_in_range(value, 0, 2999);
        assert_int_equal(key, value % 3 ? colliding_key(value) : ordinary_key(value));
        assert_false(is_met[value]);
        is_met[value] = true;
    }
    assert_int_equal(met, 3000);
    assert_true(map.tree_count > 1500);
    tv_map_release(&map);
}

/* Deepest tree: pairs of keys that differ in one bit only, for every bit. */
static void a_tree_tells_keys_apart_by_any_bit(void **state)
{
    (void)state;
    struct tv_map map;
    tv_map_init(&map, tv_alloc_libc());
    uint32_t count = 0;
    for (; count < 400; count++)
        put(&map, colliding_key(count), count);
    assert_true(map.tree_count > 64);
    const uint64_t base = colliding_key(399);
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t near = base ^ (uint64_t)1 << bit;
        assert_int_equal(tv_map_get(&map, near), TV_MAP_NONE);
        put(&map, near, 1000 + bit);
    }
    for (unsigned bit = 0; bit < 64; bit++)
        assert_int_equal(tv_map_get(&map, base ^ (uint64_t)1 << bit), 1000 + bit);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(tv_map_get(&map, colliding_key(i)), i);
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
        assert_true(map.count - map.tree_count <= map.cap / 2);
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

static void failed_growth_keeps_the_tree(void **state)
{
    (void)state;
    for (uint64_t fail_at = 0; fail_at < 40; fail_at++) {
        struct failing_alloc failing;
        struct tv_map map;
        failing_alloc_init(&failing, fail_at);
        tv_map_init(&map, &failing.alloc);
        for (uint32_t i = 0; i < 3000; i++) {
            uint64_t key = i % 2 ? colliding_key(i) : ordinary_key(i);
            if (tv_map_put(&map, key, i, NULL) != TV_OK)
                put(&map, key, i); /* memory is back */
        }
        assert_int_equal(map.count, 3000);
        for (uint32_t i = 0; i < 3000; i++)
            assert_int_equal(tv_map_get(&map, i % 2 ? colliding_key(i) : ordinary_key(i)), i);
        tv_map_release(&map);
        assert_int_equal(failing.live, 0);
        assert_false(failing.was_lied_to);
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
        cmocka_unit_test(chosen_keys_take_no_more_steps_than_a_key_has_bits),
        cmocka_unit_test(ordinary_keys_need_no_tree),
        cmocka_unit_test(every_key_is_met_once),
        cmocka_unit_test(a_tree_tells_keys_apart_by_any_bit),
        cmocka_unit_test(growth_keeps_every_key),
        cmocka_unit_test(failed_growth_keeps_the_map),
        cmocka_unit_test(failed_growth_keeps_the_tree),
        cmocka_unit_test(slot_of_a_known_key_needs_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
