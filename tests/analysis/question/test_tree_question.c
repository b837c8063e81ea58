/* Parts of a tree: below one method, the stacks of one method, the largest nodes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/question/top_question.h"
#include "analysis/question/tree_question.h"
#include "analysis/world.h"

static struct world w;

static void ask(struct tv_tree_answer *answer, const struct tv_tree_question *question)
{
    tv_tree_answer_init(answer, tv_alloc_libc());
    assert_int_equal(tv_tree_answer_compute(answer, &w.index, question, NULL, NULL), TV_OK);
}

static struct tv_tree_question whole(enum tv_call_tree_direction direction)
{
    struct tv_tree_question question = {
        .sort = {.order = TV_DESCENDING, .key = TV_SORT_INCLUSIVE},
        .opts = {.direction = direction, .levels = TV_TREE_ALL_LEVELS}};
    tv_scope_init(&question.scope, &w.index);
    question.scope.measure = TV_MEASURE_WALL;
    return question;
}

/* The profile of the whole trace, by which trees are checked. */
static void ask_profile(struct tv_top *top)
{
    struct tv_top_question question = {.rows = TV_TOP_METHODS};
    tv_scope_init(&question.scope, &w.index);
    tv_top_init(top, tv_alloc_libc());
    assert_int_equal(tv_top_compute(top, &w.index, &question, NULL, NULL), TV_OK);
}

static void add_times(uint64_t to[TV_CLOCK_COUNT], const uint64_t times[TV_CLOCK_COUNT])
{
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        to[clock] += times[clock];
}

static void a_tree_below_a_method_has_its_inclusive_time(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 12; seed++) {
        struct tv_top top;
        world_any(&w, seed);
        ask_profile(&top);
        for (size_t i = 0; i < top.count; i++) {
            struct tv_tree_question question = whole(TV_TOP_DOWN);
            struct tv_tree_answer answer;
            uint64_t exclusive[TV_CLOCK_COUNT] = {0};
            const struct tv_numbers *numbers = &top.profile.rows[top.methods[i]].numbers;
            question.opts.root = &top.methods[i];
            ask(&answer, &question);
            assert_int_equal(answer.tree.root_count, 1);
            const struct tv_call_tree_node *root = &answer.tree.nodes[answer.tree.root_first];
            assert_int_equal(root->method, top.methods[i]);
            assert_int_equal(root->numbers.calls, numbers->calls);
            assert_memory_equal(root->numbers.inclusive_ns, numbers->inclusive_ns,
                                sizeof(exclusive));
            for (size_t k = 0; k < answer.tree.count; k++)
                add_times(exclusive, answer.tree.nodes[k].numbers.exclusive_ns);
            assert_memory_equal(exclusive, numbers->inclusive_ns, sizeof(exclusive));
            tv_tree_answer_release(&answer);
        }
        tv_top_release(&top);
        world_release(&w);
    }
}

/* Inverted, the method is the only root, and has the exclusive time of all its calls. */
static void an_inverted_tree_of_a_method_has_its_exclusive_time(void **state)
{
    (void)state;
    world_random(&w, 7);
    struct tv_top top;
    ask_profile(&top);
    for (size_t i = 0; i < top.count; i++) {
        struct tv_tree_question question = whole(TV_INVERTED);
        struct tv_tree_answer answer;
        question.opts.root = &top.methods[i];
        ask(&answer, &question);
        assert_int_equal(answer.tree.root_count, 1);
        const struct tv_numbers *root = &answer.tree.nodes[answer.tree.root_first].numbers;
        assert_memory_equal(root->inclusive_ns,
                            top.profile.rows[top.methods[i]].numbers.exclusive_ns,
                            sizeof(root->inclusive_ns));
        tv_tree_answer_release(&answer);
    }
    tv_top_release(&top);
    world_release(&w);
}

/* The stacks that a method is in take as long as its outermost calls. */
static void stacks_in_focus_have_the_inclusive_time_of_the_method(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 12; seed++) {
        struct tv_top top;
        world_any(&w, seed);
        ask_profile(&top);
        for (size_t i = 0; i < top.count; i++) {
            struct tv_tree_question question = whole(TV_TOP_DOWN);
            struct tv_tree_answer answer;
            uint64_t inclusive[TV_CLOCK_COUNT] = {0};
            question.focus = &top.methods[i];
            ask(&answer, &question);
            for (uint32_t k = 0; k < answer.tree.root_count; k++)
                add_times(inclusive,
                          answer.tree.nodes[answer.tree.root_first + k].numbers.inclusive_ns);
            assert_memory_equal(inclusive, top.profile.rows[top.methods[i]].numbers.inclusive_ns,
                                sizeof(inclusive));
            tv_tree_answer_release(&answer);
        }
        tv_top_release(&top);
        world_release(&w);
    }
}

