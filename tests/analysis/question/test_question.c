/* Questions as structs: scopes and what they refuse, pages, rows of top, the walk over a tree, and
 * the names of methods. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/question/callers_question.h"
#include "analysis/question/top_question.h"
#include "analysis/question/tree_question.h"
#include "analysis/selection/method_by_name.h"
#include "analysis/world.h"

static struct world w;

/*
 * Thread 1, wall and CPU time alike:     0 Main.run 100
 *                                          10 Main.Load 40
 *                                            20 List.get 30
 *                                          50 List.get 90
 * Thread 2, no CPU time:                 10 Map.get 60
 */
static int build(void **state)
{
    (void)state;
    world_begin(&w);
    world_enter(&w, 1, 0, 0, 0);
    world_enter(&w, 1, 1, 10, 10);
    world_enter(&w, 2, 4, 10, 0);
    world_enter(&w, 1, 2, 20, 20);
    world_leave(&w, 1, 2, 30, 30);
    world_leave(&w, 1, 1, 40, 40);
    world_enter(&w, 1, 2, 50, 50);
    world_leave(&w, 2, 4, 60, 0);
    world_leave(&w, 1, 2, 90, 90);
    world_leave(&w, 1, 0, 100, 100);
    world_end(&w);
    return 0;
}

static int release(void **state)
{
    (void)state;
    world_release(&w);
    return 0;
}

static void a_scope_begins_with_the_whole_trace(void **state)
{
    struct tv_scope scope;
    (void)state;
    tv_scope_init(&scope, &w.index);
    assert_false(scope.selection.has_range);
    assert_null(scope.selection.threads);
    assert_int_equal(scope.measure, TV_MEASURE_CPU);
    assert_int_equal(tv_scope_take_range(&scope, &w.index, 0, 100000, NULL), TV_OK);
    assert_false(scope.selection.has_range); /* it is the whole axis */
    assert_int_equal(tv_scope_take_range(&scope, &w.index, 0, 99999, NULL), TV_OK);
    assert_true(scope.selection.has_range);
}

static void an_empty_range_is_refused(void **state)
{
    struct tv_scope scope;
    struct tv_error err;
    (void)state;
    tv_scope_init(&scope, &w.index);
    assert_int_equal(tv_scope_take_range(&scope, &w.index, 5, 5, &err), TV_ERR_ARGUMENT);
    assert_string_equal(err.text, "from (5) must be below to (5)");
    assert_false(scope.selection.has_range);
}

/* What the arena gives next is zero, and none of the chosen threads' room. */
static void as_many_threads_can_be_chosen_as_there_are(void **state)
{
    static const uint8_t all[64] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    (void)state;
    for (uint32_t count = 0; count <= 16; count++) {
        struct tv_index index = {.thread_count = count};
        struct tv_scope scope = {.measure = TV_MEASURE_WALL};
        struct tv_arena arena;
        uint8_t *next;
        tv_arena_init(&arena, tv_alloc_libc());
        assert_int_equal(tv_scope_take_threads(&scope, &index, all, &arena, NULL), TV_OK);
        assert_int_equal(tv_arena_take(&arena, 64, &next, NULL), TV_OK);
        assert_int_equal(scope.selection.thread_count, count);
        for (uint32_t i = 0; i < count; i++)
            assert_int_equal(scope.selection.threads[i], i);
        tv_arena_release(&arena);
    }
}

static void a_measure_needs_its_clocks(void **state)
{
    struct tv_index index = w.index;
    struct tv_index_info info = *w.index.info;
    struct tv_error err;
    (void)state;
    index.info = &info;
    info.has_clock[TV_CLOCK_CPU] = 0;
    assert_int_equal(tv_measure_check(&index, TV_MEASURE_WALL, &err), TV_OK);
    assert_int_equal(tv_measure_check(&index, TV_MEASURE_CPU, &err), TV_ERR_ARGUMENT);
    assert_string_equal(err.text, "this trace has no CPU clock");
    assert_int_equal(tv_measure_check(&index, TV_MEASURE_WAIT, &err), TV_ERR_ARGUMENT);
    info.has_clock[TV_CLOCK_CPU] = 1;
    info.total[TV_CLOCK_CPU] = 0;
    assert_int_equal(tv_measure_check(&index, TV_MEASURE_CPU, &err), TV_OK);
    assert_int_equal(tv_measure_check(&index, TV_MEASURE_WAIT, &err), TV_ERR_ARGUMENT);
    assert_string_equal(err.text,
                        "the CPU clock of this trace never moves, so nothing tells what waited");
    info.has_clock[TV_CLOCK_WALL] = 0;
    assert_int_equal(tv_measure_check(&index, TV_MEASURE_CPU, &err), TV_OK);
    assert_int_equal(tv_measure_check(&index, TV_MEASURE_WALL, &err), TV_ERR_ARGUMENT);
    assert_string_equal(err.text, "this trace has no wall clock");
    info.has_clock[TV_CLOCK_CPU] = 0;
    assert_int_equal(tv_measure_check(&index, TV_MEASURE_WAIT, &err), TV_OK);
}

