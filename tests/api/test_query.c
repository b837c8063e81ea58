/* What parameters mean in a trace: paths of methods, and methods by rank, id or name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "api/query.h"
#include "asking.h"

static const char *const known[] = {"a", "path", NULL};
static struct tv_arena arena;
static struct tv_params params;
static struct tv_error error;

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

static void parse(const char *query)
{
    assert_int_equal(tv_params_parse(&params, &arena, tv_str_from(query), known, NULL), TV_OK);
}

static void expect_refused(enum tv_code code, const char *reason)
{
    assert_int_equal(code, TV_ERR_ARGUMENT);
    if (!strstr(error.text, reason))
        fail_msg("\"%s\" instead of \"%s\"", error.text, reason);
}

static void path_is_ranks_up_to_its_limit(void **state)
{
    struct tv_branch branch = {.path_len = 9};
    (void)state;
    parse("path=2.0");
    assert_int_equal(tv_query_branch(&params, asked_trace.index, 2, &branch, NULL), TV_OK);
    assert_int_equal(branch.path_len, 2);
    assert_int_equal(asked_trace.index->methods[branch.path[0]].rank, 2);
    assert_int_equal(asked_trace.index->methods[branch.path[1]].rank, 0);
    expect_refused(tv_query_branch(&params, asked_trace.index, 1, &branch, &error),
                   "a path of 2 methods; at most 1");
    parse("a=1");
    assert_int_equal(tv_query_branch(&params, asked_trace.index, 1, &branch, NULL), TV_OK);
    assert_int_equal(branch.path_len, 0);
    parse("path=3");
    assert_int_equal(tv_query_branch(&params, asked_trace.index, 1, &branch, &error),
                     TV_ERR_NOT_FOUND);
    assert_string_equal(error.text, "no method has the rank 3");
}

/* -1: none is found. */
static int rank_of(const char *query)
{
    uint32_t method_ix = 0;
    parse(query);
    enum tv_code code = tv_query_method(&params, "a", asked_trace.index, &method_ix, &error);
    return code == TV_OK ? (int)asked_trace.index->methods[method_ix].rank : -1;
}

static void method_is_a_rank_an_id_or_a_name(void **state)
{
    (void)state;
    assert_int_equal(rank_of("a=2"), 2);
    assert_int_equal(rank_of("a=0x8"), 2);
    assert_int_equal(rank_of("a=0xc"), 1);
    assert_int_equal(rank_of("a=a.B.bar+(I)V"), 2);
    assert_int_equal(rank_of("a=a.B.bar"), 2);
    assert_int_equal(rank_of("a=a.B.bar+(I)"), 2);
    assert_int_equal(rank_of("a=a/B%23bar(int)"), 2);
    assert_int_equal(rank_of("a=bar"), 2);
    assert_int_equal(rank_of("a=a.B.bar+(J)V"), -1);
    assert_int_equal(rank_of("a=0x9"), -1);
    assert_string_equal(error.text, "no method with calls has '0x9' in its name");
    assert_int_equal(rank_of("a="), -1);
    assert_string_equal(error.text, "parameter \"a\" is missing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(path_is_ranks_up_to_its_limit, begin, end),
        cmocka_unit_test_setup_teardown(method_is_a_rank_an_id_or_a_name, begin, end),
    };
    return cmocka_run_group_tests(tests, asking_begin, asking_end);
}
