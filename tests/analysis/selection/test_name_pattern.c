/* Patterns, filters, search and names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/selection/name_pattern.h"
#include "analysis/selection/names.h"
#include "analysis/selection/search.h"
#include "analysis/world.h"

static struct world w;

static bool matches(const char *pattern, const char *text)
{
    struct tv_name_pattern match;
    bool is_match = false;
    tv_name_pattern_init(&match, tv_alloc_libc());
    assert_int_equal(tv_name_pattern_compile(&match, tv_str_from(pattern), NULL), TV_OK);
    assert_int_equal(tv_name_pattern_matches(&match, tv_str_from(text), &is_match, NULL), TV_OK);
    tv_name_pattern_release(&match);
    return is_match;
}

static void upper_case_makes_a_substring_exact(void **state)
{
    (void)state;
    assert_true(matches("load", "a.B.Load ()V"));
    assert_true(matches("Load", "a.B.Load ()V"));
    assert_false(matches("Load", "a.B.load ()V"));
    assert_false(matches("loaf", "a.B.load ()V"));
    assert_true(matches("", "anything"));
    assert_true(matches("/", "a/b"));
    assert_true(matches("//", "a//b"));
}

static void slashes_make_an_expression(void **state)
{
    (void)state;
    assert_true(matches("/^a\\..*V$/", "a.B.load ()V"));
    assert_false(matches("/LOAD/", "a.B.load ()V"));
    assert_true(matches("/LOAD/i", "a.B.load ()V"));
    assert_true(matches("/\\xc3\\xa4|\xc3\xa4/", "a.B.\xc3\xa4 ()V"));
    assert_true(matches("/load/", "\xff\xfe.load")); /* invalid UTF-8 before it */
}

static void wrong_expression_says_where(void **state)
{
    struct tv_name_pattern match;
    struct tv_error err;
    (void)state;
    tv_name_pattern_init(&match, tv_alloc_libc());
    assert_int_equal(tv_name_pattern_compile(&match, TV_STR("/a(b/"), &err), TV_ERR_ARGUMENT);
    assert_string_equal(err.text, "the regular expression is wrong at character 4: "
                                  "missing closing parenthesis");
    tv_name_pattern_release(&match);
}

static void expression_that_explodes_is_stopped(void **state)
{
    struct tv_name_pattern match;
    struct tv_error err;
    bool is_match;
    char text[64];
    (void)state;
    memset(text, 'a', sizeof(text));
    tv_name_pattern_init(&match, tv_alloc_libc());
    assert_int_equal(tv_name_pattern_compile(&match, TV_STR("/^(a|aa)+[bc]$/"), &err), TV_OK);
    assert_int_equal(
        tv_name_pattern_matches(&match, (struct tv_str){text, sizeof(text)}, &is_match, &err),
        TV_ERR_LIMIT);
    tv_name_pattern_release(&match);
}

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
        struct tv_alloc alloc = {resize_n, &left};
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

static void filter_hides_packages(void **state)
{
    struct tv_method_filter filter;
    (void)state;
    world_random(&w, 4);
    tv_method_filter_init(&filter, tv_alloc_libc());
    assert_int_equal(
        tv_method_filter_make(&filter, &w.index, TV_STR("get"), TV_STR("java.,x"), NULL), TV_OK);
    assert_true(tv_method_filter_shows(&filter, world_method_ix(&w, 2)));
    assert_false(tv_method_filter_shows(&filter, world_method_ix(&w, 3)));
    assert_false(tv_method_filter_shows(&filter, world_method_ix(&w, 4)));
    tv_method_filter_release(&filter);
    world_release(&w);
}

static void names_leave_out_empty_parts(void **state)
{
    struct tv_buffer text;
    (void)state;
    world_random(&w, 4);
    tv_buffer_init(&text, tv_alloc_libc());
    assert_int_equal(tv_method_text(&w.index, world_method_ix(&w, 5), &text, NULL), TV_OK);
    assert_true(tv_str_equal(tv_buffer_view(&text), TV_STR("x.<init> ()V")));
    tv_buffer_release(&text);
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(upper_case_makes_a_substring_exact),
        cmocka_unit_test(slashes_make_an_expression),
        cmocka_unit_test(wrong_expression_says_where),
        cmocka_unit_test(expression_that_explodes_is_stopped),
        cmocka_unit_test(every_failed_allocation_is_an_error),
        cmocka_unit_test(best_names_come_first_and_calls_are_counted),
        cmocka_unit_test(filter_hides_packages),
        cmocka_unit_test(names_leave_out_empty_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
