/* Checked sizes, zeroed blocks, growth that keeps what it has. */
#include "base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/failing_alloc.h"

static void product_that_overflows_is_refused(void **state)
{
    (void)state;
    size_t out = 7;
    assert_false(tv_size_mul(SIZE_MAX, 2, &out));
    assert_false(tv_size_mul(SIZE_MAX / 2 + 1, 2, &out));
    assert_int_equal(out, 7);
    assert_true(tv_size_mul(SIZE_MAX / 2, 2, &out));
    assert_int_equal(out, SIZE_MAX - 1);
    assert_true(tv_size_mul(0, SIZE_MAX, &out));
    assert_int_equal(out, 0);
}

static void sum_that_overflows_is_refused(void **state)
{
    (void)state;
    size_t out = 7;
    assert_false(tv_size_add(SIZE_MAX, 1, &out));
    assert_int_equal(out, 7);
    assert_true(tv_size_add(SIZE_MAX, 0, &out));
    assert_int_equal(out, SIZE_MAX);
}

static void new_block_is_zeroed(void **state)
{
    (void)state;
    struct failing_alloc failing;
    uint64_t *block;
    failing_alloc_init(&failing, NEVER_FAIL);
    assert_int_equal(tv_alloc_new(&failing.alloc, &block, 5, sizeof(*block), NULL), TV_OK);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(block[i], 0);
    tv_alloc_release(&failing.alloc, &block, 5, sizeof(*block));
    assert_int_equal(failing.live, 0);
    assert_false(failing.was_lied_to);
}

/* Of the C library's allocator, too, which clears nothing that comes fresh from the system. */
static void block_that_was_used_is_zeroed(void **state)
{
    (void)state;
    for (size_t len = 16; len < 2000000; len *= 11) {
        for (int round = 0; round < 2; round++) {
            unsigned char *block;
            assert_int_equal(tv_alloc_new(tv_alloc_libc(), &block, len, 1, NULL), TV_OK);
            for (size_t i = 0; i < len; i++)
                assert_int_equal(block[i], 0);
            memset(block, 0x5a, len);
            tv_alloc_release(tv_alloc_libc(), &block, len, 1);
        }
    }
}

static void new_of_nothing_is_null_and_fine(void **state)
{
    (void)state;
    struct failing_alloc failing;
    int unset;
    int *block = &unset;
    failing_alloc_init(&failing, 0);
    assert_int_equal(tv_alloc_new(&failing.alloc, &block, 0, sizeof(*block), NULL), TV_OK);
    assert_null(block);
    tv_alloc_release(&failing.alloc, &block, 0, sizeof(*block));
    assert_int_equal(failing.requests, 0);
}

static void new_that_overflows_asks_for_nothing(void **state)
{
    (void)state;
    struct failing_alloc failing;
    struct tv_error err = {.code = TV_OK};
    uint64_t *block;
    failing_alloc_init(&failing, NEVER_FAIL);
    assert_int_equal(tv_alloc_new(&failing.alloc, &block, SIZE_MAX / 4, sizeof(*block), &err),
                     TV_ERR_MEMORY);
    assert_int_equal(err.code, TV_ERR_MEMORY);
    assert_int_equal(failing.requests, 0);
}

static void failed_new_says_how_much(void **state)
{
    (void)state;
    struct failing_alloc failing;
    struct tv_error err = {.code = TV_OK};
    uint64_t *block;
    failing_alloc_init(&failing, 0);
    assert_int_equal(tv_alloc_new(&failing.alloc, &block, 3, sizeof(*block), &err), TV_ERR_MEMORY);
    assert_int_equal(err.code, TV_ERR_MEMORY);
    assert_true(err.offset == TV_NO_OFFSET);
    assert_string_equal(err.text, "no memory for 24 bytes");
}

static void growth_doubles_and_keeps_content(void **state)
{
    (void)state;
    struct failing_alloc failing;
    uint32_t *items = NULL;
    size_t cap = 0;
    failing_alloc_init(&failing, NEVER_FAIL);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(tv_alloc_grow(&failing.alloc, &items, &cap, i + 1, sizeof(*items), NULL),
                         TV_OK);
        assert_true(cap > i);
        items[i] = i;
    }
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(items[i], i);
    assert_int_equal(cap, 1024);
    assert_int_equal(failing.requests, 7); /* 16, 32, ... 1024 */
    tv_alloc_release(&failing.alloc, &items, cap, sizeof(*items));
    assert_int_equal(failing.live, 0);
    assert_false(failing.was_lied_to);
}

