/* An allocator with a limit. */
#include "base/memory/limit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "support/failing_alloc.h"

static void no_more_is_given_than_the_limit_at_a_time(void **state)
{
    (void)state;
    struct failing_alloc failing;
    struct tv_limit limit;
    char *first;
    char *second;
    failing_alloc_init(&failing, NEVER_FAIL);
    tv_limit_init(&limit, &failing.alloc, 100);
    assert_int_equal(tv_alloc_new(&limit.alloc, &first, 60, 1, NULL), TV_OK);
    assert_int_equal(tv_alloc_new(&limit.alloc, &second, 41, 1, NULL), TV_ERR_MEMORY);
    assert_true(atomic_load(&limit.was_reached));
    assert_int_equal(failing.live, 60);
    size_t cap = 60;
    tv_alloc_shrink(&limit.alloc, &first, &cap, 50, 1);
    assert_int_equal(tv_alloc_new(&limit.alloc, &second, 50, 1, NULL), TV_OK);
    assert_int_equal(tv_alloc_grow(&limit.alloc, &first, &cap, 51, 1, NULL), TV_ERR_MEMORY);
    tv_alloc_release(&limit.alloc, &second, 50, 1);
    assert_int_equal(tv_alloc_grow(&limit.alloc, &first, &cap, 51, 1, NULL), TV_OK);
    tv_alloc_release(&failing.alloc, &first, cap, 1); /* a block is the other's, too */
    assert_int_equal(failing.live, 0);
    assert_false(failing.was_lied_to);
}

static void *no_zeros(void *ctx, size_t len)
{
    (void)ctx;
    (void)len;
    return NULL;
}

/* An allocator that makes zeros itself is asked for them, within the same limit. */
static void zeros_count_as_any_block(void **state)
{
    (void)state;
    struct tv_alloc of = *tv_alloc_libc();
    struct tv_limit limit;
    unsigned char *first;
    unsigned char *second;
    tv_limit_init(&limit, &of, 300000);
    assert_int_equal(tv_alloc_new(&limit.alloc, &first, 200000, 1, NULL), TV_OK);
    for (size_t i = 0; i < 200000; i++)
        assert_int_equal(first[i], 0);
    assert_int_equal(tv_alloc_new(&limit.alloc, &second, 100001, 1, NULL), TV_ERR_MEMORY);
    assert_true(atomic_load(&limit.was_reached));
    of.zeroed = no_zeros;
    assert_int_equal(tv_alloc_new(&limit.alloc, &second, 100000, 1, NULL), TV_ERR_MEMORY);
    of = *tv_alloc_libc();
    assert_int_equal(tv_alloc_new(&limit.alloc, &second, 100000, 1, NULL), TV_OK);
    tv_alloc_release(&limit.alloc, &first, 200000, 1);
    tv_alloc_release(&limit.alloc, &second, 100000, 1);
}

static void what_the_other_refuses_is_not_counted(void **state)
{
    (void)state;
    struct failing_alloc failing;
    struct tv_limit limit;
    char *block;
    failing_alloc_init(&failing, 0);
    tv_limit_init(&limit, &failing.alloc, 100);
    assert_int_equal(tv_alloc_new(&limit.alloc, &block, 100, 1, NULL), TV_ERR_MEMORY);
    assert_false(atomic_load(&limit.was_reached));
    assert_int_equal(tv_alloc_new(&limit.alloc, &block, 100, 1, NULL), TV_OK);
    tv_alloc_release(&limit.alloc, &block, 100, 1);
    assert_int_equal(failing.live, 0);
}

static void only_what_the_limit_refused_is_told_as_a_limit(void **state)
{
    (void)state;
    struct failing_alloc failing;
    struct tv_limit limit;
    struct tv_error err = {.code = TV_OK};
    char *block;
    failing_alloc_init(&failing, 0);
    tv_limit_init(&limit, &failing.alloc, 100);
    assert_int_equal(tv_alloc_new(&limit.alloc, &block, 100, 1, NULL), TV_ERR_MEMORY);
    assert_int_equal(tv_limit_tell(&limit, TV_ERR_MEMORY, "too much", &err), TV_ERR_MEMORY);
    assert_int_equal(err.code, TV_OK);
    assert_int_equal(tv_alloc_new(&limit.alloc, &block, 101, 1, NULL), TV_ERR_MEMORY);
    assert_int_equal(tv_limit_tell(&limit, TV_OK, "too much", &err), TV_OK);
    assert_int_equal(tv_limit_tell(&limit, TV_ERR_FORMAT, "too much", &err), TV_ERR_FORMAT);
    assert_int_equal(tv_limit_tell(&limit, TV_ERR_MEMORY, "too much", &err), TV_ERR_LIMIT);
    assert_string_equal(err.text, "too much");
}

static void no_memory_is_given_for_what_nobody_wants(void **state)
{
    (void)state;
    struct tv_limit limit;
    struct tv_error err = {.code = TV_OK};
    atomic_bool is_unwanted = false;
    char *block;
    tv_limit_init(&limit, tv_alloc_libc(), 100);
    limit.is_unwanted = &is_unwanted;
    size_t cap = 10;
    assert_int_equal(tv_alloc_new(&limit.alloc, &block, cap, 1, NULL), TV_OK);
    atomic_store(&is_unwanted, true);
    assert_int_equal(tv_alloc_grow(&limit.alloc, &block, &cap, 20, 1, NULL), TV_ERR_MEMORY);
    assert_int_equal(tv_limit_tell(&limit, TV_ERR_MEMORY, "too much", &err), TV_ERR_CANCELLED);
    assert_int_equal(tv_limit_tell(&limit, TV_OK, "too much", &err), TV_OK);
    tv_alloc_release(&limit.alloc, &block, cap, 1);
    assert_int_equal(atomic_load(&limit.left), 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_more_is_given_than_the_limit_at_a_time),
        cmocka_unit_test(zeros_count_as_any_block),
        cmocka_unit_test(what_the_other_refuses_is_not_counted),
        cmocka_unit_test(only_what_the_limit_refused_is_told_as_a_limit),
        cmocka_unit_test(no_memory_is_given_for_what_nobody_wants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
