/* Which traces a comparison is about. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "api/diff_query.h"

static struct tv_arena arena;

static enum tv_code sides_of(const char *query, struct tv_diff_traces *traces, struct tv_error *err)
{
    *err = (struct tv_error){.code = TV_OK};
    return tv_diff_traces_read(tv_str_from(query), &arena, traces, err);
}

static void both_sides_are_lists_of_names(void **state)
{
    struct tv_diff_traces traces;
    struct tv_error err;
    (void)state;
    assert_int_equal(sides_of("n=3&old=1,22&new=a%2Cb&what=ever", &traces, &err), TV_OK);
    assert_int_equal(traces.counts[TV_SIDE_OLD], 2);
    assert_int_equal(traces.counts[TV_SIDE_NEW], 2);
    assert_true(tv_str_equal(traces.names[1], TV_STR("22")));
    assert_true(tv_str_equal(traces.names[3], TV_STR("b")));
    assert_int_equal(sides_of("old=1", &traces, &err), TV_OK);
    assert_int_equal(traces.counts[TV_SIDE_NEW], 0);
}

static void no_trace_is_two_runs(void **state)
{
    struct tv_diff_traces traces;
    struct tv_error err;
    (void)state;
    assert_int_equal(sides_of("old=1,2&new=3,1", &traces, &err), TV_ERR_ARGUMENT);
    assert_string_equal(err.text, "trace \"1\" stands twice, and is one run");
    assert_int_equal(sides_of("new=3", &traces, &err), TV_OK);
    assert_int_equal(traces.counts[TV_SIDE_OLD], 0);
    assert_int_equal(sides_of("old=1&old=2", &traces, &err), TV_ERR_ARGUMENT);
}

static void traces_are_so_many(void **state)
{
    char query[8 * TV_DIFF_TRACES_MOST + 16] = "old=1";
    struct tv_diff_traces traces;
    struct tv_error err;
    (void)state;
    for (unsigned i = 2; i <= TV_DIFF_TRACES_MOST; i++)
        (void)snprintf(query + strlen(query), 8, ",%u", i);
    assert_int_equal(sides_of(query, &traces, &err), TV_OK);
    assert_int_equal(traces.counts[TV_SIDE_OLD], TV_DIFF_TRACES_MOST);
    (void)snprintf(query + strlen(query), 8, "&new=x");
    assert_int_equal(sides_of(query, &traces, &err), TV_ERR_ARGUMENT);
    assert_string_equal(err.text, "more than 32 traces");
}

static void a_trace_that_is_not_open_is_not_found(void **state)
{
    const struct tv_index index = {.block = NULL};
    const struct tv_api_trace of[] = {
        {.index = &index, .name = TV_STR("1")}, {.name = TV_STR("2")}, {.index = &index}};
    const struct tv_api api = {.traces = of, .trace_count = 3, .meant = 2};
    struct tv_diff_traces named = {.names = {TV_STR("1"), TV_STR("2"), TV_STR("9"), TV_STR("")},
                                   .counts = {4, 0}};
    const struct tv_api_trace *found;
    struct tv_error err;
    (void)state;
    assert_int_equal(tv_diff_trace_find(&api, &named, 0, &found, &err), TV_OK);
    assert_ptr_equal(found, &of[0]);
    assert_int_equal(tv_diff_trace_find(&api, &named, 1, &found, &err), TV_ERR_NOT_FOUND);
    assert_int_equal(tv_diff_trace_find(&api, &named, 2, &found, &err), TV_ERR_NOT_FOUND);
    assert_string_equal(err.text, "no trace \"9\" is open here");
    assert_int_equal(tv_diff_trace_find(&api, &named, 3, &found, &err), TV_ERR_ARGUMENT);
    named.counts[TV_SIDE_NEW] = 1; /* another one is the new side */
    assert_int_equal(tv_diff_trace_find(&api, &named, 3, &found, &err), TV_OK);
}

static int begin(void **state)
{
    (void)state;
    tv_arena_init(&arena, tv_alloc_libc());
    return 0;
}

static int end(void **state)
{
    (void)state;
    tv_arena_release(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sides_are_lists_of_names),
        cmocka_unit_test(no_trace_is_two_runs),
        cmocka_unit_test(traces_are_so_many),
        cmocka_unit_test(a_trace_that_is_not_open_is_not_found),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