static void growth_reaches_a_need_beyond_double(void **state)
{
    (void)state;
    uint16_t *items = NULL;
    size_t cap = 0;
    assert_int_equal(tv_alloc_grow(tv_alloc_libc(), &items, &cap, 1001, sizeof(*items), NULL),
                     TV_OK);
    assert_int_equal(cap, 1001);
    tv_alloc_release(tv_alloc_libc(), &items, cap, sizeof(*items));
}

static void failed_growth_keeps_the_old_block(void **state)
{
    (void)state;
    struct failing_alloc failing;
    uint32_t *items = NULL;
    size_t cap = 0;
    failing_alloc_init(&failing, 1);
    assert_int_equal(tv_alloc_grow(&failing.alloc, &items, &cap, 16, sizeof(*items), NULL), TV_OK);
    items[15] = 77;
    uint32_t *before = items;
    assert_int_equal(tv_alloc_grow(&failing.alloc, &items, &cap, 17, sizeof(*items), NULL),
                     TV_ERR_MEMORY);
    assert_ptr_equal(items, before);
    assert_int_equal(cap, 16);
    assert_int_equal(items[15], 77);
    tv_alloc_release(&failing.alloc, &items, cap, sizeof(*items));
    assert_int_equal(failing.live, 0);
}

static void growth_that_overflows_keeps_the_old_block(void **state)
{
    (void)state;
    struct failing_alloc failing;
    uint64_t *items = NULL;
    size_t cap = 0;
    failing_alloc_init(&failing, NEVER_FAIL);
    assert_int_equal(tv_alloc_grow(&failing.alloc, &items, &cap, 1, sizeof(*items), NULL), TV_OK);
    uint64_t *before = items;
    assert_int_equal(
        tv_alloc_grow(&failing.alloc, &items, &cap, SIZE_MAX / 8 + 1, sizeof(*items), NULL),
        TV_ERR_MEMORY);
    assert_ptr_equal(items, before);
    assert_int_equal(cap, 8);
    tv_alloc_release(&failing.alloc, &items, cap, sizeof(*items));
}

static void shrinking_cuts_exactly(void **state)
{
    (void)state;
    struct failing_alloc failing;
    uint32_t *items = NULL;
    size_t cap = 0;
    failing_alloc_init(&failing, NEVER_FAIL);
    assert_int_equal(tv_alloc_grow(&failing.alloc, &items, &cap, 100, sizeof(*items), NULL), TV_OK);
    items[2] = 22;
    tv_alloc_shrink(&failing.alloc, &items, &cap, 3, sizeof(*items));
    assert_int_equal(cap, 3);
    assert_int_equal(items[2], 22);
    assert_int_equal(failing.live, 12);
    tv_alloc_shrink(&failing.alloc, &items, &cap, 5, sizeof(*items)); /* longer: nothing happens */
    assert_int_equal(cap, 3);
    tv_alloc_shrink(&failing.alloc, &items, &cap, 0, sizeof(*items));
    assert_null(items);
    assert_int_equal(cap, 0);
    assert_int_equal(failing.live, 0);
}

/* An allocator that cannot make blocks shorter in place, nor find another. */
static void *never_resize(void *ctx, void *block, size_t old_len, size_t new_len)
{
    (void)ctx;
    (void)block;
    (void)old_len;
    (void)new_len;
    return NULL;
}

static void block_that_cannot_shrink_stays(void **state)
{
    (void)state;
    const struct tv_alloc alloc = {.resize = never_resize};
    uint32_t room[4];
    uint32_t *items = room;
    size_t cap = 4;
    tv_alloc_shrink(&alloc, &items, &cap, 2, sizeof(*items));
    assert_ptr_equal(items, room);
    assert_int_equal(cap, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(product_that_overflows_is_refused),
        cmocka_unit_test(sum_that_overflows_is_refused),
        cmocka_unit_test(new_block_is_zeroed),
        cmocka_unit_test(block_that_was_used_is_zeroed),
        cmocka_unit_test(new_of_nothing_is_null_and_fine),
        cmocka_unit_test(new_that_overflows_asks_for_nothing),
        cmocka_unit_test(failed_new_says_how_much),
        cmocka_unit_test(growth_doubles_and_keeps_content),
        cmocka_unit_test(growth_reaches_a_need_beyond_double),
        cmocka_unit_test(failed_growth_keeps_the_old_block),
        cmocka_unit_test(growth_that_overflows_keeps_the_old_block),
        cmocka_unit_test(shrinking_cuts_exactly),
        cmocka_unit_test(block_that_cannot_shrink_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