static void expect_page(uint64_t offset, uint64_t count, size_t rows, size_t first, size_t len)
{
    struct tv_table_rows taken =
        tv_table_slice_rows(&(struct tv_table_slice){.offset = offset, .count = count}, rows);
    assert_int_equal(taken.first, first);
    assert_int_equal(taken.len, len);
}

static void a_page_ends_where_the_rows_end(void **state)
{
    (void)state;
    expect_page(0, 0, 7, 0, 7);
    expect_page(0, 3, 7, 0, 3);
    expect_page(0, 7, 7, 0, 7);
    expect_page(0, 8, 7, 0, 7);
    expect_page(5, 3, 7, 5, 2);
    expect_page(5, 0, 7, 5, 2);
    expect_page(7, 1, 7, 7, 0);
    expect_page(UINT64_MAX, UINT64_MAX, 7, 7, 0);
    expect_page(0, 1, 0, 0, 0);
}

/* The methods of a page, as numbers of the world, one digit each. */
static void expect_top(const struct tv_top_question *question, size_t count, const char *methods)
{
    struct tv_top top;
    char found[WORLD_METHODS + 1] = {0};
    tv_top_init(&top, tv_alloc_libc());
    assert_int_equal(tv_top_compute(&top, &w.index, question, NULL, NULL), TV_OK);
    assert_int_equal(top.count, count);
    for (size_t i = 0; i < top.slice.len; i++) {
        uint32_t method_ix = top.methods[top.slice.first + i];
        for (unsigned method = 0; method < WORLD_METHODS; method++) {
            if (world_method_ix(&w, method) == method_ix)
                found[i] = (char)('0' + method);
        }
    }
    assert_string_equal(found, methods);
    tv_top_release(&top);
}

static void top_filters_sorts_and_takes_a_page(void **state)
{
    struct tv_top_question question = {.slice = {.count = 0}};
    (void)state;
    tv_scope_init(&question.scope, &w.index);
    question.sort = (struct tv_profile_sort){.key = TV_SORT_INCLUSIVE, .order = TV_DESCENDING};
    expect_top(&question, 4, "0241"); /* 100, 50, 50, 30 us: ties by rank on the CPU clock */
    question.slice = (struct tv_table_slice){.offset = 1, .count = 2};
    expect_top(&question, 4, "24");
    question.scope.methods.patterns = &TV_STR("get");
    question.scope.methods.pattern_count = 1;
    expect_top(&question, 2, "4");
    question.slice = (struct tv_table_slice){.count = 0};
    question.scope.methods.hidden = TV_STR("java.");
    expect_top(&question, 1, "2");
    question.scope.methods.pattern_count = 0;
    question.sort.order = TV_ASCENDING;
    expect_top(&question, 3, "120");
}

static void top_adds_what_is_asked_for(void **state)
{
    struct tv_top_question question = {.slice = {.count = 1}};
    struct tv_index index = w.index;
    struct tv_index_info info = *w.index.info;
    struct tv_top top;
    (void)state;
    index.info = &info;
    info.clock_overhead_ns = 7;
    tv_scope_init(&question.scope, &index);
    question.sort = (struct tv_profile_sort){.key = TV_SORT_CALLS, .order = TV_DESCENDING};
    tv_top_init(&top, tv_alloc_libc());
    assert_int_equal(tv_top_compute(&top, &index, &question, NULL, NULL), TV_OK);
    assert_null(top.percentiles);
    assert_null(top.overhead);
    question.has_percentiles = true;
    question.has_overhead = true;
    assert_int_equal(tv_top_compute(&top, &index, &question, NULL, NULL), TV_OK);
    assert_int_equal(top.percentiles[0].of[TV_CLOCK_WALL].max_ns, 40000); /* List.get */
    assert_int_equal(top.overhead[0].part.ns, 14);                        /* two calls, none made */
    assert_false(top.overhead[0].is_most);
    info.is_sampled = 1;
    assert_int_equal(tv_top_compute(&top, &index, &question, NULL, NULL), TV_OK);
    assert_null(top.overhead);
    question.rows = TV_TOP_PACKAGES;
    question.package_parts = 1;
    assert_int_equal(tv_top_compute(&top, &index, &question, NULL, NULL), TV_OK);
    assert_int_equal(top.count, 2); /* com, java */
    assert_int_equal(top.slice.len, 1);
    assert_true(tv_str_equal(top.groups.rows[0].name, TV_STR("com")));
    assert_null(top.percentiles);
    tv_top_release(&top);
}

