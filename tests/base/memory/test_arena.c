/* Bump allocation: aligned, zeroed, released at once. */
#include "base/memory/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/failing_alloc.h"

static void taken_memory_is_zeroed_and_aligned(void **state)
{
    (void)state;
    struct failing_alloc failing;
    struct tv_arena arena;
    failing_alloc_init(&failing, NEVER_FAIL);
    tv_arena_init(&arena, &failing.alloc);
    for (size_t len = 0; len < 300; len++) {
        unsigned char *at = NULL;
        assert_int_equal(tv_arena_take(&arena, len, &at, NULL), TV_OK);
        assert_non_null(at);
        assert_int_equal((uintptr_t)at % 16, 0);
        for (size_t i = 0; i < len; i++)
            assert_int_equal(at[i], 0);
        if (len)
            memset(at, 0xff, len);
    }
    tv_arena_release(&arena);
    assert_int_equal(failing.live, 0);
    assert_false(failing.was_lied_to);
}

static void pieces_do_not_overlap(void **state)
{
    (void)state;
    struct tv_arena arena;
    unsigned char *pieces[100];
    tv_arena_init(&arena, tv_alloc_libc());
    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(tv_arena_take(&arena, 1 + i * 7, &pieces[i], NULL), TV_OK);
        memset(pieces[i], (int)i, 1 + i * 7);
    }
    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(pieces[i][0], i);
        assert_int_equal(pieces[i][i * 7], i);
    }
    tv_arena_release(&arena);
}

static void kept_text_is_a_copy_that_ends_with_a_nul(void **state)
{
    char text[] = "0123456789abcdef";
    struct tv_arena arena;
    (void)state;
    tv_arena_init(&arena, tv_alloc_libc());
    for (size_t len = 0; len < sizeof(text); len++) {
        struct tv_str kept = {NULL, 0};
        assert_int_equal(tv_arena_keep(&arena, (struct tv_str){text, len}, &kept, NULL), TV_OK);
        assert_true(kept.at != text && kept.len == len);
        assert_memory_equal(kept.at, text, len);
        assert_int_equal(kept.at[len], '\0');
    }
    struct tv_str none = {NULL, 0};
    assert_int_equal(tv_arena_keep(&arena, none, &none, NULL), TV_OK);
    assert_string_equal(none.at, "");
    tv_arena_release(&arena);
}

static void blocks_double(void **state)
{
    (void)state;
    struct failing_alloc failing;
    struct tv_arena arena;
    failing_alloc_init(&failing, NEVER_FAIL);
    tv_arena_init(&arena, &failing.alloc);
    for (unsigned i = 0; i < 100000; i++) {
        void *at;
        assert_int_equal(tv_arena_take(&arena, 16, &at, NULL), TV_OK);
    }
    if (failing.requests > 12)
        fail_msg("%llu blocks for 1.6 MB", (unsigned long long)failing.requests);
    tv_arena_release(&arena);
    assert_int_equal(failing.live, 0);
}

static void large_piece_fits_one_block(void **state)
{
    (void)state;
    struct tv_arena arena;
    char *at;
    tv_arena_init(&arena, tv_alloc_libc());
    assert_int_equal(tv_arena_take(&arena, 1000000, &at, NULL), TV_OK);
    at[999999] = 1;
    tv_arena_release(&arena);
}

static void failed_take_leaves_out_and_earlier_pieces(void **state)
{
    (void)state;
    struct failing_alloc failing;
    struct tv_arena arena;
    struct tv_error err;
    char *first;
    char *second;
    failing_alloc_init(&failing, 1);
    tv_arena_init(&arena, &failing.alloc);
    assert_int_equal(tv_arena_take(&arena, 8, &first, NULL), TV_OK);
    first[0] = 'x';
    second = first;
    assert_int_equal(tv_arena_take(&arena, 100000, &second, &err), TV_ERR_MEMORY);
    assert_int_equal(err.code, TV_ERR_MEMORY);
    assert_ptr_equal(second, first);
    assert_int_equal(first[0], 'x');
    assert_int_equal(tv_arena_take(&arena, 8, &second, NULL), TV_OK);
    tv_arena_release(&arena);
    assert_int_equal(failing.live, 0);
}

static void size_that_overflows_is_no_memory(void **state)
{
    (void)state;
    struct tv_arena arena;
    char *at = NULL;
    tv_arena_init(&arena, tv_alloc_libc());
    assert_int_equal(tv_arena_take(&arena, SIZE_MAX, &at, NULL), TV_ERR_MEMORY);
    assert_int_equal(tv_arena_take(&arena, SIZE_MAX - 15, &at, NULL), TV_ERR_MEMORY);
    assert_null(at);
    tv_arena_release(&arena);
}

static void released_arena_can_be_used_again(void **state)
{
    (void)state;
    struct failing_alloc failing;
    struct tv_arena arena;
    void *at;
    failing_alloc_init(&failing, NEVER_FAIL);
    tv_arena_init(&arena, &failing.alloc);
    tv_arena_release(&arena);
    assert_int_equal(tv_arena_take(&arena, 5, &at, NULL), TV_OK);
    tv_arena_release(&arena);
    tv_arena_release(&arena);
    assert_int_equal(failing.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(taken_memory_is_zeroed_and_aligned),
        cmocka_unit_test(pieces_do_not_overlap),
        cmocka_unit_test(kept_text_is_a_copy_that_ends_with_a_nul),
        cmocka_unit_test(blocks_double),
        cmocka_unit_test(large_piece_fits_one_block),
        cmocka_unit_test(failed_take_leaves_out_and_earlier_pieces),
        cmocka_unit_test(size_that_overflows_is_no_memory),
        cmocka_unit_test(released_arena_can_be_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
