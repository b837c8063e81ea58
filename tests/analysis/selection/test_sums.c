/* Sums per node: of selections and of stacks with a match, against the plain calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/selection/sums.h"
#include "analysis/stacks.h"
#include "analysis/world.h"

#define SEEDS 60

static struct world w;

/* The stack of a node of the sums, from its root. */
static struct stack stack_of_node(const struct tv_sums *sums, uint32_t node)
{
    struct stack up = {.len = 0};
    struct stack down = {.len = 0};
    for (uint32_t at = node; at != TV_NONE; at = sums->parent[at])
        up.methods[up.len++] = method_number(&w, sums->method[at]);
    for (size_t i = up.len; i-- > 0;)
        down.methods[down.len++] = up.methods[i];
    return down;
}

static bool is_same(const struct stack *a, const struct stack *b)
{
    bool is_same = a->len == b->len;
    for (size_t i = 0; is_same && i < a->len; i++)
        is_same = a->methods[i] == b->methods[i];
    return is_same;
}

/* What a node of a thread has in a range, call by call. */
static struct tv_numbers plain_node(const struct stack *stack, unsigned thread, uint64_t from,
                                    uint64_t to)
{
    struct tv_numbers numbers = {.calls = 0};
    for (int i = 0; i < w.call_count; i++) {
        struct stack own = stack_of(&w, i, TV_TOP_DOWN, WORLD_METHODS);
        if (w.calls[i].thread != thread || !is_same(&own, stack))
            continue;
        numbers.calls += world_overlaps(&w, i, from, to);
        for (int clock = 0; clock < 2; clock++) {
            numbers.inclusive_ns[clock] += world_inside(&w, i, clock, from, to);
            numbers.exclusive_ns[clock] += world_exclusive(&w, i, clock, from, to);
        }
    }
    return numbers;
}

static void expect_numbers(const struct tv_numbers *got, const struct tv_numbers *want)
{
    assert_int_equal(got->calls, want->calls);
    for (int clock = 0; clock < 2; clock++) {
        assert_int_equal(got->inclusive_ns[clock], want->inclusive_ns[clock]);
        assert_int_equal(got->exclusive_ns[clock], want->exclusive_ns[clock]);
    }
}

/* Compares each node, and that no call is missing. */
static void compare_sums(const struct tv_sums *sums, uint64_t from, uint64_t to)
{
    uint64_t calls = 0;
    uint64_t want_calls = 0;
    for (uint32_t i = 0; i < w.index.thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++) {
            struct stack stack = stack_of_node(sums, node);
            struct tv_numbers want = plain_node(&stack, w.index.threads[i].id, from, to);
            struct tv_numbers got = tv_sums_numbers(sums, node);
            expect_numbers(&got, &want);
            assert_int_equal(tv_sums_is_touched(sums, node),
                             want.calls || want.inclusive_ns[0] || want.inclusive_ns[1]);
            assert_int_equal(sums->depth[node], stack.len - 1);
            calls += got.calls;
        }
    }
    for (int i = 0; i < w.call_count; i++)
        want_calls += world_overlaps(&w, i, from, to);
    assert_int_equal(calls, want_calls);
}

/* Narrow ranges have few nodes, wide ones leave few calls out. Edges are those of calls, so records
 * stand on them. */
static void random_ranges_equal_the_plain_reading(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        uint32_t dice = seed;
        struct tv_sums sums;
        world_any(&w, seed);
        tv_sums_init(&sums, tv_alloc_libc());
        for (int i = 0; i < 6 && w.call_count; i++) {
            uint64_t from = w.calls[world_dice(&dice, (uint32_t)w.call_count)].start[0];
            uint64_t to = w.calls[world_dice(&dice, (uint32_t)w.call_count)].end[0];
            struct tv_selection selection = {.has_range = true, .from_ns = from, .to_ns = to};
            if (from >= to)
                continue;
            assert_int_equal(tv_sums_compute(&sums, &w.index, &selection, NULL, NULL), TV_OK);
            compare_sums(&sums, from, to >= w.latest ? UINT64_MAX : to);
        }
        const struct tv_selection all = {.has_range = false};
        assert_int_equal(tv_sums_compute(&sums, &w.index, &all, NULL, NULL), TV_OK);
        compare_sums(&sums, 0, UINT64_MAX);
        tv_sums_release(&sums);
        world_release(&w);
    }
}

static bool has_method(const struct stack *stack, unsigned method)
{
    bool has = false;
    for (size_t i = 0; i < stack->len; i++)
        has = has || stack->methods[i] == method;
    return has;
}

/* What a node has of the calls whose stack has a method: all where it is in the node's own. */
static struct tv_numbers plain_filtered(const struct stack *stack, unsigned thread, unsigned method)
{
    struct tv_numbers whole = plain_node(stack, thread, 0, UINT64_MAX);
    struct tv_numbers numbers = {.calls = 0};
    if (has_method(stack, method))
        return whole;
    for (int i = 0; i < w.call_count; i++) {
        struct stack own = stack_of(&w, i, TV_TOP_DOWN, WORLD_METHODS);
        struct stack begin = own;
        begin.len = own.len < stack->len ? own.len : stack->len;
        if (w.calls[i].thread != thread || !is_same(&begin, stack) || !has_method(&own, method))
            continue;
        numbers.calls = whole.calls;
        for (int clock = 0; clock < 2; clock++)
            numbers.inclusive_ns[clock] += world_exclusive(&w, i, clock, 0, UINT64_MAX);
    }
    return numbers;
}