/* 100 %: 150 us of wall time. Exclusive: 0 has 40, 1 has 20, 2 has 50, 4 has 50. */
static void small_rows_are_left_out_and_counted(void **state)
{
    struct tv_top_question question = {.cut = 0.3};
    struct tv_top top;
    (void)state;
    tv_scope_init(&question.scope, &w.index);
    question.scope.measure = TV_MEASURE_WALL;
    question.sort = (struct tv_profile_sort){.key = TV_SORT_EXCLUSIVE, .order = TV_DESCENDING};
    expect_top(&question, 2, "24");
    question.sort.key = TV_SORT_INCLUSIVE;
    question.cut = 0.5;
    expect_top(&question, 1, "0");
    question.rows = TV_TOP_CLASSES;
    tv_top_init(&top, tv_alloc_libc());
    assert_int_equal(tv_top_compute(&top, &w.index, &question, NULL, NULL), TV_OK);
    assert_int_equal(top.count, 1); /* com.app.Main */
    assert_int_equal(top.groups.count, 1);
    assert_int_equal(top.small_count, 2);
    tv_top_release(&top);
}

static void callers_are_of_the_scope(void **state)
{
    struct tv_callers_question question = {.method_ix = world_method_ix(&w, 2)};
    struct tv_callers callers;
    (void)state;
    tv_scope_init(&question.scope, &w.index);
    tv_callers_init(&callers, tv_alloc_libc());
    assert_int_equal(tv_callers_compute(&callers, &w.index, &question, NULL, NULL), TV_OK);
    assert_int_equal(callers.relations.groups[TV_RELATION_CALLERS].count, 2);
    assert_int_equal(callers.profile.total_ns[TV_CLOCK_WALL], 150000);
    tv_callers_release(&callers);
    question.cut = 0.5; /* List.get: 40 us from Main.run, 10 us from Main.Load */
    question.sort.measure = TV_MEASURE_WALL;
    assert_int_equal(tv_callers_compute(&callers, &w.index, &question, NULL, NULL), TV_OK);
    assert_int_equal(callers.relations.groups[TV_RELATION_CALLERS].count, 1);
    assert_int_equal(callers.relations.groups[TV_RELATION_CALLERS].left_out_count, 1);
    tv_callers_release(&callers);
    question.cut = 0;
    assert_int_equal(tv_scope_take_range(&question.scope, &w.index, 0, 45000, NULL), TV_OK);
    assert_int_equal(tv_callers_compute(&callers, &w.index, &question, NULL, NULL), TV_OK);
    assert_int_equal(callers.relations.groups[TV_RELATION_CALLERS].count, 1);
    tv_callers_release(&callers);
}

/* The walk as text: a node's method, "(" where its children follow, and at the end of a list how
 * many were left out. Levels must go along. */
static void expect_walk(const struct tv_tree_question *question, const char *expected)
{
    struct tv_tree_answer answer;
    struct tv_tree_walk walk;
    struct tv_tree_step step;
    char found[64] = {0};
    size_t len = 0;
    uint32_t level = 0;
    tv_tree_answer_init(&answer, tv_alloc_libc());
    assert_int_equal(tv_tree_answer_compute(&answer, &w.index, question, NULL, NULL), TV_OK);
    tv_tree_walk_begin(&walk, &answer.tree, question->opts.levels);
    while ((step = tv_tree_walk_next(&walk)).event != TV_TREE_END) {
        assert_int_equal(step.level, level);
        if (step.event == TV_TREE_LIST_END) {
            found[len++] = ')';
            found[len++] = (char)('0' + step.more);
            level -= level > 0;
            continue;
        }
        for (unsigned method = 0; method < WORLD_METHODS; method++) {
            if (world_method_ix(&w, method) == step.node->method)
                found[len++] = (char)('0' + method);
        }
        if (step.is_opened)
            found[len++] = '(';
        level += step.is_opened;
    }
    assert_string_equal(found, expected);
    assert_int_equal(tv_tree_walk_next(&walk).event, TV_TREE_END);
    tv_tree_answer_release(&answer);
}

