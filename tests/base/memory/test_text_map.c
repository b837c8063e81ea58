/* Texts as keys: also those that were chosen to have one hash. */
#include "base/memory/text_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/colliding_texts.h"

#define MANY 20000u

static char texts[MANY][COLLIDING_HEAD];

static uint32_t value_of(struct tv_text_map *map, struct tv_str text, uint32_t initial)
{
    uint32_t *slot;
    assert_int_equal(tv_text_map_slot(map, text, initial, &slot, NULL), TV_OK);
    return *slot;
}

static void each_text_has_its_value(void **state)
{
    (void)state;
    struct tv_text_map map;
    tv_text_map_init(&map, tv_alloc_libc());
    assert_int_equal(value_of(&map, TV_STR("one"), 1), 1);
    assert_int_equal(value_of(&map, TV_STR("two"), 2), 2);
    assert_int_equal(value_of(&map, TV_STR(""), 3), 3);
    assert_int_equal(value_of(&map, TV_STR("one"), 9), 1);
    assert_int_equal(value_of(&map, TV_STR("two"), 9), 2);
    assert_int_equal(value_of(&map, TV_STR(""), 9), 3);
    tv_text_map_release(&map);
}

static void what_is_not_there_is_not_found_and_not_added(void **state)
{
    (void)state;
    struct tv_text_map map;
    tv_text_map_init(&map, tv_alloc_libc());
    assert_int_equal(tv_text_map_get(&map, TV_STR("one")), TV_MAP_NONE);
    for (uint32_t i = 0; i < 100; i++) {
        colliding_head(texts[i], COLLIDING_HEAD, i);
        if (i % 2)
            value_of(&map, (struct tv_str){texts[i], COLLIDING_HEAD}, i);
    }
    for (uint32_t i = 0; i < 100; i++) {
        struct tv_str text = {texts[i], COLLIDING_HEAD};
        assert_int_equal(tv_text_map_get(&map, text), i % 2 ? i : TV_MAP_NONE);
    }
    assert_int_equal(map.count, 50);
    tv_text_map_release(&map);
}

static void texts_with_one_hash_are_told_apart(void **state)
{
    (void)state;
    struct tv_text_map map;
    tv_text_map_init(&map, tv_alloc_libc());
    for (unsigned round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < MANY; i++) {
            struct tv_str text = {texts[i], COLLIDING_HEAD};
            colliding_head(texts[i], COLLIDING_HEAD, i);
            assert_true(tv_hash_bytes(text.at, text.len) ==
                        tv_hash_bytes(texts[0], COLLIDING_HEAD));
            assert_int_equal(value_of(&map, text, round ? MANY : i), i);
        }
    }
    assert_int_equal(map.count, MANY);
    tv_text_map_release(&map);
}

/* Lengths that are no whole number of pieces, and ends that differ. */
static void ends_of_texts_with_one_hash_count(void **state)
{
    (void)state;
    struct tv_text_map map;
    char all[8][3][COLLIDING_HEAD + 8];
    tv_text_map_init(&map, tv_alloc_libc());
    for (unsigned round = 0; round < 2; round++) {
        for (uint32_t more = 0; more < 8; more++) {
            for (uint32_t i = 0; i < 3; i++) {
                char *text = all[more][i];
                memset(text, 0, COLLIDING_HEAD + 8);
                colliding_head(text, COLLIDING_HEAD + more, i);
                uint32_t wanted = more * 3 + i;
                assert_int_equal(value_of(&map, (struct tv_str){text, COLLIDING_HEAD + more},
                                          round ? 99 : wanted),
                                 wanted);
            }
        }
    }
    tv_text_map_release(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_text_has_its_value),
        cmocka_unit_test(what_is_not_there_is_not_found_and_not_added),
        cmocka_unit_test(texts_with_one_hash_are_told_apart),
        cmocka_unit_test(ends_of_texts_with_one_hash_count),
    };
    return cmocka_run_group_tests_name("base/text_map", tests, NULL, NULL);
}
