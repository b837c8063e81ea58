/* Percentiles: of numbers, and of the calls of methods in a selection. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/calls/percentiles.h"
#include "analysis/world.h"

#define SEEDS 80
#define MOST 500

static struct world w;

static int compare_u64(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static void expect_percentiles(const struct tv_percentiles *percentiles, uint64_t *durations,
                               size_t count)
{
    qsort(durations, count, sizeof(*durations), compare_u64);
    assert_int_equal(percentiles->min_ns, durations[0]);
    assert_int_equal(percentiles->p50_ns, durations[(count * 50 + 99) / 100 - 1]);
    assert_int_equal(percentiles->p95_ns, durations[(count * 95 + 99) / 100 - 1]);
    assert_int_equal(percentiles->max_ns, durations[count - 1]);
}

static void percentiles_are_by_nearest_rank(void **state)
{
    uint32_t dice = 9;
    (void)state;
    for (size_t count = 1; count <= MOST; count++) {
        uint64_t durations[MOST];
        for (size_t i = 0; i < count; i++)
            durations[i] = (uint64_t)world_dice(&dice, 5000) << world_dice(&dice, 3) * 20;
        struct tv_percentiles percentiles = tv_percentiles_of(durations, count, 1);
        expect_percentiles(&percentiles, durations, count);
    }
}

static void run_backwards(void *ctx, tv_task task, void *arg, size_t count)
{
    (void)ctx;
    while (count--)
        task(arg, count);
}

static void check_methods(const struct tv_selection *selection, unsigned thread, uint64_t to,
                          size_t many_calls)
{
    static const struct tv_pool backwards = {.run = run_backwards, .thread_count = 2};
    static uint64_t durations[WORLD_CALLS];
    struct tv_sums sums;
    struct tv_profile profile;
    struct tv_method_percentiles percentiles[WORLD_METHODS];
    uint32_t methods[WORLD_METHODS];
    tv_profile_init(&profile, tv_alloc_libc());
    tv_sums_init(&sums, tv_alloc_libc());
    assert_int_equal(tv_sums_compute(&sums, &w.index, selection, NULL, NULL), TV_OK);
    assert_int_equal(tv_profile_of_sums(&profile, &sums, NULL), TV_OK);
    for (unsigned i = 0; i < WORLD_METHODS; i++)
        methods[i] = world_method_ix(&w, i);
    const struct tv_percentiles_question question = {&profile,      &sums,      methods,
                                                     WORLD_METHODS, many_calls, NULL};
    assert_int_equal(tv_percentiles_compute(&question, &backwards, percentiles, NULL), TV_OK);
    for (unsigned method = 0; method < WORLD_METHODS; method++) {
        for (int clock = 0; clock < 2; clock++) {
            size_t count = 0;
            for (int i = 0; i < w.call_count; i++) {
                const struct plain_call *call = &w.calls[i];
                if (call->method == method && (!thread || call->thread == thread) &&
                    world_overlaps(&w, i, selection->from_ns, to))
                    durations[count++] = call->end[clock] - call->start[clock];
            }
            assert_int_equal(percentiles[method].calls, count);
            if (count)
                expect_percentiles(&percentiles[method].of[clock], durations, count);
        }
    }
    tv_profile_release(&profile);
    tv_sums_release(&sums);
}

static void percentiles_are_those_of_plain_calls(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        uint32_t dice = seed;
        world_any(&w, seed);
        struct tv_selection part = {.has_range = true,
                                    .from_ns = world_dice(&dice, (uint32_t)w.latest + 1)};
        part.to_ns = part.from_ns + 1 + world_dice(&dice, (uint32_t)w.latest + 1);
        uint64_t to = part.to_ns < w.latest ? part.to_ns : UINT64_MAX;
        uint32_t main_ix = world_thread_ix(&w, MAIN);
        /* Durations are collected, or counted, or those of some methods are. */
        for (size_t many_calls = 0; many_calls < 40; many_calls = 15 * many_calls + 1) {
            check_methods(&(struct tv_selection){.has_range = false}, 0, UINT64_MAX, many_calls);
            part.threads = NULL;
            check_methods(&part, 0, to, many_calls);
            part.threads = &main_ix;
            part.thread_count = 1;
            check_methods(&part, MAIN, to, many_calls);
        }
        world_release(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percentiles_are_by_nearest_rank),
        cmocka_unit_test(percentiles_are_those_of_plain_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