static void a_walk_meets_every_node_and_list(void **state)
{
    struct tv_tree_question question = {.opts = {.levels = 3}};
    (void)state;
    tv_scope_init(&question.scope, &w.index);
    question.scope.measure = TV_MEASURE_WALL;
    question.sort = (struct tv_profile_sort){.key = TV_SORT_INCLUSIVE, .order = TV_DESCENDING};
    expect_walk(&question, "0(21(2)0)04)0");
    question.opts.levels = 2;
    expect_walk(&question, "0(21)04)0");
    question.opts.levels = 1;
    expect_walk(&question, "04)0");
    question.opts.levels = 3;
    question.opts.node_limit = 1;
    expect_walk(&question, "0(2)1)1");
    question.opts.node_limit = 0;
    question.scope.methods.hidden = TV_STR("com.app.");
    expect_walk(&question, "24)0");
    question.scope.methods.patterns = &TV_STR("nothing at all");
    question.scope.methods.pattern_count = 1;
    expect_walk(&question, ")0");
}

static void expect_method(const char *text, enum tv_code code, unsigned method, const char *reason)
{
    struct tv_error err = {.code = TV_OK};
    uint32_t method_ix = 0;
    assert_int_equal(
        tv_method_by_name(&w.index, tv_str_from(text), tv_alloc_libc(), &method_ix, NULL, &err),
        code);
    if (code == TV_OK)
        assert_int_equal(method_ix, world_method_ix(&w, method));
    else
        assert_string_equal(err.text, reason);
}

static void a_method_is_named_in_many_ways(void **state)
{
    (void)state;
    static const char *const names[] = {"com.lib.List.get (I)J",
                                        "com.lib.List.get",
                                        "com/lib/List.get(I)J",
                                        "com.lib.List#get",
                                        "Lcom/lib/List;->get(I)J",
                                        "com.lib.List.get(int)",
                                        "List.get",
                                        "lib.List.get(I)",
                                        "ist.ge",
                                        "/List\\.get/",
                                        "com/lib/List.ge"};
    for (size_t i = 0; i < TV_COUNT_OF(names); i++)
        expect_method(names[i], TV_OK, 2, NULL);
    expect_method("0", TV_OK, 0, NULL);
    expect_method("0xc", TV_OK, 2, NULL);
    expect_method("List.get(J)", TV_ERR_NOT_FOUND, 0,
                  "no method with calls has 'List.get(J)' in its name");
    expect_method("0xfff0", TV_ERR_NOT_FOUND, 0, "no method with calls has '0xfff0' in its name");
    expect_method("99", TV_ERR_NOT_FOUND, 0, "no method has the rank 99");
    expect_method("/(/", TV_ERR_ARGUMENT, 0,
                  "the regular expression is wrong at character 2: missing closing parenthesis");
}

static void a_capital_letter_that_finds_nothing_is_told(void **state)
{
    (void)state;
    expect_method("Get", TV_ERR_NOT_FOUND, 0,
                  "no method with calls has 'Get' in its name, but 2 would without regard to case: "
                  "a capital letter makes case count");
}

static void a_name_that_two_methods_share_needs_its_signature(void **state)
{
    struct tv_error err;
    uint32_t method_ix;
    static struct world twins;
    (void)state;
    world_begin(&twins);
    build_release(&twins.t);
    build_text(&twins.t, (struct build_opts){.version = 3,
                                             .clock = "dual",
                                             .methods = "0x4\ta.B\tput\t(I)V\tB.java\t1\n"
                                                        "0x8\ta.B\tput\t(J)V\tB.java\t2\n"});
    world_enter(&twins, 1, 0, 0, 0);
    world_enter(&twins, 1, 1, 1, 1);
    world_leave(&twins, 1, 1, 2, 2);
    world_leave(&twins, 1, 0, 3, 3);
    world_end(&twins);
    const struct tv_alloc *alloc = tv_alloc_libc();
    assert_int_equal(
        tv_method_by_name(&twins.index, TV_STR("a.B.put (J)V"), alloc, &method_ix, NULL, NULL),
        TV_OK);
    assert_int_equal(method_ix, world_method_ix(&twins, 1));
    assert_int_equal(
        tv_method_by_name(&twins.index, TV_STR("a.B.put"), alloc, &method_ix, NULL, &err),
        TV_ERR_ARGUMENT);
    assert_string_equal(err.text, "2 methods are called 'a.B.put': add the signature");
    assert_int_equal(tv_method_by_name(&twins.index, TV_STR("put"), alloc, &method_ix, NULL, &err),
                     TV_ERR_ARGUMENT);
    assert_string_equal(err.text, "2 methods are called 'put': add the class or the signature");
    world_release(&twins);
}

/* A signature does not tell two methods of one whole name apart. One without calls does not count.
 */
