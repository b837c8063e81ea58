/*
 * Hidden packages mean one thing in every view: their methods are taken out of stacks, and their
 * time is their callers'. So exclusive times add up to the same total in all views, whatever is
 * hidden.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/flame/flame.h"
#include "analysis/question/callers_question.h"
#include "analysis/question/top_question.h"
#include "analysis/question/tree_question.h"
#include "analysis/selection/names.h"
#include "analysis/world.h"

static struct world w;

/* What one view says on both clocks: exclusive times of what it shows, and 100 %. */
struct shown {
    uint64_t exclusive_ns[TV_CLOCK_COUNT];
    uint64_t hidden_ns[TV_CLOCK_COUNT];
    uint64_t total_ns[TV_CLOCK_COUNT];
};

static void add_times(uint64_t to[TV_CLOCK_COUNT], const uint64_t times[TV_CLOCK_COUNT])
{
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        to[clock] += times[clock];
}

static struct shown show_top(const struct tv_scope *scope, enum tv_top_rows rows)
{
    const struct tv_top_question question = {.scope = *scope, .rows = rows};
    struct shown shown = {.total_ns = {0}};
    struct tv_top top;
    tv_top_init(&top, tv_alloc_libc());
    assert_int_equal(tv_top_compute(&top, &w.index, &question, NULL, NULL), TV_OK);
    for (size_t i = 0; i < top.count; i++)
        add_times(shown.exclusive_ns, rows == TV_TOP_METHODS
                                          ? top.profile.rows[top.methods[i]].numbers.exclusive_ns
                                          : top.groups.rows[i].numbers.exclusive_ns);
    add_times(shown.hidden_ns, top.profile.hidden_ns);
    add_times(shown.total_ns, top.profile.total_ns);
    tv_top_release(&top);
    return shown;
}

/* An inverted tree has the exclusive times of methods as inclusive times of its roots. */
static struct shown show_tree(const struct tv_scope *scope, enum tv_call_tree_direction direction)
{
    const struct tv_tree_question question = {
        .scope = *scope, .opts = {.direction = direction, .levels = TV_TREE_ALL_LEVELS}};
    struct shown shown = {.total_ns = {0}};
    struct tv_tree_answer answer;
    tv_tree_answer_init(&answer, tv_alloc_libc());
    assert_int_equal(tv_tree_answer_compute(&answer, &w.index, &question, NULL, NULL), TV_OK);
    for (size_t i = 0; i < answer.tree.count; i++) {
        const struct tv_call_tree_node *node = &answer.tree.nodes[i];
        if (direction == TV_TOP_DOWN)
            add_times(shown.exclusive_ns, node->numbers.exclusive_ns);
        else if (node->level == 0)
            add_times(shown.exclusive_ns, node->numbers.inclusive_ns);
    }
    add_times(shown.total_ns, answer.total_ns);
    tv_tree_answer_release(&answer);
    return shown;
}

static void expect_equal_times(const struct shown *a, const struct shown *b)
{
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        assert_int_equal(a->exclusive_ns[clock], b->exclusive_ns[clock]);
        assert_int_equal(a->total_ns[clock], b->total_ns[clock]);
    }
}

static uint64_t flame_width(const struct tv_scope *scope, enum tv_measure measure)
{
    struct tv_stacks stacks;
    struct tv_flame flame;
    tv_stacks_init(&stacks, tv_alloc_libc());
    assert_int_equal(tv_stacks_compute(&stacks, &w.index, scope, NULL, NULL), TV_OK);
    const struct tv_flame_opts opts = {
        .width = 16384, .measure = measure, .hidden = stacks.filter.hidden};
    tv_flame_init(&flame, tv_alloc_libc());
    assert_int_equal(tv_flame_compute(&flame, &stacks.sums, &opts, NULL), TV_OK);
    uint64_t width = flame.value_ns;
    tv_flame_release(&flame);
    tv_stacks_release(&stacks);
    return width;
}

static const char *const hidden_lists[] = {"",       "java.", "com.lib.", "com.app.",
                                           "com.,x", "x",     "com/",     "java.,com.app.Main"};

static void all_views_share_the_hidden_time_alike(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 24; seed++) {
        struct tv_scope scope;
        world_any(&w, seed);
        tv_scope_init(&scope, &w.index);
        scope.methods.hidden = tv_str_from(hidden_lists[seed % TV_COUNT_OF(hidden_lists)]);
        if (seed % 3 == 0)
            assert_int_equal(tv_scope_take_range(&scope, &w.index, tv_axis_len_ns(&w.index) / 4,
                                                 tv_axis_len_ns(&w.index) / 2, NULL),
                             TV_OK);
        struct shown top = show_top(&scope, TV_TOP_METHODS);
        struct shown classes = show_top(&scope, TV_TOP_CLASSES);
        struct shown tree = show_tree(&scope, TV_TOP_DOWN);
        struct shown inverted = show_tree(&scope, TV_INVERTED);
        expect_equal_times(&top, &classes);
        expect_equal_times(&top, &tree);
        expect_equal_times(&top, &inverted);
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            assert_int_equal(top.exclusive_ns[clock] + top.hidden_ns[clock], top.total_ns[clock]);
            enum tv_measure measure = clock == TV_CLOCK_WALL ? TV_MEASURE_WALL : TV_MEASURE_CPU;
            assert_int_equal(flame_width(&scope, measure), top.exclusive_ns[clock]);
        }
        world_release(&w);
    }
}