static void filter_keeps_stacks_with_a_match(void **state)
{
    const struct tv_selection all = {.has_range = false};
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        uint8_t matches[WORLD_METHODS] = {0};
        unsigned method = seed % WORLD_METHODS;
        struct tv_sums sums;
        world_random(&w, seed);
        matches[world_method_ix(&w, method)] = 1;
        tv_sums_init(&sums, tv_alloc_libc());
        assert_int_equal(tv_sums_compute_matching(&sums, &w.index, &all, matches, NULL, NULL),
                         TV_OK);
        for (uint32_t i = 0; i < w.index.thread_count; i++) {
            struct tv_node_range nodes = tv_sums_nodes(&sums, i);
            for (uint32_t node = nodes.first; node < nodes.end; node++) {
                struct stack stack = stack_of_node(&sums, node);
                struct tv_numbers want = plain_filtered(&stack, w.index.threads[i].id, method);
                struct tv_numbers got = tv_sums_numbers(&sums, node);
                expect_numbers(&got, &want);
            }
        }
        tv_sums_release(&sums);
        world_release(&w);
    }
}

/* A call that ends where the range begins, among records of that moment, has CPU time in the range
 * and is no call of it. Its callers have that time too. */
static void time_of_a_call_at_the_edge_reaches_its_callers(void **state)
{
    const struct tv_selection edge = {.has_range = true, .from_ns = 20000, .to_ns = 30000};
    uint8_t matches[WORLD_METHODS] = {0};
    struct tv_sums sums;
    (void)state;
    world_begin(&w);
    world_enter(&w, MAIN, 0, 0, 0);
    world_enter(&w, MAIN, 1, 10, 10);
    world_enter(&w, MAIN, 2, 20, 12);
    world_leave(&w, MAIN, 2, 20, 15);
    world_leave(&w, MAIN, 1, 20, 17);
    world_leave(&w, MAIN, 0, 40, 30);
    world_end(&w);
    matches[world_method_ix(&w, 1)] = 1;
    tv_sums_init(&sums, tv_alloc_libc());
    assert_int_equal(tv_sums_compute_matching(&sums, &w.index, &edge, matches, NULL, NULL), TV_OK);
    struct tv_node_range nodes = tv_sums_nodes(&sums, 0);
    struct tv_numbers root = tv_sums_numbers(&sums, nodes.first);
    struct tv_numbers match = tv_sums_numbers(&sums, nodes.first + 1);
    assert_int_equal(sums.parent[nodes.first + 1], nodes.first);
    assert_int_equal(match.calls, 0);
    assert_int_equal(match.inclusive_ns[TV_CLOCK_CPU], 5000);
    assert_int_equal(root.calls, 1);
    assert_int_equal(root.inclusive_ns[TV_CLOCK_CPU], 5000);
    assert_int_equal(root.inclusive_ns[TV_CLOCK_WALL], 0);
    tv_sums_release(&sums);
    world_release(&w);
}

static void totals_are_of_the_selected_threads(void **state)
{
    struct tv_sums sums;
    (void)state;
    world_begin(&w);
    world_enter(&w, MAIN, 0, 0, 0);
    world_enter(&w, WORKER, 1, 5, 1);
    world_leave(&w, WORKER, 1, 25, 4);
    world_leave(&w, MAIN, 0, 40, 30);
    world_end(&w);
    const uint32_t worker = world_thread_ix(&w, WORKER);
    struct tv_selection selection = {.threads = &worker, .thread_count = 1};
    tv_sums_init(&sums, tv_alloc_libc());
    assert_int_equal(tv_sums_compute(&sums, &w.index, &selection, NULL, NULL), TV_OK);
    assert_int_equal(sums.total_ns[TV_CLOCK_WALL], 20000);
    assert_int_equal(sums.total_ns[TV_CLOCK_CPU], 3000);
    selection = (struct tv_selection){.has_range = true, .from_ns = 10000, .to_ns = 25000};
    assert_int_equal(tv_sums_compute(&sums, &w.index, &selection, NULL, NULL), TV_OK);
    assert_int_equal(sums.total_ns[TV_CLOCK_WALL], 15000 + 15000);
    selection.threads = &worker;
    selection.thread_count = 1;
    assert_int_equal(tv_sums_compute(&sums, &w.index, &selection, NULL, NULL), TV_OK);
    assert_int_equal(sums.total_ns[TV_CLOCK_WALL], 15000);
    tv_sums_release(&sums);
    world_release(&w);
}

/* Recursive calls lie inside one another: of damaged times of years their sum is beyond 64 bits. */
static void sums_beyond_what_a_time_can_be_stay_there(void **state)
{
    const uint64_t years = (uint64_t)INT64_MAX / 2 + 1;
    const struct tv_numbers call = {
        .calls = 1, .inclusive_ns = {years, 7}, .exclusive_ns = {1, years}};
    struct tv_numbers sum = {.calls = 0};
    (void)state;
    for (int i = 0; i < 5; i++)
        tv_numbers_add(&sum, &call);
    assert_int_equal(sum.calls, 5);
    assert_int_equal(sum.inclusive_ns[0], INT64_MAX);
    assert_int_equal(sum.inclusive_ns[1], 35);
    assert_int_equal(sum.exclusive_ns[0], 5);
    assert_int_equal(sum.exclusive_ns[1], INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_ranges_equal_the_plain_reading),
        cmocka_unit_test(filter_keeps_stacks_with_a_match),
        cmocka_unit_test(time_of_a_call_at_the_edge_reaches_its_callers),
        cmocka_unit_test(totals_are_of_the_selected_threads),
        cmocka_unit_test(sums_beyond_what_a_time_can_be_stay_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
