/* Search: which methods are found, in which order, and how many calls they have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/selection/method_search.h"
#include "analysis/world.h"

static struct world w;

/* An allocator that fails from the n-th time on. */
static void *resize_n(void *ctx, void *block, size_t old_len, size_t new_len)
{
    int *left = ctx;
    if (new_len && (*left)-- <= 0)
        return NULL;
    return tv_alloc_libc()->resize(tv_alloc_libc()->ctx, block, old_len, new_len);
}

static void every_failed_allocation_is_an_error(void **state)
{
    int count = 0;
    (void)state;
    world_random(&w, 3);
    for (;; count++) {
        int left = count;
        struct tv_alloc alloc = {.resize = resize_n, .ctx = &left};
        struct tv_search search;
        tv_search_init(&search, &alloc);
        enum tv_code code = tv_search_run(&search, &w.index, TV_STR("/get|put/i"), NULL);
        tv_search_release(&search);
        if (code == TV_OK)
            break;
        assert_int_equal(code, TV_ERR_MEMORY);
    }
    assert_true(count > 5);
    world_release(&w);
}

static void best_names_come_first_and_calls_are_counted(void **state)
{
    struct tv_search search;
    uint64_t calls = 0;
    (void)state;
    world_begin(&w);
    for (unsigned method = 0; method < WORLD_METHODS; method++) {
        world_enter(&w, MAIN, method, 10 * method, 10 * method);
        world_leave(&w, MAIN, method, 10 * method + method, 10 * method + method);
    }
    world_enter(&w, WORKER, 4, 100, 100);
    world_leave(&w, WORKER, 4, 101, 101);
    world_end(&w);
    tv_search_init(&search, tv_alloc_libc());
    assert_int_equal(tv_search_run(&search, &w.index, TV_STR("get"), NULL), TV_OK);
    assert_int_equal(search.count, 2);
    assert_int_equal(search.calls, 3);
    assert_int_equal(search.thread_calls[world_thread_ix(&w, WORKER)], 1);
    for (uint32_t i = 0; i < w.index.thread_count; i++)
        calls += search.thread_calls[i];
    assert_int_equal(calls, search.calls);
    /* "li" begins no name, but is in the class List: by rank. */
    assert_int_equal(tv_search_run(&search, &w.index, TV_STR("lo"), NULL), TV_OK);
    assert_int_equal(search.methods[0], world_method_ix(&w, 1)); /* Load */
    assert_int_equal(tv_search_run(&search, &w.index, TV_STR("nowhere"), NULL), TV_OK);
    assert_int_equal(search.count, 0);
    tv_search_release(&search);
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failed_allocation_is_an_error),
        cmocka_unit_test(best_names_come_first_and_calls_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
