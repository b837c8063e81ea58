/* The buffer of a recording. */
#include "record/buffer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define LEN ((size_t)1024 * 1024)

static void blocks_grow_and_none_overlaps(void **state)
{
    (void)state;
    struct tv_buffer_pool pool;
    assert_true(tv_pool_init(&pool, LEN));
    struct tv_block *first = tv_pool_take(&pool, 0);
    struct tv_block *second = tv_pool_take(&pool, 3);
    assert_int_equal(first->cap, TV_BLOCK_SLOTS_LEAST);
    assert_int_equal(second->cap, TV_BLOCK_SLOTS_LEAST << 3);
    assert_true((char *)second >= (char *)(first->slots + first->cap));
    tv_pool_release(&pool);
}

static void a_full_buffer_gives_its_last_small_blocks_and_then_none(void **state)
{
    (void)state;
    struct tv_buffer_pool pool;
    uint64_t slots = 0;
    assert_true(tv_pool_init(&pool, LEN));
    struct tv_block *block;
    while ((block = tv_pool_take(&pool, TV_BLOCK_SIZES)) != NULL)
        slots += block->cap;
    assert_in_range(slots * sizeof(struct tv_slot), LEN * 95 / 100, LEN);
    assert_null(tv_pool_take(&pool, 0));
    block = tv_pool_take_beyond(&pool);
    assert_non_null(block);
    assert_int_equal(block->cap, TV_BLOCK_SLOTS_LEAST);
    tv_pool_release(&pool);
}

static void what_is_given_back_is_taken_again_and_empty(void **state)
{
    (void)state;
    struct tv_buffer_pool pool;
    assert_true(tv_pool_init(&pool, LEN));
    struct tv_block *block = tv_pool_take(&pool, 2);
    for (uint32_t i = 0; i < block->cap; i++)
        block->slots[i] = (struct tv_slot){1, 1};
    block->used = block->cap;
    tv_pool_give(&pool, block);
    assert_ptr_equal(tv_pool_take(&pool, 2), block);
    for (uint32_t i = 0; i < block->cap; i++)
        assert_int_equal(block->slots[i].wall_and_low | block->slots[i].cpu_and_high, 0);
    tv_pool_release(&pool);
}

/* Ten thousand threads that record twice each need room for some twenty thousand records. */
static void the_rest_of_a_block_serves_another_thread(void **state)
{
    (void)state;
    struct tv_buffer_pool pool;
    assert_true(tv_pool_init(&pool, LEN));
    for (int thread = 0; thread < 10000; thread++) {
        struct tv_block *block = tv_pool_take(&pool, 0);
        assert_non_null(block);
        assert_true(block->cap >= 2);
        for (uint32_t i = 0; i < block->cap; i++)
            assert_int_equal(block->slots[i].wall_and_low, 0);
        block->slots[0].wall_and_low = block->slots[1].wall_and_low = 1;
        block->used = 2;
        tv_pool_give_rest(&pool, block);
    }
    tv_pool_release(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_grow_and_none_overlaps),
        cmocka_unit_test(a_full_buffer_gives_its_last_small_blocks_and_then_none),
        cmocka_unit_test(what_is_given_back_is_taken_again_and_empty),
        cmocka_unit_test(the_rest_of_a_block_serves_another_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
