/* The heap of modules: blocks keep their bytes and never meet, and what is released is used again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/wasm_heap.h"

#define MEMORY ((size_t)1 << 22)
#define BLOCKS 512u

/* A heap in a memory of so many bytes, which grows by whole steps. */
struct world {
    struct tv_heap heap;
    _Alignas(16) char memory[MEMORY];
    size_t most, step;
};

static size_t grow(struct tv_heap *heap, size_t least)
{
    struct world *world = (struct world *)heap;
    size_t len = (least + world->step - 1) / world->step * world->step;
    return len <= world->most - (size_t)(heap->end - world->memory) ? len : 0;
}

static struct world *new_world(size_t most, size_t step)
{
    struct world *world = calloc(1, sizeof(*world));
    assert_non_null(world);
    world->most = most;
    world->step = step;
    world->heap.grow = grow;
    world->heap.end = world->memory;
    return world;
}

static size_t used(const struct world *world)
{
    return (size_t)(world->heap.end - world->memory);
}

static void *take(struct world *world, size_t len)
{
    void *block = tv_heap_resize(&world->heap, NULL, len);
    assert_non_null(block);
    assert_int_equal((uintptr_t)block % TV_HEAP_ALIGN, 0);
    assert_true(tv_heap_block_len(block) >= len);
    return block;
}

static void released_neighbours_become_one_block(void **state)
{
    (void)state;
    struct world *world = new_world(MEMORY, 4096);
    void *blocks[8];
    for (size_t i = 0; i < 8; i++)
        blocks[i] = take(world, 100 + i);
    size_t len = used(world);
    static const size_t order[] = {1, 5, 3, 0, 7, 4, 6, 2};
    for (size_t i = 0; i < 8; i++)
        tv_heap_release(&world->heap, blocks[order[i]]);
    assert_ptr_equal(take(world, len - TV_HEAP_ALIGN), blocks[0]);
    assert_int_equal(used(world), len);
    free(world);
}

static void last_block_grows_where_it_is(void **state)
{
    (void)state;
    struct world *world = new_world(MEMORY, 65536);
    char *block = take(world, 1000);
    memset(block, 7, 1000);
    assert_ptr_equal(tv_heap_resize(&world->heap, block, 3000000), block);
    assert_int_equal(block[999], 7);
    assert_true(used(world) < 3000000 + 2 * 65536);
    /* Refused: it stays as it is. */
    assert_null(tv_heap_resize(&world->heap, block, MEMORY));
    assert_int_equal(block[999], 7);
    assert_ptr_equal(tv_heap_resize(&world->heap, block, 10), block);
    assert_int_equal(block[9], 7);
    void *next = take(world, 2000000);
    assert_true(used(world) < 3000000 + 2 * 65536);
    tv_heap_release(&world->heap, next);
    free(world);
}

static void too_long_a_block_is_refused(void **state)
{
    (void)state;
    struct world *world = new_world(MEMORY, 16);
    assert_null(tv_heap_resize(&world->heap, NULL, SIZE_MAX));
    assert_null(tv_heap_resize(&world->heap, NULL, SIZE_MAX - 8));
    assert_null(tv_heap_resize(&world->heap, NULL, SIZE_MAX / 2));
    assert_null(tv_heap_resize(&world->heap, NULL, MEMORY));
    tv_heap_release(&world->heap, NULL);
    tv_heap_release(&world->heap, take(world, MEMORY - TV_HEAP_ALIGN));
    free(world);
}

/* A free block of just the length that is asked for is found, though its list has shorter ones. */
static void a_block_of_the_same_length_is_used_again(void **state)
{
    (void)state;
    struct world *world = new_world(MEMORY, 16);
    void *longer = take(world, 1150);
    (void)take(world, 16);
    void *shorter = take(world, 1050);
    (void)take(world, 16);
    tv_heap_release(&world->heap, longer);
    tv_heap_release(&world->heap, shorter);
    size_t len = used(world);
    assert_ptr_equal(take(world, 1150), longer);
    assert_int_equal(used(world), len);
    free(world);
}

static uint32_t drawn(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

struct held {
    unsigned char *at;
    size_t len;
};

static void check(const struct held *held, unsigned char mark)
{
    for (size_t i = 0; i < held->len; i++)
        assert_int_equal(held->at[i], mark);
}

/* Each block has a mark of its own in all of its bytes; a block that met another would lose it. */
static void change(struct world *world, struct held *held, unsigned char mark, uint32_t *seed)
{
    size_t len = drawn(seed) % (drawn(seed) % 8 ? 300 : 20000);
    check(held, mark);
    if (held->at && drawn(seed) % 3 == 0) {
        tv_heap_release(&world->heap, held->at);
        *held = (struct held){NULL, 0};
        return;
    }
    unsigned char *at = tv_heap_resize(&world->heap, held->at, len);
    if (!at) {
        check(held, mark);
        return;
    }
    assert_true(tv_heap_block_len(at) >= len);
    held->len = held->len < len ? held->len : len;
    held->at = at;
    check(held, mark);
    memset(at, mark, len);
    held->len = len;
}

static void blocks_never_meet(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 8; seed++) {
        struct world *world = new_world(seed % 2 ? MEMORY : 400000, seed % 3 ? 65536 : 16);
        struct held held[BLOCKS] = {{NULL, 0}};
        uint32_t now = seed;
        for (unsigned i = 0; i < 20000; i++) {
            size_t place = drawn(&now) % BLOCKS;
            change(world, &held[place], (unsigned char)(place % 251 + 1), &now);
        }
        for (size_t i = 0; i < BLOCKS; i++) {
            check(&held[i], (unsigned char)(i % 251 + 1));
            tv_heap_release(&world->heap, held[i].at);
        }
        /* All of it is one block again. */
        size_t len = used(world);
        (void)take(world, len - TV_HEAP_ALIGN);
        assert_int_equal(used(world), len);
        free(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(released_neighbours_become_one_block),
        cmocka_unit_test(last_block_grows_where_it_is),
        cmocka_unit_test(too_long_a_block_is_refused),
        cmocka_unit_test(a_block_of_the_same_length_is_used_again),
        cmocka_unit_test(blocks_never_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
