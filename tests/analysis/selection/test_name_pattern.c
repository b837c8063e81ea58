/* Patterns, and filters of methods made from them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/selection/name_pattern.h"
#include "analysis/world.h"
#include "support/failing_alloc.h"

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

static void equal_sign_finds_whole_words(void **state)
{
    (void)state;
    assert_true(matches("=HashMap", "java.util.HashMap.put ()V"));
    assert_true(matches("=HashMap", "java.util.HashMap$Node.getKey ()V"));
    assert_false(matches("=HashMap", "java.util.concurrent.ConcurrentHashMap.put ()V"));
    assert_true(matches("=HashMap", "a.ConcurrentHashMap.of (Ljava/util/HashMap;)V"));
    assert_false(matches("=HashMap", "a.HashMap2.put ()V"));
    assert_true(matches("=hashmap", "java.util.HashMap.put ()V"));
    assert_false(matches("=Hash", "java.util.HashMap.put ()V"));
    assert_true(matches("=HashMap.put", "java.util.HashMap.put ()V"));
    assert_false(matches("=HashMap.pu", "java.util.HashMap.put ()V"));
    assert_true(matches("=java/util/HashMap", "java.util.HashMap.put ()V"));
    assert_true(matches("=.put", "java.util.HashMap.put ()V"));
    assert_true(matches("=", "a=b"));
    assert_false(matches("=", "a.B.load ()V"));
    assert_false(matches("=aa", "aaa.aab"));
    assert_false(matches("=put", "a.input\xc3\xa4.\xc3\xa4put"));
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

/* Each repetition of the group is remembered, for as long as the text goes on. */
static void expression_that_fills_memory_is_stopped(void **state)
{
    static char text[1u << 20];
    struct tv_name_pattern match;
    struct tv_error err;
    bool is_match = true;
    (void)state;
    memset(text, 'a', sizeof(text));
    tv_name_pattern_init(&match, tv_alloc_libc());
    assert_int_equal(tv_name_pattern_compile(&match, TV_STR("/^(?:(a)(a)(a))*b/"), &err), TV_OK);
    assert_int_equal(
        tv_name_pattern_matches(&match, (struct tv_str){text, sizeof(text)}, &is_match, &err),
        TV_ERR_LIMIT);
    assert_false(is_match);
    tv_name_pattern_release(&match);
}

static void filter_hides_packages(void **state)
{
    struct tv_method_filter filter;
    (void)state;
    world_random(&w, 4);
    tv_method_filter_init(&filter, tv_alloc_libc());
    const struct tv_method_filter_opts opts = {
        .patterns = &TV_STR("get"), .pattern_count = 1, .hidden = TV_STR("java.,x")};
    assert_int_equal(tv_method_filter_make(&filter, &w.index, &opts, NULL), TV_OK);
    assert_true(tv_method_filter_shows(&filter, world_method_ix(&w, 2)));
    assert_false(tv_method_filter_shows(&filter, world_method_ix(&w, 3)));
    assert_false(tv_method_filter_shows(&filter, world_method_ix(&w, 4)));
    tv_method_filter_release(&filter);
    world_release(&w);
}

/* Room for names is asked for again and again; an answer that nobody waits for is refused it. */
static void many_methods_ask_for_memory_now_and_then(void **state)
{
    struct failing_alloc failing;
    struct tv_method_filter filter;
    struct tv_error err;
    const struct tv_method_filter_opts opts = {.patterns = &TV_STR("/^x+y/"), .pattern_count = 1};
    (void)state;
    world_begin(&w);
    for (uint32_t i = 0; i < 640; i++) {
        enter(&w.t, MAIN, 0x100 + 4 * i, 2 * i);
        leave(&w.t, MAIN, 0x100 + 4 * i, 2 * i + 1);
    }
    world_read(&w);
    failing_alloc_init(&failing, NEVER_FAIL);
    tv_method_filter_init(&filter, &failing.alloc);
    assert_int_equal(tv_method_filter_make(&filter, &w.index, &opts, &err), TV_OK);
    tv_method_filter_release(&filter);
    assert_true(failing.requests >= 10);
    failing_alloc_init(&failing, failing.requests - 2);
    tv_method_filter_init(&filter, &failing.alloc);
    assert_int_equal(tv_method_filter_make(&filter, &w.index, &opts, &err), TV_ERR_MEMORY);
    assert_int_equal(failing.live, 0);
    world_release(&w);
}

/* From a "(" on, a substring may be what tv_method_java_text writes, or close to it. */
static void parameters_are_found_as_java_writes_them(void **state)
{
    struct tv_name_pattern match;
    (void)state;
    tv_name_pattern_init(&match, tv_alloc_libc());
    static const struct {
        const char *pattern;
        const char *java;
    } spellings[] = {
        {"java.util.List#get(int,java.lang.Object[])", "java.util.List.get(int, Object[])"},
        {"get (int", "get(int"},
        {"get", ""}};
    for (size_t i = 0; i < TV_COUNT_OF(spellings); i++) {
        struct tv_str java;
        assert_int_equal(tv_name_pattern_compile(&match, tv_str_from(spellings[i].pattern), NULL),
                         TV_OK);
        java = tv_buffer_view(&match.java);
        assert_true(tv_str_equal(java, tv_str_from(spellings[i].java)));
    }
    tv_name_pattern_release(&match);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(upper_case_makes_a_substring_exact),
        cmocka_unit_test(equal_sign_finds_whole_words),
        cmocka_unit_test(slashes_make_an_expression),
        cmocka_unit_test(wrong_expression_says_where),
        cmocka_unit_test(expression_that_explodes_is_stopped),
        cmocka_unit_test(expression_that_fills_memory_is_stopped),
        cmocka_unit_test(filter_hides_packages),
        cmocka_unit_test(many_methods_ask_for_memory_now_and_then),
        cmocka_unit_test(parameters_are_found_as_java_writes_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