static void methods_of_one_whole_name_are_told_by_their_ids(void **state)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_method_choice choice;
    uint32_t method_ix;
    static struct world same;
    (void)state;
    world_begin(&same);
    build_release(&same.t);
    build_text(&same.t, (struct build_opts){.version = 3,
                                            .clock = "dual",
                                            .methods = "0x4\ta.B\tput\t(I)V\tB.java\t1\n"
                                                       "0x8\ta/B\tput\t(I)V\tB.java\t2\n"
                                                       "0xc\ta.B\tget\t(I)V\tB.java\t3\n"
                                                       "0x10\ta.B\tget\t(I)V\tB.java\t3\n"});
    for (unsigned i = 0; i < 3; i++)
        world_enter(&same, 1, i, i, i);
    for (unsigned i = 3; i-- > 0;)
        world_leave(&same, 1, i, 6 - i, 6 - i);
    world_end(&same);
    const struct tv_alloc *alloc = tv_alloc_libc();
    static const char *const names[] = {"a.B.put (I)V", "a.B.put(int)", "a.B.put"};
    for (size_t i = 0; i < TV_COUNT_OF(names); i++) {
        char wanted[80];
        assert_int_equal(
            tv_method_by_name(&same.index, tv_str_from(names[i]), alloc, &method_ix, &choice, &err),
            TV_ERR_ARGUMENT);
        (void)snprintf(wanted, sizeof(wanted), "2 methods are called '%s': give the id of one",
                       names[i]);
        assert_string_equal(err.text, wanted);
        assert_int_equal(choice.count, 2);
    }
    assert_int_equal(
        tv_method_by_name(&same.index, TV_STR("0x8"), alloc, &method_ix, &choice, NULL), TV_OK);
    assert_int_equal(same.index.methods[method_ix].id, 8);
    assert_int_equal(
        tv_method_by_name(&same.index, TV_STR("a.B.get (I)V"), alloc, &method_ix, &choice, NULL),
        TV_OK);
    assert_int_equal(same.index.methods[method_ix].id, 12);
    world_release(&same);
}

static void an_exact_simple_name_goes_before_substrings(void **state)
{
    struct tv_method_choice choice;
    uint32_t method_ix;
    static struct world many;
    (void)state;
    world_begin(&many);
    build_release(&many.t);
    build_text(&many.t, (struct build_opts){.version = 3,
                                            .clock = "dual",
                                            .methods = "0x4\ta.B\tputAll\t(I)V\tB.java\t1\n"
                                                       "0x8\ta/B\tput\t(J)V\tB.java\t2\n"
                                                       "0xc\ta.put\trun\t(J)V\tB.java\t2\n"});
    for (unsigned i = 0; i < 3; i++)
        world_enter(&many, 1, i, i, i);
    for (unsigned i = 3; i-- > 0;)
        world_leave(&many, 1, i, 6 - i, 6 - i);
    world_end(&many);
    const struct tv_alloc *alloc = tv_alloc_libc();
    assert_int_equal(
        tv_method_by_name(&many.index, TV_STR("put"), alloc, &method_ix, &choice, NULL), TV_OK);
    assert_int_equal(method_ix, world_method_ix(&many, 1));
    assert_int_equal(choice.count, 1);
    assert_int_equal(tv_method_by_name(&many.index, TV_STR("pu"), alloc, &method_ix, &choice, NULL),
                     TV_ERR_ARGUMENT);
    assert_int_equal(choice.count, 3);
    world_release(&many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scope_begins_with_the_whole_trace),
        cmocka_unit_test(an_empty_range_is_refused),
        cmocka_unit_test(as_many_threads_can_be_chosen_as_there_are),
        cmocka_unit_test(a_measure_needs_its_clocks),
        cmocka_unit_test(a_page_ends_where_the_rows_end),
        cmocka_unit_test(top_filters_sorts_and_takes_a_page),
        cmocka_unit_test(top_adds_what_is_asked_for),
        cmocka_unit_test(small_rows_are_left_out_and_counted),
        cmocka_unit_test(callers_are_of_the_scope),
        cmocka_unit_test(a_walk_meets_every_node_and_list),
        cmocka_unit_test(a_method_is_named_in_many_ways),
        cmocka_unit_test(methods_of_one_whole_name_are_told_by_their_ids),
        cmocka_unit_test(a_capital_letter_that_finds_nothing_is_told),
        cmocka_unit_test(a_name_that_two_methods_share_needs_its_signature),
        cmocka_unit_test(an_exact_simple_name_goes_before_substrings),
    };
    return cmocka_run_group_tests(tests, build, release);
}