/* Nodes that the walk meets, their times, and the least of these. */
struct met {
    size_t count;
    uint64_t sum_ns;
    uint64_t least_ns;
};

static struct met walk_all(const struct tv_tree_answer *answer)
{
    struct met met = {.least_ns = UINT64_MAX};
    struct tv_tree_walk walk;
    struct tv_tree_step step;
    tv_tree_walk_begin(&walk, &answer->tree, TV_TREE_ALL_LEVELS);
    while ((step = tv_tree_walk_next(&walk)).event != TV_TREE_END) {
        if (step.event != TV_TREE_NODE)
            continue;
        uint64_t time_ns = step.node->numbers.inclusive_ns[TV_CLOCK_WALL];
        met.count++;
        met.sum_ns += time_ns;
        met.least_ns = time_ns < met.least_ns ? time_ns : met.least_ns;
    }
    return met;
}

/* Of the nodes of `all`, how many take longer than `time_ns`. */
static size_t count_longer(const struct tv_tree_answer *all, uint64_t time_ns)
{
    size_t count = 0;
    for (size_t i = 0; i < all->tree.count; i++)
        count += all->tree.nodes[i].numbers.inclusive_ns[TV_CLOCK_WALL] > time_ns;
    return count;
}

/* Callers of small roots are not climbed to, so what is shown must be the same as if they were:
 * no node that is longer than a shown one is missing. */
static void a_limit_shows_the_largest_nodes(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 16; seed++) {
        world_any(&w, seed);
        struct tv_tree_question question = whole(seed % 2 ? TV_TOP_DOWN : TV_INVERTED);
        struct tv_tree_answer all;
        ask(&all, &question);
        assert_int_equal(walk_all(&all).count, all.tree.count);
        for (size_t limit = 1; limit < all.tree.count + 2; limit += 1 + limit / 3) {
            struct tv_tree_answer some;
            question.opts.row_limit = limit;
            ask(&some, &question);
            struct met met = walk_all(&some);
            bool is_all = limit >= all.tree.count;
            assert_true(met.count == limit || (is_all && met.count == all.tree.count));
            assert_true(count_longer(&all, met.least_ns) <= met.count);
            assert_int_equal(some.tree.is_limited, !is_all);
            tv_tree_answer_release(&some);
        }
        tv_tree_answer_release(&all);
        world_release(&w);
    }
}

/* Roots below the cut are not climbed from: the others are as they would be. */
static void a_cut_changes_nothing_above_it(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 8; seed++) {
        world_any(&w, seed);
        struct tv_tree_question question = whole(TV_INVERTED);
        struct tv_tree_answer all;
        struct tv_tree_answer some;
        ask(&all, &question);
        question.opts.cut = 0.04;
        ask(&some, &question);
        struct met met = walk_all(&some);
        uint64_t least_ns = (uint64_t)(0.04 * (double)all.total_ns[TV_CLOCK_WALL]);
        assert_true(met.count == 0 || met.least_ns >= least_ns);
        assert_int_equal(met.count, count_longer(&all, least_ns ? least_ns - 1 : 0));
        tv_tree_answer_release(&some);
        tv_tree_answer_release(&all);
        world_release(&w);
    }
}

/* Stacks without a hidden method; the method that was named stays. */
static void what_is_named_is_never_hidden(void **state)
{
    (void)state;
    world_random(&w, 4);
    struct tv_tree_question question = whole(TV_TOP_DOWN);
    struct tv_tree_answer answer;
    uint32_t method = world_method_ix(&w, 2);
    question.scope.methods.hidden = TV_STR("com.lib.");
    question.opts.root = &method;
    ask(&answer, &question);
    assert_int_equal(answer.tree.root_count, 1);
    tv_tree_answer_release(&answer);
    question.opts.root = NULL;
    question.focus = &method;
    ask(&answer, &question);
    bool is_there = false;
    for (size_t i = 0; i < answer.tree.count; i++)
        is_there = is_there || answer.tree.nodes[i].method == method;
    assert_true(is_there);
    tv_tree_answer_release(&answer);
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_below_a_method_has_its_inclusive_time),
        cmocka_unit_test(an_inverted_tree_of_a_method_has_its_exclusive_time),
        cmocka_unit_test(stacks_in_focus_have_the_inclusive_time_of_the_method),
        cmocka_unit_test(a_limit_shows_the_largest_nodes),
        cmocka_unit_test(a_cut_changes_nothing_above_it),
        cmocka_unit_test(what_is_named_is_never_hidden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
