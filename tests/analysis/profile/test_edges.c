/* The edges between methods: by hand, against the plain reading, and where memory runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/profile/edges.h"
#include "analysis/world.h"
#include "support/failing_alloc.h"

#define SEEDS 100

static struct world w;

static void compute(struct tv_edges *edges, const struct tv_selection *selection)
{
    struct tv_sums sums;
    tv_sums_init(&sums, tv_alloc_libc());
    tv_edges_init(edges, tv_alloc_libc());
    assert_int_equal(tv_sums_compute(&sums, &w.index, selection, NULL, NULL), TV_OK);
    assert_int_equal(tv_edges_compute(edges, &sums, NULL), TV_OK);
    tv_sums_release(&sums);
}

static void edges_stand_by_caller_then_callee_with_roots_last(void **state)
{
    const struct tv_selection all = {.has_range = false};
    struct tv_edges edges;
    (void)state;
    world_begin(&w);
    world_enter(&w, MAIN, 0, 0, 0);
    world_enter(&w, MAIN, 1, 1, 1);
    world_enter(&w, MAIN, 0, 2, 2); /* recursive */
    world_enter(&w, MAIN, 1, 3, 3); /* recursive, of a recursive call */
    world_leave(&w, MAIN, 1, 5, 5);
    world_leave(&w, MAIN, 0, 7, 7);
    world_leave(&w, MAIN, 1, 8, 8);
    world_leave(&w, MAIN, 0, 10, 10);
    world_end(&w);
    compute(&edges, &all);
    assert_int_equal(edges.count, 4);
    assert_int_equal(edges.of[0].caller, world_method_ix(&w, 0));
    assert_int_equal(edges.of[0].callee, world_method_ix(&w, 1));
    assert_false(edges.of[0].is_caller_recursive);
    assert_int_equal(edges.of[0].numbers.inclusive_ns[TV_CLOCK_WALL], 7000);
    assert_true(edges.of[1].is_caller_recursive);
    assert_true(edges.of[1].is_callee_recursive);
    assert_int_equal(edges.of[1].numbers.inclusive_ns[TV_CLOCK_WALL], 2000);
    assert_int_equal(edges.of[2].caller, world_method_ix(&w, 1));
    assert_true(edges.of[2].is_callee_recursive);
    assert_int_equal(edges.of[3].caller, TV_NONE);
    assert_int_equal(edges.of[3].numbers.exclusive_ns[TV_CLOCK_WALL], 3000);
    tv_edges_release(&edges);
    world_release(&w);
}

/* One edge, call by call. */
static struct tv_numbers plain_edge(const struct tv_edge *edge, uint64_t from, uint64_t to)
{
    struct tv_numbers sum = {.calls = 0};
    for (int i = 0; i < w.call_count; i++) {
        const struct plain_call *call = &w.calls[i];
        const struct plain_call *caller =
            call->parent == WORLD_NONE ? NULL : &w.calls[call->parent];
        uint32_t caller_ix = caller ? world_method_ix(&w, caller->method) : TV_NONE;
        if (world_method_ix(&w, call->method) != edge->callee || caller_ix != edge->caller ||
            call->is_recursive != edge->is_callee_recursive ||
            (caller && caller->is_recursive) != edge->is_caller_recursive)
            continue;
        sum.calls += world_overlaps(&w, i, from, to);
        for (int clock = 0; clock < 2; clock++) {
            sum.inclusive_ns[clock] += world_inside(&w, i, clock, from, to);
            sum.exclusive_ns[clock] += world_exclusive(&w, i, clock, from, to);
        }
    }
    return sum;
}

static void random_edges_equal_the_plain_reading_and_hold_every_call(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        struct tv_selection selection = {.has_range = seed % 2};
        struct tv_edges edges;
        uint32_t dice = seed;
        uint64_t calls = 0;
        uint64_t met = 0;
        world_any(&w, seed);
        selection.from_ns = seed % 2 ? world_dice(&dice, (uint32_t)w.latest + 1) : 0;
        selection.to_ns = selection.from_ns + 1 + world_dice(&dice, (uint32_t)w.latest + 1);
        uint64_t to =
            selection.has_range && selection.to_ns < w.latest ? selection.to_ns : UINT64_MAX;
        compute(&edges, &selection);
        for (size_t i = 0; i < edges.count; i++) {
            struct tv_numbers want = plain_edge(&edges.of[i], selection.from_ns, to);
            assert_memory_equal(&edges.of[i].numbers, &want, sizeof(want));
            calls += want.calls;
        }
        for (int i = 0; i < w.call_count; i++)
            met += world_overlaps(&w, i, selection.from_ns, to);
        assert_int_equal(calls, met);
        tv_edges_release(&edges);
        world_release(&w);
    }
}

static enum tv_code compute_edges(const struct tv_alloc *alloc, void *ctx)
{
    struct tv_edges edges;
    tv_edges_init(&edges, alloc);
    enum tv_code code = tv_edges_compute(&edges, ctx, NULL);
    tv_edges_release(&edges);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    const struct tv_selection all = {.has_range = false};
    struct tv_sums sums;
    (void)state;
    world_any(&w, 3);
    tv_sums_init(&sums, tv_alloc_libc());
    assert_int_equal(tv_sums_compute(&sums, &w.index, &all, NULL, NULL), TV_OK);
    (void)failing_alloc_each(compute_edges, &sums);
    tv_sums_release(&sums);
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_stand_by_caller_then_callee_with_roots_last),
        cmocka_unit_test(random_edges_equal_the_plain_reading_and_hold_every_call),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