static void threads_add_up_to_all(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 8; seed++) {
        struct tv_scope scope;
        struct shown sum = {.total_ns = {0}};
        world_any(&w, seed);
        tv_scope_init(&scope, &w.index);
        scope.methods.hidden = TV_STR("com.lib.");
        struct shown all = show_top(&scope, TV_TOP_METHODS);
        for (uint32_t thread = 0; thread < w.index.thread_count; thread++) {
            scope.selection.threads = &thread;
            scope.selection.thread_count = 1;
            struct shown one = show_top(&scope, TV_TOP_METHODS);
            add_times(sum.exclusive_ns, one.exclusive_ns);
            add_times(sum.hidden_ns, one.hidden_ns);
            add_times(sum.total_ns, one.total_ns);
        }
        assert_memory_equal(&sum, &all, sizeof(all));
        world_release(&w);
    }
}

/* The row of the method in callers is that of top, and what it did itself and its callees make up
 * its inclusive time. */
static void expect_callers(const struct tv_scope *scope, const struct tv_profile *profile,
                           uint32_t method_ix)
{
    const struct tv_callers_question question = {.scope = *scope, .method_ix = method_ix};
    struct tv_callers callers;
    tv_callers_init(&callers, tv_alloc_libc());
    assert_int_equal(tv_callers_compute(&callers, &w.index, &question, NULL, NULL), TV_OK);
    const struct tv_method_row *row = &callers.profile.rows[method_ix];
    assert_memory_equal(row, &profile->rows[method_ix], sizeof(*row));
    const struct tv_relation_rows *callees = &callers.relations.groups[TV_RELATION_CALLEES];
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        uint64_t sum = callers.relations.self.exclusive_ns[clock];
        for (size_t i = 0; i < callees->count; i++)
            sum += callees->rows[i].numbers.inclusive_ns[clock];
        assert_int_equal(sum, row->numbers.inclusive_ns[clock]);
        for (size_t i = 0; i < callees->count; i++)
            assert_false(tv_str_starts_with(tv_method_class(&w.index, callees->rows[i].method),
                                            TV_STR("com.lib.")));
    }
    tv_callers_release(&callers);
}

static void callers_are_the_nearest_shown_ones(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 8; seed++) {
        struct tv_top_question question = {.rows = TV_TOP_METHODS};
        struct tv_top top;
        world_any(&w, seed);
        tv_scope_init(&question.scope, &w.index);
        question.scope.methods.hidden = TV_STR("com.lib.");
        tv_top_init(&top, tv_alloc_libc());
        assert_int_equal(tv_top_compute(&top, &w.index, &question, NULL, NULL), TV_OK);
        for (size_t i = 0; i < top.count; i++)
            expect_callers(&question.scope, &top.profile, top.methods[i]);
        tv_top_release(&top);
        world_release(&w);
    }
}

/* A hidden package leaves the callers of one of its methods to be asked for. */
static void the_method_that_is_asked_about_is_never_hidden(void **state)
{
    (void)state;
    world_random(&w, 4);
    struct tv_callers_question question = {.method_ix = world_method_ix(&w, 2)};
    struct tv_callers callers;
    tv_scope_init(&question.scope, &w.index);
    question.scope.methods.hidden = TV_STR("com.lib.");
    tv_callers_init(&callers, tv_alloc_libc());
    assert_int_equal(tv_callers_compute(&callers, &w.index, &question, NULL, NULL), TV_OK);
    assert_true(callers.profile.rows[question.method_ix].numbers.calls > 0);
    tv_callers_release(&callers);
    world_release(&w);
}

/* Dropped packages change no number: rows are missing, and callers counts them. */
static void dropped_packages_only_have_no_rows(void **state)
{
    (void)state;
    world_random(&w, 5);
    struct tv_callers_question question = {.method_ix = world_method_ix(&w, 0)};
    struct tv_callers all;
    struct tv_callers some;
    tv_scope_init(&question.scope, &w.index);
    tv_callers_init(&all, tv_alloc_libc());
    tv_callers_init(&some, tv_alloc_libc());
    assert_int_equal(tv_callers_compute(&all, &w.index, &question, NULL, NULL), TV_OK);
    question.scope.methods.dropped = TV_STR("com.lib.");
    assert_int_equal(tv_callers_compute(&some, &w.index, &question, NULL, NULL), TV_OK);
    size_t left_out = 0;
    for (unsigned i = 0; i < TV_RELATION_COUNT; i++) {
        const struct tv_relation_rows *rows = &some.relations.groups[i];
        assert_int_equal(rows->count + rows->left_out_count, all.relations.groups[i].count);
        uint64_t sum = rows->left_out.inclusive_ns[TV_CLOCK_WALL];
        for (size_t k = 0; k < rows->count; k++)
            sum += rows->rows[k].numbers.inclusive_ns[TV_CLOCK_WALL];
        for (size_t k = 0; k < all.relations.groups[i].count; k++)
            sum -= all.relations.groups[i].rows[k].numbers.inclusive_ns[TV_CLOCK_WALL];
        assert_int_equal(sum, 0);
        left_out += rows->left_out_count;
    }
    assert_true(left_out > 0);
    struct shown top = show_top(&question.scope, TV_TOP_METHODS);
    question.scope.methods.dropped = TV_STR("com.app.,java.,x");
    struct shown rest = show_top(&question.scope, TV_TOP_METHODS);
    assert_int_equal(top.exclusive_ns[TV_CLOCK_WALL] + rest.exclusive_ns[TV_CLOCK_WALL],
                     top.total_ns[TV_CLOCK_WALL]);
    tv_callers_release(&some);
    tv_callers_release(&all);
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_views_share_the_hidden_time_alike),
        cmocka_unit_test(threads_add_up_to_all),
        cmocka_unit_test(callers_are_the_nearest_shown_ones),
        cmocka_unit_test(the_method_that_is_asked_about_is_never_hidden),
        cmocka_unit_test(dropped_packages_only_have_no_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
